#pragma once
// rpc: the server's CPU holds the locks and says yes or no at once; who is refused asks again.
// Source: the RPC baseline of ShiftLock (FAST'25) 4.1 and Table 1: server-side CPUs serve
// acquisitions and releases, "in a retry-on-fail manner", for readers and writers. The paper says
// no more; how requests, guards and retries look is its artifact's (thustorage/shiftlock bb73bf4).
//
// Entry    8 bytes that stay zero: the lock is in the server's table (common/lock_table.h), which
//          takes memory for locks in use alone. With `show` the server's CPU tells there, by FAA,
//          how many writers and readers hold the lock (common/served.h).
// Acquire  a call. The server's CPU takes the lock for the client, if it is free, or if reader and
//          holders are readers, and answers yes, else no. A client that is refused calls again,
//          after `retry_pause` (artifact: at once), until the answer is yes or the caller's
//          deadline has passed.
// Release  a call.
//
// Cost     free: 2 calls, 2 round trips, no verb. Contended: a call more for each refusal. What
//          saturates is the server: platform.nic's server.cores and server.call_service.
// Safe     because one server decides each lock's requests one after the other: a request is
//          handled in one step, whatever the number of cores. A client asks for nothing more before
//          it has been answered, so that no request of its own can be late.
// Fair     not at all: who is refused keeps no place, and readers keep writers out.
// Needs    calls. No clock assumption.
// Does not survive the crash of a client that holds the lock, or whose request is on its way (the
//          lock stays taken), nor that of the server. Nor a network that loses an answer for good:
//          the client takes the server for dead, and what it was granted stays taken.
//
// ---- Counter-example to the artifact (profile shiftlock_artifact) ----
//
//     `guards: per_thread`. Each of the server's threads keeps its clients' guards by lock, one for
//     each lock: a second reader of one thread replaces the guard of the first, which is thereby
//     let go, and the lock counts one reader for two. The first of them to release frees it while
//     the other reads, and a writer enters beside it: mutual exclusion, found with 2 clients. The
//     other's release then takes the guard of whoever of that thread has the lock now: two writers
//     inside, with the same 2 clients.
//     Repair (the default): a guard for each acquisition (`per_acquisition`). With as many threads
//     as clients the artifact is sound too; it has 47 for 240.
//
// Departures. Requests say who asks, for the repair. Any core of the server serves any client; in
//          the artifact each thread has clients of its own, and waits for the acknowledgement of
//          each answer before it looks at the next request: that is in call_service. Which client
//          has which thread (client modulo threads) is a guess. Deadlines: looked at after a
//          refusal, and after the pause.
// Tests: tests/protocols/rpc.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry rpc_entry();
}  // namespace latchlab
