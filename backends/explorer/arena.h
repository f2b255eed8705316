#pragma once
// Memory that a search saves and restores. Everything that a model under exploration allocates is
// in arenas at fixed addresses, one for the model and one for each actor, so that a state is the
// bytes of its arenas. The innermost ArenaScope of the thread decides which arena an allocation
// uses; without one it uses the heap.
//
// Equal contents have equal bytes as far as possible: the first gap that fits is taken, and memory
// is zero when it is handed out and zeroed when it is given back. Every arena keeps its allocation
// maps in its own bytes.

#include <array>
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
  // Up to the end of the last allocation, with the allocation maps: what a copy must hold.
  std::size_t used_bytes() const;

 private:
  friend class Arenas;
  static constexpr std::size_t kMapWords = kGranules / 64;
  // Of 64 granules, a bit each. Side by side, because an allocation changes both.
  struct Map {
    std::uint64_t taken;  // in use, as those of the maps themselves are
    std::uint64_t last;   // whether it ends its allocation
  };
  void reset();
  bool taken(std::size_t granule) const {
    return (maps_[granule / 64].taken >> granule % 64 & 1) != 0;
  }
  bool last(std::size_t granule) const {
    return (maps_[granule / 64].last >> granule % 64 & 1) != 0;
  }
  std::size_t find_gap(std::size_t granules) const;

  std::array<Map, kMapWords> maps_;
};

// Sets of arenas, one bit each.
using ArenaSet = std::uint64_t;
ArenaSet arena_of(const void* memory);  // empty: the memory is in none

// The arenas that may have changed since forget_touched(). A scope touches its arena; code that
// writes into another one touches that.
void touch(ArenaSet arenas);
ArenaSet touched_arenas();
void forget_touched();

// The arenas of this process. One search at a time, on one thread.
class Arenas {
 public:
  static constexpr std::size_t kMost = 64;

  Arenas();   // all arenas are empty
  ~Arenas();  // frees what is still in them, without running destructors
  Arenas(const Arenas&) = delete;
  Arenas& operator=(const Arenas&) = delete;

  Arena& operator[](std::size_t index);
  // Returns the next arena that has not been used yet.
  std::size_t add();
  std::size_t count() const { return count_; }

 private:
  std::size_t count_ = 0;
};

// Allocations of this thread use `arena` during the scope; null: the heap.
class ArenaScope {
 public:
  explicit ArenaScope(Arena* arena);
  ~ArenaScope();
  ArenaScope(const ArenaScope&) = delete;
  ArenaScope& operator=(const ArenaScope&) = delete;

 private:
  Arena* before_;
};

// Makes them use `arena` until the innermost scope ends, so that what is made after an actor was
// added belongs to that actor.
void select_arena(Arena* arena);

// Removes `value` from a list and from its spare capacity, which is part of the state.
template <class T>
void remove_from(std::vector<T>& list, const T& value) {
  const std::size_t removed = std::erase(list, value);
  for (std::size_t i = 0; i < removed; ++i) list.push_back(T{});
  for (std::size_t i = 0; i < removed; ++i) list.pop_back();
}

}  // namespace latchlab::explorer
