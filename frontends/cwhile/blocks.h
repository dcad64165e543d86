/* From protected yields to blocks of statements. Internal to the Cwhile frontend. */
#ifndef HEDDLE_FRONTENDS_CWHILE_BLOCKS_H
#define HEDDLE_FRONTENDS_CWHILE_BLOCKS_H

#include "frontends/cwhile/edit.h"
#include "frontends/cwhile/yields.h"

/* A block: the first and the last statement in it, of one list. */
typedef struct hdi_cw_block {
  const hd_cw_stmt *first, *last;
} hdi_cw_block;

typedef struct hdi_cw_blocks {
  hdi_cw_edit edit;
  hdi_cw_block *blocks;
  uint32_t block_count, statement_count; /* blocks, and statements that stand in them, nested ones included */
  uint32_t widened;                      /* yields inside them that were not chosen */
  bool only_ghost;                       /* no block has two steps that touch something that is not ghost */
} hdi_cw_blocks;

/* The blocks of whole statements that cover the statements on both sides of each chosen yield: what is connected by
 * chosen yields comes into one block, and what begins or ends inside an if, a while or a procedure is widened to the
 * whole of it (dominator to postdominator). A chosen start begins a block (weak ones only). In `arena`; HD_E_NOMEM.
 * Cost: linear in the program's text. */
hd_status hdi_cw_blocks_make(const hdi_cw_yields *yields, const bool *chosen, hdi_cw_wrap_kind kind, hd_arena *arena,
                             hdi_cw_blocks *out);

#endif
