#include "tools/explore/store.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/check.h"
#include "core/base/random.h"

namespace latchlab::explore {

using explorer::Arena;
using explorer::Arenas;
using explorer::ArenaSet;

namespace {

constexpr std::size_t kChunkWords = std::size_t{1} << 17;
constexpr std::size_t kLeastTable = std::size_t{1} << 12;
constexpr ArenaSet kModel = 1;               // of what belongs to no actor: changes in every move
constexpr std::uint64_t kAllTested = 4'096;  // states of which all arenas are compared
constexpr std::uint64_t kTestedEach = 256;   // afterwards, one in so many

std::uint64_t* words_of(Arena& arena) {
  return reinterpret_cast<std::uint64_t*>(&arena);
}

// Four lanes, because each multiplication depends on the one before it.
std::uint64_t hash_words(std::span<const std::uint64_t> words) {
  constexpr std::uint64_t kOdd = 0x9e37'79b9'7f4a'7c15;
  // Variables and not an array, which the compiler would keep in memory.
  std::uint64_t a = 1;
  std::uint64_t b = 2;
  std::uint64_t c = 3;
  std::uint64_t d = words.size();
  const auto add = [](std::uint64_t& lane, std::uint64_t word) {
    lane = std::rotl((lane ^ word) * kOdd, 29);
  };
  std::size_t i = 0;
  for (; i + 4 <= words.size(); i += 4) {
    add(a, words[i]);
    add(b, words[i + 1]);
    add(c, words[i + 2]);
    add(d, words[i + 3]);
  }
  for (; i < words.size(); ++i) add(a, words[i]);
  return mix64(a ^ mix64(b ^ mix64(c ^ mix64(d))));
}
std::uint64_t hash_row(std::span<const BlobId> row) {
  std::uint64_t hash = row.size();
  for (const BlobId blob : row) hash = mix64(hash ^ blob);
  return hash;
}

}  // namespace

BlobId BlobStore::intern(std::span<const std::uint64_t> words) {
  if (2 * (blobs_.size() + 1) > table_.size()) grow();
  const auto hash = static_cast<std::uint32_t>(hash_words(words) >> 32);
  std::size_t at = hash & (table_.size() - 1);
  for (; table_[at] != 0; at = (at + 1) & (table_.size() - 1)) {
    const Blob& known = blobs_[table_[at] - 1];
    if (known.hash == hash && known.count == words.size() &&
        std::equal(words.begin(), words.end(), known.words))
      return table_[at] - 1;
  }
  blobs_.push_back({keep(words), static_cast<std::uint32_t>(words.size()), hash});
  table_[at] = static_cast<std::uint32_t>(blobs_.size());
  return table_[at] - 1;
}

const std::uint64_t* BlobStore::keep(std::span<const std::uint64_t> words) {
  LATCHLAB_CHECK(words.size() <= kChunkWords, "an arena is smaller than a chunk");
  if (chunks_.empty() || chunk_used_ + words.size() > kChunkWords) {
    chunks_.push_back(std::make_unique<std::uint64_t[]>(kChunkWords));
    chunk_used_ = 0;
    bytes_ += kChunkWords * sizeof(std::uint64_t);
  }
  std::uint64_t* const to = chunks_.back().get() + chunk_used_;
  std::copy(words.begin(), words.end(), to);
  chunk_used_ += words.size();
  return to;
}

void BlobStore::grow() {
  table_.assign(std::max(kLeastTable, 2 * table_.size()), 0);
  for (std::size_t i = 0; i < blobs_.size(); ++i) {
    std::size_t at = blobs_[i].hash & (table_.size() - 1);
    while (table_[at] != 0) at = (at + 1) & (table_.size() - 1);
    table_[at] = static_cast<std::uint32_t>(i + 1);
  }
}

StateId StateStore::append(std::span<const BlobId> row) {
  if (count_ % kChunkRows == 0) {
    chunks_.emplace_back();
    chunks_.back().reserve(kChunkRows * width_);
  }
  chunks_.back().insert(chunks_.back().end(), row.begin(), row.end());
  return static_cast<StateId>(count_++);
}

std::pair<StateId, bool> StateStore::intern(std::span<const BlobId> row) {
  if (compact_) return intern_hash(row);
  if (2 * (count_ + 1) > table_.size()) grow();
  std::size_t at = hash_row(row) & (table_.size() - 1);
  for (; table_[at] != 0; at = (at + 1) & (table_.size() - 1)) {
    const StateId known = table_[at] - 1;
    if (std::ranges::equal(row, this->row(known))) return {known, false};
  }
  table_[at] = append(row) + 1;
  return {table_[at] - 1, true};
}

void StateStore::grow() {
  table_.assign(std::max(kLeastTable, 2 * table_.size()), 0);
  for (StateId state = 0; state < count_; ++state) {
    std::size_t at = hash_row(row(state)) & (table_.size() - 1);
    while (table_[at] != 0) at = (at + 1) & (table_.size() - 1);
    table_[at] = state + 1;
  }
}

std::pair<StateId, bool> StateStore::intern_hash(std::span<const BlobId> row) {
  if (4 * (count_ + 1) > 3 * hashes_.size()) grow_hashes();
  const std::uint64_t hash = std::max<std::uint64_t>(hash_row(row), 1);
  std::size_t at = hash & (hashes_.size() - 1);
  for (; hashes_[at] != 0; at = (at + 1) & (hashes_.size() - 1))
    if (hashes_[at] == hash) return {0, false};
  hashes_[at] = hash;
  return {append(row), true};
}

void StateStore::grow_hashes() {
  std::vector<std::uint64_t> before(std::max(kLeastTable, 2 * hashes_.size()));
  before.swap(hashes_);
  for (const std::uint64_t hash : before) {
    if (hash == 0) continue;
    std::size_t at = hash & (hashes_.size() - 1);
    while (hashes_[at] != 0) at = (at + 1) & (hashes_.size() - 1);
    hashes_[at] = hash;
  }
}

void StateStore::forget_before(StateId state) {
  if (!compact_) return;
  for (; forgotten_ < state / kChunkRows; ++forgotten_) chunks_[forgotten_] = {};
}

std::uint64_t StateStore::bytes() const {
  return (chunks_.size() - forgotten_) * kChunkRows * width_ * sizeof(BlobId) +
         table_.size() * sizeof(std::uint32_t) + hashes_.size() * sizeof(std::uint64_t);
}

// Of n hashes of 64 bits, n (n - 1) / 2 pairs can be equal.
double StateStore::chance_of_a_miss() const {
  const auto states = static_cast<double>(count_);
  return compact_ ? std::min(1.0, std::ldexp(states * (states - 1), -65)) : 0;
}

void Snapshot::load(std::span<const BlobId> row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    Image& image = images_[i];
    if (image.list == row[i]) continue;
    changed_ |= ArenaSet{1} << i;
    const std::span<const std::uint64_t> blocks = lists_.words(row[i]);
    const std::size_t before = image.blocks.size();
    image.grown_to = std::max(image.grown_to, before);
    image.words.resize(blocks.size() * kBlockWords);
    image.dirty.resize(blocks.size(), 1);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (b < before && image.blocks[b] == blocks[b]) continue;
      image.dirty[b] = 1;
      const std::span<const std::uint64_t> words = blocks_.words(static_cast<BlobId>(blocks[b]));
      std::copy(words.begin(), words.end(), image.words.data() + b * kBlockWords);
    }
    image.blocks.assign(blocks.begin(), blocks.end());
    image.list = row[i];
  }
  restore();
}

