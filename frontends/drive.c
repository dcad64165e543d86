/* One command on one input: choose the frontend, parse, run, settle the result.
 *
 *   text --ending, else sniff--> frontend --parse--> ast --check | explore | project | convert | replay--> result
 *
 * Settling makes the exit code and the output follow from the result alone, whatever the frontend returned: a search
 * that ran out of memory, time or patience is an inconclusive result that says so; a wrong input or a bug of ours is no
 * result at all but at least one diagnostic.
 *
 * Threads: runs in the caller's; frontends start their own teams. Cost: the frontend's. */
#include "frontends/drive.h"

#include "core/base/check.h"

#include <string.h>

static bool has_ending(const char *name, const char *ending) {
  size_t name_length = strlen(name), ending_length = strlen(ending);
  return name_length > ending_length && strcmp(name + name_length - ending_length, ending) == 0;
}

const hd_frontend *hd_frontend_for(const hd_text *text) {
  for (size_t i = 0; hd_frontends[i] != NULL; i++) {
    for (const char *const *pattern = hd_frontends[i]->patterns; *pattern != NULL; pattern++) {
      if (has_ending(text->name, *pattern)) {
        return hd_frontends[i];
      }
    }
  }
  for (size_t i = 0; hd_frontends[i] != NULL; i++) {
    if (hd_frontends[i]->sniff != NULL && hd_frontends[i]->sniff(text)) {
      return hd_frontends[i];
    }
  }
  return NULL;
}

/* HD004, with the endings we know as hint. */
static void report_unknown_format(const hd_text *text, hd_diag *diag) {
  hd_buffer hint = {0};
  hd_buffer_add_text(&hint, "expected a file that ends in ");
  bool first = true;
  for (size_t i = 0; hd_frontends[i] != NULL; i++) {
    for (const char *const *pattern = hd_frontends[i]->patterns; *pattern != NULL; pattern++) {
      hd_buffer_printf(&hint, "%s%s", first ? "" : ", ", *pattern);
      first = false;
    }
  }
  hd_diag_add(diag, HD_DIAG_FORMAT, text, (hd_span){0, 0}, hint.failed ? NULL : hint.data,
              "no language of heddle starts like this");
  hd_buffer_free(&hint);
}

static bool has_command(const hd_frontend *frontend, hd_command command) {
  switch (command) {
    case HD_COMMAND_CHECK:
      return frontend->check != NULL;
    case HD_COMMAND_REPAIR:
      return frontend->repair != NULL;
    case HD_COMMAND_EXPLORE:
      return frontend->explore != NULL;
    case HD_COMMAND_PROJECT:
      return frontend->project != NULL;
    case HD_COMMAND_CONVERT:
      return frontend->convert != NULL;
    case HD_COMMAND_REPLAY:
      return frontend->replay != NULL;
    case HD_COMMAND_DOCTOR:
    case HD_COMMAND_COUNT:
      return false;
  }
  return false;
}

static hd_status run_command(const hd_job *job, const hd_frontend *frontend, const hd_ast *ast, hd_diag *diag,
                             hd_result *result, hd_buffer *text) {
  switch (job->command) {
    case HD_COMMAND_CHECK:
      return frontend->check(ast, job->request, diag, result);
    case HD_COMMAND_REPAIR:
      return frontend->repair(ast, job->request, diag, result);
    case HD_COMMAND_EXPLORE:
      return frontend->explore(ast, job->request, diag, result);
    case HD_COMMAND_PROJECT:
      return frontend->project(ast, job->request, diag, text);
    case HD_COMMAND_CONVERT:
      return frontend->convert(ast, job->request, diag, text);
    case HD_COMMAND_REPLAY:
      return frontend->replay(ast, job->trace, job->request, diag, result);
    case HD_COMMAND_DOCTOR:
    case HD_COMMAND_COUNT:
      break;
  }
  return HD_E_INTERNAL;
}

/* Makes the result say what `status` means; see the top of this file. */
static hd_status settle(const hd_job *job, hd_status status, size_t errors_before, hd_diag *diag, hd_result *result) {
  if (status == HD_OK) {
    status = result->status; /* memory may have run out while the result was filled */
  }
  result->status = status;
  switch (status) {
    case HD_OK:
      if (result->verdict == HD_VERDICT_INCONCLUSIVE && result->not_covered == NULL) {
        result->not_covered = "the frontend did not say what";
      }
      break;
    case HD_E_NOMEM:
    case HD_E_LIMIT:
    case HD_E_CANCELLED:
      if (job->command == HD_COMMAND_CHECK || job->command == HD_COMMAND_REPAIR || job->command == HD_COMMAND_EXPLORE) {
        result->verdict = HD_VERDICT_INCONCLUSIVE;
      }
      if (result->not_covered == NULL) {
        result->not_covered = hd_status_words(status);
      }
      break;
    case HD_E_INPUT:
    case HD_E_IO:
    case HD_E_USAGE:
    case HD_E_INTERNAL:
      if (hd_diag_errors(diag) == errors_before) {
        hd_diag_code code = status == HD_E_INPUT   ? HD_DIAG_SYNTAX
                            : status == HD_E_IO    ? HD_DIAG_READ
                            : status == HD_E_USAGE ? HD_DIAG_USAGE
                                                   : HD_DIAG_INTERNAL;
        hd_diag_add(diag, code, job->text, (hd_span){0, 0}, NULL, "%s failed: %s", hd_command_name(job->command),
                    hd_status_words(status));
      }
      break;
  }
  return status;
}

