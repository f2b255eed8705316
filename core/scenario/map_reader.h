#pragma once
// A typed look at one mapping. Every key that is asked for is thereby known; finish() refuses the
// rest and suggests the nearest known one. Each problem is one InputError with place and path.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"
#include "core/scenario/yaml_tree.h"

namespace latchlab {

class MapReader {
 public:
  // `path` is the mapping's dotted path, "" at the top. A null pointer reads as an empty mapping;
  // `place` is then where a missing key is reported.
  MapReader(const YamlNode* node, std::string path, const Place& place);

  const Place& place() const { return place_; }
  const std::string& path() const { return path_; }
  std::string path_of(std::string_view key) const;

  // The value, or nullptr when the key is absent. A key without a value is an error.
  const YamlNode* find(std::string_view key);
  // As find, but "key: null" reads as absent.
  const YamlNode* find_or_null(std::string_view key);
  const YamlNode& require(std::string_view key, std::string_view example);

  // Scalars. Without a key the fallback; outside of [min, max] an error that says the range.
  std::string text(std::string_view key, std::string fallback);
  bool boolean(std::string_view key, bool fallback);
  std::int64_t count(std::string_view key, std::int64_t fallback, std::int64_t min,
                     std::int64_t max);
  Duration duration(std::string_view key, Duration fallback, Duration min, Duration max);
  std::int64_t ratio_ppb(std::string_view key, std::int64_t fallback, std::int64_t min,
                         std::int64_t max);
  // One of `choices`; the answer is its index.
  std::size_t choice(std::string_view key, std::size_t fallback,
                     const std::vector<std::string>& choices);

  // A documented key that this build does nothing with: absent, null or `allowed` pass, anything
  // else is "not supported by this build yet".
  void unsupported(std::string_view key, std::string_view allowed = "");

  void know(std::string_view key);
  // These keys and no others: refuses the rest at once.
  void know_only(const std::vector<std::string>& keys);
  void finish() const;

 private:
  void reject_misspelt(std::string_view wanted) const;

  const YamlNode* node_;
  std::string path_;
  Place place_;
  std::vector<std::string> known_;
};

// The text of a scalar, or an error that names the path and says what was expected.
const std::string& scalar(const YamlNode& node, const std::string& path, std::string_view expected);
// The same for values that are already at hand.
std::int64_t read_count(const YamlNode& node, const std::string& path, std::int64_t min,
                        std::int64_t max);
Duration read_duration(const YamlNode& node, const std::string& path, Duration min, Duration max);
std::int64_t read_ratio_ppb(const YamlNode& node, const std::string& path, std::int64_t min,
                            std::int64_t max);
bool read_boolean(const YamlNode& node, const std::string& path);
std::size_t read_choice(const YamlNode& node, const std::string& path,
                        const std::vector<std::string>& choices);

}  // namespace latchlab
