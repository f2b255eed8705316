#pragma once
// What the queue of a CQL lock tells a node that holds the lock about other nodes. Pure functions.

#include <cstdint>
#include <span>

#include "core/base/inline_function.h"
#include "core/protocols/cql/queue.h"

namespace latchlab::declock {

using IsMine = InlineFunction<bool(cql::Owner)>;

// Since when other nodes wait behind a node that holds the lock in this mode: 1 + the earliest time
// in written entries, or 0. `words`: header and queue. Holders do not count: places up to the
// node's own; where the node reads, readers' places up to the first writer's.
std::uint64_t remote_waiters_since(const cql::Format& format, std::span<const std::uint64_t> words,
                                   LockMode mode, const IsMine& mine, const cql::TimeOrder& times);

// The same for a node that reads and posted the READ for a request of time `began`. A writer that
// the header counts, and whose entry is not written yet, counts as waiting since then.
std::uint64_t waiting_behind_readers(const cql::Format& format,
                                     std::span<const std::uint64_t> words, const IsMine& mine,
                                     const cql::TimeOrder& times, std::uint32_t began);

}  // namespace latchlab::declock
