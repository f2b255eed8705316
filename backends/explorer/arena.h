#pragma once
// Private memory for what a search must be able to look at and put back: everything that a world
// under exploration allocates lies in arenas at fixed addresses, one for the world and one for each
// actor, so that a state is the bytes of its arenas. Which arena an allocation goes to is decided
// by the innermost ArenaScope of the thread; without one it goes to the heap, as ever.
//
// Equal contents have equal bytes as far as that can be had: the first gap that fits is taken,
// whatever was there before, and memory is zero when it is handed out and when it is given back.
// Every arena keeps its own books inside its own bytes.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace latchlab::explorer {

class Arena {
 public:
  static constexpr std::size_t kGranule = 64;
  static constexpr std::size_t kBytes = 256 * 1024;
  static constexpr std::size_t kGranules = kBytes / kGranule;

  void* take(std::size_t bytes);
  void give(void* memory) noexcept;
  // Up to the end of the last allocation, the books included: what a copy must hold.
  std::size_t used_bytes() const;

 private:
  friend class Arenas;
  static constexpr std::size_t kMapWords = kGranules / 64;
  void reset();
  bool taken(std::size_t granule) const { return (taken_[granule / 64] >> granule % 64 & 1) != 0; }
  bool last(std::size_t granule) const { return (last_[granule / 64] >> granule % 64 & 1) != 0; }
  std::size_t find_gap(std::size_t granules) const;

  std::uint64_t taken_[kMapWords];  // by granule: in use (the books themselves are)
  std::uint64_t last_[kMapWords];   // by granule: the last one of its allocation
};

// The arenas of this process: one search at a time, on one thread.
class Arenas {
 public:
  static constexpr std::size_t kMost = 64;

  Arenas();   // all of them empty
  ~Arenas();  // whatever is still in them is gone, without destructors
  Arenas(const Arenas&) = delete;
  Arenas& operator=(const Arenas&) = delete;

  Arena& operator[](std::size_t index);
  // The next one that was not asked for yet.
  std::size_t add();
  std::size_t count() const { return count_; }

 private:
  std::size_t count_ = 0;
};

// Allocations of this thread go to `arena` while the scope lives; null: to the heap.
class ArenaScope {
 public:
  explicit ArenaScope(Arena* arena);
  ~ArenaScope();
  ArenaScope(const ArenaScope&) = delete;
  ArenaScope& operator=(const ArenaScope&) = delete;

 private:
  Arena* before_;
};

// Sends them to `arena` until the innermost scope ends: what is made after an actor was added
// belongs to that actor.
void select_arena(Arena* arena);

// Removes `value` from a list whose spare capacity must not remember it.
template <class T>
void remove_from(std::vector<T>& list, const T& value) {
  const std::size_t removed = std::erase(list, value);
  for (std::size_t i = 0; i < removed; ++i) list.push_back(T{});
  for (std::size_t i = 0; i < removed; ++i) list.pop_back();
}

}  // namespace latchlab::explorer
