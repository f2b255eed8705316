// ShiftLock's parameters with their help and sources, and its profiles.

#include "core/protocols/shiftlock/switches.h"

namespace latchlab::shiftlock {

namespace {

// The wait after which `length` has passed even if the client's clock runs fast by `ppm`.
Duration stretched(Duration length, std::int64_t ppm) {
  return length + Duration{length.ps / 1'000'000 * ppm + length.ps % 1'000'000 * ppm / 1'000'000};
}

}  // namespace

void Switches::derive() {
  patience = stretched(lease * 3, drift_ppm);
  lease_and_drift = stretched(lease, drift_ppm);
}

Params<Switches> params() {
  return {
      {"max_consecutive_writers", &Switches::max_writers, 1, 1LL << 40,
       "N: writers in a row before waiting readers are admitted (paper 3.5.2; 4.7: 16)"},
      {"chain_limit", &Switches::limit_counts_handovers, "writers|handovers",
       "what N counts: writers (text of paper 3.5.2, artifact), or the handovers between them, "
       "which allows one more writer (Algorithm 3 line 15)"},
      {"handover_epoch", &Switches::handover_epoch_literal, "carried|literal",
       "Epoch after Handover: carried in the message (artifact), or as read when queueing "
       "(Algorithm 2 line 22); literal: readers can hang"},
      {"mode_changed_epoch", &Switches::mode_changed_epoch_literal, "carried|literal",
       "Epoch after ModeChanged: carried (artifact), or the flip of what was read when queueing "
       "(Algorithm 2 line 20); literal: readers can hang"},
      {"handover_counts", &Switches::handover_counts,
       "a handover adds 1 to RelCnt (Algorithm 3 line 20); artifact: no"},
      {"mode_change", &Switches::mode_change_by_cas, "fetch_add|compare_epoch",
       "verb of an unfenced mode change: ExtFAA (Algorithm 3 line 16) or ExtCAS that compares "
       "Epoch (artifact)"},
      {"release_order", &Switches::count_then_wait, "wait_then_count|count_then_wait",
       "a releasing writer that does not know its successor yet waits for it before (Algorithm 3 "
       "line 13) or after (paper 3.6, artifact) its atomic"},
      {"recovery", &Switches::recovery,
       "leases and recovery (paper 3.6); off: waits have no time limit and grants do not expire, "
       "as in Algorithms 2 and 3"},
      {"recovered_by", &Switches::recovered_by_client, "server|client",
       "what resets a stalled lock: the server, once per era (paper 3.6), or the waiting client, "
       "by a CAS of its own (Figure 2a and b, which the paper argues against; reset_compare then "
       "has no effect)"},
      {"lease", &Switches::lease, nanoseconds(100), seconds(100),
       "longest time from acquisition to release (paper 4.1: 10 ms; artifact: 1000 ms)"},
      {"clock_drift_ppm", &Switches::drift_ppm, 0, 10'000,
       "delta: time limits of waits are longer by this much (paper 3.6: 100 ppm)"},
      {"reset_epoch", &Switches::reset_zeroes_epoch, "keep|zero",
       "recovery keeps Epoch, or zeroes it (paper 3.6); zero: readers that wait under Epoch 1 "
       "acquire the lock uncounted"},
      {"reset_compare", &Switches::reset_compares_own_read, "requested|own_read",
       "recovered_by server: the RelCnt that its reset compares: the value at which the client saw "
       "the lock stall, or the value that the server reads (artifact); own_read: can reset a lock "
       "that is in use again"},
      {"admission", &Switches::epoch_first, "leap_first|epoch_first",
       "whether a waiting reader checks RelCnt for a recovery before Epoch, or Epoch first "
       "(artifact); epoch_first: it can acquire a lock that was recovered meanwhile"},
      {"late_turn", &Switches::trusts_late_turn, "renew|trust",
       "a turn that may have come two leases ago or more: renew: a writer first moves RelCnt by a "
       "CAS, a reader leaves and joins again; trust: the lease runs from when the client sees its "
       "turn, after at most one more READ of RelCnt (paper, artifact), so that it can hold a lock "
       "that is being recovered"},
      {"release_fence", &Switches::fence, "conditional|clock|none",
       "none: releases are issued however late (artifact); clock: not after the end of the lease "
       "(paper 3.6); conditional: as clock, and writers' verbs compare RelCnt, so that they have "
       "no effect on a recovered lock"},
      {"message_lock_id", &Switches::match_messages,
       "messages are matched by lock and generation; off: a client accepts every message at its "
       "endpoint (paper 3.2, artifact)"},
      {"message_number", &Switches::number_messages,
       "Handover and ModeChanged repeat the number of the acquisition that sent Successor, and no "
       "other acquisition accepts them (with message_lock_id; not in the paper or artifact); off: "
       "only the count of recoveries distinguishes lives of a lock"},
      {"endpoints", &Switches::endpoints, 1, 256,
       "DCTs per client, one for each writer lock held at once (paper 3.2: 1; artifact: 16)"},
      {"recvs", &Switches::recvs, 2, 4096,
       "RECVs posted per endpoint (artifact: 4 of a queue of 128)"},
      {"trivial_tries", &Switches::trivial_tries, 0, 16,
       "attempts to acquire a free lock by ExtCAS before queueing (artifact: 2; not in the paper)"},
      {"trivial_pause", &Switches::trivial_pause, Duration{}, milliseconds(10),
       "pause between these attempts (artifact)"},
      {"poll_pause", &Switches::poll_pause, Duration{}, milliseconds(10),
       "pause between READs of a waiting client (artifact: 1862 ns)"},
      {"reader_pause_first", &Switches::reader_pauses_first,
       "a waiting reader pauses before its first READ too (artifact)"},
      {"intra_node_delay", &Switches::intra_node_delay, Duration{}, milliseconds(1),
       "delay that makes messages within a node as slow as between nodes on the paper's testbed "
       "(paper 4.1: 1 us); 0: none"},
      {"intra_node_delay_at", &Switches::delay_before_successor, "receive|successor",
       "where that delay is: after receiving any message (paper 4.1), or only before sending "
       "Successor (artifact)"},
      {"rdrcnt_bits", &Switches::rdrcnt_bits, 2, 23, "bits of RdrCnt (paper 3.7)"},
      {"relcnt_bits", &Switches::relcnt_bits, 4, 64, "bits of RelCnt (paper 3.7)"},
      {"recovery_bits", &Switches::recovery_bits, 1, 32,
       "top bits of RelCnt, which count recoveries of the lock (paper 3.6: 1, which has its old "
       "value after two recoveries); the bits below count releases, and must be able to count all "
       "readers"}};
}

std::vector<Profile> profiles() {
  return {{"repaired", "the paper, with one change for each counterexample"},
          {"paper",
           "FAST'25, Algorithms 2 and 3, sections 3.6 and 4.1",
           {{"chain_limit", "handovers"},
            {"handover_epoch", "literal"},
            {"mode_changed_epoch", "literal"},
            {"reset_epoch", "zero"},
            {"reset_compare", "own_read"},
            {"admission", "epoch_first"},
            {"late_turn", "trust"},
            {"recovery_bits", 1},
            {"release_fence", "clock"},
            {"message_lock_id", false},
            {"message_number", false},
            {"intra_node_delay", microseconds(1)}}},
          {"artifact",
           "thustorage/shiftlock bb73bf4",
           {{"handover_counts", false},
            {"mode_change", "compare_epoch"},
            {"release_order", "count_then_wait"},
            {"lease", milliseconds(1000)},
            {"clock_drift_ppm", 0},
            {"reset_epoch", "zero"},
            {"reset_compare", "own_read"},
            {"admission", "epoch_first"},
            {"late_turn", "trust"},
            {"recovery_bits", 1},
            {"release_fence", "none"},
            {"message_lock_id", false},
            {"message_number", false},
            {"endpoints", 16},
            {"recvs", 4},
            {"trivial_tries", 2},
            {"poll_pause", nanoseconds(1862)},
            {"reader_pause_first", true},
            {"intra_node_delay", microseconds(1)},
            {"intra_node_delay_at", "successor"}}}};
}

std::string contradiction(const Switches& on) {
  if (on.releases_bits() < on.rdrcnt_bits)
    return "relcnt_bits is " + std::to_string(on.relcnt_bits) + " and recovery_bits is " +
           std::to_string(on.recovery_bits) + ": leave at least the " +
           std::to_string(on.rdrcnt_bits) + " bits of RdrCnt to releases";
  if (!on.recovery || on.poll_pause * 2 <= on.lease) return {};
  return "poll_pause is " + std::to_string(on.poll_pause.ps / 1000) +
         " ns, more than half the lease of " + std::to_string(on.lease.ps / 1000) +
         " ns, within which RelCnt must be looked at: shorten poll_pause or lengthen lease";
}

}  // namespace latchlab::shiftlock
