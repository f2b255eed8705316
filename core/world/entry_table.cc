#include "core/world/entry_table.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/multiples.h"
#include "core/protocols/common/masks.h"

namespace latchlab {

EntryTable::EntryTable(const Layout& layout, std::uint64_t apart_bytes)
    : bytes_(layout.entry_bytes) {
  LATCHLAB_CHECK(bytes_ % 8 == 0 || bytes_ == 1 || bytes_ == 2 || bytes_ == 4,
                 "an entry is whole words, or 1, 2 or 4 bytes of one");
  // Locks have distinct addresses even if their entries have no bytes.
  const std::uint64_t least = round_up(std::max<std::uint64_t>(bytes_, 1), layout.entry_align);
  stride_ = std::max(least, round_up(apart_bytes, layout.entry_align));
}

bool EntryTable::holds(std::uint64_t offset, std::uint64_t bytes, std::uint64_t locks) const {
  if (bytes_ == 0 || offset < kLockTableOffset) return false;
  const std::uint64_t at = offset - kLockTableOffset;
  const std::uint64_t apart = partial() ? std::max<std::uint64_t>(stride_, 8) : stride_;
  const std::uint64_t things = partial() ? round_up(locks * stride_, apart) / apart : locks;
  return at / apart < things && at % apart + bytes <= (partial() ? 8 : bytes_);
}

std::uint64_t EntryTable::image_of_part(const Protocol& protocol, RemoteAddr entry) const {
  std::uint64_t image = 0;
  protocol.initial_image(entry, 0, {&image, 1});
  LATCHLAB_CHECK((image & ~field_mask(0, static_cast<unsigned>(8 * bytes_))) == 0,
                 "an initial image longer than its entry");
  return image;
}

void EntryTable::fill(const Protocol& protocol, NodeId node, std::uint64_t locks,
                      std::uint64_t offset, std::span<std::uint64_t> words) const {
  const std::uint64_t end = offset + words.size() * 8;
  if (end <= kLockTableOffset || offset >= offset_of(locks)) return;
  const std::uint64_t from = std::max(offset, kLockTableOffset) - kLockTableOffset;
  for (std::uint64_t index = from / stride_; index < locks; ++index) {
    const RemoteAddr entry{node, offset_of(index)};
    if (entry.offset >= end) break;
    if (partial()) {
      const PartOfWord part(entry);
      if (part.word.offset >= offset)
        words[(part.word.offset - offset) / 8] |= image_of_part(protocol, entry) << part.shift;
      continue;
    }
    const std::uint64_t begins = std::max(entry.offset, offset);
    const std::uint64_t ends = std::min(entry.offset + bytes_, end);
    if (begins >= ends) continue;
    protocol.initial_image(entry, (begins - entry.offset) / 8,
                           words.subspan((begins - offset) / 8, (ends - begins) / 8));
  }
}

std::vector<std::uint64_t> EntryTable::words(Inspecting& memory, RemoteAddr entry) const {
  if (partial()) {
    const PartOfWord part(entry);
    return {field_of(memory.peek(part.word), part.shift, static_cast<unsigned>(8 * bytes_))};
  }
  std::vector<std::uint64_t> words;
  for (std::uint64_t at = 0; at < bytes_; at += 8) words.push_back(memory.peek(entry + at));
  return words;
}

}  // namespace latchlab
