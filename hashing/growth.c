/* Doubling a table of buckets in place: no second table, and every thread at work.
 *
 * The table has B buckets of S slots. A value's home is the number that the high bits of its hash make; it lies in the
 * first bucket from there on, circularly, that had an empty slot when it came. In the doubled table the hash gives one
 * bit more, so the value's new home is 2h or 2h + 1 when h was the old one. Let R = HDI_REACH.
 *
 * Order. The first 4R buckets are copied out and emptied (the caller does that: a few KiB). The others are moved from
 * the last one down, in rounds: with `high` the lowest bucket moved so far, a round moves low .. high - 1, where
 * low = high / 2 + R (and at least 4R), in disjoint ranges, one for each worker, each from its end down; a barrier ends
 * it. When 4R is reached, the copied values are put in.
 *
 *     old   |front|  round 3 | round 2  |       round 1        |
 *     new   |front|                 ...                         |      2 low - R ...                  2B |
 *
 * [G1] A value lies fewer than R buckets from its home, in the old table, in the new one, and in between.
 * [G2] In the new table every slot from a value's home up to the value is occupied.
 *
 * Claim 1: what a round writes lies behind what it reads, apart from the front. Bucket i >= low >= 4R holds values with
 * homes above i - R (a value that went round the table's end lies in the front, by [G1]); their new homes are at least
 * 2 (i - R + 1) > 2 low - 2R >= high. Behind its new home a value is put at most R - 1 buckets on, perhaps round the
 * end of the new table into the front, which is empty of old values. So no old value is overwritten, none is met by a
 * value that is looking for its place, and the ranges that the workers read are written by nobody but their owner.
 * Claim 2: [G2]. A value is put into the first slot that is empty in its order; by Claim 1 all that it passed were new
 * values, and these never move again. Values of the front come last, when no old value is left.
 * Claim 3: nothing is lost and nothing doubled: the ranges and the front are disjoint and cover the old table; a bucket
 * is read by its owner, emptied by it, and what it held is put somewhere once.
 * Claim 4: where two workers may meet. A value of bucket i is put somewhere in 2 (i - R + 1) .. 2i + R. A worker whose
 * range is a .. e - 1 and the one below it, which writes up to 2 (a - 1) + R, meet only when i <= a + 3R/2; it and the
 * one above only when i >= e - 3R/2. So plain stores do for i in a + 2R .. e - 2R - 1, and the others take their slots
 * by compare-and-swap (`shared`). The values that go round the end are of the last range only. Rounds are separated by
 * barriers.
 * Claim 5: rounds end, since high / 2 + R < high for high > 4R; there are at most log2(B) of them.
 *
 * Why [G1] holds. Let C(j) be how many values lie behind bucket j but have their homes at or before it. By [G2] all
 * that matters for C is where the homes are, not in which order the values came: C(j) = max(0, C(j - 1) + n(j) - S),
 * n(j) being how many values have bucket j for their home. Let an insertion look at D buckets at most. (a) C(j) < D S
 * always. An insertion raises C(j) only for j from the home up to before the bucket b it ends in, b - j < D. Bucket b
 * had an empty slot just before, so by [G2] no value that crossed j lies behind b: they lie in j + 1 .. b, which have
 * at most (D - 1) S slots. (b) Growth does not raise it: by induction, from C'(2j - 1) <= C(j - 1) and n'(2j) + n'(2j +
 * 1) = n(j), C'(2j) = max(0, C'(2j - 1) + n'(2j) - S) <= C(j), and C'(2j + 1) = max(0, C'(2j) + n'(2j + 1) - S) <=
 * C(j), both when C'(2j) = 0 and when it is more. (c) A value that finds k buckets full from its new home j on: these
 * hold k S values, of which at most (D - 1) S come from before j; the homes of the others are k buckets, that is, at
 * most k/2 + 1 old ones, which were the homes of at most (k/2 + 1) S + (D - 1) S. Hence k S < (D - 1) S + (k/2 + 1) S +
 * (D - 1) S, that is, k < 4 D - 2. With D <= 64 a value lies fewer than 256 buckets from home. In the middle of growth
 * there are only fewer values.
 *
 * The scheme of splitting bucket i into 2i and 2i + 1 is that of linear hashing (Litwin 1980) done for all buckets at
 * once. Threads: see hdi_growth_stream. Cost: two sequential passes, over the old table downwards and over the new one
 * likewise. */
#include "hashing/growth.h"

#include "core/base/check.h"

void hdi_growth_share(uint64_t count, uint32_t part, uint32_t parts, uint64_t *begin, uint64_t *end) {
  HD_ASSERT(part < parts);
  *begin = count / parts * part + count % parts * part / parts;
  *end = count / parts * (part + 1) + count % parts * (part + 1) / parts;
}

/* Claim 4. */
static void move_range(uint64_t begin, uint64_t end, hdi_growth_move move, void *payload) {
  const uint64_t edge = 2 * HDI_REACH;
  if (end - begin <= 2 * edge) {
    move(payload, begin, end, true);
    return;
  }
  move(payload, end - edge, end, true);
  move(payload, begin + edge, end - edge, false);
  move(payload, begin, begin + edge, true);
}

void hdi_growth_stream(uint64_t bucket_count, hd_team *team, uint32_t worker, hdi_growth_move move, void *payload) {
  for (uint64_t high = bucket_count; high > HDI_FRONT_BUCKETS;) {
    uint64_t low = high / 2 + HDI_REACH;
    low = low < HDI_FRONT_BUCKETS ? HDI_FRONT_BUCKETS : low;
    uint64_t begin, end;
    hdi_growth_share(high - low, worker, hd_team_count(team), &begin, &end);
    if (begin < end) {
      move_range(low + begin, low + end, move, payload);
    }
    hd_team_barrier(team); /* the round is over */
    high = low;
  }
}
