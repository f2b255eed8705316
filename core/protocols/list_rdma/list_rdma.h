#pragma once
// list_rdma: the ranges that are held stand in a sorted linked list on the server, which clients
// walk along by READs and change by CAS and FAA.
// Source: CITRON (FAST'23) 4.1 and Table 1, its LLD: the list of Kogan, Dice and Issa (EuroSys'20,
// "Scalable Range Locks for Scalable Address Spaces and Beyond"; the exclusive one), "but all the
// CPU atomic instructions are replaced with RDMA one-sided atomic verbs". Loads are READs here.
//
// Entry    8 bytes: the head of the list, a link
// Node     32 bytes, on the server of the entry, of which a client owns `nodes` there:
//   word 0, 1  first and last unit of the range; for the whole object 0 and 2^64-1
//   word 2     next: a link
//   word 3     unused
// Link     bit 0       mark (FAA +1). In a node: it has been released. In the head, with fast_path:
//                      the first node is alone and nobody has come to it.
//          bits 1-19   the next node: its number on the server from 1 on; 0: none
//          bits 20-41  generation of the next node: how often it has been used, modulo 2^22
//          bits 42-63  generation of the node that this word is in; 0 in the head
// Acquire  READ the head, and walk: READ the next node (24 bytes). If it is marked, take it out by
//          CAS of the link that led to it, to what follows it. If it lies before my range, go on
//          behind it. If it overlaps, READ its `next` until it is marked, and take it out. If it
//          lies behind my range, or there is none: WRITE my node, and CAS the link to it, with one
//          doorbell. A CAS that fails tells what the link is now: look at that. If it is that of a
//          node that is marked, or is used for something else by now, begin anew at the head.
//          Fast path: into an empty list a node goes with the mark in the head. Whoever comes takes
//          the mark away (CAS) before anything else.
// Release  FAA: mark my `next`. Waits for nobody, and leaves the node in the list. If my node went
//          in alone, first try to empty the list (CAS of the head as I left it).
// Again    A client uses one of its nodes again when it knows that it is in no list: it has taken
//          the node out itself; or it has linked in another one at its place or behind it (below).
//          Without such a node it walks along the list of one that it has released, waiting for
//          nobody, until it has taken one out or has come to the end: then none is in it.
//
// Cost     free: READ, then 2 WRITEs and CAS with one doorbell: 2 trips, or 1 with first_look: cas;
//          1 CAS to release. Among others: a trip for each node on the way, held or released, a
//          trip for each that has to be taken out (a node goes in and out by three atomics), and
//          everything again when the node that has been reached is released. The way is as long as
//          there are holders before the range: that is what the list is a baseline for. Waiters
//          poll (`pause`); when the node in their way is released all of them run for the link, and
//          so do all who walk past a released node at the same time: one CAS of theirs succeeds.
// Safe     The list is sorted, and no ranges in it overlap: a CAS that links a node in compares the
//          whole word of the link, and so finds the predecessor in the list (a node in it is taken
//          out only when it is marked, and a marked word never matches) and the same successor
//          behind it. Both have been in use for the same range since their links were read, as the
//          generations match; so what was READ of them in between was all of that range, and not
//          torn. READs that tear or come late mislead a walk, and then its CAS fails; nobody waits
//          because of them, as a waiter looks at the generation, too.
//          A WRITE never meets an atomic that would succeed: a node is written when it is in no
//          list, with a new generation, and a failing CAS stores nothing.
//          In no list: say a client linked in a node after a walk, and a node that it had released
//          before were still in that list. By induction this node would be behind each place of the
//          walk, as that was in the list when its link was read, and nodes never change places; so
//          behind the new node, and its range as well. So those that do not begin behind the new
//          range's last unit are out. The same for a walk to the end, behind which is nothing. This
//          looks at links alone, never at ranges of others, which may be torn.
//          A generation comes again after 2^22 uses of one node (`generation_bits`), which is 42 s
//          at 100,000 a second. A client that stands still for that long between a READ and its CAS
//          may do harm, as with plain pointers.
// Needs    plain verbs of 8 bytes and READs; no clock, no CPU of servers, no messages. A client
//          asks for one range at a time, though it may hold several.
// Does not survive the crash of a client that holds: the range stays taken, and so does one whose
//          CAS lands when its client is dead. Who dies before that leaves nothing behind. Where a
//          server fails, clients are told; nodes whose fate is unknown are not used again.
// Unfair   A waiter is not in the list: who comes later may be first, and a long range may starve.
//
// Assumed  Where nodes are: the paper does not say. Here on the server, reserved for each client:
//          everybody has to READ them, clients may have no memory to offer, and so node and link
//          go with one doorbell. That the fast path is there: it is part of the list by CPU, and on
//          RDMA it saves two trips and lets the node be used again at once.
// Departures. The list by CPU frees nodes by epochs. With verbs an epoch would cost everybody a
//          WRITE for each acquisition and make somebody wait for the slowest; the paper does not
//          say what LLD does. Nodes that are simply used again once they are out (profile
//          plain_pointers) break exclusion: a client reads `next` of a node, which is then
//          released, taken out and linked in elsewhere with the same successor; its CAS succeeds,
//          and its range goes in behind another one than it looked at. Hence generations, and nodes
//          that stay with their clients.
//          A CAS that fails is not followed by a READ of the link: it has told what is there.
//          No readers: the list for readers and writers is another one, which the paper does not
//          name.
// Tests: tests/protocols/list_rdma.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry list_rdma_entry();
}  // namespace latchlab
