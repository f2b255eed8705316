#pragma once
// citron: ranges of an object, locked as nodes of a tree. Each node stands for a range; a request
// takes the few nodes that cover its range best, and meets those at nodes above and below half-way.
// Source: Gao, Lu, Xie, Wang, Shu, "CITRON: Distributed Range Lock Management with One-sided RDMA"
// (FAST'23), section 3, algorithms 1 to 4. No code of its authors could be found.
//
// Entry, one for each object (in the paper a file)
//   word 0    spillover mutex, for all units from N on: an entry of `dslr` (dslr.h)
//   word 1    maximizer: the right ends of ranges that went beyond the tree, ORed by masked CAS
//   with
//             nothing to compare; WRITTEN to 0 by who has made the tree larger
//   word 2..  the lock tree over units [0, N), N = `units`: quaternary, by level order from the
//   root
//             (tree.h). For N = 2^28 5,592,405 nodes, 44,739,240 bytes (4.1: 5.6 million, 42.7 MB)
// Inner node, 8 bytes (node_word.h; all by masked atomics)
//   TMax, TCnt  tickets of requests at this node: next to be given, and called. TMax + 1 by FAA;
//               TCnt + 1 by who leaves
//   Occ         a request is at this node, and those below wait. Set by the one whose ticket is
//               called; cleared with TCnt + 1
//   DMax, DCnt  requests below that have been told to this node, and those of them that are over
//   Exp         how often the tree has been expanded with this node in its top m levels
// Leaf, 8 bytes: a bit for each of its 64 units, set and cleared by masked CAS.
// Added by a scale-up: memory that the server part allocates, with the new nodes. The server part
// also is the metadata server, which tells clients what has become of the tree, and the cluster
// manager, which cuts off dead clients and changes m and T_wait (tuning.h).
//
// Acquire  units from N on: OR the right end to the maximizer, take the mutex. Units below N:
//          choose at most k = `nodes` nodes that cover them with as few others as possible
//          (cover.h), and take them in ascending order. Each:
//    2(a)  inner node: ticket by FAA; wait until TCnt is the ticket.
//    2(b)  READ all ancestors. While one has Occ, wait for the lowest of those.
//    2(c)  inner node: set Occ. Leaf: set the range's bits if they are all 0, else back to 2(b);
//          after `leaf_tries` times, take the parent instead.
//    2(d)  tell ancestors: DMax + 1 at the parent and at each m-th node above; in place of those in
//          the top m - 1 levels, at the one of level m. READ the root. If that has taken longer
//          than T_wait since the READs of 2(b), give up: somebody above may have looked already.
//          Inner node: wait for T_wait, from Occ on; then READ this node and the m - 1 levels
//          below, and wait at each node there until DCnt is DMax.
// Release  one batch: bits cleared, or TCnt + 1 and Occ cleared, and DCnt + 1 where it was told.
//          The mutex last.
// Fast path (3.8), each part a switch: 2(a) and 2(b) with one doorbell, so 2(c) and 2(d); a node
//          just above leaves sets all bits of its four children as well, and if they were all 0
//          need not wait.
// Scale-up (3.9.1): every `scale_up_poll` a client that has released a range READs the maximizer.
//          If it is beyond the tree: take the mutex, have memory allocated, and add 1 to Exp at the
//          nodes of the top m levels, in order. What a node had then is added to DCnt and DMax of
//          its ancestors m, 2m, ... above in the new tree, and of a root that was occupied 1 to
//          DMax of those 1, m + 1, ... above. Publish, clear the maximizer, release. Who finds Exp
//          at the root of the tree that it knows gives up, and asks the server for the new one. Who
//          has a range meanwhile finds Exp at the highest node that it told when it leaves, and
//          adds DCnt + 1 at the new ones, too.
// Scale-down (3.9.2): Client::scale_down, by a holder of the whole object.
//
// Cost     leaf, free: two round trips with the fast path, three without; READs of all ancestors, a
//          CAS, an FAA for each m-th level, a READ; released with one. With N = 2^28 and m = 4: 11
//          READs, CAS, 3 FAAs, READ; CAS, 3 FAAs. Inner node: T_wait, and a round trip of m READs,
//          more, unless it is just above leaves. In a tree that has grown up to m (m + 1) / 2
//          READs.
// Safe     of two requests, one above the other, the lower one sees Occ in 2(b), or it tells the
//          upper one before that looks: either it posted its READs before Occ was set, and is
//          through with telling within T_wait of that on its own clock, or it gives up. Among m
//          levels from any node down there is one that is told. At one node: tickets, and bits. k
//          nodes are taken in ascending order, so that nobody waits in a circle.
// Fair     first come, first served at an inner node. Requests below go first, until Occ is set.
//          Leaves: not at all, but for `leaf_tries`. A request that gives up has lost its place.
// Needs    masked_atomics_8, timing; calls and allocate to grow, membership and evict to cut off
//          the dead. Clocks that run within `drift_ppm` of the truth; they need not agree.
// Survives clients that die or stand still, for however long, anywhere but in a scale-up (that, the
//          paper leaves open, too: the tree then stays as closed as it is). A client that stands
//          still is taken for dead: after a lease a level and a quarter at a node that is held
//          (line 11: the next ticket is called), above (18: it is locked instead), below (36: DCnt
//          is set to DMax), and bits of a leaf that stay set once its parent is had (22). A grant
//          ends in time, and so does all that a request may take back (16, 17). Not: what takes
//          more than a quarter of a lease to land (14), a client that stands still between its look
//          at the clock and its doorbell among it.
// Limits   T_wait has to cover the round trips from the READs of 2(b) to the end of 2(d): two,
//          three without `batch_occupy`. Below that each request is told too late, and no range is
//          ever granted; `check` and `run` say so.
// Exclusive alone. One range of an object at a time: who holds one and wants another of the same
// object may wait for itself. At most 2^15 / k clients (the paper has k = 2 and 2^15 of them).
//
// ---- What the paper leaves open or wrong (profile paper), and what is done ----
//  1. Line 24: a leaf that cannot be had is given up for its parent. With k = 2 the other node of
//     the range may be a leaf below that parent: the client then waits for itself. `fallback:
//     cover`: what is below goes, and the range is locked anew.
//  2. Line 11: TCnt and Occ unchanged for T_lease are taken for a crash. Who is served may be
//     waiting, with Occ set, for somebody below who has a lease of its own, and has its own range
//     for a lease then: two clients inside. `patience: levels`: a lease for each level and one, and
//     grants that end before. Then line 28 may come too late as well: `occupy: cas` sets Occ only
//     while the ticket is the one that is called.
//  3. Line 33 and Algorithm 3, line 10, ask whether Exp is set. When a tree grows for the second
//     time Exp of its old nodes is set from the first: a request gives up, or leaves, between the
//     marks of the root and of the node it told, and adds a DCnt that the scale-up adds as well.
//     DCnt is then one ahead, which hides a holder. An old root that was occupied has told new
//     nodes (line 8: + v.Occ), which nobody takes back, since it has told none itself; and they are
//     m levels above it, so that a request at those in between sees nothing of it. `expansion:
//     counted`: Exp is a number; what counts is how often it changed between two looks, for the
//     root's own Occ as well, of which nodes 1, m + 1, 2m + 1, ... above are told. (Other nodes
//     that are occupied have told theirs before, or find Exp and give up.) As a flag of one bit, to
//     which Algorithm 4 adds 1, it would be cleared by the second scale-up (`exp_bits: 1`).
//  4. Algorithm 1: who waits for the mutex while a scale-up has it gets it for units that are in
//     the tree by then. Where it locks nothing in the tree it does not notice. `out_of_bounds:
//     looked_at`: a READ of the root.
//  5. 3.5.3 reads ancestors below the one waited for only once, and 3.5.5 has their T_wait begin
//     when that was last seen occupied: since it was, nobody below it can have begun to wait. That
//     holds only if whoever occupied it did not give up, as line 32 has it. Here T_wait begins with
//     the READ of the node itself (every profile), which makes both values of `reread` safe. With
//     `above`, as printed, nodes below are not READ again: a request that has waited for longer
//     than T_wait is too late whatever it does, gives up, and has waited in vain. `reread: all`
//     spares it that, for READs of a few words more after each wait.
//  6. 3.5.5, change of m: a node acknowledges at once. Somebody who still has a range under the old
//     m was told too far apart for those who look at the new one. `acknowledge: when_out`: when no
//     client of the node goes by the old values alone.
//  7. Inequation (1) takes the bound of one clock for the difference of two: here twice `drift_ppm`
//     (every profile).
//  8. A release of a ticket that was called and not used must not clear Occ (Algorithm 3, line 7,
//     does): every profile.
//  9. Exp is no field of leaves, which are in the top m levels of small trees: they are passed
//     over; their parents have been told (every profile).
// 10. Nodes are taken in ascending order so that nobody waits in a circle, but a request waits for
//     ancestors as well. Two nodes, one had: somebody above both waits for the first, and occupies
//     a node that the request then waits for at the second. `between_nodes: pass`: it passes
//     whoever waits for what it has, since that one sees the second node, too; and behind a ticket
//     that may be of such a one it gives up what it has, and begins anew.
// 11. Line 32: a request that was told too late is tried again, at once as it seems. All who tell
//     an ancestor queue at its address; where that takes T_wait nobody is ever in time, and each
//     try makes the queue longer. 64 clients that want units of a tree of 1,024 get none
//     (ConnectX-6). `too_late: pauses`.
// 12. A scale-up holds the mutex, whose lease may be over before memory has come: who then marks
//     nodes may do so beside another. Here it begins no marks with less than half a lease left
//     (every profile).
// 13. Line 32 asks a request at the root as well, above which nobody can have looked: not here
//     (every profile).
// 14. 3.10 has others wait for as long as a holder may hold: what a holder posts at the end of that
//     lands when the node may be another's. A late TCnt + 1 counts that one out, and lets in a
//     third (legs of 1 and 20 us, a lease of 100 us, `batch_occupy: false`: in 156 moves).
//     `patience: levels`: others wait for a quarter of a lease more.
// 15. 3.10 knows the dead, and no client that lives and is late: a range "must be released within
//     T_lease". Here who is late touches nothing that may be another's by then, and so leaves what
//     the dead leave. Turns and DMax are set right by who comes next. Bits of a leaf are cleared by
//     line 22 alone, once somebody wants that leaf: others who want it, or its parent by the fast
//     path, wait as behind a holder, and then for T_wait each time. Legs of 1 and 20 us, a lease of
//     20 us, ranges 0-256 and 0-10: Occ and all bits of four leaves, posted at 2 us, land at 22 us
//     and are known to have at 42 us, when two leases are over. The node is taken over at 125 us;
//     at the end its leaves have all their bits set, and nobody is there. Left as it is: a CAS does
//     not tell whose bits it clears, and who has the node next cannot know that a request which was
//     told too late is not just taking the same bits back, later than somebody else took them.
// 16. 3.10 gives no time to what a request takes back. One that was told to an ancestor and then
//     gives up (the leaf was taken, its turn was gone) may stand still before it adds DCnt + 1:
//     line 36 has set DCnt to DMax meanwhile, DCnt is one ahead, and hides the next holder (256
//     units, a lease of 300 us, pauses of 600 us: 41 violations in 8 s). `undo: fenced`: what is
//     taken back is taken back within the time of a held node, or never. A request whose turn is
//     gone leaves the bits of leaves that it has set where another holds the node by then.
// 17. Line 22: "if not zero, zeroes the node". Its bits may be those of a live request that looked
//     at its ancestors before the node above was occupied, is too late, and will take them back:
//     from another, if they are cleared and set before. `suspects: outwaited`: bits of leaves are
//     set within T_wait of the look at ancestors, or not at all; the request above waits until all
//     that were set so have been taken back, or never will be, before it clears what is left.
// 18. 3.8 batches bits of a node's leaves with 2(c) and 2(d), in an order that is not told. In
//     front of the FAAs that tell ancestors they are part of what T_wait bounds: 5 atomics instead
//     of one come before. Beside 64 clients that want 1 and 16 units, which keep the server's RNIC
//     busy, 32 that want 256 are always too late, pause, and are granted nothing (ConnectX-6, N =
//     2^28; with `lock_children: false` 58,000 to 150,000 ranges a second, with either `retry`;
//     with `too_late: at_once` all sizes starve). `leaf_bits: behind`: a doorbell of their own
//     behind the FAAs, where `batch_occupy` is on; 32 clients then get 92,000 ranges a second.
// 19. Line 7 repeats LOCKNODE for one node and keeps those that are held (`retry: node`, as
//     printed). That is safe: nodes are still taken in ascending order, and a request at its second
//     node waits there like one that tries it for the first time, passes a request that waits for
//     it (10), and gives all up when the time of a held node is over. A request that holds nothing
//     gives up to its caller, which tries again; so does one that finds the tree grown, whose nodes
//     may be others then. `retry: range` gives all nodes back each time.
// Guesses  Widths of Exp and Occ (the figure is lost): 3 and 1, beside counters of 15 bits. How
//     many failed tries make `leaf_tries`. Who looks at the maximizer, and when. READs of a wait
//     follow each other at once. How long the server takes to allocate.
// Departures. A scale-up skips nodes with nothing to hand on, and posts 16 verbs with one doorbell
//     (`propagation`). A client that sees the root expanded waits for the server to know (a call
//     that is answered then). Deadlines of callers are not looked at.
// Phases   IA: up to 2(d) of a node that is free; WP: 2(a); WW: ancestors; other: T_wait; WR: those
//     below; RT: further tries at a leaf.
//
// Tests: tests/protocols/citron.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry citron_entry();
}  // namespace latchlab
