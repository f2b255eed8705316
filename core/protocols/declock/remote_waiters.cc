#include "core/protocols/declock/remote_waiters.h"

namespace latchlab::declock {
namespace {

// Header and queue, as a READ returned them.
class Seen {
 public:
  Seen(const cql::Format& format, std::span<const std::uint64_t> words)
      : format_(format), header_(format.unpack(words[0])), queue_(words.subspan(1)) {}

  const cql::Header& header() const { return header_; }
  bool tells() const { return header_.reset == 0 && header_.size <= format_.capacity(); }
  cql::Entry entry(std::uint32_t place) const {
    return cql::Format::unpack_entry(queue_[format_.slot(header_.head + place)]);
  }
  bool written(std::uint32_t place) const {
    return entry(place).version == format_.version(header_.head + place);
  }
  bool writer(std::uint32_t place) const { return written(place) && entry(place).writes; }
  std::uint64_t earliest(std::uint32_t from, cql::TimeOrder times) const {
    times.notified = cql::Notified::earliest;
    return cql::earliest(format_, {header_.head, header_.size, header_.writers}, from, queue_,
                         times);
  }

 private:
  const cql::Format& format_;
  cql::Header header_;
  std::span<const std::uint64_t> queue_;
};

}  // namespace

std::uint64_t remote_waiters_since(const cql::Format& format, std::span<const std::uint64_t> words,
                                   LockMode mode, const IsMine& mine, const cql::TimeOrder& times) {
  const Seen seen(format, words);
  if (!seen.tells()) return 0;
  const std::uint32_t size = seen.header().size;
  // A writer that held the lock at once has the first place, and no entry.
  std::uint32_t from = mode == LockMode::exclusive ? 1 : 0;
  for (std::uint32_t i = 0; i < size; ++i)
    if (seen.written(i) && mine(seen.entry(i).owner)) from = i + 1;
  if (mode == LockMode::shared)
    while (from < size && !seen.writer(from)) ++from;
  return seen.earliest(from, times);
}

std::uint64_t waiting_behind_readers(const cql::Format& format,
                                     std::span<const std::uint64_t> words, const IsMine& mine,
                                     const cql::TimeOrder& times, std::uint32_t began) {
  const Seen seen(format, words);
  if (!seen.tells()) return 0;
  const std::uint64_t since = remote_waiters_since(format, words, LockMode::shared, mine, times);
  std::uint32_t written = 0;
  for (std::uint32_t i = 0; i < seen.header().size; ++i)
    if (seen.writer(i)) ++written;
  if (written >= seen.header().writers) return since;
  const bool earlier = since != 0 && times.earlier(static_cast<std::uint32_t>(since - 1), began);
  return earlier ? since : 1ULL + began;
}

}  // namespace latchlab::declock
