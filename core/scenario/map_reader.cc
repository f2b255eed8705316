#include "core/scenario/map_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/scenario/quantities.h"
#include "core/scenario/scenario.h"
#include "core/scenario/suggestions.h"

namespace latchlab {
namespace {

template <class T>
T value_or_reject(Result<T> result, const YamlNode& node, const std::string& path) {
  if (!result) reject(node.place, path + ": " + result.error().message);
  return std::move(result).value();
}

[[noreturn]] void out_of_range(const YamlNode& node, const std::string& path,
                               const std::string& low, const std::string& high) {
  reject(node.place, fmt::format("{} is {}; allowed: {} to {}", path, node.text, low, high));
}

}  // namespace

const std::string& scalar(const YamlNode& node, const std::string& path,
                          std::string_view expected) {
  if (!node.is_scalar())
    reject(node.place, fmt::format("{} holds {}; expected {}", path, kind_name(node), expected));
  return node.text;
}

std::int64_t read_count(const YamlNode& node, const std::string& path, std::int64_t min,
                        std::int64_t max) {
  const std::string& text = scalar(node, path, "a whole number such as 48");
  const std::int64_t value =
      value_or_reject(min < 0 ? parse_integer(text) : parse_count(text), node, path);
  if (value < min || value > max) out_of_range(node, path, format_count(min), format_count(max));
  return value;
}

Duration read_duration(const YamlNode& node, const std::string& path, Duration min, Duration max) {
  const std::string& text = scalar(node, path, "a duration such as 2us");
  const Duration value = value_or_reject(parse_duration(text), node, path);
  if (value < min || value > max)
    out_of_range(node, path, format_duration(min), format_duration(max));
  return value;
}

std::int64_t read_ratio_ppb(const YamlNode& node, const std::string& path, std::int64_t min,
                            std::int64_t max) {
  const std::string& text = scalar(node, path, "a ratio such as 40%");
  const std::int64_t value = value_or_reject(parse_ratio_ppb(text), node, path);
  if (value >= min && value <= max) return value;
  const bool percent = text.find_first_not_of("0123456789.") == std::string::npos;
  const bool meant_percent = percent && max == 1'000'000'000 && value <= 100 * max;
  reject(node.place,
         fmt::format("{} is {}; allowed: {} to {}{}", path, text, format_decimal(min),
                     format_decimal(max),
                     meant_percent ? fmt::format("; did you mean {}%?", text) : std::string()));
}

bool read_boolean(const YamlNode& node, const std::string& path) {
  const std::string& text = scalar(node, path, "true or false");
  if (text != "true" && text != "false")
    reject(node.place, fmt::format("{} is {}; expected true or false", path, quoted(text)));
  return text == "true";
}

std::size_t read_choice(const YamlNode& node, const std::string& path,
                        const std::vector<std::string>& choices) {
  const std::string& text = scalar(node, path, "one of " + joined(choices));
  const auto found = std::find(choices.begin(), choices.end(), text);
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  reject(node.place, fmt::format("{} is {}; expected {}{}", path, quoted(text), joined(choices),
                                 aside(text, choices)));
}

MapReader::MapReader(const YamlNode* node, std::string path, const Place& place)
    : node_(node), path_(std::move(path)), place_(node ? node->place : place) {
  if (node && !node->is_map())
    reject(place_, fmt::format("{} holds {}; expected a mapping of keys to values",
                               path_.empty() ? "the document" : path_, kind_name(*node)));
}

std::string MapReader::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void MapReader::know(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
}

void MapReader::know_only(const std::vector<std::string>& keys) {
  for (const std::string& key : keys) know(key);
  finish();
}

const YamlNode* MapReader::find_or_null(std::string_view key) {
  know(key);
  const YamlNode* value = node_ ? node_->find(key) : nullptr;
  return value && value->is_null() ? nullptr : value;
}

const YamlNode* MapReader::find(std::string_view key) {
  know(key);
  const YamlNode* value = node_ ? node_->find(key) : nullptr;
  if (value && value->is_null())
    reject(value->place, fmt::format("{} has no value; give one or remove the key", path_of(key)));
  return value;
}

const YamlNode& MapReader::require(std::string_view key, std::string_view example) {
  const YamlNode* value = find(key);
  if (!value) {
    reject_misspelt(key);
    reject(place_, fmt::format("{} is missing; add it, for example '{}'", path_of(key), example));
  }
  return *value;
}

// A misspelt key is a better message than a missing one.
void MapReader::reject_misspelt(std::string_view wanted) const {
  if (!node_) return;
  for (const YamlEntry& entry : node_->entries) {
    if (std::find(known_.begin(), known_.end(), entry.key) != known_.end()) continue;
    if (nearest(entry.key, {std::string(wanted)}).empty()) continue;
    reject(entry.place, fmt::format("unknown key {}{}; did you mean '{}'?", quoted(entry.key),
                                    path_.empty() ? "" : " in " + path_, wanted));
  }
}

std::string MapReader::text(std::string_view key, std::string fallback) {
  const YamlNode* value = find(key);
  if (value != nullptr) return scalar(*value, path_of(key), "a text");
  return fallback;
}

bool MapReader::boolean(std::string_view key, bool fallback) {
  const YamlNode* value = find(key);
  return value ? read_boolean(*value, path_of(key)) : fallback;
}

std::int64_t MapReader::count(std::string_view key, std::int64_t fallback, std::int64_t min,
                              std::int64_t max) {
  const YamlNode* value = find(key);
  return value ? read_count(*value, path_of(key), min, max) : fallback;
}

Duration MapReader::duration(std::string_view key, Duration fallback, Duration min, Duration max) {
  const YamlNode* value = find(key);
  return value ? read_duration(*value, path_of(key), min, max) : fallback;
}

std::int64_t MapReader::ratio_ppb(std::string_view key, std::int64_t fallback, std::int64_t min,
                                  std::int64_t max) {
  const YamlNode* value = find(key);
  return value ? read_ratio_ppb(*value, path_of(key), min, max) : fallback;
}

std::size_t MapReader::choice(std::string_view key, std::size_t fallback,
                              const std::vector<std::string>& choices) {
  const YamlNode* value = find(key);
  return value ? read_choice(*value, path_of(key), choices) : fallback;
}

void MapReader::unsupported(std::string_view key, std::string_view allowed) {
  const YamlNode* value = find_or_null(key);
  if (!value || (value->is_sequence() && value->items.empty())) return;
  if (!allowed.empty() && value->is_scalar() && value->text == allowed) return;
  reject(value->place,
         fmt::format("{} is not supported by this build yet; {}", path_of(key),
                     allowed.empty() ? "remove the key" : fmt::format("supported: {}", allowed)));
}

void MapReader::finish() const {
  if (!node_) return;
  for (const YamlEntry& entry : node_->entries) {
    if (std::find(known_.begin(), known_.end(), entry.key) != known_.end()) continue;
    reject(entry.place,
           fmt::format("unknown key {}{}{}", quoted(entry.key), path_.empty() ? "" : " in " + path_,
                       suggestion(entry.key, known_)));
  }
}

}  // namespace latchlab
