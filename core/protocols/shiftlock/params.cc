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
       "N: writers in a row before waiting readers are let in (paper 3.5.2; 4.7: 16)"},
      {"chain_limit", &Switches::limit_counts_handovers, "writers|handovers",
       "what N counts: writers (paper 3.5.2 in words, artifact) or the handovers between them, one "
       "more writer (Algorithm 3 line 15)"},
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
       "a releaser whose successor is unknown waits for it before (Algorithm 3 line 13) or after "
       "(paper 3.6, artifact) its atomic"},
      {"recovery", &Switches::recovery,
       "leases and recovery (paper 3.6); off: waits have no end and grants no expiry, as in "
       "Algorithms 2 and 3"},
      {"recovered_by", &Switches::recovered_by_client, "server|client",
       "who resets a lock that stands still: the server, once per era (paper 3.6), or the client "
       "that has waited, by a CAS of its own (Figure 2a and b: what the paper argues against; "
       "reset_compare does not matter then)"},
      {"lease", &Switches::lease, nanoseconds(100), seconds(100),
       "longest time from acquisition to release (paper 4.1: 10 ms; artifact: 1000 ms)"},
      {"clock_drift_ppm", &Switches::drift_ppm, 0, 10'000,
       "delta: waits are longer by this much (paper 3.6: 100 ppm)"},
      {"reset_epoch", &Switches::reset_zeroes_epoch, "keep|zero",
       "recovery leaves Epoch as it is, or zeroes it (paper 3.6); zero: lets readers in that wait "
       "under Epoch 1"},
      {"reset_compare", &Switches::reset_compares_own_read, "requested|own_read",
       "recovered_by server: RelCnt with which its reset compares, the one at which the client saw "
       "the lock stand still, or the server's own reading (artifact); own_read: can reset a lock "
       "that lives again"},
      {"admission", &Switches::epoch_first, "leap_first|epoch_first",
       "a waiting reader looks at RelCnt's leap before Epoch, or at Epoch first (artifact); "
       "epoch_first: enters a recovered lock"},
      {"late_turn", &Switches::trusts_late_turn, "renew|trust",
       "a turn that may have come two leases ago or more: a writer moves RelCnt by a CAS before it "
       "enters, a reader leaves and joins again (renew); or its lease runs from when it learns of "
       "it, after one more look at RelCnt at most (trust: paper, artifact); trust: enters while "
       "the lock is recovered"},
      {"release_fence", &Switches::fence, "conditional|clock|none",
       "none: releases are issued however late (artifact); clock: not after the lease (paper 3.6); "
       "conditional: and writers' verbs compare RelCnt, so that they miss a recovered lock"},
      {"message_lock_id", &Switches::match_messages,
       "messages are matched by lock and generation; off: anything on the endpoint is taken as "
       "mine (paper 3.2, artifact)"},
      {"message_number", &Switches::number_messages,
       "Handover and ModeChanged repeat the number of the acquisition that their Successor was "
       "sent for, and no other takes them, where messages are matched; off: the count of "
       "recoveries alone tells lives of a lock apart (not in the paper or artifact)"},
      {"endpoints", &Switches::endpoints, 1, 256,
       "DCTs per client, one for each writer lock held at once (paper 3.2: 1; artifact: 16)"},
      {"recvs", &Switches::recvs, 2, 4096,
       "RECVs posted per endpoint (artifact: 4 of a queue of 128)"},
      {"trivial_tries", &Switches::trivial_tries, 0, 16,
       "ExtCAS that take a free lock only, before queueing (artifact: 2; not in the paper)"},
      {"trivial_pause", &Switches::trivial_pause, Duration{}, milliseconds(10),
       "pause between trivial tries (artifact)"},
      {"poll_pause", &Switches::poll_pause, Duration{}, milliseconds(10),
       "pause between READs of a wait (artifact: 1862 ns)"},
      {"reader_pause_first", &Switches::reader_pauses_first,
       "a waiting reader pauses before its first READ too (artifact)"},
      {"intra_node_delay", &Switches::intra_node_delay, Duration{}, milliseconds(1),
       "makes messages inside a node as slow as between nodes on the paper's testbed (paper 4.1: 1 "
       "us); 0: none"},
      {"intra_node_delay_at", &Switches::delay_before_successor, "receive|successor",
       "after receiving any message (paper 4.1), or before sending Successor only (artifact)"},
      {"rdrcnt_bits", &Switches::rdrcnt_bits, 2, 23, "width of RdrCnt (paper 3.7)"},
      {"relcnt_bits", &Switches::relcnt_bits, 4, 64, "width of RelCnt (paper 3.7)"},
      {"recovery_bits", &Switches::recovery_bits, 1, 32,
       "top bits of RelCnt that count recoveries of the lock (paper 3.6: 1, which looks the same "
       "again after two); the bits below count releases, and must count all readers"}};
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
