/* A team of three, for test_team.c to run under limits that an OpenMP run-time reads at start. The exit code says what
 * became of it: 0 it ran, 1 it was refused and nobody ran, 2 anything else. */
#include "core/base/team.h"

static void visit(hd_team *team, uint32_t worker, void *payload) {
  (void)team;
  int *visits = payload;
  visits[worker]++;
}

int main(void) {
  int visits[3] = {0};
  hd_status status = hd_team_run(3, visit, visits);
  int sum = visits[0] + visits[1] + visits[2];
  bool each_once = visits[0] == 1 && visits[1] == 1 && visits[2] == 1;
  if (status == HD_OK && each_once) {
    return 0;
  }
  return status == HD_E_NOMEM && sum == 0 ? 1 : 2;
}
