/* Drawings of choreographies and machines with a run in them. */
#include "frontends/choreography/draw.h"

#include "frontends/choreography/frontend.h"
#include "tests/support/hd_test.h"
#include "tests/support/run_text.h"

static const char file_transfer[] = "tests/cases/choreography/file_transfer.chor";

Test(draw, a_drawing_shows_the_run_and_what_left_the_choreography) {
  run_text run;
  run_text_check_file(&run, file_transfer);
  const char *dot = run.result->dot;
  cr_assert_not_null(dot);
  cr_assert_not_null(strstr(dot, "\"P2 -> P1 : mf\",color=red"));
  cr_assert_not_null(strstr(dot, "not in the choreography"));
  cr_assert_null(strstr(dot, "\"P1 -> P2 : mc\",color=red"));
  run_text_free(&run);
}

Test(draw, machines_show_the_arcs_of_the_run_and_where_it_ends) {
  static const char fsa[] =
      ".outputs A\n.state graph\na0 B ! m a1\na1 B ? never a2\n.marking a0\n.end\n"
      ".outputs B\n.state graph\nb0 A ? m b1\nb1 A ? n b2\n.marking b0\n.end\n";
  run_text run;
  run_text_init(&run);
  run_text_command(&run, HD_COMMAND_CHECK, "t.fsa", fsa);
  cr_assert_eq(run.status, HD_OK);
  const char *dot = run.result->dot;
  cr_assert_not_null(dot);
  cr_assert_not_null(strstr(dot, "[label=\"B!m\",color=red"), "%s", dot);
  cr_assert_not_null(strstr(dot, "[label=\"A?m\",color=red"), "%s", dot);
  cr_assert_not_null(strstr(dot, "[label=\"B?never\"]"), "%s", dot);
  cr_assert_not_null(strstr(dot, "[label=\"A?n\"]"), "%s", dot);
  cr_assert_not_null(strstr(dot, "[label=\"a1\",color=red"), "%s", dot);
  cr_assert_not_null(strstr(dot, "[label=\"b1\",color=red"), "%s", dot);
  cr_assert_not_null(strstr(dot, "[label=\"a0\"]"), "%s", dot);
  run_text_free(&run);
}

/* A quoted name of .fsa may hold a backslash, which would swallow DOT's closing quote. */
Test(draw, names_are_escaped) {
  static const char fsa[] =
      ".outputs \"A\\\"\n.state graph\na 1 ! \"m\\\" b\n.marking a\n.end\n"
      ".outputs B\n.state graph\nc 0 ? \"m\\\" d\n.marking c\n.end\n";
  run_text run;
  run_text_init(&run);
  run_text_command(&run, HD_COMMAND_CHECK, "t.fsa", fsa);
  cr_assert_eq(run.status, HD_OK);
  const char *dot = run.result->dot;
  cr_assert_not_null(strstr(dot, "label=\"A\\\\\";"), "%s", dot);
  cr_assert_not_null(strstr(dot, "label=\"B!m\\\\\"]"), "%s", dot);
  cr_assert_not_null(strstr(dot, "label=\"A\\\\?m\\\\\"]"), "%s", dot);
  run_text_free(&run);
}
