#pragma once
// traditional: a lock manager with a queue for each object, in the CPU of the object's server.
// Source: "Traditional" of DSLR's evaluation (Yoon, Chowdhury and Mozafari, SIGMOD'18, 2.2.1 and
// 6.1): whoever wants a lock asks the lock manager of the object's node by SEND/RECV, which has
// queues, and goes on once it has granted; releases take the same way. Reconstructed: the paper
// gives no algorithm and there is no code. Taken from it: a lock object for each object in a table
// on its node, shared and exclusive requests, queues, grants that come later, timeouts (6.1).
// Guesses: the queue is first in, first out, from which the claim that nobody is bypassed follows;
// readers at its head are granted together; what a timeout does to the queue; that DSLR's random
// backoff (A.3) follows it; messages are calls.
//
// Entry    8 bytes that stay zero: the lock is in the server's table (common/lock_table.h), for
//          each lock in use its holders, by client and number of the acquisition, and the calls
//          that wait. The table takes memory for clients that hold or wait, not for locks. With
//          `show` the server's CPU tells in the entry, by FAA, how many do (common/served.h).
// Acquire  a call. If nobody waits and no holder conflicts, the server answers at once. Else it
//          keeps the call in the queue and answers when its turn has come.
// Release  a call. The server lets in whoever is first in the queue, and if that is a reader all
//          readers up to the first writer.
// Give up  at the caller's deadline or after `timeout`: the client hears nothing more of its call,
//          and calls to withdraw. If it waits, the server takes it out of the queue, and lets in
//          those whom it kept out. If it has been granted the lock meanwhile, the answer says so,
//          and the client has the lock. If its request has not even arrived, the server remembers
//          that it is worth nothing. After a timeout the client sleeps for a random backoff, and
//          the acquisition ends as Aborted{recovered}: the caller starts again, releasing what it
//          holds if it runs transactions, which is how DSLR's evaluation ends deadlocks.
//
// Cost     free: 2 calls, 2 round trips, no verb. Contended: the same; a grant that comes later is
//          one message. Who gives up: one call more. What saturates is the server: platform.nic's
//          server.cores and server.call_service, paid by each call; grants to those who wait cost
//          it nothing of their own.
// Safe     because one server decides each lock's requests one after the other, each in one step.
//          Requests of one client to one server may overtake each other where the server has
//          several threads; they are told apart by the acquisition's number, and a client asks for
//          nothing more about an acquisition before it has been answered, but to withdraw.
// Fair     first come, first served, in the order in which the server takes up requests; readers
//          that are let in together enter in any order. A new try after a timeout has lost its
//          place.
// Needs    calls; timing where there is a timeout. No clock assumption.
// Does not survive the crash of a client that holds or waits (its lock stays taken once it has been
//          granted: the timeout is against deadlocks, a holder is not sent away), nor of the
//          server. Nor a network that loses an answer for good: the client takes the server for
//          dead, and its own place is before it for ever. A request that never arrives after it has
//          been withdrawn is remembered for ever.
//
// Departures. Deadlines and timeouts: see guesses. DSLR's timeout is a number of retries (6.1),
//          of which somebody who waits has none: here it is a time. DSLR varied it for each
//          experiment and does not say what it was: profile dslr_paper takes the two leases of DSLR
//          itself. Its transactions release all locks before they back off; here the client backs
//          off before its caller hears of the timeout, as dslr does. A client asks the server of
//          the object directly; in the paper the manager on its own node does so on its behalf.
// Tests: tests/protocols/traditional, those of the table as well.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry traditional_entry();
}  // namespace latchlab
