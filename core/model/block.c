/* Compound steps: a starting step, and then the further edges of the movers up to where none of them is at a strongly
 * protected location.
 *
 *   node      a state inside the block, who has moved so far, which checks have failed so far
 *   key       [ state words | movers, one bit per instance | failed checks ]
 *   children  the inner steps of the node's next mover: the initiator while it is protected, then its partner, then the
 *             others that were drawn in, by instance
 *
 * Depth-first from the state that the starting step reached, every node visited once. Where no mover is protected any
 * more the block has run to its end: an outcome. Outcomes that end in the same state are one step; their failed checks
 * are united and the path shown is the first one on which a check failed, if any. A child that is on the path is a
 * block that can run for ever (HD_FAULT_ENDLESS): once per starting step, beside the outcomes. A path that gets stuck
 * yields nothing. The work per starting step is bounded by HDI_INNER_STEPS_MAX (HD_FAULT_BLOCK_LIMIT).
 * Outcomes are emitted when the search is over, in the order in which they were found, which is the order of the
 * inner edges.
 * A mover that dies stops being one: its slot may be taken by somebody who has not moved.
 * Owned by one stepper; memory is kept for the next block. Cost: O(inner steps) set operations. */
#include "core/model/stepper.h"

#include <string.h>

/* How a node was first reached. */
typedef struct block_node {
  uint32_t parent; /* HD_NONE: the root */
  hd_inner via;
  bool visited, on_path;
} block_node;

/* An inner step out of the node being expanded. */
typedef struct block_child {
  uint32_t node; /* HD_NONE: it has a fault */
  uint32_t fault_detail;
  hd_fault fault;
  uint32_t checks;
  hd_inner via;
} block_child;

typedef struct block_frame {
  uint32_t node;
  size_t next, end; /* children */
} block_frame;

typedef struct block_outcome {
  uint32_t node; /* the last node of the path */
  bool has_last; /* `last` comes after it */
  hd_inner last;
  hd_fault fault;
  uint32_t fault_detail, checks;
} block_outcome;

#define HD_ARRAY_NAME nodes
#define HD_ARRAY_TYPE block_node
#include "core/base/array.h"
#define HD_ARRAY_NAME children
#define HD_ARRAY_TYPE block_child
#include "core/base/array.h"
#define HD_ARRAY_NAME frames
#define HD_ARRAY_TYPE block_frame
#include "core/base/array.h"
#define HD_ARRAY_NAME outcomes
#define HD_ARRAY_TYPE block_outcome
#include "core/base/array.h"
#define HD_ARRAY_NAME inners
#define HD_ARRAY_TYPE hd_inner
#include "core/base/array.h"

struct hdi_block {
  uint32_t mover_words;
  hdi_keys keys; /* of nodes */
  nodes nodes;
  children children;
  frames frames;
  hdi_keys ends; /* of outcomes: [ fault | state words ] */
  outcomes outcomes;
  inners path;       /* of the outcome being emitted */
  uint64_t *current; /* key of the node being expanded */
  uint64_t *scratch; /* a key being made */
  hd_step base;      /* the starting step */
  uint64_t steps;
  bool limited;
};

void hdi_block_free(hdi_block *block) {
  if (block == NULL) {
    return;
  }
  hdi_keys_free(&block->keys);
  hdi_keys_free(&block->ends);
  nodes_free(&block->nodes);
  children_free(&block->children);
  frames_free(&block->frames);
  outcomes_free(&block->outcomes);
  inners_free(&block->path);
  free(block->current);
  free(block->scratch);
  free(block);
}

static hdi_block *new_block(const hd_model *model) {
  hdi_block *block = calloc(1, sizeof *block);
  if (block == NULL) {
    return NULL;
  }
  block->mover_words = ((uint32_t)model->instances.count + 63) / 64;
  block->keys.words = model->words + block->mover_words + 1;
  block->ends.words = model->words + 1;
  block->current = calloc(block->keys.words, sizeof *block->current);
  block->scratch = calloc(block->keys.words, sizeof *block->scratch);
  if (block->current == NULL || block->scratch == NULL) {
    hdi_block_free(block);
    return NULL;
  }
  return block;
}

static void note(hd_stepper *stepper, hd_status status) {
  if (stepper->status == HD_OK) {
    stepper->status = status;
  }
}

/* ---- nodes ---- */

static bool has_moved(const uint64_t *movers, uint32_t instance) {
  return instance != HD_NONE && ((movers[instance / 64] >> (instance % 64)) & 1) != 0;
}

/* Marks `instance` as a mover of the key in scratch, or forgets it when it has died. */
static void set_moved(const hd_stepper *stepper, uint32_t instance) {
  if (instance == HD_NONE) {
    return;
  }
  hdi_block *block = stepper->block;
  uint64_t *movers = block->scratch + stepper->model->words;
  uint64_t bit = (uint64_t)1 << (instance % 64);
  bool dead = stepper->model->locs.data[hdi_location(stepper->model, block->scratch, instance)].dead;
  movers[instance / 64] = dead ? movers[instance / 64] & ~bit : movers[instance / 64] | bit;
}

