#pragma once
// list_rdma: the held ranges are nodes of a sorted linked list on the server, which clients walk by
// READs and change by CAS and FAA.
// Source: CITRON (FAST'23) 4.1 and Table 1, its LLD: the list of Kogan, Dice and Issa (EuroSys'20,
// "Scalable Range Locks for Scalable Address Spaces and Beyond"; the exclusive one), "but all the
// CPU atomic instructions are replaced with RDMA one-sided atomic verbs". Loads are READs here.
//
// Entry    8 bytes: the head of the list, a link
// Node     32 bytes, on the server of the entry, where each client owns `nodes` of them
//   word     content                                        written by
//   0, 1     first and last unit of the range; for the      its owner: WRITE (in no list then)
//            whole object 0 and 2^64-1
//   2        next: a link                                   its owner: WRITE; walks: CAS
//   3        unused
// Link
//   bit 0       mark. In a node: released; its owner: FAA + 1. In the head, with fast_path: the
//               first node is alone and no other client has come since
//   bits 1-19   the next node: its number on the server, from 1; 0: none
//   bits 20-41  generation of the next node: how often it has been used, modulo 2^22
//   bits 42-63  generation of the node that this word is in; 0 in the head
// Acquire  READ the head, and walk: READ the next node (24 bytes). If it is marked, unlink it by
//          CAS of the link that led to it, to its successor. If its range lies before the wanted
//          one, go on behind it. If it overlaps, READ its `next` until it is marked, and unlink it.
//          If it lies behind the wanted range, or there is none: WRITE the own node, and CAS the
//          link to it, with one doorbell. A CAS that fails returns the current link: go on from
//          that. If it belongs to a node that is marked, or is used for another range by now, start
//          again at the head.
//          Fast path: into an empty list a node is linked with the mark in the head. The next
//          client that comes removes the mark (CAS) first.
// Release  FAA: mark the own `next`. Waits for no other client, and leaves the node in the list. If
//          the node was linked in alone, first try to empty the list (CAS of the head from its
//          value then).
// Reuse    A client reuses one of its nodes when it knows that it is in no list: it has unlinked
//          the node itself, or it has linked in another one at its position or behind it (below).
//          Without such a node it walks along the list of one that it has released, without
//          waiting, until it has unlinked one or has reached the end: then none is in that list.
//
// Cost     free: READ, then 2 WRITEs and CAS with one doorbell: 2 round trips, or 1 with
//          first_look: cas; 1 CAS to release. With other holders: a round trip for each node on the
//          way, held or released, one for each node that has to be unlinked (a node is linked and
//          unlinked by three atomics), and all of it again when the node that has been reached is
//          released. The way is as long as there are holders before the range: the list is a
//          baseline for this. Waiters poll (`pause`); when the node that they wait for is released
//          all of them CAS the link, as do all walks that pass a released node at the same time:
//          one CAS succeeds.
// Safe     The list is sorted, and no ranges in it overlap. A CAS that links a node in compares the
//          whole word of the link, and so finds the predecessor in the list (a node is unlinked
//          only when it is marked, and a marked word never matches) and the same successor behind
//          it. Both have been in use for the same range since their links were read, as the
//          generations match; so what was READ of them in between was all of that range, and not
//          torn. READs that tear or come late mislead a walk, and then its CAS fails; they cause no
//          wait, because a waiter compares the generation, too.
//          A WRITE never meets an atomic that would succeed: a node is written when it is in no
//          list, with a new generation, and a failing CAS stores nothing.
//          Why reused nodes are in no list: suppose that a client links in a node after a walk, and
//          a node that it had released before is still in that list. By induction this node is
//          behind each position of the walk, as that was in the list when its link was read, and
//          nodes never change their order; so it is behind the new node, and so is its range. Hence
//          released nodes that do not begin behind the new range's last unit are unlinked. The same
//          holds for a walk to the end, behind which there is no node. This uses links only, never
//          ranges of other clients, which may be torn.
//          A generation recurs after 2^22 uses of one node (`generation_bits`), which is 42 s at
//          100,000 a second. A client that stalls for that long between a READ and its CAS may
//          break exclusion, as with plain pointers.
// Needs    plain verbs of 8 bytes and READs; no clock, no CPU of servers, no messages. A client
//          requests one range at a time, though it may hold several.
// Does not survive the crash of a holder, nor of a client whose CAS lands when it is dead: the
// range stays locked. A client that dies before that leaves nothing behind. When a server fails,
// clients are told; nodes whose state is unknown are not used again.
// Unfair   A waiter is not in the list: a later client may be first, and a long range may starve.
//
// Assumptions  Where nodes are: the paper does not say. Here on the server, reserved for each
//              client: all clients have to READ them, clients may have no memory to offer, and node
//              and link can be written with one doorbell. That the fast path exists: it is part of
//              the list by CPU, and on RDMA it saves two round trips and lets the node be reused at
//              once.
// Departures. The list by CPU frees nodes by epochs. With verbs an epoch would cost every client a
// WRITE for each acquisition and make one wait for the slowest; the paper does not say what LLD
// does. Nodes that are reused as soon as they are unlinked (profile plain_pointers) break
// exclusion: a client reads `next` of a node, which is then released, unlinked and linked in
// elsewhere with the same successor; its CAS succeeds, and links its range in behind another one
// than it read. Hence generations, and nodes that stay with their clients.
// A CAS that fails is not followed by a READ of the link: it has returned the link.
// No readers: the reader-writer list is another one, which the paper does not name.
// Tests: tests/protocols/list_rdma.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry list_rdma_entry();
}  // namespace latchlab
