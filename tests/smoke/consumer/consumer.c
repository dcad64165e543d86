/* Checks a choreography through the installed library, as a program that knows only the public header. */
#include <heddle/heddle.h>
#include <stdio.h>
#include <string.h>

static const char text[] =
    "state s0:\n"
    "  P1 -> P2 : start => s1\n"
    "state s1:\n"
    "  P1 -> P2 : cancel => s2\n"
    "  P2 -> P1 : finished => s3\n"
    "state s2:\n"
    "  P2 -> P1 : finished => s4\n";

int main(void) {
  if (heddle_version() != HEDDLE_VERSION)
    return 1;
  heddle_session *session = heddle_session_new();
  char *json = NULL;
  heddle_code code = heddle_check_text(session, "transfer.chor", text, strlen(text), NULL, 0, &json);
  int wrong = code != HEDDLE_VIOLATED || json == NULL || strstr(json, "\"unrealizable\"") == NULL;
  if (wrong)
    fprintf(stderr, "code %d: %s%s", (int)code, json != NULL ? json : "", heddle_session_diagnostics(session));
  heddle_free(json);
  heddle_session_free(session);
  return wrong;
}
