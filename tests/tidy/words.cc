// Banned texts, and the maximum width of a line.

#include <cctype>
#include <string>
#include <vector>

#include "tests/tidy/rules.h"

namespace latchlab::tidy {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Finds `text` at the begin of a word: the end of a longer word does not count.
bool contains(const std::string& line, const std::string& text) {
  for (std::size_t at = line.find(text); at != std::string::npos; at = line.find(text, at + 1))
    if (at == 0 || !is_word(text.front()) || !is_word(line[at - 1])) return true;
  return false;
}

bool applies(const Ban& ban, const SourceFile& file) {
  return (!ban.code_only || file.is_code()) &&
         (ban.folders.empty() || begins_with_any(file.path, ban.folders)) &&
         !begins_with_any(file.path, ban.except);
}

// Columns as in an editor: one per character, not per byte.
std::size_t columns(const std::string& line) {
  std::size_t count = 0;
  for (const char c : line) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return count;
}

std::string include_of(const std::string& header) {
  return "#include <" + header + ">";
}

}  // namespace

// Texts are written in two halves where this file must pass its own rules.
const std::vector<Ban>& bans() {
  using Text = std::string;
  static const Text unfinished = "finish it now, or write down the limit as a plain sentence";
  static const Text integers =
      "use integers, or tables computed with them: results are the same "
      "bytes on every compiler and CPU";
  static const Text seam = "a protocol has only what verbs give it: Verbs::now, sleep and random";
  static const Text order =
      "use Lookup of core/base/lookup.h, std::map or a sorted vector: the order of a hash table "
      "differs between libraries";
  static const std::vector<std::string> decides = {"core/", "backends/"};
  static const std::vector<std::string> locks = {"core/protocols/"};
  // Names that had to be explained, and what the field calls the same thing.
  static const auto old_name = [](const Text& name, const Text& now) {
    return Ban{name, {}, {}, false, "it is called " + now};
  };
  static const std::vector<Ban> table = {
      old_name(Text("Turn") + "Books", "PollTimeStats"),
      old_name(Text("Node") + "Post", "Mailbox"),
      old_name(Text("send_by") + "_post", "send_via_control"),
      old_name(Text("On") + "looker", "TraceHook"),
      old_name(Text("Measured") + "Share", "PartialMetrics"),
      old_name(Text("Range") + "Contacts", "FalseConflictCounter"),
      old_name(Text("the adver") + "sary", "the explorer"),
      {Text("TO") + "DO", {}, {}, false, unfinished},
      {Text("FIX") + "ME", {}, {}, false, unfinished},
      {Text("XX") + "X", {}, {}, true, unfinished},
      {Text("#if") + " 0", {}, {}, true, "delete the code; git remembers it"},
      {Text("DIS") + "ABLED_", {}, {}, true, "mend the test or delete it"},
      {Text("/wo") + "rk/", {}, {}, false, "name paths relative to the root of the project"},
      {Text("/ho") + "me/", {}, {}, false, "name paths relative to the root of the project"},
      {Text("rand") + "(", {}, {}, true, "use Rng of core/base/random.h: seeded, same everywhere"},
      {"std::unordered_", decides, {"core/base/lookup.h"}, true, order},
      {include_of("cmath"), decides, {}, true, integers},
      {include_of("math.h"), decides, {}, true, integers},
      {include_of("random"), decides, {}, true, "use Rng of core/base/random.h"},
      {include_of("iostream"), decides, {}, true, "return text or a Result; tools print"},
      {include_of("thread"), locks, {}, true, seam},
      {include_of("mutex"), locks, {}, true, seam},
      {include_of("atomic"), locks, {}, true, seam},
      {include_of("chrono"), locks, {}, true, seam},
      {include_of("cstdio"), locks, {}, true, "mark phases with the probe; protocols never print"},
  };
  return table;
}

Findings check_bans(const SourceFile& file) {
  Findings findings;
  for (const Ban& ban : bans()) {
    if (!applies(ban, file)) continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i)
      if (contains(file.lines[i], ban.text))
        findings.push_back({file.path, i + 1, "'" + ban.text + "' is banned here", ban.fix});
  }
  return findings;
}

Findings check_width(const SourceFile& file) {
  Findings findings;
  if (!file.is_code()) return findings;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const std::size_t width = columns(file.lines[i]);
    if (width > kMaxColumns)
      findings.push_back({file.path, i + 1,
                          "the line has " + std::to_string(width) + " columns, more than " +
                              std::to_string(kMaxColumns),
                          "break it; clang-format does, but for strings"});
  }
  return findings;
}

}  // namespace latchlab::tidy
