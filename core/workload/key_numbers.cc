#include "core/workload/key_numbers.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/random.h"

namespace latchlab {
namespace {

constexpr std::size_t kFirstSlots = 1024;
constexpr std::size_t kWordBytes = 8;

// The bytes as a little-endian number, on every machine.
std::uint64_t word_of_bytes(std::string_view bytes) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return word;
}

}  // namespace

KeyNumbers::KeyNumbers() : slots_(kFirstSlots) {}

// Two independent hashes of the text.
KeyNumbers::Key KeyNumbers::key_of(std::string_view text) {
  Key key{mix64(text.size()), ~mix64(text.size() + 1)};
  while (!text.empty()) {
    const std::uint64_t word = word_of_bytes(text.substr(0, kWordBytes));
    key.hash = mix64(key.hash ^ word);
    key.check = mix64(key.check + mix64(word));
    text.remove_prefix(std::min(kWordBytes, text.size()));
  }
  return key;
}

std::uint32_t KeyNumbers::number_of(std::string_view text) {
  const Key key = key_of(text);
  std::uint32_t& slot = slot_of(key);
  if (slot != 0) return slot - 1;
  LATCHLAB_CHECK(keys_.size() + 1 < UINT32_MAX, "more keys than numbers");
  keys_.push_back(key);
  slot = size();
  if (keys_.size() * 4 > slots_.size() * 3) grow();
  return size() - 1;
}

// The slot of the key, or the one where it belongs: the slot that its hash selects, or a later one.
std::uint32_t& KeyNumbers::slot_of(const Key& key) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = key.hash & mask;
  while (slots_[at] != 0 && keys_[slots_[at] - 1] != key) at = (at + 1) & mask;
  return slots_[at];
}

void KeyNumbers::grow() {
  slots_.assign(slots_.size() * 2, 0);
  std::uint32_t number = 0;
  for (const Key& key : keys_) slot_of(key) = ++number;
}

}  // namespace latchlab
