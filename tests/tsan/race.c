/* A control of the ThreadSanitizer build: two workers of a team write one plain variable without any order between the
 * writes. The test passes when ThreadSanitizer says so; a build in which it stays silent proves nothing about others.
 */
#include "core/base/team.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void count_up(hd_team *team, uint32_t worker, void *payload) {
  (void)team;
  uint64_t *shared = payload;
  for (int i = 0; i < 10000; i++)
    *shared += worker + 1;
}

int main(void) {
  uint64_t shared = 0;
  if (hd_team_run(2, count_up, &shared) != HD_OK)
    return EXIT_FAILURE;
  printf("%llu\n", (unsigned long long)shared);
  return EXIT_SUCCESS;
}