/* Interns the key in scratch. HD_NONE when memory is out. */
static uint32_t intern_node(hd_stepper *stepper) {
  hdi_block *block = stepper->block;
  uint32_t number = HD_NONE;
  bool fresh = false;
  hd_status status = hdi_keys_add(&block->keys, block->scratch, &number, &fresh);
  if (status == HD_OK && fresh) {
    status = nodes_push(&block->nodes, (block_node){.parent = HD_NONE});
  }
  note(stepper, status);
  return status == HD_OK ? number : HD_NONE;
}

/* The mover that goes on from the node in `current`; HD_NONE when the block has run to its end. */
static uint32_t next_mover(const hd_stepper *stepper) {
  const hdi_block *block = stepper->block;
  const hd_model *model = stepper->model;
  const uint64_t *movers = block->current + model->words;
  const uint32_t first[2] = {block->base.instance, block->base.partner_instance};
  for (uint32_t i = 0; i < model->instances.count + 2; i++) {
    uint32_t instance = i < 2 ? first[i] : i - 2;
    if (has_moved(movers, instance) &&
        (stepper->flags[hdi_location(model, block->current, instance)] & HD_LOC_ATOMIC) != 0) {
      return instance;
    }
  }
  return HD_NONE;
}

/* ---- outcomes ---- */

static void add_outcome(hd_stepper *stepper, const uint64_t *state, const block_outcome *found) {
  hdi_block *block = stepper->block;
  bool once = found->fault == HD_FAULT_ENDLESS || found->fault == HD_FAULT_BLOCK_LIMIT;
  memset(block->scratch, 0, block->ends.words * sizeof *block->scratch);
  if (found->fault != HD_FAULT_NONE) {
    block->scratch[0] = (uint64_t)found->fault << 32 | (once ? 0 : found->fault_detail);
  } else {
    HD_ASSERT(state != NULL);
    memcpy(block->scratch + 1, state, stepper->model->words * sizeof *state);
  }
  uint32_t number = 0;
  bool fresh = false;
  hd_status status = hdi_keys_add(&block->ends, block->scratch, &number, &fresh);
  if (status == HD_OK && fresh) {
    status = outcomes_push(&block->outcomes, *found);
  } else if (status == HD_OK) {
    block_outcome *known = &block->outcomes.data[number];
    uint32_t checks = known->checks | found->checks;
    if (known->checks == 0 && found->checks != 0) {
      *known = *found;
    }
    known->checks = checks;
  }
  note(stepper, status);
}

static uint32_t checks_of(const hd_stepper *stepper, const uint64_t *key) {
  return (uint32_t)key[stepper->model->words + stepper->block->mover_words];
}

/* ---- the search ---- */

void hdi_block_record(hd_stepper *stepper) {
  hdi_block *block = stepper->block;
  const hd_model *model = stepper->model;
  const hd_step *step = &stepper->step;
  if (block->limited || ++block->steps > HDI_INNER_STEPS_MAX) {
    block->limited = true;
    return;
  }
  block_child found = {.node = HD_NONE, .fault = step->fault, .fault_detail = step->fault_detail};
  found.checks = checks_of(stepper, block->current) | step->checks_failed;
  found.via = (hd_inner){.edge = step->edge, .instance = step->instance};
  found.via.partner_edge = step->partner_edge;
  found.via.partner_instance = step->partner_instance;
  if (step->fault == HD_FAULT_NONE) {
    memcpy(block->scratch, block->current, block->keys.words * sizeof *block->scratch);
    memcpy(block->scratch, stepper->next, model->words * sizeof *block->scratch);
    set_moved(stepper, step->instance);
    set_moved(stepper, step->partner_instance);
    block->scratch[model->words + block->mover_words] = found.checks;
    found.node = intern_node(stepper);
  }
  note(stepper, children_push(&block->children, found));
}

/* Visits a node: an outcome, or a frame with its children. */
static void visit(hd_stepper *stepper, uint32_t number) {
  hdi_block *block = stepper->block;
  memcpy(block->current, hdi_keys_get(&block->keys, number), block->keys.words * sizeof *block->current);
  block->nodes.data[number].visited = true;
  uint32_t mover = next_mover(stepper);
  if (mover == HD_NONE) {
    const uint64_t *movers = block->current + stepper->model->words;
    if (!stepper->has_weak || !hdi_weak_forbids(stepper, stepper->state, block->current, movers)) {
      block_outcome found = {.node = number, .checks = checks_of(stepper, block->current)};
      add_outcome(stepper, block->current, &found);
    }
    return;
  }
  block_frame frame = {.node = number, .next = block->children.count};
  stepper->in_block = true;
  hdi_fire_instance(stepper, block->current, mover);
  stepper->in_block = false;
  frame.end = block->children.count;
  block->nodes.data[number].on_path = true;
  note(stepper, frames_push(&block->frames, frame));
}

