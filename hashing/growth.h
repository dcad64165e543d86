/* The order in which a table of buckets is doubled in place. Internal to hashing/; the argument is in growth.c. */
#ifndef HEDDLE_HASHING_GROWTH_H
#define HEDDLE_HASHING_GROWTH_H

#include "core/base/team.h"

#include <stdbool.h>
#include <stdint.h>

/* A value lies fewer than this many buckets from its home bucket, before, during and after growth. */
#ifndef HDI_REACH /* tests choose less */
#define HDI_REACH 256u
#endif
/* Buckets at the front of the table, or the whole table when it has not more, that are taken out beforehand and put
 * back afterwards. */
#define HDI_FRONT_BUCKETS (4 * HDI_REACH)

/* Empties each of the buckets begin .. end - 1, the last one first, and puts what it held where it belongs in the
 * doubled table. `shared`: other workers may write to the same buckets at the same time. */
typedef void (*hdi_growth_move)(void *payload, uint64_t begin, uint64_t end, bool shared);

/* Moves all buckets behind the front of a table that had `bucket_count` of them. Collective, every worker of `team`;
 * ends with a barrier. */
void hdi_growth_stream(uint64_t bucket_count, hd_team *team, uint32_t worker, hdi_growth_move move, void *payload);

/* Part `part` of `parts` of `count` things: *begin .. *end - 1. */
void hdi_growth_share(uint64_t count, uint32_t part, uint32_t parts, uint64_t *begin, uint64_t *end);

#endif
