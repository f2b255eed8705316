#pragma once
// sherman: nodes take a lock by CAS, clients of a node hand it on among themselves.
// Source: the hierarchical on-chip lock of Sherman (Wang, Lu, Shu, SIGMOD'22; arXiv 2112.07320).
// Reconstructed: from its abstract, from what its authors' code does (github.com/thustorage, of
// which nothing is here), and from what ShiftLock (FAST'25) 5 and DecLock (arXiv 2505.17641) 5 say
// of it: each machine has a lock table, whose clients hand a lock over before it goes back to the
// global table, at most so often in a row. The text of the paper was not at hand.
//
// Entry, 8 bytes; 2 with `packed`
//   bits 0-15   0: free. Else the number of the node whose client took it. Set by masked CAS of
//               these bits; cleared by a WRITE of the 8 bytes, or by FAA, with `packed` masked.
//   bits 16-63  0, and nobody's. With lock_width: 64bit they belong to the number: plain CAS.
//   With `packed` and `locks.stride: null` four entries share an aligned word of 8 bytes. Verbs go
//   to the word, their masks pick out the 16 bits.
//   `locks.memory: device` puts the entries into the memory of the servers' RNICs, where Sherman
//   has its 256 KiB of them. With `locks.stride: 8B` 32,768 fit there, as many as the authors' code
//   has; packed, 131,072, as many as 16-bit locks make of it.
//
// Of each node, in its part (CPU, on_node; common/local_queue.h): for each lock that a client here
//   has, takes or wants, who waits, in order, and how often it was handed over since the node took
//   it. Of each client, one word in registered memory: its turn. 0: wait. `lead`: it is to take the
//   global lock for its node. `yours`: it has the lock. Set by the neighbour before it (CPU store);
//   the client watches the word, and sets it back to 0 when it has its turn.
//
// Acquire  join the node's queue. Who finds it empty leads: CAS the entry from 0 to the node's
//          number until that succeeds. Else wait for the own word: with `lead` as the first does.
// Release  if somebody of the node waits and the lock was handed over less than max_handovers times
//          in a row, store `yours` to the word of the first who waits. Else free the entry; once
//          that is acknowledged, or posted with `unlock_posted`, step down from the queue: store
//          `lead` to the word of the first who waits by now.
//          The last WRITE of the section to what the lock guards goes out with the verb that frees
//          the entry (`write_with_unlock`): one doorbell, on one QP, in whose order the RNIC there
//          carries them out; both are waited for. When the lock is handed over, nobody is told
//          before that WRITE is acknowledged. A run with guard words waits for it by itself.
//
// Cost     free: 2 round trips, 2 server verbs, 3 visits to the node's state. Contended between
//          nodes: a CAS for each try of a node, not of a client. Handed over: no verb, a visit and
//          a CPU store. No shared mode.
//          With `packed` an FAA in place of the WRITE: as many verbs, doorbells and round trips,
//          but the RNIC carries out atomics of a word one after the other, so that an unlock waits
//          for tries to take any of the word's four locks, and they for it. With queues there are
//          few tries, and nothing of it shows; without (sherman_nh), under contention the rate
//          falls to a seventh, by the FAA alone: scenarios/whatif/packed-locks.yaml.
// Safe     because of the clients of a node one at most is past its queue, and of these the ones
//          who lead go on only after a CAS that found 0; the entry then keeps the node's number
//          until the last of its chain frees it, and that client alone, once. A WRITE is safe
//          beside CAS: while it is under way the lock is held, so that every CAS fails, and a
//          failing CAS writes nothing that could undo it. The same holds if nobody waits for it:
//          nobody enters by CAS before it has landed, and nobody by hand-over after it was posted.
//          Packed, nothing but atomics touches the word, which the RNIC carries out one after the
//          other: each compares and changes 16 bits, and no carry of FAA leaves them.
// Fair     first come, first served within a node, in the order of visits. None between nodes:
//          whose CAS comes first; but a node frees the lock after max_handovers hand-overs.
// Needs    node_state, local_words; masked_atomics_8 unless lock_width is 64bit. No clock.
// Does not survive the crash of a client that holds or waits: its node waits behind it, and if the
//          node has the lock, so do all others. With `unlock_posted` nor that of a client whose
//          unlock has not landed. A server that fails is taken to have failed for good.
//
// Guesses  What a node writes into the lock: the code has a number of the thread. That 16 bits are
//          enough for it: nodes have 16. What a wait queue is: the code has tickets, which clients
//          of a node poll; here each watches a word of its own, and nobody polls. How often a lock
//          is handed over: the code's bound of 8 counts clients in a row, the one who took the lock
//          among them, so that 7 hand-overs follow; `max_handovers` counts hand-overs, and is 8.
//          Retries follow at once, as in the code (retry_pause).
// Departures
//   Four locks in 8 bytes. 16-bit locks lie side by side in Sherman's table: 131,072 of them. That
//          is `packed`; by default each has 8 bytes of its own, as in the authors' code, so that
//          neighbours neither share a slot of the RNIC, nor does freeing one touch others.
//   Freeing a packed lock. A WRITE frees Sherman's. One of 8 bytes would free the neighbours too;
//          one of 2 bytes may land inside a neighbour's CAS, whose result then undoes it, unless
//          the RNIC keeps WRITEs out of its atomics (core/verbs/verbs.h: nobody may rely on that).
//          So a packed lock is freed by FAA alone.
//   Tree nodes share locks by hash in Sherman, however many locks there are. That is the tree's: a
//          lock of a scenario is one of the table, and who wants n tree nodes on m locks draws
//          among m. Two of them at once are never asked for there.
//   The profile `repository` is what the authors' code does: 64-bit locks (its comments name
//          the 16-bit ones), 7 hand-overs, an unlock that nobody waits for.
//
// What sherman_nh shares: client.h. Tests: tests/protocols/sherman, those of the queue as well.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry sherman_entry();
}  // namespace latchlab
