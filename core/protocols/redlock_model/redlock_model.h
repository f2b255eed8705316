#pragma once
// redlock_model: the distributed lock of Redis: a key that is set only if it is absent, and
// expires.
// Source: Redis' documentation, "Distributed Locks with Redis" (the Redlock algorithm; for one
// instance, its "correct implementation with a single instance"), and its reference
// implementations, antirez/redlock-rb and badboy/redlock-rs 2.0.0, which ShiftLock (FAST'25) 4.5
// measured. It is called a model because a server's CPU stands for the Redis instance.
// Reconstructed.
//
// Entry    8 bytes that stay zero: the lock is a key in a server's memory, with the value that the
//          setting client chose and the time on the server's clock at which it expires. With `show`
//          the lock's server writes there by FAA whether the key exists (common/served.h); an
//          expired key exists until the next request for it.
// Acquire  A call: SET the key to a value of the client's own if it is absent, with lifetime `ttl`.
//          The client holds the lock if the key was set and the answer arrives before
//            ttl - ttl * drift_factor - drift_least
//          has passed on its own clock since it began. Otherwise it deletes the key (a call that
//          compares the value), sleeps for a random time below `retry_delay`, and tries again.
//          After `tries` tries, if that is not 0, it gives up: Aborted{too_many}.
//          `masters: all` is Redlock: every server of the run keeps the key. The client asks them
//          one after the other, and more than half of them must have set it within that time.
// Grant    valid until that time is over.
// Release  deletes the key if its value is the client's own, on all masters, even if the grant is
//          over (the result is then `suppressed`).
// Extend   A call: if its value is the client's own, the key lives for ttl plus the requested
//          extension from now on. The extension counts if the answer arrives while the grant is
//          valid. No key or grant gets shorter; a client requests at most an hour.
// Give up  at the caller's deadline: after a failed try, and after the pause.
//
// Cost     Free: 2 calls, 2 round trips, no verb. A failed try: 2 calls and a pause. With the
//          implementations' pause of 200 ms the client that acquires first keeps acquiring while
//          the others sleep. `masters: all`: as many calls for each master. The server saturates
//          first: platform.nic's server.cores and server.call_service, and its single thread for
//          all commands (`command`).
// Safe     A key has one value at a time, and its holder stops before it expires: the client counts
//          from before its SET, the instance from when the SET is done, and the difference between
//          clocks is subtracted. A deletion names its value, which no other client and no other try
//          uses. Of two majorities of masters, one has to wait until a key of the other expires.
// Fairness None: after a release the first SET to arrive acquires the lock.
// Needs    calls, timing. While a grant lasts, clocks of clients and servers that run at the same
//          speed, up to drift_factor and drift_least, and do not jump: Redis uses the system's
//          clock.
// Survives the crash of clients that hold or wait: keys expire. With `masters: all` and a
//          `call_timeout` also the crash of less than half of the masters, if that many timeouts
//          are shorter than a key's validity. Without a call_timeout a client waits for each
//          crashed master until its RNIC gives up, half a second, and finds its keys expired; the
//          run's check reports that.
// Does not survive
//  * Clocks that differ by more, especially jumps: mutual exclusion. Found by a timed search (X X,
//    a lifetime of 20 us, a client's clock slow by 2 %; within 1 % the search is exhausted), and by
//    the simulator when a server's clock jumps by ttl.
//  * Holders that stall and then do not look at their clock: a verb in flight when the grant ends
//    may land beside the next holder. There is no fencing token that the object could check. The
//    grant ends for the user of the lock, which is all that a client can do.
//  * A server that loses its keys and comes back. Here a crashed server stays down.
//  * A SET that times out and is served after its own deletion: no client holds the lock for ttl.
//  * Servers so busy that answers take longer than call_timeout: all clients' calls are served too
//    late, and no client acquires the lock.
//  * (one instance) the crash of the server.
//
// ---- Defects of the reference implementations, each behind a switch ----
//  1. One value for all tries of an acquisition: mutual exclusion. `value: per_lock`.
//     Both implementations draw the value once, before the loop of tries; the documentation
//     requires one for each request. With timeouts (`call_timeout`; the documentation recommends
//     short ones) a late deletion of a failed try removes the key of a later try, because it knows
//     that value. Found by a timed search (legs of 1 and 9 us). Repair (`per_try`): a value is not
//     used again once it was granted, or a call with it timed out or failed.
//  2. Grants that do not end: mutual exclusion. `validity: ignored`.
//     redlock-rs subtracts unsigned numbers: if a SET took longer than the key lives, the remaining
//     validity wraps to a huge value. ShiftLock's application does not check it at all. Found by a
//     timed search (a section longer than ttl).
//
// Guesses
//  * ttl: ShiftLock's 10 ms in every profile.
//  * call_timeout of profile redlock: ttl / 20 (documentation: ttl / 200 at most, which 60 clients
//    exceed at one server's CPU).
//  * A majority that has not answered for 10 tries in a row has failed.
//  * retry_delay: 20 us; the documentation requires more than it takes to ask all masters (profile
//    shiftlock_artifact has the 200 ms).
//  * tries: no limit (the implementations give up after 3).
//  * Masters are asked in order from the lock's own server on.
//  * The calls of a release are not repeated when they time out.
//  * How long an extension lasts.
//
// Departures
//  * The value is the client and a count of its own; Redis has 20 random bytes.
//  * Messages are calls and need no connection; redlock-rs makes a new one for each command.
//  * Times are exact; Redis has milliseconds, and drift_least (2 ms) covers that.
//  * Keys expire when a request for them arrives; Redis also looks for expired keys ten times a
//    second.
//  * If so many masters fail that no majority remains, the acquisition ends
//    (Aborted{server_failed}).
//  * `command` is assumed: redis-benchmark's 0.3 to 0.7 million pipelined SETs per second on one
//    thread are 1.5 to 3.2 us each. Unpipelined it is 9 us with the sockets, which 16 I/O threads
//    serve. The platform models the cost of IPoIB.
// Tests: tests/protocols/redlock_model.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry redlock_model_entry();
}  // namespace latchlab
