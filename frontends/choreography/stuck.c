/* Stuck configurations: which kind a configuration without moves is (choreography theory, "When has a peer ended?").
 *
 * A peer may stop in a local state that contains an end of the choreography. All peers may stop and every queue is
 * empty: terminated. All may stop and some queue is not empty: orphan message. Otherwise, some peer that may not stop
 * and waits (no send of its own is blocked) has a message at the head of a queue that it cannot read here: unspecified
 * reception. Otherwise deadlock: peers wait with empty queues, or for room. Pure functions of the state; callable from
 * any thread. */
#include "frontends/choreography/lower.h"

static const hd_machine *machine_of(const hd_lowering *lowering, uint32_t instance) {
  return &lowering->system->machines[instance];
}

static bool queue_is_empty(const hd_lowering *lowering, const uint64_t *state, uint32_t queue) {
  return hd_model_queue_head(lowering->model, state, lowering->queues[queue]) == 0;
}

static bool peer_has_mail(const hd_lowering *lowering, const uint64_t *state, hd_peer peer) {
  for (uint32_t q = 0; q < lowering->queue_count; q++) {
    if (lowering->queue_to[q].v == peer.v && !queue_is_empty(lowering, state, q)) {
      return true;
    }
  }
  return false;
}

uint32_t hd_stuck_classify(const void *context, const hd_model *model, const uint64_t *state) {
  const hd_lowering *lowering = context;
  bool all_may_stop = true, unspecified = false;
  for (uint32_t i = 0; i < lowering->system->machine_count; i++) {
    const hd_machine *machine = machine_of(lowering, i);
    uint32_t local = hd_model_loc_tag(model, hd_model_location(model, state, i));
    if (machine->may_stop[local]) {
      continue;
    }
    all_may_stop = false;
    bool sends = false;
    for (uint32_t a = machine->first_arc[local]; a < machine->first_arc[local + 1]; a++) {
      sends = sends || machine->arcs[a].send;
    }
    unspecified = unspecified || (!sends && peer_has_mail(lowering, state, machine->peer));
  }
  if (!all_may_stop) {
    return unspecified ? HD_STUCK_UNSPECIFIED : HD_STUCK_DEADLOCK;
  }
  for (uint32_t q = 0; q < lowering->queue_count; q++) {
    if (!queue_is_empty(lowering, state, q)) {
      return HD_STUCK_ORPHAN;
    }
  }
  return HD_STUCK_NONE;
}

uint32_t hd_stuck_must_go_on(const void *context, const hd_model *model, const uint64_t *state, uint32_t instance) {
  const hd_machine *machine = machine_of(context, instance);
  uint32_t local = hd_model_loc_tag(model, hd_model_location(model, state, instance));
  return !machine->may_stop[local] && machine->first_arc[local] < machine->first_arc[local + 1] ? 1 : 0;
}

const char *hd_stuck_name(hd_stuck stuck) {
  switch (stuck) {
    case HD_STUCK_DEADLOCK:
      return "deadlock";
    case HD_STUCK_UNSPECIFIED:
      return "unspecified-reception";
    case HD_STUCK_ORPHAN:
      return "orphan-message";
    case HD_STUCK_NONE:
    case HD_STUCK_COUNT:
      break;
  }
  return "none";
}

hd_diag_code hd_stuck_code(hd_stuck stuck) {
  switch (stuck) {
    case HD_STUCK_UNSPECIFIED:
      return HD_DIAG_UNSPECIFIED_RECEPTION;
    case HD_STUCK_ORPHAN:
      return HD_DIAG_ORPHAN_MESSAGE;
    case HD_STUCK_DEADLOCK:
    case HD_STUCK_NONE:
    case HD_STUCK_COUNT:
      break;
  }
  return HD_DIAG_DEADLOCK;
}
