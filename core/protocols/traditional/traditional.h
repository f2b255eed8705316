#pragma once
// traditional: a lock manager with a queue for each object, in the CPU of the object's server.
// Source: "Traditional" of DSLR's evaluation (Yoon, Chowdhury and Mozafari, SIGMOD'18, 2.2.1 and
// 6.1): a client requests a lock from the lock manager of the object's node by SEND/RECV, which has
// queues, and goes on when the manager has granted it; releases take the same way. Reconstructed:
// the paper gives no algorithm and there is no code. Taken from it: a lock object for each object
// in a table on its node, shared and exclusive requests, queues, grants that come later, timeouts
// (6.1).
// Assumptions: the queue is first in, first out, from which it follows that no request is bypassed;
// readers at its head are granted together; what a timeout does to the queue; that DSLR's random
// backoff (A.3) follows it; messages are calls.
//
// Entry    8 bytes that stay zero: the lock is in the server's table (common/lock_table.h), for
//          each lock in use its holders, by client and number of the acquisition, and the calls
//          that wait. The table takes memory for clients that hold or wait, not for locks. With
//          `show` the server's CPU shows in the entry, by FAA, how many do (common/served.h).
// Acquire  a call. If no request waits and no holder conflicts, the server answers at once.
//          Otherwise it keeps the call in the queue and answers when its turn has come.
// Release  a call. The server grants the lock to the first request in the queue, and if that is a
//          reader to all readers up to the first writer.
// Give up  at the caller's deadline or after `timeout` the client stops waiting for its call, and
//          calls to withdraw. If the request waits, the server removes it from the queue, and
//          grants the lock to requests that it blocked. If the lock has been granted meanwhile, the
//          answer says so, and the client has the lock. If the request has not arrived yet, the
//          server remembers to refuse it. After a timeout the client sleeps for a random backoff,
//          and the acquisition ends as Aborted{recovered}: the caller starts again, and releases
//          what it holds if it runs transactions, which is how DSLR's evaluation resolves
//          deadlocks.
//
// Cost     free: 2 calls, 2 round trips, no verb. Contended: the same; a grant that comes later is
//          one message. Giving up: one call more. The server saturates first: platform.nic's
//          server.cores and server.call_service, paid by each call; grants to waiting requests cost
//          it nothing of their own.
// Safe     One server decides each lock's requests one after the other, each in one step. Requests
//          of one client to one server may overtake each other where the server has several
//          threads. They are told apart by the acquisition's number, and a client sends no further
//          request about an acquisition before it has been answered, except to withdraw.
// Fair     first come, first served, in the order in which the server takes up requests; readers
//          that are granted together enter in any order. A new try after a timeout has lost its
//          place.
// Needs    calls; timing where there is a timeout. No clock assumption.
// Does not survive the crash of a client that holds or waits (its lock stays held once it is
// granted: the timeout is against deadlocks, and does not evict a holder), nor of the server. Nor a
// network that loses an answer for good: the client treats the server as dead, and its own request
// stays ahead of it for ever. A request that never arrives after it has been withdrawn is
// remembered for ever.
//
// Departures. Deadlines and timeouts: see assumptions. DSLR's timeout is a number of retries (6.1),
// of which a waiting request has none: here it is a time. DSLR varied it for each experiment and
// does not give its values: profile dslr_paper uses the two leases of DSLR itself. Its transactions
// release all locks before they back off; here the client backs off before its caller learns of the
// timeout, as dslr does. A client calls the server of the object directly; in the paper the manager
// on its own node does so on its behalf.
// Tests: tests/protocols/traditional, those of the table as well.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry traditional_entry();
}  // namespace latchlab
