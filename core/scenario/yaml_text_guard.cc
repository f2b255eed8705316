#include "core/scenario/yaml_text_guard.h"

#include <fmt/format.h>

#include <cstddef>
#include <memory>

#include "core/scenario/input_error.h"

namespace latchlab {
namespace {

// Bytes of the UTF-8 sequence that starts here; 0: none does.
std::size_t utf8_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  const std::size_t length = first < 0x80                     ? 1
                             : first >= 0xc2 && first < 0xe0  ? 2
                             : first >= 0xe0 && first < 0xf0  ? 3
                             : first >= 0xf0 && first <= 0xf4 ? 4
                                                              : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = at + 1; i < at + length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  return length;
}

bool control(unsigned char byte) {
  return (byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t') || byte == 0x7f;
}

// Follows brackets outside of quotes. A quote counts only where a scalar can begin, so that an
// apostrophe in a word does not hide what comes after it; comments are skipped.
class DepthScan {
 public:
  int after(char c) {
    if (quote_ != 0) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\' && quote_ == '"') {
        escaped_ = true;
      } else if (c == quote_ || c == '\n') {
        quote_ = 0;
      }
    } else if (comment_) {
      comment_ = c != '\n';
    } else {
      outside(c);
    }
    previous_ = c;
    return depth_ + dashes_;
  }

 private:
  void outside(char c) {
    const bool begins = previous_ == ' ' || previous_ == '\n' || previous_ == '[' ||
                        previous_ == '{' || previous_ == ',' || previous_ == '\t';
    if (c == '\n') dashes_ = 0;
    if (c == '#' && begins) comment_ = true;
    if ((c == '"' || c == '\'') && begins) quote_ = c;
    if (c == '[' || c == '{') ++depth_;
    if ((c == ']' || c == '}') && depth_ > 0) --depth_;
    if ((c == '-' || c == '?' || c == ':') && begins) ++dashes_;
  }
  char quote_ = 0;
  char previous_ = '\n';
  bool escaped_ = false;
  bool comment_ = false;
  int depth_ = 0;
  int dashes_ = 0;  // "- - - x": each opens a list on the same line
};

}  // namespace

void guard_yaml_text(const std::string& text, const std::string& source, bool has_lines) {
  Place place{std::make_shared<const std::string>(source), has_lines ? 1 : 0};
  if (text.size() > kLongestYamlBytes)
    reject(place, fmt::format("{} bytes of YAML; at most {} are read (is this the right file?)",
                              text.size(), kLongestYamlBytes));
  DepthScan scan;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = utf8_length(text, i);
    if (length == 0 || control(byte))
      reject(place, fmt::format("the byte 0x{:02x} is not text; expected YAML in UTF-8 (is this "
                                "the right file?)",
                                byte));
    if (scan.after(text[i]) > kDeepestYaml)
      reject(place, fmt::format("nested deeper than {} levels; a scenario needs fewer than ten",
                                kDeepestYaml));
    if (text[i] == '\n' && has_lines) ++place.line;
    i += length;
  }
}

}  // namespace latchlab
