#pragma once
// alock: one lock for those who live on its node and those who do not. The former touch it by CPU
// alone, the latter by RNIC alone; each cohort has a queue, and the heads of both meet in
// Peterson's algorithm, because CPU and RNIC atomics are not atomic with each other.
// Source: Baran, Nelson-Slivon, Tseng, Palmieri, "ALock: Asymmetric Lock Primitive for RDMA
// Systems" (SPAA'24), sections 4 and 5, algorithms 1 to 4, and the TLA+ module of its appendix;
// profile `artifact`: what its public code does (github.com/sss-lehigh/alock at b917837).
//
// Entry, 64 bytes, aligned to 64 (Figure 3; offsets as in the artifact)
//   byte 0   tail of the remote cohort: address of the last request in its queue (node 16 bits,
//            offset 48); 0: nobody. Changed by RNIC CAS of remote clients alone, read by the local
//            leader's CPU.
//   byte 16  tail of the local cohort, likewise. Changed by CPU atomics of clients of this node
//            alone, read by the remote leader's READ.
//   byte 32  victim: the cohort that yields. 0: none so far, 1: local, 2: remote. Stored by the
//            local leader, written by the remote one (`victim`).
//   The tails are Peterson's flags as well: a cohort is interested while its tail is not 0.
// Of each request (64 bytes of the client's own registered memory; `max_held` of them)
//   byte 0   budget + 1, given by the request before it; 0: not yet. A remote predecessor WRITEs
//            it, a local one stores it.
//   byte 32  next: the address of the request behind it, written or stored by that one; 0: none.
//   Both are 0 whenever a client asks (but with `single_cas`): who has used them clears them when
//   it leaves.
//
// Acquire  put the request's address into the cohort's tail: local by exchange, remote by CAS from
//          0, then from what the last CAS found, until it matches. If the tail was 0: compete, with
//          the cohort's whole budget. Else write the own address to the predecessor's next, and
//          wait for the own budget. 0: compete, and have the whole budget again; more: enter.
// Compete  victim := own cohort. Wait until the other cohort's tail is 0 or the victim is the
//          other one: the remote leader READs both, the local one watches both words.
// Release  CAS the own tail from me to 0. If it has changed, wait for next and give it budget - 1.
//
// Cost     remote, free: CAS, WRITE, READ (3 trips) and CAS. `victim: batched` saves a trip. Remote
//          behind another: 2 CAS at least, a WRITE to that one's node, no verb while it waits for
//          its turn; the release CAS that fails and a WRITE. Once in remote_budget turns a WRITE
//          and a READ more, at least. Local: no verb, ever; a remote leader that waits for a local
//          cohort READs without end (`poll_pause`).
// Fair     once the other cohort's leader has named itself the victim, a cohort enters
//          remote_budget (local_budget) times in a row at most; between its swap of the tail and
//          that, as often again. Within the local cohort first come, first served. Not within the
//          remote one: a CAS finds something else as often as others are faster, for ever if need
//          be. The paper calls the lock starvation-free; its TLA+ swaps the tail in one step.
//          `enqueue: exchange` does that (profile `tla`), and then (bypass_bound) nobody is passed
//          by its own cohort, nor by the other one more often than its turns allow.
// Safe     within a cohort because each tail is changed by one kind of atomic, so that swaps form a
//          chain, and a request starts on the word of the one before it, given once. Between
//          cohorts by Peterson: a leader's tail is not 0 before it names itself the victim, and
//          whichever leader does that later waits. Table 1 is all it needs of memory: the CPU reads
//          what RNIC atomics change, the RNIC reads what CPU atomics change, and plain stores and
//          WRITEs of 8 bytes meet in one word, the victim (`victim: cas_loop`, as in the artifact,
//          leaves Table 1: a store that an RNIC's CAS overwrites is as if it had come before it,
//          and Peterson does not mind). Each of the two words that a leader looks at may be looked
//          at alone, at any moment: READs may be torn. A request's address is used again only after
//          it has left; who still compares with it then finds the tail as it is. On hardware the
//          remote leader's READ also pushes its CAS and WRITE ahead of it into memory, where PCIe's
//          order is not relaxed.
// Needs    local_words; masked_atomics_8 with `enqueue: exchange`. No clock assumption. No node
//          state: neighbours meet in the entry and in each other's words.
// Does not survive the crash of any client that holds or waits, or the node of one: those after it
//          wait for ever (the paper's model has no failures). A predecessor that cannot be told is
//          dead, and so is the queue. That the server fails is told, but not to those who wait for
//          a predecessor. A client joins no queue there again, nor uses again the request that may
//          have stayed in a tail: it would take an old successor for a new one. Who wants such a
//          lock READs its entry, which takes a trip and stays nowhere, and is told the same. When
//          max_held requests have stayed behind, so it is with every server.
//
// ---- Departures ----
//  1. Algorithm 3, line 3, prints one rCAS whose result is the predecessor even if it failed: then
//     nobody behind it is ever in the tail. The text says that it is tried again with what it
//     learned, and so do the code and the TLA+ swap. `enqueue: single_cas` is what is printed.
//  2. Algorithm 4, line 5, prints "or" between the two reasons to wait: then one client alone waits
//     for ever, on itself. Peterson, the TLA+ module and the code say "and"; `wait_while: either`
//     is what is printed.
//  3. Four bits of an address name 16 nodes; the paper measures 20. Here, as in the code, 16 bits.
//  4. The text of 5.1 passes the lock to "the location returned by the attempted rCAS": that is the
//     tail, and whoever is between would wait for ever. Algorithm 3 and the code take desc.next.
//  5. "A single rRead" after the rCAS (5.1) leaves out that the victim is written. The statements
//     of Algorithm 4 come one after the other; that WRITE and READ may share a doorbell
//     (`batched`) is ours, and as safe: RC executes a READ behind a WRITE in order.
//  6. Fields start at 0, and -1 is kept as 0: memory is zeroed. They are cleared on leaving, not on
//     asking, so that the first effect of a request is its place in the queue. The budget of a
//     holder stays in its grant.
//  7. One descriptor for a request, not one for each cohort: a request is of one cohort. And as
//     many as `max_held`; the paper's threads hold one lock at a time.
//  8. The code's first guess of the victim is 0, which fails whenever there ever was one. Its local
//     leader exchanges the victim and does not look at what was there: a store here. The rest is in
//     profile `artifact`: its local release looks for a successor first (`next_first`), its READ is
//     of 64 bytes (`whole_lock`), its configuration gives 5 turns to both cohorts.
//     Not followed: its list of who is local is one off, so that some take a lock of another node
//     by CPU.
// Its baselines (section 6; every access by RNIC, at home through loopback). RDMA-MCS is this lock
// with one queue and no turns: `cohorts: one`, profile `rdma_mcs` (the code's tail is elsewhere in
// the 64 bytes, and a byte says what the budget says here). The spinlock is profile
// `alock_artifact` of cas.
// A queue by CAS may never form (`cas_loop`, one cohort): the second CAS, with what the first one
// found, comes a round trip after it, and the holder's release, also by CAS, a round trip after its
// own. If sections take no time the release is always the earlier one, every guess is old, and the
// queue is a spinlock that starves: quickstart with 4 locks and 240 clients has no hand-over at
// all, 50 k/s, 166 clients with none; 824 k/s with `exchange`. Sections of 1 us form queues.
// The TLA+ properties, and what became of them: MutualExclusion is checked everywhere.
// DeadAndLivelockFree: every search asks that all can finish, from every state. StarvationFree asks
// that they do: with `exchange` it follows from the bound, with CAS it does not hold.
// ExecsCriticalSectionInfinitelyOften asks of clients that they always come back, which the module
// does not ("ncs" is unfair): left out. CohortFairness and GlobalFairness are implications without
// an "always" before them, whose premise is false at the start, so that they hold of anything. What
// they mean is tested as order within a cohort and as bypass_bound.
//
// Tests: tests/protocols/alock.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry alock_entry();
}  // namespace latchlab
