#include <algorithm>

#include "backends/explorer/steps.h"

namespace latchlab::explorer {

void add_deadline(const State& state, Time date, Time posted_at, const Step& step,
                  StepList& steps) {
  if (date == kNever) return;
  if (state.timed()) {
    const Time due = state.true_date(step.actor->node(), date);
    steps.later.push_back({std::max(due, state.clock), false, step});
    return;
  }
  // A deadline that had passed when the wait began makes it a poll. In a search the clock moves
  // only when a wait has run out: other waits whose deadlines have passed by then may end at any
  // time.
  if (date <= posted_at || (state.search() != nullptr && date <= state.clock)) {
    steps.now.push_back(step);
  } else {
    steps.later.push_back({date < state.clock ? state.clock : date, false, step});
  }
}

void add_wait_steps(State& state, Actor& actor, StepList& steps) {
  for (WaitSlot* wait : actor.waits) {
    const auto step = [&](StepKind kind, std::uint32_t part) {
      return Step{kind, &actor, part, nullptr, wait};
    };
    const WaitSet& set = wait->set;
    for (std::uint32_t i = 0; i < set.message_count; ++i) {
      const Endpoint& endpoint = own_endpoint(state, actor, set.messages[i].endpoint);
      if (find_message(endpoint, set.messages[i].filter) >= 0)
        steps.now.push_back(step(StepKind::wake_message, i));
    }
    for (std::uint32_t i = 0; i < set.word_count; ++i) {
      LATCHLAB_CHECK(set.words[i].word.node == actor.node(), "words are watched at home");
      if (set.words[i].until(state.word(set.words[i].word)))
        steps.now.push_back(step(StepKind::wake_word, i));
    }
    if (state.membership_version > set.membership_after)
      steps.now.push_back(step(StepKind::wake_membership, 0));
    add_deadline(state, set.deadline, wait->posted_at, step(StepKind::wake_deadline, 0), steps);
  }
}

void make_wait_step(State& state, const Step& step) {
  WaitSlot& wait = *step.wait;
  WaitOutcome& outcome = wait.outcome;
  outcome.index = static_cast<std::uint8_t>(step.part);
  switch (step.kind) {
    case StepKind::wake_message: {
      const MessageWait& from = wait.set.messages[step.part];
      Endpoint& endpoint = own_endpoint(state, *step.actor, from.endpoint);
      outcome.by = Woke::message;
      outcome.message = take_message(endpoint, find_message(endpoint, from.filter));
      break;
    }
    case StepKind::wake_word:
      outcome.by = Woke::word;
      outcome.value = state.word(wait.set.words[step.part].word);
      break;
    case StepKind::wake_membership:
      outcome.by = Woke::membership;
      break;
    default:
      outcome.by = Woke::deadline;
      break;
  }
  state.note(step.kind, *step.actor, step.part, outcome.value, outcome.message.words[0]);
  remove_from(step.actor->waits, &wait);
  state.resume(*step.actor, wait.waiter);
}

namespace {

// Fills `values`, which are laid out for the probes, with what they would return if all took effect
// now. False: one of them would fail.
bool look(State& state, const RemoteWait& wait, ProbeValues& values) {
  for (std::size_t i = 0; i < wait.probes.size(); ++i) {
    const Verb& verb = wait.probes[i];
    const NodeState* node = state.find_node(verb.addr.node);
    const bool fine = node != nullptr && !node->dead && verb.addr.offset % 8 == 0 &&
                      node->memory.contains(verb.addr.offset, verb.bytes);
    if (!fine) return false;
    const std::span<std::uint64_t> words = values.words(i);
    for (std::size_t w = 0; w < words.size(); ++w)
      words[w] = state.word(verb.addr + 8 * w) & mask_of(verb, static_cast<std::uint32_t>(w));
  }
  return true;
}

void observe(const State& state, ProbeSlot& probe, const ProbeValues& seen) {
  const bool partly = static_cast<bool>(probe.wait.observe);
  const Words value = partly ? probe.wait.observe(seen) : Words{};
  const bool same = partly ? value == probe.observed_value : seen == probe.observed;
  if (probe.observed_any && same) return;
  const ArenaScope scope(probe.actor->arena);
  probe.observed_value = value;
  if (!partly) probe.observed = seen;
  probe.observed_any = true;
  probe.result.last_change = state.clock;
}

// An unpaused client keeps probing while there is nothing to see: the state that it keeps of its
// last two probes is the present one.
void look_idly(ProbeSlot& probe, const ProbeValues& seen) {
  if (!probe.wait.pacing || probe.actor->paused) return;
  const ArenaScope scope(probe.actor->arena);
  for (const std::uint64_t misses : {1, 2}) probe.wait.pacing(seen, misses);
}

// Whether a probe has several pieces, which may see different states of memory.
bool may_tear(const RemoteWait& wait) {
  return wait.probes.size() > 1 ||
         (wait.probes[0].kind == VerbKind::read && wait.probes[0].bytes > 8);
}

// Whether the path of a probe may yet be cut.
bool may_fail(const State& state, const ProbeSlot& probe) {
  return state.cuts_expected && probe.wait.probes[0].addr.node != probe.actor->node();
}

// Whether issuing the probes now would end the wait or change memory.
bool worth_issuing(const RemoteWait& wait, const ProbeValues& seen) {
  if (wait.classify(seen) != Verdict::pending) return true;
  for (std::size_t i = 0; i < wait.probes.size(); ++i)
    if (is_atomic(wait.probes[i].kind) && after_atomic(wait.probes[i], seen[i]) != seen[i])
      return true;
  return false;
}

void end_probe(State& state, ProbeSlot& probe, WaitEnd end) {
  probe.result.end = end;
  Actor& actor = *probe.actor;
  remove_from(actor.probes, &probe);
  state.note(StepKind::probe_launch, actor, static_cast<std::uint64_t>(end),
             probe.result.values[0].lo, probe.result.values[0].hi);
  state.resume(actor, probe.waiter);
}

void launch(State& state, ProbeSlot& probe) {
  Actor& actor = *probe.actor;
  const ArenaScope scope(actor.arena);
  for (std::size_t i = 0; i < probe.wait.probes.size(); ++i) {
    OpSlot& op = actor.op_slots.take();
    op.verb = probe.wait.probes[i];
    op.batch = &op;
    op.probe = &probe;
    op.probe_index = static_cast<int>(i);
    actor.tally().count(op.verb);
    actor.start(op);
  }
  probe.in_flight = static_cast<int>(probe.wait.probes.size());
  const std::uint64_t before = state.search() == nullptr ? probe.result.tries : 0;
  probe.result.tries = before + probe.wait.probes.size();
}

// In a search: a probe's posting and its first effect are indistinguishable from one step, unless
// it is an atomic and its client may crash in between, or the probe fail.
bool launch_looks_like_effect(const State& state, const ProbeSlot& probe) {
  const SearchSupport* search = state.search();
  if (search == nullptr || !search->reduce || !probe.actor->ops.empty()) return false;
  return !is_atomic(probe.wait.probes[0].kind) || (!search->may_crash && !state.cuts_expected);
}

void judge(State& state, ProbeSlot& probe) {
  ActorTally& tally = probe.actor->tally();
  const std::uint64_t count = probe.wait.probes.size();
  if (probe.result.status != VerbStatus::ok) return end_probe(state, probe, WaitEnd::failed);
  const bool reads = probe.wait.probes[0].kind == VerbKind::read;
  if (reads) tally.probe_reads += count;
  const Verdict verdict = probe.wait.classify(probe.result.values);
  if (verdict == Verdict::done) return end_probe(state, probe, WaitEnd::satisfied);
  if (verdict == Verdict::abandon) return end_probe(state, probe, WaitEnd::abandoned);
  ++probe.misses;
  if (reads) tally.probe_misses += count;
  observe(state, probe, probe.result.values);
  if (probe.wait.pacing) probe.wait.pacing(probe.result.values, probe.misses);
  if (state.search() == nullptr) return;
  probe.misses = 0;  // a miss leaves no trace in the state
  probe.forget_values();
}

}  // namespace

void add_probe_steps(State& state, Actor& actor, StepList& steps) {
  for (ProbeSlot* probe : actor.probes) {
    if (probe->in_flight > 0) continue;
    const auto step = [&](StepKind kind) { return Step{kind, &actor, 0, nullptr, nullptr, probe}; };
    const RemoteWait& wait = probe->wait;
    ProbeValues seen;
    seen.lay_out(wait.probes.data(), wait.probes.size());
    const bool fine = look(state, wait, seen);
    if (fine) observe(state, *probe, seen);
    if (!fine || worth_issuing(wait, seen)) {
      steps.now.push_back(step(StepKind::probe_launch));
    } else {
      look_idly(*probe, seen);
      if (state.search() != nullptr && (may_tear(wait) || may_fail(state, *probe))) {
        steps.now.push_back(step(StepKind::probe_launch));
        steps.now.back().part = kIdleLook;
      }
    }
    if (wait.stop_on_message) {
      const Endpoint& endpoint = own_endpoint(state, actor, wait.message.endpoint);
      if (find_message(endpoint, wait.message.filter) >= 0)
        steps.now.push_back(step(StepKind::probe_message));
    }
    add_deadline(state, wait.deadline, probe->posted_at, step(StepKind::probe_deadline), steps);
    add_deadline(state, saturating_add(probe->result.last_change, wait.unchanged_for),
                 probe->posted_at, step(StepKind::probe_unchanged), steps);
  }
}

namespace {

// If a verb that the actor has just posted can take effect now, makes one step of it.
void take_effect(State& state, Actor& actor) {
  StepList steps;
  add_verb_steps(state, actor, steps);
  if (steps.now.empty()) return;
  const std::size_t chosen = state.chooser->choose_among(steps.now.size());
  make_verb_step(state, steps.now[chosen]);
}

}  // namespace

void make_probe_step(State& state, const Step& step) {
  ProbeSlot& probe = *step.probe;
  if (step.kind == StepKind::probe_launch) {
    const bool at_once = launch_looks_like_effect(state, probe);
    launch(state, probe);
    if (at_once) take_effect(state, *step.actor);
    return;
  }
  look(state, probe.wait, probe.result.values);
  if (step.kind == StepKind::probe_deadline) return end_probe(state, probe, WaitEnd::deadline);
  if (step.kind == StepKind::probe_unchanged) return end_probe(state, probe, WaitEnd::unchanged);
  const MessageWait& from = probe.wait.message;
  Endpoint& endpoint = own_endpoint(state, *step.actor, from.endpoint);
  probe.result.message = take_message(endpoint, find_message(endpoint, from.filter));
  end_probe(state, probe, WaitEnd::message);
}

void complete_probe(State& state, OpSlot& op) {
  ProbeSlot& probe = *op.probe;
  const auto index = static_cast<std::size_t>(op.probe_index);
  if (op.completion.ok()) probe.result.values.set(index, words_of(op).data());
  if (!op.completion.ok()) probe.result.status = op.completion.status;
  if (op.completion.ok() && !matched(op.verb, op.completion.value))
    ++probe.actor->tally().mismatched;
  state.drop(op);
  if (--probe.in_flight == 0) judge(state, probe);
}

}  // namespace latchlab::explorer
