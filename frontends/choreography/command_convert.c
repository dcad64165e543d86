/* `heddle convert` for choreographies and machines: the file in another language.
 *
 *   promela, murphi   the system I_k that `explore --no-reduction` counts (lower.c, core/report/print_model.h)
 *   fsa               the machines; of a choreography the projection
 *   chor              a choreography, printed anew
 *   dot               a drawing
 * A file of machines has no choreography, and an .aut file holds one machine: these are told as wrong requests. */
#include "core/report/print_model.h"
#include "frontends/choreography/draw.h"
#include "frontends/choreography/frontend.h"

static hd_status refuse(hd_diag *diag, const char *why, const char *hint) {
  hd_diag_add(diag, HD_DIAG_USAGE, NULL, (hd_span){0, 0}, hint, "%s", why);
  return HD_E_USAGE;
}

static hd_status print_model(const hd_model *model, hd_target to, hd_diag *diag, hd_buffer *out) {
  const char *why = NULL;
  hd_status status =
      to == HD_TO_PROMELA ? hd_model_print_promela(model, out, &why) : hd_model_print_murphi(model, out, &why);
  return why == NULL ? status : refuse(diag, why, "this language cannot say it");
}

static hd_status print_drawing(const hd_ast *ast, const hd_lowering *lowering, hd_buffer *out) {
  if (ast->file != NULL) {
    hd_draw_choreography(ast->file, lowering, NULL, out);
  } else {
    hd_draw_system(ast->machines, lowering, NULL, out);
  }
  return HD_OK;
}

/* What needs the system I_k. */
static hd_status print_lowered(const hd_ast *ast, const hd_system *system, const hd_options *options, hd_diag *diag,
                               hd_buffer *out) {
  hd_target to = (hd_target)options->to;
  hd_lowering *lowering = NULL;
  hd_status status =
      hd_lower_system(system, NULL, NULL, options->bound, (hd_semantics)options->semantics, false, &lowering);
  if (status == HD_OK) {
    status = to == HD_TO_DOT ? print_drawing(ast, lowering, out) : print_model(lowering->model, to, diag, out);
  }
  hd_lowering_free(lowering);
  return status;
}

static hd_status print_choreography(const hd_ast *ast, hd_diag *diag, hd_buffer *out) {
  if (ast->file == NULL) {
    return refuse(diag, "a file of machines has no choreography",
                  "machines are written as fsa, dot, promela or murphi");
  }
  hd_chor_print(ast->file, out);
  return HD_OK;
}

hd_status hdi_choreography_convert(const hd_ast *ast, const hd_request *request, hd_diag *diag, hd_buffer *out) {
  const hd_options *options = request->options;
  hdi_subject subject;
  hd_status status = hdi_subject_make(ast, false, request, &subject);
  if (status != HD_OK) {
    return status;
  }
  switch ((hd_target)options->to) {
    case HD_TO_FSA:
      hd_fsa_print(subject.system, (hd_peer){HD_NONE}, out);
      break;
    case HD_TO_CHOR:
      status = print_choreography(ast, diag, out);
      break;
    case HD_TO_AUT:
      status = refuse(diag, "an .aut file holds one machine", "heddle project --to aut --peer NAME writes it");
      break;
    case HD_TO_DOT:
    case HD_TO_PROMELA:
    case HD_TO_MURPHI:
      status = print_lowered(ast, subject.system, options, diag, out);
      break;
  }
  hdi_subject_clear(&subject);
  return status == HD_OK && out->failed ? HD_E_NOMEM : status;
}
