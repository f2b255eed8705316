#pragma once
// Where lock entries lie on a server: one after the other, the same distance apart. Entries of 1, 2
// or 4 bytes are parts of aligned words of 8 bytes, which they share with as many others as fit,
// unless they are to lie 8 bytes apart or more. Verbs go to the words; who decodes an entry, or
// writes its image, is given a word of its own, of which the entry is the lowest bytes.

#include <cstdint>
#include <span>
#include <vector>

#include "core/protocols/lock.h"
#include "core/world/backend.h"

namespace latchlab {

// Lock entries start here on every server: one page in, so that no entry has address 0.
inline constexpr std::uint64_t kLockTableOffset = 4096;

class EntryTable {
 public:
  // `apart_bytes`: at least so far from entry to entry; a multiple of 8, or 0 for side by side.
  EntryTable(const Layout& layout, std::uint64_t apart_bytes);

  std::uint64_t offset_of(std::uint64_t index) const { return kLockTableOffset + index * stride_; }

  // Of the first `locks` entries. Do these bytes, one at least, lie within one entry, or within one
  // word of which entries are parts?
  bool holds(std::uint64_t offset, std::uint64_t bytes, std::uint64_t locks) const;
  // Writes what is in zeroed `words` from `offset` on of their initial images.
  void fill(const Protocol& protocol, NodeId node, std::uint64_t locks, std::uint64_t offset,
            std::span<std::uint64_t> words) const;

  // What the entry at `entry` holds now.
  std::vector<std::uint64_t> words(Inspecting& memory, RemoteAddr entry) const;

 private:
  bool partial() const { return bytes_ % 8 != 0; }
  std::uint64_t image_of_part(const Protocol& protocol, RemoteAddr entry) const;

  std::uint64_t bytes_;  // of an entry
  std::uint64_t stride_;
};

}  // namespace latchlab
