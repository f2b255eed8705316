#pragma once
// Who has which rows at the beginning of TATP, and by which lock each is guarded. It follows from
// the spec alone and never changes: what clients insert and delete is theirs (tatp.h).
//
// Every subscriber has 1 to 4 rows of access data and 1 to 4 facilities, of different types, and
// for each facility 0 to 3 rows by which its calls are forwarded, from 0, 8 or 16 o'clock (slots 0
// to 2) for 1 to 8 hours; 85 % of the facilities are active.
//
// Locks, as FissLock's generator numbers them: 0 to 4 are never wanted (1 to 4 are for tables);
// from 5 on one for each subscriber, then for each row of access data, then for each facility,
// subscriber by subscriber. Behind them 4 of 5 as many locks as there are subscribers are shared
// by all rows of forwarding there could be: a hash says which. Assumed: subscribers come by their
// numbers, and rows as they are drawn; there it is the order of a hash table.
//
// `original` differs by this:
//   types   neighbours, from a drawn one on, and 1 follows 4; otherwise any, each set alike
//   slots   the first is drawn, then slot (n + 1) modulo 2 comes after slot n, and one that comes
//           again is nothing: so slot 2 is there only as the first; otherwise any, each set alike
//   hash    signed: half of all rows share a lock with some facility; otherwise of all bits
//
// How many rows there are is drawn from streams of its own, and so `original` moves no lock but
// those of a hash.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/ids.h"
#include "core/workload/transactions/tatp_spec.h"

namespace latchlab {

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
  explicit TatpPopulation(const TatpSpec& spec);  // which can be had

  std::uint64_t subscribers() const { return rows_.size(); }
  std::uint64_t locks() const { return locks_; }
  LockId subscriber(std::uint32_t subscriber) const;
  // None: there is no such row.
  std::optional<LockId> access(std::uint32_t subscriber, std::uint32_t type) const;
  std::optional<LockId> facility(TatpFacility facility) const;
  bool active(TatpFacility facility) const;
  // The hour at which forwarding ends, from 1 to 24; 0: there is no such row.
  std::uint32_t end_hour(TatpFacility facility, std::uint32_t slot) const;
  // Whether or not there is such a row.
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
  std::uint64_t locks_ = 0;  // so far, while it is made
  std::uint64_t first_forwarding_ = 0;
};

}  // namespace latchlab
