#pragma once
// The positions of lock entries on a server: one after the other at a fixed distance. Entries of 1,
// 2 or 4 bytes are parts of aligned words of 8 bytes, which they share with as many others as fit,
// unless their distance is 8 bytes or more. Verbs address the words. Functions that decode an entry
// or write its image get a separate word, of which the entry is the lowest bytes.

#include <cstdint>
#include <span>
#include <vector>

#include "core/protocols/lock.h"
#include "core/world/backend.h"

namespace latchlab {

// Lock entries begin here on every server: one page in, so that no entry has address 0.
inline constexpr std::uint64_t kLockTableOffset = 4096;

class EntryTable {
 public:
  // `apart_bytes`: the least distance of entries; a multiple of 8, or 0 for adjacent ones.
  EntryTable(const Layout& layout, std::uint64_t apart_bytes);

  std::uint64_t offset_of(std::uint64_t index) const { return kLockTableOffset + index * stride_; }

  // True if these bytes, at least one, lie within one of the first `locks` entries, or within one
  // word of which entries are parts.
  bool holds(std::uint64_t offset, std::uint64_t bytes, std::uint64_t locks) const;
  // Writes the part of the entries' initial images that lies in `words`, zeroed, from `offset` on.
  void fill(const Protocol& protocol, NodeId node, std::uint64_t locks, std::uint64_t offset,
            std::span<std::uint64_t> words) const;

  // The current content of the entry at `entry`.
  std::vector<std::uint64_t> words(Inspecting& memory, RemoteAddr entry) const;

 private:
  bool partial() const { return bytes_ % 8 != 0; }
  std::uint64_t image_of_part(const Protocol& protocol, RemoteAddr entry) const;

  std::uint64_t bytes_;  // of an entry
  std::uint64_t stride_;
};

}  // namespace latchlab
