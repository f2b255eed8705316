#pragma once
// The states that a search has found, all of them complete. A state is a row of numbers, one for
// each arena; equal contents of arenas are stored once, because most steps change one or two
// arenas.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backends/explorer/arena.h"
#include "backends/explorer/search_support.h"

namespace latchlab::explore {

using BlobId = std::uint32_t;
using StateId = std::uint32_t;

// Sequences of words, each stored once and identified by a number.
class BlobStore {
 public:
  BlobId intern(std::span<const std::uint64_t> words);
  std::span<const std::uint64_t> words(BlobId blob) const {
    return {blobs_[blob].words, blobs_[blob].count};
  }
  std::uint64_t count() const { return blobs_.size(); }
  std::uint64_t bytes() const { return bytes_; }

 private:
  struct Blob {
    const std::uint64_t* words = nullptr;
    std::uint32_t count = 0;
    std::uint32_t hash = 0;
  };
  const std::uint64_t* keep(std::span<const std::uint64_t> words);
  void grow();

  std::vector<Blob> blobs_;
  std::vector<std::uint32_t> table_;  // open addressing; number + 1, 0: empty
  std::vector<std::unique_ptr<std::uint64_t[]>> chunks_;
  std::size_t chunk_used_ = 0;
  std::uint64_t bytes_ = 0;
};

// Rows of `width` numbers, each stored once. `compact`: a row is stored until forget_before(), and
// then only 64 bits of hash: two rows with equal hashes count as one.
class StateStore {
 public:
  explicit StateStore(std::size_t width, bool compact = false) : width_(width), compact_(compact) {}
  // Returns the state's number, and whether it is new. Compact: the number only of a new one.
  std::pair<StateId, bool> intern(std::span<const BlobId> row);
  std::span<const BlobId> row(StateId state) const {
    return std::span(chunks_[state / kChunkRows]).subspan(state % kChunkRows * width_, width_);
  }
  void forget_before(StateId state);
  void clear() { *this = StateStore(width_, compact_); }
  std::uint64_t count() const { return count_; }
  std::uint64_t bytes() const;
  // An upper bound of the probability that a hash was equal by chance.
  double chance_of_a_miss() const;

 private:
  static constexpr std::size_t kChunkRows = std::size_t{1} << 12;

  std::pair<StateId, bool> intern_hash(std::span<const BlobId> row);
  StateId append(std::span<const BlobId> row);
  void grow();
  void grow_hashes();

  std::size_t width_;
  bool compact_;
  std::uint64_t count_ = 0;
  std::vector<std::vector<BlobId>> chunks_;
  std::size_t forgotten_ = 0;          // chunks
  std::vector<std::uint32_t> table_;   // open addressing; number + 1, 0: empty
  std::vector<std::uint64_t> hashes_;  // compact: open addressing; 0: empty
};

// The contents of a model's arenas in one state: restores them as often as needed, and finds what a
// step has changed. An arena is stored as a list of blocks, a state as a list of arenas.
class Snapshot {
 public:
  // Compares only arenas that were touched (explorer::touched_arenas), unless `facts` say that the
  // lock's code strays into others; whether it does is tested at first, and then now and again.
  Snapshot(explorer::Arenas& arenas, explorer::SearchFacts& facts)
      : arenas_(arenas), facts_(facts), images_(arenas.count()) {}

  // Makes `row` the current state, and puts the arenas into it.
  void load(std::span<const BlobId> row);
  // Returns the row of the arenas' present contents.
  void intern(std::vector<BlobId>& row);
  // Restores the blocks that intern() found changed.
  void restore();
  std::uint64_t bytes() const { return blocks_.bytes() + lists_.bytes(); }

 private:
  static constexpr std::size_t kBlockWords = 64;
  struct Image {
    BlobId list = ~BlobId{0};
    std::vector<std::uint64_t> words;   // whole blocks
    std::vector<std::uint64_t> blocks;  // their numbers
    std::vector<char> dirty;            // by block
    std::size_t grown_to = 0;           // blocks in use now, if more than `blocks`
  };
  BlobId intern_arena(explorer::Arena& arena, Image& image);
  void restore_arena(explorer::Arena& arena, Image& image);
  void find_strays(explorer::ArenaSet touched);

  explorer::Arenas& arenas_;
  explorer::SearchFacts& facts_;
  std::uint64_t interned_ = 0;
  explorer::ArenaSet changed_ = ~explorer::ArenaSet{0};  // may differ from their images
  std::vector<Image> images_;
  BlobStore blocks_;
  BlobStore lists_;
  std::vector<std::uint64_t> list_;
};

}  // namespace latchlab::explore
