/* The thread team: one parallel region and its barrier. The only file that knows OpenMP (team.c) has a pthread twin
 * (team_pthread.c, chosen with -DHEDDLE_TEAM=pthread; used under ThreadSanitizer and where OpenMP is missing). */
#ifndef HEDDLE_CORE_BASE_TEAM_H
#define HEDDLE_CORE_BASE_TEAM_H

#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct hd_team hd_team; /* lives for one hd_team_run */

/* What each worker runs; `worker` is 0 .. count-1, worker 0 is the calling thread. */
typedef void (*hd_team_fn)(hd_team *team, uint32_t worker, void *payload);

#define HD_TEAM_MAX 1024u

/* Runs `fn` on `count` threads (1 .. HD_TEAM_MAX) and returns when all have returned. HD_E_NOMEM when threads cannot be
 * made (then `fn` has not been called). Everything written before the call is visible to all workers, everything the
 * workers wrote is visible after it. Not to be called from inside a team. */
hd_status hd_team_run(uint32_t count, hd_team_fn fn, void *payload);
/* Waits until every worker of the team has called it. Orders memory like a lock. */
void hd_team_barrier(hd_team *team);
uint32_t hd_team_count(const hd_team *team);
/* Which twin was compiled in: "openmp" or "pthread". */
const char *hd_team_kind(void);
/* Cores this process may use (affinity and cgroup quota taken into account), at least 1. */
uint32_t hd_team_default_count(void);

#endif
