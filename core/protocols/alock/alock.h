#pragma once
// alock: one lock for clients on its own node, which access it by CPU only, and clients on other
// nodes, which access it by RNIC only. Each of the two cohorts has a queue. The heads of both
// queues compete by Peterson's algorithm, because CPU and RNIC atomics are not atomic with each
// other.
// Source: Baran, Nelson-Slivon, Tseng, Palmieri, "ALock: Asymmetric Lock Primitive for RDMA
// Systems" (SPAA'24), sections 4 and 5, algorithms 1 to 4, and the TLA+ module of its appendix.
// Profile `artifact` follows its public code (github.com/sss-lehigh/alock at b917837).
//
// Entry, 64 bytes, aligned to 64 (Figure 3; offsets as in the artifact)
//   byte | field             | written by                      | also read by
//   0    | tail of the       | RNIC CAS of remote clients only | the local leader's CPU
//        | remote cohort     |                                 |
//   16   | tail of the       | CPU atomics of clients on this  | the remote leader's READ
//        | local cohort      | node only                       |
//   32   | victim: the       | local leader: store; remote     | both leaders
//        | cohort that waits | leader: WRITE or CAS (`victim`) |
//   A tail is the address of the last request in the queue (node 16 bits, offset 48); 0: no
//   request. The tails are also Peterson's flags: a cohort is interested while its tail is not 0.
//   victim: 0 none so far, 1 local, 2 remote.
// Request, 64 bytes of the client's own registered memory, `max_held` of them
//   byte | field  | meaning                               | written by
//   0    | budget | budget + 1; 0: not yet granted        | the request before it
//   32   | next   | address of the next request; 0: none  | the request behind it
//   Remote clients WRITE these words, local clients store them. Both are 0 when a client starts to
//   acquire (except with `single_cas`): the client that used them clears them when it releases.
//
// Acquire  The client puts its request's address into the cohort's tail: local by exchange; remote
//          by CAS from 0, then from what the last CAS found, until it matches. If the tail was 0,
//          it competes, with the cohort's whole budget. Otherwise it writes its own address to the
//          predecessor's next and waits for its budget. Budget 0: it competes, and has the whole
//          budget again. Budget above 0: it holds the lock.
// Compete  victim := own cohort. Then wait until the other cohort's tail is 0 or the victim is the
//          other cohort: the remote leader READs both words, the local leader watches both.
// Release  CAS the own tail from the own request to 0. If the tail has changed, wait for next and
//          grant it budget - 1.
//
// Cost     Remote, free: CAS, WRITE, READ (3 round trips) and CAS. `victim: batched` saves a round
//          trip. Remote behind another client: at least 2 CAS, a WRITE to that client's node, no
//          verb while it waits for its turn; then the failed release CAS and a WRITE. Once in
//          remote_budget turns at least one more WRITE and READ. Local: no verb. A remote leader
//          that waits for the local cohort READs without end (`poll_pause`).
// Fair     Once the other cohort's leader has named itself the victim, a cohort acquires at most
//          remote_budget (local_budget) times in a row; between that leader's swap of the tail and
//          its naming itself, as many times again. The local cohort is first come, first served.
//          The remote cohort is not: a CAS fails as often as other clients are faster, possibly for
//          ever. The paper calls the lock starvation-free; its TLA+ module swaps the tail in one
//          step. `enqueue: exchange` does that (profile `tla`); then (bypass_bound) no client of
//          its own cohort passes a request, and the other cohort passes it no more often than its
//          turns allow.
// Safe     Within a cohort: one kind of atomic changes each tail, so that swaps form a chain, and a
//          request starts on the word of the request before it, which is granted once. Between
//          cohorts, Peterson: a leader's tail is not 0 before it names itself the victim, and the
//          leader that does so later waits. This needs no more of memory than Table 1: the CPU
//          reads what RNIC atomics change, the RNIC reads what CPU atomics change, and plain stores
//          and WRITEs of 8 bytes meet in one word, the victim. (`victim: cas_loop`, as in the
//          artifact, goes beyond Table 1: a store that an RNIC's CAS overwrites acts as if it had
//          come before the CAS, which Peterson's algorithm tolerates.) A leader may look at each of
//          its two words separately, at any moment: READs may be torn. A request's address is used
//          again only after the request has left; a client that still compares with it then finds
//          the tail unchanged. On hardware the remote leader's READ also pushes its preceding CAS
//          and WRITE into memory, unless PCIe's order is relaxed.
// Needs    local_words; masked_atomics_8 with `enqueue: exchange`. No clock assumption. No node
//          part: clients of one node communicate through the entry and their requests.
// Does not survive the crash of a client that holds or waits, or of its node: the clients after it
//          wait for ever (the paper's model has no failures), also behind a client whose
//          predecessor cannot be reached by WRITE. Nor a server that comes back without its memory
//          while clients hold or wait: two may hold then. A failed server is reported, except to
//          clients that wait for a predecessor. After that the client joins no queue on that
//          server, and does not use the request again that may have stayed in a tail: it could take
//          an old successor for a new one. To acquire such a lock it READs the entry, which takes a
//          round trip and leaves nothing behind, and reports the failure again. When max_held
//          requests have been lost in this way, the client treats every server so.
//
// ---- Departures ----
//  1. Algorithm 3, line 3, prints one rCAS whose result is the predecessor even if it failed: then
//     no client behind that predecessor ever enters the tail. The text says that the rCAS is
//     repeated with the value it returned, and the code and the TLA+ swap agree. `enqueue:
//     single_cas` is the printed form.
//  2. Algorithm 4, line 5, prints "or" between the two reasons to wait: then a single client waits
//     for ever, on itself. Peterson, the TLA+ module and the code have "and"; `wait_while: either`
//     is the printed form.
//  3. Four bits of an address name 16 nodes; the paper measures 20. Here, as in the code, 16 bits.
//  4. The text of 5.1 passes the lock to "the location returned by the attempted rCAS". That is the
//     tail, and the requests in between would wait for ever. Algorithm 3 and the code use
//     desc.next.
//  5. "A single rRead" after the rCAS (5.1) omits the write of the victim. The statements of
//     Algorithm 4 are sequential. That WRITE and READ may share a doorbell (`batched`) is ours, and
//     equally safe: RC executes a READ after a WRITE in order.
//  6. Fields start at 0, and -1 is stored as 0: memory is zeroed. They are cleared on release, not
//     on acquire, so that the first effect of a request is its place in the queue. The budget of a
//     holder is in its grant.
//  7. There is one descriptor per request, not one per cohort, because a request belongs to one
//     cohort; and there are `max_held` of them. The paper's threads hold one lock at a time.
//  8. The code's first guess of the victim is 0, which fails once there has been a victim. Its
//     local leader exchanges the victim and ignores the old value; here it is a store. Profile
//     `artifact` has the rest: its local release checks for a successor first (`next_first`), its
//     READ has 64 bytes (`whole_lock`), and its configuration gives both cohorts 5 turns.
//     Not followed: its list of local clients is off by one, so that some clients access a lock of
//     another node by CPU.
// Baselines of the paper (section 6; every access by RNIC, on the own node through loopback):
// RDMA-MCS is this lock with one queue and no turns: `cohorts: one`, profile `rdma_mcs` (in the
// code the tail has another place in the 64 bytes, and a byte says what the budget says here). The
// spinlock is profile `alock_artifact` of cas.
// A queue by CAS may never form (`cas_loop`, one cohort). The second CAS, with the value that the
// first one found, comes a round trip after it; the holder's release, also a CAS, comes a round
// trip after the holder's own CAS. If critical sections take no time, the release is always earlier
// and every guess is old: the queue is a spinlock that starves. The quickstart with 4 locks and 240
// clients has no hand-over at all, 50 k/s, and 166 clients without an acquisition; 824 k/s with
// `exchange`. Sections of 1 us form queues.
// The TLA+ properties
//   MutualExclusion       checked everywhere
//   DeadAndLivelockFree   every search requires that all clients can finish, from every state
//   StarvationFree        requires that they do finish: follows from the bound with `exchange`,
//                         does not hold with CAS
//   ExecsCriticalSectionInfinitelyOften  left out: it requires that clients always come back, which
//                                        the module does not require ("ncs" is unfair)
//   CohortFairness, GlobalFairness       implications without an "always" before them, whose
//                                        premise is false at the start, so that they hold
//                                        trivially. Their intention is tested as order within a
//                                        cohort and as bypass_bound.
//
// Tests: tests/protocols/alock.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry alock_entry();
}  // namespace latchlab