void hd_warn_no_effect(const hd_options *options, const char *option, const char *file, const char *because,
                       hd_diag *diag) {
  if (hd_options_is_set(options, option)) {
    hd_diag_add(diag, HD_DIAG_NO_EFFECT, NULL, (hd_span){0, 0}, NULL, "--%s has no effect on %s: %s", option, file,
                because);
  }
}

static void warn_of_no_effects(const hd_job *job, const hd_frontend *frontend, const hd_result *result, hd_diag *diag) {
  const hd_no_effect *row = frontend->no_effects;
  for (; row != NULL && row->option != NULL; row++) {
    if ((row->commands & (1u << job->command)) != 0) {
      hd_warn_no_effect(job->request->options, row->option, result->file, row->because, diag);
    }
  }
}

hd_status hd_drive(const hd_job *job, hd_diag *diag, hd_result *result, hd_buffer *text) {
  HD_REQUIRE((job->command == HD_COMMAND_REPLAY) == (job->trace != NULL));
  HD_REQUIRE((job->command != HD_COMMAND_PROJECT && job->command != HD_COMMAND_CONVERT) || text != NULL);
  size_t errors = hd_diag_errors(diag);
  const hd_frontend *frontend = hd_frontend_for(job->text);
  if (frontend == NULL) {
    report_unknown_format(job->text, diag);
    return settle(job, HD_E_INPUT, errors, diag, result);
  }
  HD_REQUIRE(frontend->abi == HD_FRONTEND_ABI);
  result->frontend = frontend->name;
  if (!has_command(frontend, job->command)) {
    hd_diag_add(diag, HD_DIAG_USAGE, job->text, (hd_span){0, 0}, NULL, "the %s frontend has no command '%s'",
                frontend->name, hd_command_name(job->command));
    return settle(job, HD_E_USAGE, errors, diag, result);
  }
  hd_ast *ast = NULL;
  hd_status status = frontend->parse(job->text, diag, &ast);
  if (status == HD_OK) {
    warn_of_no_effects(job, frontend, result, diag);
    status = run_command(job, frontend, ast, diag, result, text);
    frontend->free_ast(ast);
  }
  return settle(job, status, errors, diag, result);
}

hd_status hd_drive_validate(const hd_options *options, hd_diag *diag) {
  if (options->threads > HD_TEAM_MAX) {
    hd_diag_add(diag, HD_DIAG_USAGE, NULL, (hd_span){0, 0}, NULL, "--threads may be at most %u, not %lu", HD_TEAM_MAX,
                (unsigned long)options->threads);
    return HD_E_USAGE;
  }
  if (options->bound == 0) {
    hd_diag_add(diag, HD_DIAG_USAGE, NULL, (hd_span){0, 0}, NULL, "--bound must be at least 1");
    return HD_E_USAGE;
  }
  if (options->up_to != 0 && options->up_to < options->bound) {
    hd_diag_add(diag, HD_DIAG_USAGE, NULL, (hd_span){0, 0}, NULL, "--up-to %lu is less than --bound %lu",
                (unsigned long)options->up_to, (unsigned long)options->bound);
    return HD_E_USAGE;
  }
  if (options->up_to != 0 && options->bound != 1) {
    hd_diag_add(diag, HD_DIAG_NO_EFFECT, NULL, (hd_span){0, 0}, NULL,
                "--bound has no effect beside --up-to, which begins with queues of length 1");
  }
  if (options->as_published && (options->bound != 1 || options->up_to != 0 || options->semantics != 0)) {
    hd_diag_add(diag, HD_DIAG_NO_EFFECT, NULL, (hd_span){0, 0}, NULL,
                "--bound, --up-to and --semantics have no effect beside --as-published, which is about mailboxes of "
                "length 1");
  }
  if (options->stuck_peers && options->as_published) {
    hd_diag_add(diag, HD_DIAG_USAGE, NULL, (hd_span){0, 0}, NULL,
                "--as-published answers without a search, and --stuck-peers asks for one");
    return HD_E_USAGE;
  }
  return HD_OK;
}

bool hd_result_is_printable(const hd_result *result) {
  switch (result->status) {
    case HD_OK:
    case HD_E_NOMEM:
    case HD_E_LIMIT:
    case HD_E_CANCELLED:
      return true;
    case HD_E_INPUT:
    case HD_E_IO:
    case HD_E_USAGE:
    case HD_E_INTERNAL:
      return false;
  }
  return false;
}
