#pragma once
// redlock_model: the distributed lock of Redis: a key that is set if it is not there, and expires.
// Source: Redis' documentation, "Distributed Locks with Redis" (the Redlock algorithm; for one
// instance, its "correct implementation with a single instance"), and its reference
// implementations, antirez/redlock-rb and badboy/redlock-rs 2.0.0, which is what ShiftLock
// (FAST'25) 4.5 measured. Called a model: a server's CPU plays the Redis instance. Reconstructed.
//
// Entry    8 bytes that stay zero: the lock is a key in a server's memory, which holds the value of
//          whoever set it and the date on the server's clock at which it expires. With `show` the
//          server of the lock tells there by FAA whether the key is there (common/served.h); one
//          that has expired is there until somebody asks for it.
// Acquire  SET the key to an own value if it is not there, to live for `ttl`: a call. The client
//          has the lock if it was set, and if it hears of that before
//            ttl - ttl * drift_factor - drift_least
//          have passed on its own clock since it began. Otherwise it deletes the key (the value is
//          compared: a call), sleeps for a random time below `retry_delay`, and tries again. After
//          `tries`, if there is a bound, it gives up: Aborted{too_many}.
//          `masters: all` is Redlock: every server of the run keeps the key. They are asked one
//          after the other; more than half of them must have set it within that time.
// Grant    valid until that time is over.
// Release  deletes the key if its value is the client's own, on all masters, also when the grant is
//          over (then `suppressed`).
// Extend   the key lives for ttl, and what is asked for, from now on, if its value is the client's
//          own: a call. Counts if it is heard of while the grant is valid. No key or grant gets
//          shorter; at most an hour is asked for.
// Give up  at the caller's deadline: after a try that failed, and after the pause.
//
// Cost     free: 2 calls, 2 round trips, no verb. A try that fails: 2 calls and a pause. With the
//          200 ms of the implementations whoever comes first keeps coming, and the others sleep.
//          `masters: all`: as many calls for each master. What saturates is the server:
//          platform.nic's server.cores and server.call_service, and its one thread for all commands
//          (`command`).
// Safe     because a key has one value at a time, and its holder stops before it expires: the
//          client counts from before its SET, the instance from when it is done, and what clocks
//          may differ by is taken off. Who deletes names its value, which nobody else and no other
//          try has. Of two majorities of masters one has to wait for a key of the other to expire.
// Fair     not at all: whoever's SET comes first after a release.
// Needs    calls, timing. Clocks of clients and servers that run at the same speed, up to
//          drift_factor and drift_least, while a grant lasts, and do not jump: Redis counts by the
//          system's clock.
// Survives the crash of clients, whether they hold or wait: keys expire. With `masters: all` and a
//          `call_timeout` also that of less than half of the masters, if so many timeouts are
//          shorter than a key is valid. Without, a client waits for each master that is down until
//          its RNIC gives up, half a second, and finds its keys expired: the run's check says so.
// Does not survive
//  * clocks that differ by more, above all jumps: mutual exclusion. Found by a search in time (X X,
//    a lifetime of 20 us, a client's clock slow by 2 %; within 1 % it is exhausted), and by the
//    simulator when a server's clock jumps by ttl.
//  * holders that stand still and then do not look at their clock: a verb that is on its way when
//    the grant ends may land beside the next holder. There is no fencing token which the object
//    could refuse; the grant ends here for whoever uses the lock, which is all that a client can
//    do.
//  * a server that forgets its keys and comes back. Here a server that dies stays dead.
//  * a SET that is served after its own deletion, having timed out: nobody has the lock for ttl.
//  * servers that are so busy that answers take longer than call_timeout: all have their calls
//    served too late, and nobody has the lock.
//  * (one instance) the crash of the server.
//
// ---- Defects of the reference implementations, each behind a switch ----
//  1. A value for all tries of an acquisition: mutual exclusion. `value: per_lock`.
//     Both draw the value once, before the loop of tries; the documentation wants one for each
//     request. With timeouts (`call_timeout`; the documentation asks for short ones) a late
//     deletion of a try that failed hits the key of a later one, whose value it knows. Found by a
//     search in time (legs of 1 and 9 us). Repair (`per_try`): a value is not used again once it
//     was granted, or a call with it has timed out or failed.
//  2. Grants that do not end: mutual exclusion. `validity: ignored`.
//     redlock-rs subtracts in unsigned numbers: what is left when a SET took longer than the key
//     lives wraps to for ever. ShiftLock's application does not look at it at all. Found by a
//     search in time (a section longer than ttl).
//
// Guesses  ttl, ShiftLock's 10 ms in every profile; call_timeout of profile redlock, ttl / 20
//          (documentation: ttl / 200 at the longest, which 60 clients at one server's CPU exceed);
//          that a majority which has not answered for 10 tries in a row has failed; retry_delay,
//          which the documentation wants to be longer than it takes to ask all masters (20 us;
//          profile shiftlock_artifact has the 200 ms), and that nobody gives up after so many
//          `tries` (there: 3); in which order masters are asked (from the lock's own server on);
//          the calls of a release are not tried again when they time out; how long an extension is
//          for.
//
// Departures. The value is the client and a count of its own, where Redis has 20 random bytes.
//          Messages are calls: no connection has to be made; redlock-rs makes a new one for each
//          command. Dates are exact where Redis has milliseconds; drift_least (2 ms) is for that.
//          Keys expire when somebody asks for them; Redis looks for them ten times a second as
//          well. A try whose masters fail, so that there is no majority, ends the acquisition
//          (Aborted{server_failed}). `command` is assumed: redis-benchmark's 0.3 to 0.7 million
//          pipelined SETs a second, on one thread, are 1.5 to 3.2 us each; unpipelined it is 9 us
//          with the sockets, which 16 I/O threads take over. What IPoIB costs is the platform's.
// Tests: tests/protocols/redlock_model.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry redlock_model_entry();
}  // namespace latchlab