void Snapshot::restore() {
  for (std::size_t i = 0; i < images_.size(); ++i)
    if ((changed_ >> i & 1) != 0) restore_arena(arenas_[i], images_[i]);
  changed_ = 0;
}

void Snapshot::restore_arena(Arena& arena, Image& image) {
  std::uint64_t* const memory = words_of(arena);
  for (std::size_t b = 0; b < image.blocks.size(); ++b) {
    if (image.dirty[b] == 0) continue;
    std::memcpy(memory + b * kBlockWords, image.words.data() + b * kBlockWords, kBlockWords * 8);
    image.dirty[b] = 0;
  }
  for (std::size_t b = image.blocks.size(); b < image.grown_to; ++b)
    std::memset(memory + b * kBlockWords, 0, kBlockWords * 8);
  image.grown_to = 0;
}

void Snapshot::intern(std::vector<BlobId>& row) {
  ArenaSet touched = changed_ | explorer::touched_arenas() | kModel;
  explorer::forget_touched();
  if (interned_ < kAllTested || interned_ % kTestedEach == 0) find_strays(touched);
  ++interned_;
  if (facts_.strays()) touched = ~ArenaSet{0};
  changed_ = touched;
  row.resize(images_.size());
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] = (touched >> i & 1) != 0 ? intern_arena(arenas_[i], images_[i]) : images_[i].list;
}

void Snapshot::find_strays(ArenaSet touched) {
  for (std::size_t i = 0; i < images_.size(); ++i) {
    const Image& image = images_[i];
    const bool same =
        image.words.empty() || std::memcmp(words_of(arenas_[i]), image.words.data(),
                                           image.words.size() * sizeof(std::uint64_t)) == 0;
    if ((touched >> i & 1) == 0 && !same) facts_.strayed();
  }
}

// An arena is zero after its last allocation.
BlobId Snapshot::intern_arena(Arena& arena, Image& image) {
  const std::uint64_t* const memory = words_of(arena);
  const std::size_t used = (arena.used_bytes() / 8 + kBlockWords - 1) / kBlockWords;
  const std::size_t known = image.blocks.size();
  bool same = used == known;
  list_.clear();
  for (std::size_t b = 0; b < std::max(used, known); ++b) {
    const std::uint64_t* const block = memory + b * kBlockWords;
    const bool clean =
        b < known && std::memcmp(block, image.words.data() + b * kBlockWords, kBlockWords * 8) == 0;
    if (b < known) image.dirty[b] = clean ? 0 : 1;
    same = same && clean;
    if (b < used) list_.push_back(clean ? image.blocks[b] : blocks_.intern({block, kBlockWords}));
  }
  image.grown_to = std::max(image.grown_to, used);
  return same ? image.list : lists_.intern(list_);
}

}  // namespace latchlab::explore
