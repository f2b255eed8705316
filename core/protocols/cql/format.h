#pragma once
// The bits of a CQL lock's header and of the entries of its queue (cql.h). The owner of an entry is
// a client's number; in a lock with one entry for each node, that of the client which leads its
// node.

#include <bit>
#include <cstdint>

#include "core/protocols/common/masks.h"
#include "core/protocols/lock.h"

namespace latchlab::cql {

using Owner = std::uint32_t;

inline constexpr unsigned kResetBits = 12;
inline constexpr Owner kMaxOwners = (1U << kResetBits) - 1;
// The header and as many entries fit in one READ.
inline constexpr std::uint32_t kMaxCapacity = kMaxReadBytes / 8 - 1;

struct Header {
  std::uint64_t head = 0;     // index of the oldest place in the queue; never wrapped
  std::uint32_t size = 0;     // places in the queue: holders and waiters
  std::uint32_t writers = 0;  // places of writers
  std::uint32_t reset = 0;    // 0: no reset under way; else 1 + the owner that resets the lock

  constexpr bool operator==(const Header&) const = default;
  constexpr Owner resetter() const { return reset - 1; }
};

struct Entry {
  bool writes = false;
  Owner owner = 0;
  std::uint32_t version = 0;
  std::uint32_t time = 0;  // of the request, 16 bits; CQL alone leaves it 0

  constexpr bool operator==(const Entry&) const = default;
};

class Format {
 public:
  constexpr Format(std::uint32_t capacity, unsigned version_bits)
      : capacity_(capacity),
        field_bits_(static_cast<unsigned>(std::bit_width(capacity - 1)) + 1),
        version_bits_(version_bits) {}

  constexpr std::uint32_t capacity() const { return capacity_; }
  constexpr std::uint32_t queue_bytes() const { return 8 * capacity_; }
  constexpr std::uint32_t bytes() const { return 8 + queue_bytes(); }
  // The most places that the header can count, those over the capacity included.
  constexpr std::uint32_t most_places() const {
    return static_cast<std::uint32_t>(field_mask(0, field_bits_));
  }

  // ---- header ----
  constexpr Header unpack(std::uint64_t word) const {
    return {word >> head_shift(),
            static_cast<std::uint32_t>(field_of(word, size_shift(), field_bits_)),
            static_cast<std::uint32_t>(field_of(word, kResetBits, field_bits_)),
            static_cast<std::uint32_t>(field_of(word, 0, kResetBits))};
  }
  constexpr std::uint64_t pack(const Header& header) const {
    return header.head << head_shift() | std::uint64_t{header.size} << size_shift() |
           std::uint64_t{header.writers} << kResetBits | header.reset;
  }
  // The addend of the FAA that joins the queue, and of the one that leaves it.
  constexpr std::uint64_t join(bool writes) const {
    return pack(Header{0, 1, writes ? 1U : 0U, 0});
  }
  constexpr std::uint64_t leave(bool writes) const {
    return pack(Header{1, 0, 0, 0}) - pack(Header{0, 1, writes ? 1U : 0U, 0});
  }

  // ---- queue ----
  constexpr std::uint32_t slot(std::uint64_t index) const {
    return static_cast<std::uint32_t>(index % capacity_);
  }
  // How often the queue has wrapped around at this index.
  constexpr std::uint32_t version(std::uint64_t index) const {
    return static_cast<std::uint32_t>(index / capacity_ & never());
  }
  // The version of entries that have never been written: -1.
  constexpr std::uint32_t never() const {
    return static_cast<std::uint32_t>(field_mask(0, version_bits_));
  }
  // Does an index in [first, first + count) have the version of unwritten entries?
  constexpr bool reaches_never(std::uint64_t first, std::uint64_t count) const {
    const std::uint64_t begins = std::uint64_t{never()} * capacity_;
    const std::uint64_t round = begins + capacity_;
    const std::uint64_t at = first % round;
    return at + count > begins;
  }
  constexpr std::uint64_t initial() const { return std::uint64_t{never()} << kVersionShift; }
  constexpr std::uint64_t pack(const Entry& entry) const {
    return std::uint64_t{entry.version} << kVersionShift |
           std::uint64_t{entry.writes ? 1U : 0U} << kModeShift |
           std::uint64_t{entry.owner} << kOwnerShift | entry.time;
  }
  static constexpr Entry unpack_entry(std::uint64_t word) {
    return {field_of(word, kModeShift, 1) != 0, static_cast<Owner>(field_of(word, kOwnerShift, 24)),
            static_cast<std::uint32_t>(field_of(word, kVersionShift, 16)),
            static_cast<std::uint32_t>(field_of(word, 0, 16))};
  }

 private:
  static constexpr unsigned kVersionShift = 48;
  static constexpr unsigned kModeShift = 40;
  static constexpr unsigned kOwnerShift = 16;
  constexpr unsigned size_shift() const { return kResetBits + field_bits_; }
  constexpr unsigned head_shift() const { return kResetBits + 2 * field_bits_; }

  std::uint32_t capacity_;
  unsigned field_bits_;
  unsigned version_bits_;
};

// ---- reset counts ----
// The next life of a server begins with a count of its own for all its locks, above those of
// earlier lives, as if each lock had been reset.
inline constexpr unsigned kLifeShift = 20;
constexpr std::uint32_t first_count(std::uint32_t life) {
  return life << kLifeShift;
}
constexpr std::uint32_t life_number(ServerLife life) {
  return life.changes / 2;
}
constexpr ServerLife life_of_count(std::uint64_t count) {
  return {static_cast<std::uint32_t>(count >> kLifeShift) * 2};
}

enum MessageType : std::uint16_t {
  kNotify = 1,       // generation: the reset count that it belongs to
  kReset = 2,        // generation: the lock's new reset count; words: answer's address, client
  kAcknowledge = 3,  // generation: as in the Reset; words: the node's index, its reset count
  kReturned = 4,     // generation: the server's life; lock: the server; words: as of a Reset
  kCleared = 5,      // generation, lock: as in kReturned; words: the node's index
  kLeft = 6,         // from a client to its node: a question may be due
};

}  // namespace latchlab::cql
