#pragma once
// TATP: a register of a telephone network's subscribers (Neuvonen, Wolski, Manner, Raatikka, TATP
// benchmark description 1.0, 2009), as rows that a transaction locks. Rows and locks are those of
// the population, below.
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
// use. Besides the differences of the population:
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

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/ids.h"
#include "core/base/random.h"
#include "core/base/result.h"
#include "core/workload/transactions/tatp_spec.h"
#include "core/workload/transactions/transaction.h"

namespace latchlab {

// The initial rows of TATP's subscribers, and the locks that guard them. They follow from the spec
// only and never change: inserts and deletes are kept for each client (tatp.h).
//
// Every subscriber has 1 to 4 rows of access data and 1 to 4 facilities, of different types, and
// for each facility 0 to 3 rows that forward its calls, from 0, 8 or 16 o'clock (slots 0 to 2) for
// 1 to 8 hours; 85 % of the facilities are active.
//
// Locks, as FissLock's generator numbers them: 0 to 4 are never wanted (1 to 4 are for tables);
// from 5 on one for each subscriber, then for each row of access data, then for each facility,
// subscriber by subscriber. All possible rows of forwarding share the locks behind them, 4/5 of the
// number of subscribers; a hash selects the lock. Assumed: the order is that of subscriber numbers,
// and that in which rows are drawn; in the generator it is that of a hash table.
//
// `original` differs in this:
//   types   consecutive, from a drawn one on, and 1 follows 4; otherwise every set with the same
//           probability
//   slots   the first is drawn, then slot (n + 1) modulo 2 follows slot n, and a repeated one is
//           dropped: so slot 2 occurs only as the first; otherwise every set with the same
//           probability
//   hash    signed: half of all rows share a lock with some facility; otherwise of all bits
//
// The numbers of rows are drawn from separate streams, so that `original` changes only the locks
// that the hash selects.
inline constexpr std::uint32_t kTatpTypes = 4;  // of access data and of facilities, from 1
inline constexpr std::uint32_t kTatpSlots = 3;  // in which forwarding begins, from 0
inline constexpr std::uint32_t kSlotHours = 8;

// Subscribers are numbered from 1.
struct TatpFacility {
  std::uint32_t subscriber = 1;
  std::uint32_t type = 1;
};

class TatpPopulation {
 public:
  explicit TatpPopulation(const TatpSpec& spec);  // within the limits of tatp_spec.h

  std::uint64_t subscribers() const { return rows_.size(); }
  std::uint64_t locks() const { return locks_; }
  LockId subscriber(std::uint32_t subscriber) const;
  // None: there is no such row.
  std::optional<LockId> access(std::uint32_t subscriber, std::uint32_t type) const;
  std::optional<LockId> facility(TatpFacility facility) const;
  bool active(TatpFacility facility) const;
  // The hour at which forwarding ends, from 1 to 24; 0: there is no such row.
  std::uint32_t end_hour(TatpFacility facility, std::uint32_t slot) const;
  // Also if there is no such row.
  LockId forwarding(TatpFacility facility, std::uint32_t slot) const;

 private:
  struct Typed {
    std::uint32_t first_lock = 0;
    std::array<std::uint8_t, kTatpTypes> places{};  // by type, from 1 on; 0: no row

    std::uint32_t count() const;
    std::optional<LockId> lock(std::uint32_t type) const;
  };
  struct Rows {  // of a subscriber
    Typed access, facilities;
    std::array<bool, kTatpTypes> active{};
    std::array<std::array<std::uint8_t, kTatpSlots>, kTatpTypes> end_hours{};
  };
  void draw_access(std::uint64_t population);
  void draw_facilities(std::uint64_t population);
  void draw_forwarding(std::uint64_t population);
  const Rows& rows_of(std::uint32_t subscriber) const { return rows_[subscriber - 1]; }

  bool original_;
  std::vector<Rows> rows_;
  std::uint64_t locks_ = 0;  // while it is made, those so far
  std::uint64_t first_forwarding_ = 0;
};

// The A of the specification.
constexpr std::uint64_t skew_of(const TatpSpec& spec) {
  return spec.original || spec.subscribers <= 1'000'000 ? 65'535 : 1'048'575;
}

// Draws as the specification does: not uniformly in [first, last].
std::uint64_t draw_skewed(Rng& rng, std::uint64_t skew, std::uint64_t first, std::uint64_t last);

Result<std::unique_ptr<TransactionMix>> make_tatp(const TatpSpec& spec, const MixClients& clients);

}  // namespace latchlab
