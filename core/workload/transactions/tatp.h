#pragma once
// TATP: a register of a telephone network's subscribers (Neuvonen, Wolski, Manner, Raatikka, TATP
// benchmark description 1.0, 2009), as rows that a transaction locks. Rows and locks are those of
// tatp_population.h.
//
// Which      %   locks (S shared, X exclusive), in this order; of a row only if it is there
//   GSD     35   S subscriber
//   GND     10   S facility; if it is active, S each row of forwarding that begins in the drawn
//   slot
//                or before, and ends after the drawn hour
//   GAD     35   S access data
//   USD      2   X subscriber, X facility
//   UL      14   X subscriber
//   ICF      2   S subscriber, S all its facilities; X the row of forwarding if the facility is
//                there and the row is not: from now on it is
//   DCF      2   S subscriber; X the row of forwarding: from now on it is not there
// Names are those of type_names(), shortened: get_subscriber_data and so on.
//
// Subscribers are drawn as the specification says: (U[0, A] | U[1, n]) modulo n, plus 1, with A
// by the number of subscribers n (skew_of). Types, slots and hours (1 to 24) are uniform.
//
// `original`: as FissLock's generator of traces does it, of which ShiftLock's and DecLock's
// measurements are. Besides what tatp_population.h says:
//   - types, slots and hours are drawn by the formula of subscribers; A is always 65,535
//   - GND does not ask whether the facility is active, and takes rows that end at the drawn hour
//     or before
//   - ICF locks the row if it is there already, and changes nothing; so what was deleted never
//     comes back, and fewer and fewer rows are locked
//
// Departures:
//   - Each client has a view of its own of which rows of forwarding there are: what others insert
//     and delete it never sees. Assumed, so that what a client asks for does not depend on when
//     others ask, nor on the process they run in. In FissLock's generator all hosts' transactions
//     change one table, host after host.
//   - Two rows of forwarding may have the same lock (those in slots 0 and 1 of a facility have in
//     43 of 100 facilities), and in `original` so may a row and a facility. A transaction wants it
//     once, exclusively if any of both is wanted so. A trace would have the latter twice.
//
// Streams of a client: its types are drawn from that of modes, all else from that of keys.
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

// The specification's draw: not uniform in [first, last].
std::uint64_t draw_skewed(Rng& rng, std::uint64_t skew, std::uint64_t first, std::uint64_t last);

Result<std::unique_ptr<TransactionMix>> make_tatp(const TatpSpec& spec, const MixClients& clients);

}  // namespace latchlab
