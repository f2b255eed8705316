#include "core/protocols/declock/elsewhere.h"

namespace latchlab::declock {

std::uint64_t waiting_elsewhere(const cql::Format& format, std::span<const std::uint64_t> words,
                                LockMode mode, const IsMine& mine, const cql::TimeOrder& times) {
  const cql::Header header = format.unpack(words[0]);
  if (header.reset != 0 || header.size > format.capacity()) return 0;
  const std::span<const std::uint64_t> queue = words.subspan(1);
  const auto entry = [&](std::uint32_t place) {
    return cql::Format::unpack_entry(queue[format.slot(header.head + place)]);
  };
  const auto valid = [&](std::uint32_t place) {
    return entry(place).version == format.version(header.head + place);
  };
  // A writer that got in at once has the first place, and no entry.
  std::uint32_t from = mode == LockMode::exclusive ? 1 : 0;
  for (std::uint32_t i = 0; i < header.size; ++i)
    if (valid(i) && mine(entry(i).owner)) from = i + 1;
  if (mode == LockMode::shared)
    while (from < header.size && !(valid(from) && entry(from).writes)) ++from;
  return earliest(format, {header.head, header.size, header.writers}, from, queue, times);
}

}  // namespace latchlab::declock
