#pragma once
// citron: range locks on an object, held as nodes of a tree. Each node stands for a range. A
// request locks the few nodes that cover its range best. Requests at a node and at its ancestor
// detect each other at nodes between the two.
// Source: Gao, Lu, Xie, Wang, Shu, "CITRON: Distributed Range Lock Management with One-sided RDMA"
// (FAST'23), section 3, algorithms 1 to 4. We found no code of the authors.
//
// Entry, one for each object (in the paper a file). N = `units`.
//   word     field            written by
//   0        spillover mutex  an entry of `dslr` (dslr.h); covers all units from N on
//   1        maximizer        a request beyond the tree ORs its right end, by masked CAS that
//                             compares nothing; a client in a scale-up WRITEs 0
//   2 ...    lock tree        over units [0, N): quaternary, in level order from the root (tree.h)
// For N = 2^28 the tree has 5,592,405 nodes, 44,739,240 bytes (4.1: 5.6 million, 42.7 MB).
//
// Inner node, 8 bytes (options.h), changed by masked atomics only
//   field  meaning                                  written by
//   TMax   next ticket to be given                  a request: FAA + 1
//   TCnt   ticket that is served                    a request that leaves: + 1; recovery: CAS
//   Occ    1: a request has this node, and those    the request whose ticket is served; cleared
//          below wait for it                        with TCnt + 1
//   DMax   requests below that notified this node   such a request: FAA + 1; a scale-up: FAA
//   DCnt   how many of those are over               such a request: FAA + 1; a scale-up: FAA;
//                                                   recovery: CAS to DMax
//   Exp    expansions of the tree that found this   a scale-up: FAA + 1
//          node in its top m levels
// Leaf, 8 bytes: a bit for each of its 64 units, set and cleared by masked CAS.
// Nodes that a scale-up adds lie in memory that the server part allocates. The server part is also
// the metadata server, which tells clients how the tree has changed, and the cluster manager, which
// cuts off dead clients and changes m and T_wait (tuning.h).
//
// Acquire. For units from N on: OR the right end to the maximizer, acquire the mutex. For units
// below N: choose at most k = `nodes` nodes that cover them with as few other units as possible
// (cover.h), and lock them in ascending order. For each node:
//   2(a)  Inner node: take a ticket by FAA; wait until TCnt equals it.
//   2(b)  READ all ancestors. While any has Occ, wait for the lowest of those.
//   2(c)  Inner node: set Occ. Leaf: set the range's bits if all of them are 0, else go back to
//         2(b); after `leaf_tries` failures lock the parent instead.
//   2(d)  Notify ancestors: DMax + 1 at the parent and at each m-th node above it; of the ancestors
//         in the top m - 1 levels none but the parent is notified, and the one of level m takes
//         their place. READ the root. If T_wait has passed since the READs of 2(b) were posted,
//         give up: a request above may have READ the counters already. Inner node: wait until
//         T_wait after Occ was set; then READ this node and the m - 1 levels below, and wait at
//         each node there until DCnt is DMax.
// Release. One batch: clear the bits, or TCnt + 1 and clear Occ; and DCnt + 1 at each notified
// node. The mutex last.
// Fast path (3.8), each part a switch: 2(a) and 2(b) share a doorbell, so do 2(c) and 2(d); a node
// just above leaves also sets all bits of its four children, and skips the wait of 2(d) if all of
// them were 0.
// Scale-up (3.9.1). `scale_up_by: poller`, the form of 4.5: on each client node one background
// thread READs the maximizers of the locks that its clients use every `scale_up_poll`, and no
// client does. `clients`, the default: at most once in that time, a client that has released its
// last range READs the maximizer of that lock. If it is beyond the tree, the thread, or the client,
// acquires the mutex, has memory allocated, and adds 1 to Exp at the nodes of the top m levels, in
// order. It adds the DCnt and DMax that it found at a node to those of the ancestors m, 2m, ...
// levels above in the new tree; if the old root was occupied, it adds 1 to DMax of the root's
// ancestors 1, m + 1, ... levels above. It then publishes the new tree, clears the maximizer and
// releases the mutex. A request that finds Exp raised at the root that it knows gives up, and asks
// the server for the new tree. A client that holds a range meanwhile finds Exp raised at the
// highest node that it notified when it releases, and adds DCnt + 1 at the new ancestors, too.
// Scale-down (3.9.2): Client::scale_down, by a holder of the whole object.
//
// Cost. A free leaf takes two round trips with the fast path, three without: READs of all
// ancestors, a CAS, an FAA for each m-th level, a READ. Its release takes one round trip. With N =
// 2^28 and m = 4: 11 READs, CAS, 3 FAAs, READ; release CAS, 3 FAAs. An inner node takes T_wait and
// a round trip of m READs more, unless it is just above leaves. In a tree that has grown those are
// up to m (m + 1) / 2 READs.
// Safe. Take two requests, one at a node above the other's. Either the lower one sees Occ in 2(b),
// or it has notified before the upper one reads the counters: a request that posted its READs
// before Occ was set completes its notifications within T_wait of that on its own clock, or gives
// up. Of any m consecutive levels above a node one is notified. Requests at the same node exclude
// each other by tickets, or by bits. The k nodes of a range are locked in ascending order, so that
// no cycle of waiting requests arises.
// Fair. An inner node is granted in ticket order. Requests below it go first until Occ is set.
// Leaves are not fair, except that `leaf_tries` limits the failures. A request that gives up loses
// its place.
// Needs. masked_atomics_8, timing; calls and allocate to grow; membership and evict to cut off dead
// clients; node_state and reliable_messages to change m and T_wait. Clocks that run within
// `drift_ppm` of the true rate; they need not be synchronised.
// Survives. Clients that die or stall for any length of time, anywhere except in a scale-up (the
// paper leaves that open, too: the tree then stays blocked). A stalled client is treated as dead
// after a lease for each level and a quarter of a lease:
//   at a node that is held (line 11)     the next ticket is served
//   above (line 18)                      the waiting request locks the ancestor instead
//   below (line 36)                      DCnt is set to DMax
//   bits of a leaf (line 22)             cleared, once their parent is held
// What it has set elsewhere stays until a request comes there, also after it has gone on.
// A grant expires, and so does the right of a request to undo what it has set (16, 17). Not
// survived: a verb that takes more than a quarter of a lease to land (14), including that of a
// client which stalls between its last look at the clock and its doorbell.
// Limits. T_wait has to cover the round trips from the READs of 2(b) to the end of 2(d): two, or
// three without `batch_occupy`. With a shorter T_wait every notification is too late and no range
// is ever granted; `check` and `run` say so.
// Exclusive mode only. One range of an object at a time: a client that holds one and wants another
// of the same object may wait for itself. At most (2^15 - 1) / k clients (the paper: k = 2 and 2^15
// clients).
//
// ---- What the paper leaves open or has wrong (profile paper), and what we do instead ----
//  1. Line 24: a request that cannot get a leaf locks its parent instead. With k = 2 the other node
//     of the range may be a leaf below that parent: the client then waits for itself. `fallback:
//     cover`: all nodes are given up, the parent replaces those below it, and the range is locked
//     again from its first node.
//  2. Line 11: if TCnt and Occ are unchanged for T_lease, the served client is treated as dead. It
//     may be alive and waiting, with Occ set, for a request below that has a lease of its own, and
//     holds its own range for a lease after that: two clients then hold the node. `patience:
//     levels`: waiters allow a lease for each level and one more, and grants expire before that.
//     Line 28 may then come too late as well: `occupy: cas` sets Occ only while the ticket is the
//     one that is served.
//  3. Line 33 and Algorithm 3, line 10, test whether Exp is set. When a tree grows for the second
//     time, Exp of its old nodes is still set from the first. A request that gives up or releases
//     after the scale-up has marked the root and before it marks the node that the request notified
//     adds a DCnt that the scale-up adds as well. DCnt is then one ahead and hides a holder. Also,
//     an old root that was occupied has its Occ added to new nodes (line 8: + v.Occ). No request
//     takes that back, since a request at the root has notified no node itself; and those nodes are
//     m levels above the old root, so that a request at a level in between does not see it.
//     `expansion: counted`: Exp is a number, and requests compare how often it changed between two
//     reads. This holds for the root's own Occ as well, which is added at the nodes 1, m + 1, 2m +
//     1, ... levels above. (Requests at other occupied nodes have notified their ancestors before,
//     or find Exp raised and give up.) The second scale-up would clear a flag of one bit, to which
//     Algorithm 4 adds 1 (`exp_bits: 1`).
//  4. Algorithm 1: a request that waits for the mutex during a scale-up acquires it for units that
//     are in the tree by then. If it locks no node of the tree, it does not notice. `out_of_bounds:
//     looked_at`: it READs the root.
//  5. 3.5.3 reads ancestors below the one waited for only once, and 3.5.5 starts their T_wait when
//     that one was last seen occupied, because no request below it can have begun to wait while it
//     was. That holds only if the request which occupied it did not give up, as line 32 lets it.
//     Here T_wait starts with the READ of the node itself (every profile), which makes both values
//     of `reread` safe. With `above`, as printed, nodes below are not READ again: a request that
//     has waited for longer than T_wait is then too late in any case, gives up, and has waited in
//     vain. `reread: all` avoids that, for READs of a few words more after each wait.
//  6. 3.5.5, change of m: a node acknowledges at once. A client that still holds a range under the
//     old m has then notified nodes too far apart for requests that read by the new one.
//     `acknowledge: when_out`: a node acknowledges when none of its clients uses the old values
//     alone.
//  7. Inequality (1) uses the drift bound of one clock for the difference of two: here twice
//     `drift_ppm` (every profile).
//  8. A request that releases a ticket which was served and not used must not clear Occ (Algorithm
//     3, line 7, does): every profile.
//  9. Leaves have no field Exp, and are in the top m levels of small trees. The scale-up skips
//     them; their parents have been notified (every profile).
// 10. Nodes are locked in ascending order so that no cycle of waiting requests arises, but a
//     request waits for ancestors as well. Suppose that it holds one of two nodes, and a request
//     above both waits for that one, and occupies a node for which the first request then waits at
//     its second node: a deadlock. `between_nodes: pass`: a request ignores ancestors whose request
//     waits for a node that it holds, since that request sees the second node, too. If its ticket
//     may be behind such a request's, it gives up what it holds and starts again.
// 11. Line 32: a request that notified too late is tried again, at once as it seems. All requests
//     that notify an ancestor queue at its address. Where that queue takes T_wait every
//     notification is too late, and each retry makes the queue longer. 64 clients that want units
//     of a tree of 1,024 acquire none (ConnectX-6). `too_late: pauses`.
// 12. A scale-up holds the mutex, whose lease may expire before memory is allocated; a second
//     scale-up may then mark nodes at the same time. Here a client does not begin to mark with less
//     than half a lease left (every profile).
// 13. Line 32 tests requests at the root as well, above which there is no request that can have
//     read the counters: not here (every profile).
// 14. 3.10 makes waiters wait exactly as long as a holder may hold: a verb that the holder posts at
//     the end of its time lands when the node may belong to the next client. A late TCnt + 1 then
//     ends the next client's turn and admits a third (one-way latencies of 1 and 20 us, a lease of
//     100 us, `batch_occupy: false`: in 156 moves). `patience: levels`: waiters wait for a quarter
//     of a lease more.
// 15. 3.10 covers dead clients, but not live ones that are late: a range "must be released within
//     T_lease". Here a late client touches nothing that may belong to another request by then, and
//     so leaves behind what a dead one leaves. The next request repairs tickets and DMax. Bits of a
//     leaf are cleared by line 22 only, once a request wants that leaf: until then other requests
//     for it, or for its parent by the fast path, wait as behind a holder, and then for T_wait each
//     time. Example: one-way latencies of 1 and 20 us, a lease of 20 us, ranges 0-256 and 0-10. Occ
//     and all bits of four leaves, posted at 2 us, land at 22 us and complete at 42 us, when two
//     leases are over. The node is taken over at 125 us; at the end its leaves have all their bits
//     set although no client holds them. We keep this: a CAS does not tell whose bits it clears,
//     and the next holder of the node cannot rule out that a request which notified too late is
//     about to clear the same bits, after a third client has set them.
// 16. 3.10 sets no time limit for what a request undoes. A request that notified an ancestor and
//     then gives up (the leaf was taken, or it lost its turn) may stall before it adds DCnt + 1.
//     Line 36 has set DCnt to DMax meanwhile; DCnt is then one ahead, and hides the next holder
//     (256 units, a lease of 300 us, pauses of 600 us: 41 violations in 8 s). `undo: fenced`: a
//     request undoes within the time for which it may hold the node, or never. A request that lost
//     its turn leaves the bits of leaves that it has set if another request occupies the node by
//     then.
// 17. Line 22: "if not zero, zeroes the node". The bits may be those of a live request that read
//     its ancestors before the node above was occupied, is too late, and will clear them. If the
//     bits are cleared and set by another request before that, it clears that request's bits.
//     `suspects: outwaited`: a request sets bits of leaves within T_wait of its READs of ancestors,
//     or not at all. The request above waits until all bits set in this way have been cleared, or
//     never will be, before it clears the rest.
// 18. 3.8 batches bits of a node's leaves with 2(c) and 2(d), in an order that it does not state.
//     If they precede the FAAs that notify ancestors, T_wait has to cover them: 5 atomics instead
//     of one come first. Beside 64 clients that want 1 and 16 units, which keep the server's RNIC
//     busy, 32 clients that want 256 are always too late, pause, and are granted nothing
//     (ConnectX-6 with READs of 9 ns and atomics of 24, N = 2^28; with `lock_children: false`
//     58,000 to 150,000 ranges a second, with either `retry`; with `too_late: at_once` all sizes
//     starve). `leaf_bits: behind`: a doorbell of their own behind the FAAs, where `batch_occupy`
//     is on; the 32 clients then acquire 92,000 ranges a second.
// 19. Line 7 repeats LOCKNODE for one node and keeps those that are held (`retry: node`, as
//     printed). That is safe: nodes are still locked in ascending order, and a request at its
//     second node waits there like one that tries it for the first time, passes a request that
//     waits for it (10), and gives up all nodes when the time of a held one is over. A request that
//     holds no node yet returns to its caller, which tries again; so does one that finds the tree
//     grown, because its nodes may be others then. `retry: range` gives back all nodes each time.
// Assumptions. Widths of Exp and Occ (the figure is lost): 3 and 1, beside counters of 15 bits. The
// value of `leaf_tries`. When a node's background thread begins to poll: at a random time. The
// READs of a wait follow each other without pause. The server's allocation time.
// Departures. A scale-up skips nodes with nothing to add, and posts 16 verbs with one doorbell
// (`propagation`). A client that finds the root expanded waits until the server knows the new tree
// (a call that is answered then). Deadlines of callers are ignored in the tree.
// Phases   IA: up to 2(d) of a node that is free; WP: 2(a); WW: ancestors; other: T_wait; WR:
//          requests below; RT: further tries at a leaf, and at a node while others are held.
//
// Tests: tests/protocols/citron.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry citron_entry();
}  // namespace latchlab
