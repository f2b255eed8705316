#pragma once
// rpc: the server's CPU holds the locks and grants or refuses each request at once. A refused
// client asks again.
// Source: the RPC baseline of ShiftLock (FAST'25) 4.1 and Table 1: server-side CPUs serve
// acquisitions and releases, "in a retry-on-fail manner", for readers and writers. The paper gives
// no further details; requests, guards and retries follow its artifact (thustorage/shiftlock
// bb73bf4).
//
// Entry    8 bytes that stay zero: the lock is in the server's table (common/lock_table.h), which
//          uses memory only for locks in use. With `show` the server's CPU writes there, by FAA,
//          how many writers and readers hold the lock (common/served.h).
// Acquire  A call. The server's CPU grants the lock if it is free, or if the request and all
//          holders are readers, and refuses it otherwise. A refused client calls again, after
//          `retry_pause` (artifact: immediately), until the lock is granted or the caller's
//          deadline has passed.
// Release  a call.
//
// Cost     Free: 2 calls, 2 round trips, no verb. Contended: one more call for each refusal. The
//          server saturates first: platform.nic's server.cores and server.call_service.
// Safe     One server decides the requests for each lock one after the other: it handles a request
//          in one step, whatever the number of cores. A client sends no further request before it
//          has an answer, so none of its own requests can arrive late.
// Fairness None: a refused client keeps no place, and readers starve writers.
// Needs    calls. No clock assumption.
// Does not survive the crash of a client that holds the lock or has a request in flight (the lock
//          stays held), the crash of the server, or a network that loses an answer for good: then
//          the client treats the server as dead, and what the server granted stays held.
//
// ---- Counterexample to the artifact (profile shiftlock_artifact) ----
//
//     `guards: per_thread`. Each of the server's threads stores the guards of its clients by lock,
//     one for each lock. A second reader of the same thread replaces the guard of the first, which
//     releases that guard, so that the lock counts one reader for two. The first of them to release
//     frees the lock while the other reads, and a writer acquires beside it: mutual exclusion is
//     violated, found with 2 clients. The other reader's release then removes the guard of whatever
//     client of that thread holds the lock now: two writers hold it, with the same 2 clients.
//     Repair (the default): a guard for each acquisition (`per_acquisition`). With as many threads
//     as clients the artifact is correct too; it has 47 threads for 240 clients.
//
// Departures
//  * Requests name the client, which the repair needs.
//  * Any core of the server serves any client. In the artifact each thread has its own clients, and
//    waits for the acknowledgement of each answer before it looks at the next request; call_service
//    includes that.
//  * Guess: client i belongs to thread i modulo threads.
//  * The deadline is checked after a refusal, and after the pause.
// Tests: tests/protocols/rpc.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry rpc_entry();
}  // namespace latchlab
