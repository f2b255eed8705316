#include "backends/explorer/steps.h"

namespace latchlab::explorer {

namespace {

void complete(State& state, OpSlot& op) {
  if (op.probe != nullptr) return complete_probe(state, op);
  if (op.kind == OpKind::send && !op.effected) leave_datagram(op);
  state.complete(op);
}

}  // namespace

bool by_nic(StepKind kind) {
  switch (kind) {
    case StepKind::verb_piece:
    case StepKind::atomic_read:
    case StepKind::atomic_write:
    case StepKind::verb_fail:
    case StepKind::deliver:
    case StepKind::send_fail:
    case StepKind::call_arrive:
    case StepKind::call_fail:
      return true;
    default:
      return false;
  }
}

void perform(State& state, const Step& step) {
  switch (step.kind) {
    case StepKind::start_root:
      return state.start_root(*step.actor, step.part);
    case StepKind::verb_piece:
    case StepKind::atomic_read:
    case StepKind::atomic_write:
    case StepKind::verb_fail:
      return make_verb_step(state, step);
    case StepKind::deliver:
    case StepKind::send_fail:
      return make_send_step(state, step);
    case StepKind::call_arrive:
    case StepKind::call_fail:
    case StepKind::call_deadline:
      return make_call_step(state, step);
    case StepKind::complete:
      return complete(state, *step.op);
    case StepKind::local:
      return make_local_step(state, step);
    case StepKind::wake_message:
    case StepKind::wake_word:
    case StepKind::wake_deadline:
    case StepKind::wake_membership:
      return make_wait_step(state, step);
    case StepKind::probe_launch:
    case StepKind::probe_message:
    case StepKind::probe_deadline:
    case StepKind::probe_unchanged:
      return make_probe_step(state, step);
    case StepKind::detect_crash:
      return make_detection_step(state, step);
  }
}

}  // namespace latchlab::explorer