static void take_child(hd_stepper *stepper, uint32_t parent, const block_child *next) {
  hdi_block *block = stepper->block;
  block_outcome found = {.node = parent, .has_last = true, .last = next->via, .fault = next->fault};
  found.fault_detail = next->fault_detail;
  found.checks = next->checks;
  if (next->node == HD_NONE) {
    add_outcome(stepper, NULL, &found);
    return;
  }
  block_node *to = &block->nodes.data[next->node];
  if (to->on_path) {
    found.fault = HD_FAULT_ENDLESS;
    found.fault_detail = stepper->model->edges.data[next->via.edge.v].statement;
    add_outcome(stepper, NULL, &found);
  } else if (!to->visited) {
    to->parent = parent;
    to->via = next->via;
    visit(stepper, next->node);
  }
}

static void search(hd_stepper *stepper, uint32_t root) {
  hdi_block *block = stepper->block;
  visit(stepper, root);
  while (stepper->status == HD_OK && !block->limited && block->frames.count > 0) {
    block_frame *top = &block->frames.data[block->frames.count - 1];
    if (top->next == top->end) {
      block->nodes.data[top->node].on_path = false;
      block->frames.count--;
      block->children.count = block->frames.count == 0 ? 0 : block->frames.data[block->frames.count - 1].end;
      continue;
    }
    block_child next = block->children.data[top->next++]; /* a copy: the array may move */
    take_child(stepper, top->node, &next);
  }
  if (stepper->status == HD_OK && block->limited) {
    uint32_t node = block->frames.count == 0 ? root : block->frames.data[block->frames.count - 1].node;
    block_outcome found = {.node = node, .fault = HD_FAULT_BLOCK_LIMIT};
    found.fault_detail = stepper->model->edges.data[block->base.edge.v].statement;
    add_outcome(stepper, NULL, &found);
  }
}

/* ---- emission ---- */

/* Fills block->path with the inner edges of an outcome. */
static hd_status make_path(hdi_block *block, const block_outcome *found) {
  inners *path = &block->path;
  inners_clear(path);
  hd_status status = found->has_last ? inners_push(path, found->last) : HD_OK;
  uint32_t number = found->node;
  while (status == HD_OK && block->nodes.data[number].parent != HD_NONE) {
    status = inners_push(path, block->nodes.data[number].via);
    number = block->nodes.data[number].parent;
  }
  for (size_t i = 0; i < path->count / 2; i++) {
    hd_inner swapped = path->data[i];
    path->data[i] = path->data[path->count - 1 - i];
    path->data[path->count - 1 - i] = swapped;
  }
  return status;
}

static void emit_outcomes(hd_stepper *stepper) {
  hdi_block *block = stepper->block;
  stepper->emitting_block = true;
  for (uint32_t i = 0; stepper->status == HD_OK && i < block->outcomes.count; i++) {
    const block_outcome *found = &block->outcomes.data[i];
    note(stepper, make_path(block, found));
    if (stepper->status != HD_OK) {
      break;
    }
    stepper->step = block->base;
    stepper->step.compound = true;
    stepper->step.fault = found->fault;
    stepper->step.fault_detail = found->fault_detail;
    stepper->step.checks_failed = found->checks;
    hdi_emit(stepper, found->fault == HD_FAULT_NONE ? hdi_keys_get(&block->ends, i) + 1 : NULL);
  }
  stepper->emitting_block = false;
}

void hdi_block_run(hd_stepper *stepper) {
  const hd_model *model = stepper->model;
  if (stepper->block == NULL) {
    stepper->block = new_block(model);
  }
  hdi_block *block = stepper->block;
  if (block == NULL) {
    note(stepper, HD_E_NOMEM);
    return;
  }
  hdi_keys_clear(&block->keys);
  hdi_keys_clear(&block->ends);
  nodes_clear(&block->nodes);
  children_clear(&block->children);
  frames_clear(&block->frames);
  outcomes_clear(&block->outcomes);
  block->base = stepper->step;
  block->steps = 0;
  block->limited = false;
  memset(block->scratch, 0, block->keys.words * sizeof *block->scratch);
  memcpy(block->scratch, stepper->next, model->words * sizeof *block->scratch);
  set_moved(stepper, block->base.instance);
  set_moved(stepper, block->base.partner_instance);
  block->scratch[model->words + block->mover_words] = block->base.checks_failed;
  uint32_t root = intern_node(stepper);
  if (root != HD_NONE) {
    search(stepper, root);
    emit_outcomes(stepper);
  }
}

size_t hdi_block_inner(const hdi_block *block, const hd_inner **inner) {
  *inner = block->path.data;
  return block->path.count;
}
