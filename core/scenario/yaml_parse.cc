#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <cstring>
#include <map>
#include <memory>
#include <sstream>
#include <utility>

#include "core/scenario/yaml_tree.h"

namespace latchlab {
namespace {

constexpr std::size_t kMostNodes = 100'000;
constexpr std::size_t kDeepest = 64;

// Bytes of the UTF-8 sequence that begins here; 0: not valid.
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

// A cheap check before the YAML parser: length, UTF-8, no control characters.
void check_text(const std::string& text, SourceLocation place) {
  if (text.size() > kLongestYamlBytes)
    reject(place, "{} bytes of YAML; at most {} are read (is this the right file?)", text.size(),
           kLongestYamlBytes);
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = utf8_length(text, i);
    if (length == 0 || control(byte))
      reject(place, "the byte {} is not text; expected YAML in UTF-8 (is this the right file?)",
             fmt::format("0x{:02x}", byte));
    if (text[i] == '\n' && place.line > 0) ++place.line;
    i += length;
  }
}

// Builds the tree from yaml-cpp's events. Aliases are expanded by copying; their cost is charged
// first, so that an alias bomb is refused before it grows.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const SourceLocation& start) : start_(start) {}

  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      reject(at(mark), "a second YAML document begins here; a file holds one: remove the '---'");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(yaml_node(YamlKind::null, at(mark)), anchor, {1, 0});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) reject(at(mark), "an alias inside the value that it names");
    charge(size_of(found->second), at(mark));
    add(found->second, YAML::NullAnchor, {});
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    add(yaml_text(value, at(mark)), anchor, {1, value.size()});
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(YamlKind::sequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(YamlKind::map, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    YamlNode node;
    YAML::anchor_t anchor = YAML::NullAnchor;
    bool has_key = false;
    std::string key = {};
    SourceLocation key_place = {};
    std::map<std::string, int> lines = {};  // of the keys so far
  };

  SourceLocation at(const YAML::Mark& mark) const {
    return {start_.source, start_.line > 0 ? mark.line + 1 : 0};
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!")
      reject(at(mark), "the tag " + in_quotes(tag) + " has no meaning here; remove it");
  }

  void charge(YamlSize size, const SourceLocation& place) {
    total_.nodes += size.nodes;
    total_.bytes += size.bytes;
    if (total_.nodes > kMostNodes || total_.bytes > kLongestYamlBytes)
      reject(place,
             "more than {} values once aliases are expanded; write less or use fewer aliases",
             kMostNodes);
  }

  void open(YamlKind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    check_tag(mark, tag);
    if (stack_.size() >= kDeepest)
      reject(at(mark), "nested deeper than {} levels; a scenario needs fewer than ten", kDeepest);
    if (wants_key())
      reject(at(mark), "a key must be one word, not a list or a mapping (is a bracket left open?)");
    charge({1, 0}, at(mark));
    stack_.push_back({.node = yaml_node(kind, at(mark)), .anchor = anchor});
  }

  void close() {
    Frame frame = std::move(stack_.back());
    stack_.pop_back();
    add(std::move(frame.node), frame.anchor, {});
  }

  bool wants_key() const {
    return !stack_.empty() && stack_.back().node.is_map() && !stack_.back().has_key;
  }

  // `size`: the part that is not charged yet.
  void add(YamlNode node, YAML::anchor_t anchor, YamlSize size) {
    charge(size, node.place);
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
    if (wants_key()) {
      add_key(node);
    } else if (stack_.empty()) {
      root_ = std::move(node);
    } else if (stack_.back().node.is_map()) {
      Frame& top = stack_.back();
      top.node.entries.push_back({std::move(top.key), std::move(top.key_place), std::move(node)});
      top.has_key = false;
    } else {
      stack_.back().node.items.push_back(std::move(node));
    }
  }

  void add_key(const YamlNode& node) {
    if (!node.is_scalar()) reject(node.place, "a key must be one word; found none before ':'");
    Frame& top = stack_.back();
    const auto [known, fresh] = top.lines.emplace(node.text, node.place.line);
    if (!fresh)
      reject(node.place, "duplicate key {}{}; remove one", in_quotes(node.text),
             start_.line > 0 ? fmt::format(" (first on line {})", known->second) : "");
    top.has_key = true;
    top.key = node.text;
    top.key_place = node.place;
  }

  SourceLocation start_;
  int documents_ = 0;
  YamlSize total_;
  YamlNode root_;
  std::vector<Frame> stack_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
};

// A better message for a text that the YAML parser refused.
struct Slip {
  std::string says;  // empty: the parser's message is as good
  int line = 0;
};

Slip tab_before(const std::string& text, int last_line) {
  std::size_t at = 0;
  for (int line = 1; line <= last_line && at < text.size(); ++line) {
    const std::size_t word = text.find_first_not_of(' ', at);
    if (word != std::string::npos && text[word] == '\t')
      return {"a tab indents this line; YAML wants spaces", line};
    at = text.find('\n', at);
    if (at == std::string::npos) break;
    ++at;
  }
  return {};
}

// A bracket that is not closed, or closed by the other kind. Outside of brackets, a bracket counts
// only where a value begins.
Slip open_bracket(const std::string& text) {
  std::vector<std::pair<char, int>> open;
  int line = 1;
  char before = '\n';  // the last character that is no space
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    const bool value = before == '\n' || std::strchr(":-,[{", before) != nullptr;
    if (quote != 0) {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = 0;
    } else if ((c == '"' || c == '\'') && value) {
      quote = c;
    } else if (c == '#' && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '\n')) {
      i = std::min(text.find('\n', i), text.size()) - 1;
      continue;
    } else if ((c == '[' || c == '{') && (value || !open.empty())) {
      open.emplace_back(c, line);
    } else if ((c == ']' || c == '}') && !open.empty()) {
      if (open.back().first != (c == ']' ? '[' : '{')) break;
      open.pop_back();
    }
    if (c != ' ' && c != '\r') before = c;
  }
  if (open.empty()) return {};
  return {fmt::format("the bracket '{}' is not closed", open.back().first), open.back().second};
}

Slip slip_in(const std::string& text, const YAML::Exception& error) {
  const int line = error.mark.line + 1;
  if (Slip tab = tab_before(text, line); tab.line > 0) return tab;
  if (error.msg.find("block scalar") != std::string::npos)
    return {"nothing may follow | or >, which begin a block of text; for a value leave it out",
            line};
  if (Slip bracket = open_bracket(text); bracket.line > 0) return bracket;
  return {"not YAML: " + error.msg, line};
}

}  // namespace

YamlNode parse_yaml(const std::string& text, const std::string& source, bool has_lines) {
  SourceLocation place{std::make_shared<const std::string>(source), has_lines ? 1 : 0};
  check_text(text, place);
  TreeBuilder builder(place);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    const Slip slip = slip_in(text, error);
    if (has_lines && !error.mark.is_null()) place.line = slip.line;
    reject(place, slip.says);
  }
  YamlNode root = builder.take_root();
  if (!root.place.source) root.place = place;
  return root;
}

}  // namespace latchlab
