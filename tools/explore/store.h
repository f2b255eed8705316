#pragma once
// Where a search keeps the states that it has seen, all of them and whole. A state is a row of
// numbers, one for each arena; the arenas' contents are kept once each, because most steps change
// one or two of them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backends/explorer/arena.h"

namespace latchlab::explore {

using BlobId = std::uint32_t;
using StateId = std::uint32_t;

// Runs of words, each kept once, by number.
class BlobStore {
 public:
  BlobId intern(std::span<const std::uint64_t> words);
  std::span<const std::uint64_t> words(BlobId blob) const {
    return {places_[blob].words, places_[blob].count};
  }
  std::uint64_t count() const { return places_.size(); }
  std::uint64_t bytes() const { return bytes_; }

 private:
  struct Place {
    const std::uint64_t* words = nullptr;
    std::uint32_t count = 0;
    std::uint32_t hash = 0;
  };
  const std::uint64_t* keep(std::span<const std::uint64_t> words);
  void grow();

  std::vector<Place> places_;
  std::vector<std::uint32_t> table_;  // open addressing; number + 1, 0: empty
  std::vector<std::unique_ptr<std::uint64_t[]>> chunks_;
  std::size_t chunk_used_ = 0;
  std::uint64_t bytes_ = 0;
};

// Rows of `width` numbers.
class StateStore {
 public:
  explicit StateStore(std::size_t width) : width_(width) {}
  // The state's number, and whether it is new.
  std::pair<StateId, bool> intern(std::span<const BlobId> row);
  std::span<const BlobId> row(StateId state) const {
    return std::span(rows_).subspan(state * width_, width_);
  }
  std::uint64_t count() const { return rows_.size() / width_; }
  std::uint64_t bytes() const { return (rows_.size() + table_.size()) * sizeof(std::uint32_t); }

 private:
  void grow();

  std::size_t width_;
  std::vector<BlobId> rows_;
  std::vector<std::uint32_t> table_;
};

// The arenas of a world as they were in one state, to be put back as often as needed, and to tell
// what a step has changed. An arena is kept as a list of blocks, a state as a list of arenas.
class Snapshot {
 public:
  explicit Snapshot(explorer::Arenas& arenas) : arenas_(arenas), images_(arenas.count()) {}

  // From now on this is the state, and the arenas are in it.
  void load(std::span<const BlobId> row);
  // The row of the arenas as they are now.
  void intern(std::vector<BlobId>& row);
  // Puts back what intern() saw changed.
  void restore();
  std::uint64_t bytes() const { return blocks_.bytes() + lists_.bytes(); }

 private:
  static constexpr std::size_t kBlockWords = 64;
  struct Image {
    BlobId list = ~BlobId{0};
    std::vector<std::uint64_t> words;   // whole blocks
    std::vector<std::uint64_t> blocks;  // their numbers
    std::vector<char> dirty;            // by block
    std::size_t grown_to = 0;           // blocks in use now, when there are more
  };
  BlobId intern_arena(explorer::Arena& arena, Image& image);
  void restore_arena(explorer::Arena& arena, Image& image);

  explorer::Arenas& arenas_;
  std::vector<Image> images_;
  BlobStore blocks_;
  BlobStore lists_;
  std::vector<std::uint64_t> list_;
};

}  // namespace latchlab::explore
