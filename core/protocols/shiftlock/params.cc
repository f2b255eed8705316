// Every switch of ShiftLock with its help and source, and the profiles over them.

#include <string>

#include "core/protocols/shiftlock/switches.h"

namespace latchlab::shiftlock {

namespace {

constexpr Duration kLongestLease = seconds(100);

// `length` on a clock that may run fast by `ppm`.
Duration stretched(Duration length, std::int64_t ppm) {
  return length + Duration{length.ps / 1'000'000 * ppm + length.ps % 1'000'000 * ppm / 1'000'000};
}

void add_fairness(std::vector<ParamSpec>& specs) {
  specs.push_back(integer_param("max_consecutive_writers", 16, 1, 1LL << 40,
                                "N: writers in a row before waiting readers are let in "
                                "(paper 3.5.2; 4.7: 16)"));
  specs.push_back(choice_param("chain_limit", "writers", {"writers", "handovers"},
                               "what N counts: writers (paper 3.5.2 in words, artifact) or the "
                               "handovers between them, one more writer (Algorithm 3 line 15)"));
  specs.push_back(
      choice_param("handover_epoch", "carried", {"carried", "literal"},
                   "Epoch after Handover: carried in the message (artifact), or as read "
                   "when queueing (Algorithm 2 line 22); literal: readers can hang"));
  specs.push_back(
      choice_param("mode_changed_epoch", "carried", {"carried", "literal"},
                   "Epoch after ModeChanged: carried (artifact), or the flip of what was "
                   "read when queueing (Algorithm 2 line 20); literal: readers can hang"));
  specs.push_back(boolean_param("handover_counts", true,
                                "a handover adds 1 to RelCnt (Algorithm 3 line 20); artifact: no"));
  specs.push_back(choice_param("mode_change", "fetch_add", {"fetch_add", "compare_epoch"},
                               "verb of an unfenced mode change: ExtFAA (Algorithm 3 line 16) or "
                               "ExtCAS that compares Epoch (artifact)"));
  specs.push_back(choice_param("release_order", "wait_then_count",
                               {"wait_then_count", "count_then_wait"},
                               "a releaser whose successor is unknown waits for it before "
                               "(Algorithm 3 line 13) or after (paper 3.6, artifact) its atomic"));
}

void add_recovery(std::vector<ParamSpec>& specs) {
  specs.push_back(boolean_param("recovery", true,
                                "leases and recovery (paper 3.6); off: waits have no end and "
                                "grants no expiry, as in Algorithms 2 and 3"));
  specs.push_back(duration_param("lease", milliseconds(10), nanoseconds(100), kLongestLease,
                                 "longest time from acquisition to release (paper 4.1: 10 ms; "
                                 "artifact: 1000 ms)"));
  specs.push_back(integer_param("clock_drift_ppm", 100, 0, 10'000,
                                "delta: waits are longer by this much (paper 3.6: 100 ppm)"));
  specs.push_back(choice_param("reset_epoch", "keep", {"keep", "zero"},
                               "recovery leaves Epoch as it is, or zeroes it (paper 3.6); zero: "
                               "lets readers in that wait under Epoch 1"));
  specs.push_back(choice_param("reset_compare", "requested", {"requested", "own_read"},
                               "RelCnt with which the server's reset compares: the one at which "
                               "the client saw the lock stand still, or the server's own reading "
                               "(artifact); own_read: can reset a lock that lives again"));
  specs.push_back(choice_param("admission", "leap_first", {"leap_first", "epoch_first"},
                               "a waiting reader looks at RelCnt's leap before Epoch, or at Epoch "
                               "first (artifact); epoch_first: enters a recovered lock"));
  specs.push_back(choice_param("release_fence", "conditional", {"conditional", "clock", "none"},
                               "none: releases are issued however late (artifact); clock: not "
                               "after the lease (paper 3.6); conditional: and writers' verbs "
                               "compare RelCnt, so that they miss a recovered lock"));
}

void add_messages(std::vector<ParamSpec>& specs) {
  specs.push_back(boolean_param("message_lock_id", true,
                                "messages are matched by lock and generation; off: anything on "
                                "the endpoint is taken as mine (paper 3.2, artifact)"));
  specs.push_back(boolean_param("message_number", true,
                                "Handover and ModeChanged repeat the number of the acquisition "
                                "that their Successor was sent for, and no other takes them, where "
                                "messages are matched; off: one bit tells lives of a lock apart "
                                "(not in the paper or artifact)"));
  specs.push_back(integer_param("endpoints", 1, 1, 256,
                                "DCTs per client, one for each writer lock held at once (paper "
                                "3.2: 1; artifact: 16)"));
  specs.push_back(integer_param("recvs", 128, 2, 4096,
                                "RECVs posted per endpoint (artifact: 4 of a queue of 128)"));
}

void add_pauses(std::vector<ParamSpec>& specs) {
  specs.push_back(integer_param("trivial_tries", 0, 0, 16,
                                "ExtCAS that take a free lock only, before queueing (artifact: 2; "
                                "not in the paper)"));
  specs.push_back(duration_param("trivial_pause", nanoseconds(1862), {}, milliseconds(10),
                                 "pause between trivial tries (artifact)"));
  specs.push_back(duration_param("poll_pause", {}, {}, milliseconds(10),
                                 "pause between READs of a wait (artifact: 1862 ns)"));
  specs.push_back(boolean_param("reader_pause_first", false,
                                "a waiting reader pauses before its first READ too (artifact)"));
  specs.push_back(duration_param("intra_node_delay", {}, {}, milliseconds(1),
                                 "makes messages inside a node as slow as between nodes on the "
                                 "paper's testbed (paper 4.1: 1 us); 0: none"));
  specs.push_back(choice_param("intra_node_delay_at", "receive", {"receive", "successor"},
                               "after receiving any message (paper 4.1), or before sending "
                               "Successor only (artifact)"));
  specs.push_back(integer_param("rdrcnt_bits", 23, 2, 23, "width of RdrCnt (paper 3.7)"));
  specs.push_back(integer_param("relcnt_bits", 64, 4, 64,
                                "width of RelCnt (paper 3.7); a run must stay below half its "
                                "range, since its top bit tells of recovery"));
}

std::vector<Profile> profiles() {
  Profile repaired{"repaired", "the paper, with one change for each counterexample", {}};
  Profile paper{"paper",
                "FAST'25, Algorithms 2 and 3, sections 3.6 and 4.1",
                {{"chain_limit", std::string("handovers")},
                 {"handover_epoch", std::string("literal")},
                 {"mode_changed_epoch", std::string("literal")},
                 {"reset_epoch", std::string("zero")},
                 {"reset_compare", std::string("own_read")},
                 {"admission", std::string("epoch_first")},
                 {"release_fence", std::string("clock")},
                 {"message_lock_id", false},
                 {"message_number", false},
                 {"intra_node_delay", microseconds(1)}}};
  Profile artifact{"artifact",
                   "thustorage/shiftlock bb73bf4",
                   {{"handover_counts", false},
                    {"mode_change", std::string("compare_epoch")},
                    {"release_order", std::string("count_then_wait")},
                    {"lease", milliseconds(1000)},
                    {"clock_drift_ppm", std::int64_t{0}},
                    {"reset_epoch", std::string("zero")},
                    {"reset_compare", std::string("own_read")},
                    {"admission", std::string("epoch_first")},
                    {"release_fence", std::string("none")},
                    {"message_lock_id", false},
                    {"message_number", false},
                    {"endpoints", std::int64_t{16}},
                    {"recvs", std::int64_t{4}},
                    {"trivial_tries", std::int64_t{2}},
                    {"poll_pause", nanoseconds(1862)},
                    {"reader_pause_first", true},
                    {"intra_node_delay", microseconds(1)},
                    {"intra_node_delay_at", std::string("successor")}}};
  return {repaired, paper, artifact};
}

Fence fence_of(const std::string& name) {
  return name == "none" ? Fence::none : name == "clock" ? Fence::clock : Fence::conditional;
}

std::string contradiction_in(const ParamSet& params) {
  const Duration pause = params.duration("poll_pause");
  const Duration lease = params.duration("lease");
  if (!params.boolean("recovery") || pause * 2 <= lease) return {};
  return "poll_pause is " + std::to_string(pause.ps / 1000) + " ns, more than half the lease of " +
         std::to_string(lease.ps / 1000) +
         " ns, within which RelCnt must be looked at: shorten poll_pause or lengthen lease";
}

}  // namespace

Duration patience_of(const ParamSet& params) {
  if (!params.boolean("recovery")) return {};
  return stretched(params.duration("lease") * 3, params.integer("clock_drift_ppm"));
}

Switches switches_of(const ParamSet& params) {
  Switches on;
  on.format.rdrcnt_bits = static_cast<int>(params.integer("rdrcnt_bits"));
  on.format.relcnt_bits = static_cast<int>(params.integer("relcnt_bits"));
  on.max_writers = static_cast<std::uint64_t>(params.integer("max_consecutive_writers"));
  on.limit_counts_handovers = params.choice("chain_limit") == "handovers";
  on.recovery = params.boolean("recovery");
  on.lease = params.duration("lease");
  on.patience = patience_of(params);
  on.lease_and_drift = stretched(on.lease, params.integer("clock_drift_ppm"));
  on.reset_keeps_epoch = params.choice("reset_epoch") == "keep";
  on.reset_compares_request = params.choice("reset_compare") == "requested";
  on.leap_first = params.choice("admission") == "leap_first";
  on.fence = fence_of(params.choice("release_fence"));
  on.handover_carries_epoch = params.choice("handover_epoch") == "carried";
  on.mode_changed_carries_epoch = params.choice("mode_changed_epoch") == "carried";
  on.handover_counts = params.boolean("handover_counts");
  on.mode_change_by_cas = params.choice("mode_change") == "compare_epoch";
  on.count_then_wait = params.choice("release_order") == "count_then_wait";
  on.match_messages = params.boolean("message_lock_id");
  on.number_messages = params.boolean("message_number");
  on.endpoints = static_cast<std::uint32_t>(params.integer("endpoints"));
  on.recvs = static_cast<std::uint32_t>(params.integer("recvs"));
  on.trivial_tries = params.integer("trivial_tries");
  on.trivial_pause = params.duration("trivial_pause");
  on.poll_pause = params.duration("poll_pause");
  on.reader_pauses_first = params.boolean("reader_pause_first");
  on.intra_node_delay = params.duration("intra_node_delay");
  on.delay_before_successor = params.choice("intra_node_delay_at") == "successor";
  return on;
}

ProtocolInfo shiftlock_info() {
  ProtocolInfo info;
  info.name = "shiftlock";
  info.summary = "reader-writer queue lock with direct handover between clients";
  info.source = "Gao, Wang, Shu: ShiftLock, FAST 2025, section 3";
  info.shared_mode = true;
  add_fairness(info.params);
  add_recovery(info.params);
  add_messages(info.params);
  add_pauses(info.params);
  info.profiles = profiles();
  info.entry_bytes = kEntryBytes;
  info.longest_timeout = patience_of;
  info.contradiction = contradiction_in;
  return info;
}

ParamSet shiftlock_small_model(const ProtocolInfo& info) {
  ParamSet params = info.resolve("repaired");
  params.set("max_consecutive_writers", std::int64_t{1});
  params.set("lease", microseconds(200));
  params.set("rdrcnt_bits", std::int64_t{4});
  params.set("relcnt_bits", std::int64_t{8});
  return params;
}

}  // namespace latchlab::shiftlock
