#pragma once
// What the queue of a CQL lock tells a node that has the lock about other nodes. Pure.

#include <cstdint>
#include <span>

#include "core/base/inline_function.h"
#include "core/protocols/cql/queue.h"

namespace latchlab::declock {

using IsMine = InlineFunction<bool(cql::Owner)>;

// Since when others wait behind a node that has the lock in this mode: 1 + the earliest time in
// entries that have been written, or 0. `words`: header and queue. Holders are not among them:
// places up to the node's own; readers' places up to the first writer's, where the node reads.
std::uint64_t waiting_elsewhere(const cql::Format& format, std::span<const std::uint64_t> words,
                                LockMode mode, const IsMine& mine, const cql::TimeOrder& times);

// The same behind a node that reads, which has begun to look at `began`. A writer that the header
// counts, and that has not written its entry yet, counts as waiting since then.
std::uint64_t waiting_behind_readers(const cql::Format& format,
                                     std::span<const std::uint64_t> words, const IsMine& mine,
                                     const cql::TimeOrder& times, std::uint32_t began);

}  // namespace latchlab::declock
