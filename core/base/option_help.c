/* --help, made from the tables of option.h and option.def.
 *
 *   Usage: heddle check [OPTION]... FILE...
 *   ...
 *     -j, --threads=N          worker threads (default: all cores)
 *         --format=text|json   how results are printed (default: text)
 *
 * The help column starts at HELP_COLUMN; an option that is longer than that gets a line of its own. A default is added
 * when the table has one and the help text does not speak of it itself: "0" stands for "not set".
 * Threads: any. Cost: O(size of the tables). */
#include "core/base/buffer.h"
#include "core/base/option.h"

#include <stdlib.h>
#include <string.h>

#define HELP_COLUMN 30u
#define LINE_WIDTH 100u

typedef struct command_help {
  const char *name, *arguments, *help;
} command_help;

static const command_help command_helps[HD_COMMAND_COUNT] = {
#define HDI_COMMAND_HELP(identifier, name, arguments, help) {name, arguments, help},
    HD_COMMAND_TABLE(HDI_COMMAND_HELP)
#undef HDI_COMMAND_HELP
};

static void add_spaces(hd_buffer *out, size_t count) {
  for (size_t i = 0; i < count; i++) {
    hd_buffer_add(out, " ", 1);
  }
}

/* Adds `text` from column `column` on, broken at blanks and continued in HELP_COLUMN. */
static void add_wrapped(hd_buffer *out, const char *text, size_t column) {
  while (*text != '\0') {
    size_t length = strcspn(text, " ");
    if (column + 1 + length > LINE_WIDTH && column > HELP_COLUMN) {
      hd_buffer_add(out, "\n", 1);
      add_spaces(out, HELP_COLUMN);
      column = HELP_COLUMN;
    } else if (column > HELP_COLUMN) {
      hd_buffer_add(out, " ", 1);
      column++;
    }
    hd_buffer_add(out, text, length);
    column += length;
    text += length;
    text += *text == ' ';
  }
  hd_buffer_add(out, "\n", 1);
}

/* One line: what stands left, then the help text. */
static void add_line(hd_buffer *out, const char *left, const char *help) {
  size_t width = strlen(left);
  hd_buffer_add(out, left, width);
  if (width + 2 > HELP_COLUMN) {
    hd_buffer_add(out, "\n", 1);
    width = 0;
  }
  add_spaces(out, HELP_COLUMN - width);
  add_wrapped(out, help, HELP_COLUMN);
}

static void add_option(hd_buffer *out, const hd_option_row *row) {
  hd_buffer left = {0}, help = {0};
  if (row->letter != 0) {
    hd_buffer_printf(&left, "  -%c, --%s", row->letter, row->name);
  } else {
    hd_buffer_printf(&left, "      --%s", row->name);
  }
  if (row->argument[0] != '\0') {
    hd_buffer_printf(&left, "=%s", row->argument);
  }
  hd_buffer_add_text(&help, row->help);
  bool has_default = row->fallback[0] != '\0' && strcmp(row->fallback, "0") != 0;
  if (has_default && strstr(row->help, "(default") == NULL) {
    hd_buffer_printf(&help, " (default: %s)", row->fallback);
  }
  if (left.failed || help.failed) {
    out->failed = 1;
  } else {
    add_line(out, left.data, help.data);
  }
  hd_buffer_free(&left);
  hd_buffer_free(&help);
}

static void add_options(hd_buffer *out, uint32_t commands) {
  hd_buffer_add_text(out, "\nOptions:\n");
  for (size_t i = 0; i < hd_option_row_count; i++) {
    if ((hd_option_rows[i].commands & commands) != 0) {
      add_option(out, &hd_option_rows[i]);
    }
  }
  add_line(out, "  -h, --help", "print this help");
  add_line(out, "  -V, --version", "print the version");
}

static void add_overview(hd_buffer *out) {
  hd_buffer_add_text(out,
                     "Usage: heddle COMMAND [OPTION]... [FILE]...\n"
                     "\n"
                     "Explores every state of a concurrent system and says what can go wrong.\n"
                     "\n"
                     "Commands:\n");
  for (size_t i = 0; i < HD_COMMAND_COUNT; i++) {
    hd_buffer left = {0};
    hd_buffer_printf(&left, "  %s %s", command_helps[i].name, command_helps[i].arguments);
    if (left.failed) {
      out->failed = 1;
    } else {
      add_line(out, left.data, command_helps[i].help);
    }
    hd_buffer_free(&left);
  }
  add_options(out, HD_IN_ALL);
  hd_buffer_add_text(out,
                     "\n"
                     "FILE may be '-', standard input. 'heddle COMMAND --help' lists the options of one command.\n"
                     "Exit status: 0 holds, 1 violated, 2 wrong command line, 3 wrong input, 4 inconclusive,\n"
                     "5 internal error.\n");
}

static void add_command(hd_buffer *out, hd_command command) {
  const command_help *c = &command_helps[command];
  hd_buffer_printf(out, "Usage: heddle %s [OPTION]...%s%s\n\n%s\n", c->name, c->arguments[0] == '\0' ? "" : " ",
                   c->arguments, c->help);
  add_options(out, 1u << command);
}

char *hd_options_help(hd_command command) {
  hd_buffer out = {0};
  if ((size_t)command < HD_COMMAND_COUNT) {
    add_command(&out, command);
  } else {
    add_overview(&out);
  }
  return hd_buffer_take(&out);
}
