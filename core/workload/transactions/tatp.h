#pragma once
// TATP: a register of a telephone network's subscribers (Neuvonen, Wolski, Manner, Raatikka, TATP
// benchmark description 1.0, 2009), as rows that a transaction locks. Rows and locks are those of
// tatp_population.h.
//
// Which      %   locks (S shared, X exclusive), in this order; of a row only if it exists
//   GSD     35   S subscriber
//   GND     10   S facility; if it is active, S each row of forwarding that begins in the drawn
//                slot or before, and ends after the drawn hour
//   GAD     35   S access data
//   USD      2   X subscriber, X facility
//   UL      14   X subscriber
//   ICF      2   S subscriber, S all its facilities; X the row of forwarding if the facility exists
//                and the row does not: from now on it does
//   DCF      2   S subscriber; X the row of forwarding: from now on it does not exist
// Names are those of type_names(), shortened: get_subscriber_data and so on.
//
// Subscribers are drawn as specified: (U[0, A] | U[1, n]) modulo n, plus 1, with A by the number of
// subscribers n (skew_of). Types, slots and hours (1 to 24) are uniform.
//
// `original`: as in FissLock's generator of traces, which ShiftLock's and DecLock's measurements
// use. Besides the differences in tatp_population.h:
//   - types, slots and hours are drawn by the formula of subscribers; A is always 65,535
//   - GND does not check whether the facility is active, and takes rows that end at the drawn hour
//     or before
//   - ICF locks the row if it exists already, and changes nothing; so deleted rows never come back,
//     and fewer and fewer rows are locked
//
// Departures:
//   - Each client has its own view of which rows of forwarding exist: it never sees inserts and
//     deletes of other clients. Assumed, so that a client's requests depend neither on the timing
//     of other clients nor on the process they run in. In FissLock's generator all hosts'
//     transactions change one table, host after host.
//   - Two rows of forwarding may have the same lock (those in slots 0 and 1 of a facility have in
//     43 of 100 facilities), and in `original` so may a row and a facility. A transaction wants the
//     lock once, exclusively if it wants either of them so. A trace would have the latter twice.
//
// Streams of a client: its types are drawn from the stream of modes, all else from that of keys.
// Memory: 32 bytes for each subscriber, and for each client a few words for each row that it
// inserted or deleted.
// Tests: tests/workload/tatp_test.cc, tatp_original_test.cc.

#include <memory>

#include "core/base/random.h"
#include "core/base/result.h"
#include "core/workload/transactions/tatp_spec.h"
#include "core/workload/transactions/transaction.h"

namespace latchlab {

// The A of the specification.
constexpr std::uint64_t skew_of(const TatpSpec& spec) {
  return spec.original || spec.subscribers <= 1'000'000 ? 65'535 : 1'048'575;
}

// Draws as the specification does: not uniformly in [first, last].
std::uint64_t draw_skewed(Rng& rng, std::uint64_t skew, std::uint64_t first, std::uint64_t last);

Result<std::unique_ptr<TransactionMix>> make_tatp(const TatpSpec& spec, const MixClients& clients);

}  // namespace latchlab
