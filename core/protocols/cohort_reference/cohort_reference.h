#pragma once
// cohort_reference: a lock in two stages. Clients of a node queue up among themselves, by CPU; the
// first of them takes the lock for its node, by RNIC, and hands it on at home.
// Source: lock cohorting (Dice, Marathe and Shavit, PPoPP'12; ACM TOPC 1(2), 2015) in its simplest
// form: a local queue under a global test-and-set. It is nobody's published RDMA lock. It is the
// example of a lock with node parts (docs/write-a-lock.md), and uses what such locks need: a
// directory of peers, state shared on a node, words in which clients of a node wake each other.
//
// Entry, 8 bytes
//   word 0   0: free. Otherwise the node whose clients have the lock. Set by CAS of the client that
//            leads its node, cleared by WRITE of the one that gives it back.
//
// Of each node, in its part (CPU, on_node): for each lock that anybody here wants, the clients that
//   hold it or wait, in order, and how often it was handed on at home since it was taken.
// Of each client, one word in registered memory: its turn. 0: wait. `lead`: it is first, and takes
//   the lock for its node. `yours`: it has it. Set to 0 by the client before it queues up, and to
//   the others by the client before it in the queue (CPU store); it watches the word.
//
// Acquire  join the node's queue. If it was empty, lead: CAS the entry from 0 to the own node until
//          that succeeds. Else wait for the own word; with `lead`, go on as the first does.
// Release  leave the queue. If somebody is next and the lock was handed on less than max_passes
//          times in a row, store `yours` to its word. Else WRITE 0 to the entry; then, if somebody
//          is next, store `lead` to its word.
//
// Cost     alone: 2 round trips, 2 server verbs, 2 visits to the node's state. Handed on at home:
// no
//          verb, 2 visits and 1 CPU store for each acquire-release pair. No shared mode.
// Safe     because at most one client of a node is past its queue (the one at its head), and of
//          those at the heads only the one whose CAS found 0 goes on; the word stays at its node's
//          number until the last of its chain clears it. The WRITE is safe beside CAS: while the
//          lock is held a CAS fails, and a failing CAS writes nothing that could undo it.
// Fair     among clients of a node (first come, first served); not among nodes, but bounded in one
//          way: a node that others wait for gives the lock back after max_passes handovers.
// Needs    node_state, local_words. No clock assumption.
// Does not survive the crash of a client that holds or waits: its node waits behind it, and if it
//          held the lock, so do all others.
//
// Tests: tests/protocols/cohort_reference.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry cohort_reference_entry();
}  // namespace latchlab
