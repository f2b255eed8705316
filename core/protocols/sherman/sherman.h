#pragma once
// sherman: nodes take a lock by CAS, and the clients of a node hand it over among themselves.
// Source: the hierarchical on-chip lock of Sherman (Wang, Lu, Shu, SIGMOD'22; arXiv 2112.07320).
// Reconstructed from the paper's abstract, from what its authors' code does (github.com/thustorage;
// none of it is used here), and from what ShiftLock (FAST'25) 5 and DecLock (arXiv 2505.17641) 5
// say about it: each machine has a lock table, whose clients hand a lock over a limited number of
// times in a row before it goes back to the global table. We did not have the text of the paper.
//
// Entry, 8 bytes; 2 with `packed`
//   bits 0-15   0: free. Otherwise the number of the node whose client took it. Set by masked CAS
//               of these bits; cleared by a WRITE of the 8 bytes, or by FAA, which is masked with
//               16-bit locks.
//   bits 16-63  0, unused. With lock_width: 64bit they belong to the number: plain CAS.
//   With `packed` and `locks.stride: null` four entries share an aligned word of 8 bytes. Verbs
//   address the word, and their masks select the 16 bits.
//   `locks.memory: device` places the entries in the memory of the servers' RNICs, where Sherman
//   has its 256 KiB of them. With `locks.stride: 8B` 32,768 fit there, as many as in the authors'
//   code; packed, 131,072, as many as with 16-bit locks.
// Each node's part (CPU, on_node; common/local_queue.h) has, for each lock that a client of the
// node holds, takes or wants, the waiting clients in order, and the number of handovers since the
// node took the lock.
// Each client has a word in registered memory, its turn
//   0      wait
//   lead   take the global lock for the node
//   yours  the lock is handed over
//   Set by the client before it (CPU store). The client watches the word, and resets it to 0 when
//   its turn has come.
//
// Acquire  join the node's queue. A client that finds it empty leads: CAS the entry from 0 to the
//          node's number until that succeeds. Any other client waits for its word; with `lead` it
//          takes the entry in the same way.
// Release  if a client of the node waits and the lock was handed over less than max_handovers times
//          in a row, store `yours` to the word of the first waiting client. Otherwise free the
//          entry; once that is acknowledged, or posted with `unlock_posted`, step down from the
//          queue: store `lead` to the word of the client that is first by then.
//          The last WRITE of the section to what the lock guards is posted with the verb that frees
//          the entry (`write_with_unlock`): one doorbell on one QP, whose order the remote RNIC
//          keeps; the client waits for both. If the lock is handed over, the next client is told
//          only when that WRITE is acknowledged. In a run with guard words the client waits for the
//          WRITE separately.
//
// Cost     free: 2 round trips, 2 server verbs, 3 visits to the node's state. Contended between
//          nodes: a CAS for each try of a node, not of a client. Handed over: no verb, a visit and
//          a CPU store. No shared mode.
//          With `packed` an FAA replaces the WRITE: as many verbs, doorbells and round trips, but
//          the RNIC executes atomics on a word one after the other, so that an unlock waits for
//          tries to take any of the word's four locks, and they for it. With queues there are few
//          tries, and no effect is visible; without (sherman_nh), under contention the rate falls
//          to a seventh, due to the FAA alone: scenarios/whatif/packed-locks.yaml.
// Safe     Of the clients of a node at most one is past its queue, and one that leads goes on only
//          after a CAS that found 0. The entry then keeps the node's number until the last client
//          of that chain of handovers frees it, which it does once. A WRITE is safe beside CAS:
//          while it is under way the lock is held, so every CAS fails, and a failing CAS writes
//          nothing that could undo the WRITE. The same holds if the client does not wait for it: no
//          CAS succeeds before it has landed, and no handover follows it. Packed, only atomics
//          change the word, which the RNIC executes one after the other: each compares and changes
//          16 bits, and no carry of an FAA leaves them.
// Fair     first come, first served within a node, in the order of visits. Not fair between nodes:
//          the first CAS to find 0 wins; but a node frees the lock after max_handovers handovers.
// Needs    node_state, local_words (with the local queue); masked_atomics_8 unless lock_width is
//          64bit. No clock.
// Does not survive the crash of a client that holds or waits: its node waits behind it, and if the
// node holds the lock, so do all others. With `unlock_posted`, nor the crash of a client whose
// unlock has not landed. A server that fails is assumed to have failed
// for good: if it comes back without its memory, two clients may hold.
//
// Assumptions
//   What a node writes into the lock: the code has a thread number. 16 bits are enough, since node
//   numbers have 16.
//   The wait queue: the code has tickets, which clients of a node poll; here each client watches a
//   word of its own, without polling.
//   The number of handovers: the code's bound of 8 counts clients in a row, including the one that
//   took the lock, so that 7 handovers follow; `max_handovers` counts handovers, and is 8.
//   Retries follow at once, as in the code (retry_pause).
// Departures
//   Four locks in 8 bytes. 16-bit locks are adjacent in Sherman's table: 131,072 of them. That is
//   `packed`. By default each has 8 bytes of its own, as in the authors' code, so that adjacent
//   locks do not share a slot of the RNIC, and freeing one does not touch others.
//   Freeing a packed lock. A WRITE frees Sherman's. One of 8 bytes would free the adjacent locks
//   too. One of 2 bytes may land inside a CAS of an adjacent lock, whose result then undoes it,
//   unless the RNIC serialises WRITEs with its atomics (core/verbs/verbs.h: no lock may rely on
//   that). So a packed lock is freed by FAA only.
//   Tree nodes share locks by hash in Sherman, whatever the number of locks. That belongs to the
//   tree: a lock of a scenario is one of the table, and a workload of n tree nodes on m locks draws
//   among m. It never needs two of them at once.
//   The profile `repository` is what the authors' code does: 64-bit locks (its comments name the
//   16-bit ones), 7 handovers, an unlock that the client does not wait for.
//
// Shared with sherman_nh: client.h. Tests: tests/protocols/sherman, those of the queue as well.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry sherman_entry();
}  // namespace latchlab
