// Operations of one actor that are under way in posting order: verbs on one QP, messages to one
// endpoint.

#include <algorithm>
#include <iterator>

#include "backends/explorer/steps.h"

namespace latchlab::explorer {

bool same_stream(const OpSlot& a, const OpSlot& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == OpKind::verb) return a.verb.addr.node == b.verb.addr.node;
  return a.kind != OpKind::send || a.target == b.target;
}

namespace {

auto goes_with(const OpSlot& op) {
  return [&op](const OpSlot* other) { return !other->leftover && same_stream(*other, op); };
}

}  // namespace

std::vector<OpSlot*> posted_behind(const OpSlot& op) {
  const std::vector<OpSlot*>& ops = op.actor->ops;
  std::vector<OpSlot*> behind;
  std::copy_if(std::next(std::find(ops.begin(), ops.end(), &op)), ops.end(),
               std::back_inserter(behind), goes_with(op));
  return behind;
}

bool may_fail_by_path(const OpSlot& op) {
  if (op.kind == OpKind::call) return true;
  const bool partly = !op.effected && op.kind == OpKind::verb && op.verb.kind == VerbKind::write &&
                      op.pieces_done != 0;
  if (op.holding || partly) return false;
  const std::vector<OpSlot*>& ops = op.actor->ops;
  return std::none_of(ops.begin(), std::find(ops.begin(), ops.end(), &op), goes_with(op));
}

Step failing_by_path(OpSlot& op) {
  if (op.kind == OpKind::send)
    return {StepKind::send_fail, op.actor, static_cast<std::uint32_t>(VerbStatus::peer_failed),
            &op};
  return {op.kind == OpKind::call ? StepKind::call_fail : StepKind::verb_fail, op.actor, 0, &op};
}

}  // namespace latchlab::explorer
