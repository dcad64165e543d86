/* Yields: the points where a thread may be interrupted, which a repair by atomic regions chooses from. Internal to the
 * Cwhile frontend.
 *
 *   yield    the point just before a statement that touches shared data, or the start of a thread
 *   resting  a thread rests at a location while others move. Before a statement that touches nothing shared it is the
 *            next yields on its paths that count: to run on there is to come to one of them
 *
 * A yield is a statement of the text (or a body, for the start of its threads), so all places where a procedure is
 * inlined change together. Statements of fixed threads and of atomic blocks have none.
 * @source Automatically finding atomic regions for fixing bugs in concurrent programs (AtomicInf), sections 3 to 5 */
#ifndef HEDDLE_FRONTENDS_CWHILE_YIELDS_H
#define HEDDLE_FRONTENDS_CWHILE_YIELDS_H

#include "core/model/filter.h"
#include "core/model/trace.h"
#include "frontends/cwhile/lower.h"

typedef struct hdi_cw_yields {
  hd_arena *arena;                 /* owned */
  const hd_cw_lowering *lowering;  /* borrowed; made with start_apart */
  uint32_t count, statement_count; /* yields: before statements first, then starts */
  uint32_t *statement;             /* per yield: number of the statement; of a start: HD_NONE */
  uint32_t *body;                  /* per yield: of a start; otherwise HD_NONE */
  uint32_t *of_statement;          /* per statement: its yield, HD_NONE: none */
  uint32_t *of_body;               /* per body: the yield of its start, HD_NONE: none */
  uint32_t *first, *list;          /* per location: its yields are list[first[l]] .. list[first[l + 1] - 1] */
  hd_loc *locs;                    /* per location of the flow: that of the model */
} hdi_cw_yields;

/* Finds the yields of a lowering. HD_E_NOMEM. Clear in any case. Cost: locations times edges without shared data. */
hd_status hdi_cw_yields_make(const hd_cw_lowering *lowering, hdi_cw_yields *out);
void hdi_cw_yields_clear(hdi_cw_yields *yields);

/* Is a thread that rests at this location of the flow kept from it when the yields in `chosen` (one flag for each) are
 * protected? */
bool hdi_cw_is_protected(const hdi_cw_yields *yields, uint32_t loc, const bool *chosen);
/* A filter that protects the locations of the chosen yields: strong, or weak with starts. NULL when memory is out. */
hd_filter *hdi_cw_yields_filter(const hdi_cw_yields *yields, const bool *chosen, bool weak);
/* "before `x = 1` in line 4", "at the start of t1". Appended. */
void hdi_cw_yield_words(const hdi_cw_yields *yields, uint32_t yield, hd_buffer *out);

/* The flow's location of a thread in a state; HD_NONE when it is dead or has ended. */
uint32_t hdi_cw_resting_place(const hd_cw_lowering *lowering, const uint64_t *state, uint32_t thread);
/* Marks (one flag for each yield) those at which the run changes threads, and, with `rest`, those at which threads that
 * have moved rest at its end. */
void hdi_cw_switch_yields(const hdi_cw_yields *yields, const hd_trace *trace, bool rest, bool *marks);

/* Two places of threads in a run that weak blocks over both forbid: one thread comes to `arrival` (or passes its start)
 * while another rests at `resting`. */
typedef struct hdi_cw_conflict {
  uint32_t arrival, resting; /* locations of the flow; a start: the thread's first location */
} hdi_cw_conflict;
/* All conflicts of a run, without repetitions, in the order of the run. In `arena`; HD_E_NOMEM. */
hd_status hdi_cw_conflicts(const hdi_cw_yields *yields, const hd_trace *trace, hd_arena *arena, hdi_cw_conflict **out,
                           size_t *count);

#endif
