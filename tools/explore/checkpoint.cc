#include "tools/explore/checkpoint.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <type_traits>
#include <utility>

#include "core/run/files.h"

namespace latchlab::explore {

namespace {

constexpr std::uint64_t kFormat = 0x6c61'7463'6863'7001;

class Writer {
 public:
  template <class Number>
  void put(Number number) {
    static_assert(std::is_trivially_copyable_v<Number>);
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  template <class Item>
  void put_all(const std::vector<Item>& items) {
    put<std::uint64_t>(items.size());
    for (const Item& item : items) put(item);
  }
  void put_text(const std::string& text) {
    put<std::uint64_t>(text.size());
    bytes_ += text;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// After an item that is not there, all further ones are empty.
class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}
  bool fine() const { return fine_; }
  bool at_end() const { return at_ == bytes_.size(); }

  template <class Number>
  Number get() {
    Number number{};
    if (!has(sizeof number)) return number;
    std::memcpy(&number, bytes_.data() + at_, sizeof number);
    at_ += sizeof number;
    return number;
  }
  template <class Item>
  std::vector<Item> get_all() {
    const auto count = get<std::uint64_t>();
    std::vector<Item> items;
    if (count > bytes_.size() / sizeof(Item)) fine_ = false;
    if (!fine_) return items;
    items.reserve(count);
    for (std::uint64_t i = 0; i < count && fine_; ++i) items.push_back(get<Item>());
    return items;
  }
  std::string get_text() {
    const auto count = get<std::uint64_t>();
    if (!has(count)) return {};
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }

 private:
  bool has(std::uint64_t count) {
    fine_ = fine_ && count <= bytes_.size() - at_;
    return fine_;
  }

  const std::string& bytes_;
  std::size_t at_ = 0;
  bool fine_ = true;
};

void put_texts(Writer& writer, const std::vector<std::string>& texts) {
  writer.put<std::uint64_t>(texts.size());
  for (const std::string& text : texts) writer.put_text(text);
}

std::vector<std::string> get_texts(Reader& reader) {
  std::vector<std::string> texts;
  const auto count = reader.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < count && reader.fine(); ++i) texts.push_back(reader.get_text());
  return texts;
}

void put_path(Writer& writer, const std::vector<Move>& path) {
  writer.put<std::uint64_t>(path.size());
  for (const Move& move : path) {
    writer.put(move.choice);
    writer.put_all(move.inner);
  }
}

std::vector<Move> get_path(Reader& reader) {
  std::vector<Move> path;
  const auto moves = reader.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < moves && reader.fine(); ++i) {
    Move move;
    move.choice = reader.get<std::uint32_t>();
    move.inner = reader.get_all<std::uint32_t>();
    path.push_back(std::move(move));
  }
  return path;
}

}  // namespace

Status write_checkpoint(const std::string& file, const Checkpoint& checkpoint) {
  Writer writer;
  writer.put(kFormat);
  writer.put_text(checkpoint.setup);
  std::vector<std::uint64_t> mixed;
  for (const auto& row : checkpoint.facts.mixed_words()) mixed.push_back(row.front());
  writer.put_all(mixed);
  writer.put<char>(checkpoint.facts.reads_membership() ? 1 : 0);
  writer.put<char>(checkpoint.facts.strays() ? 1 : 0);
  writer.put<char>(checkpoint.facts.draws() ? 1 : 0);
  writer.put(checkpoint.expanded);
  writer.put<char>(checkpoint.case_bound_reached ? 1 : 0);
  writer.put_all(checkpoint.origins);
  writer.put<std::uint64_t>(checkpoint.inner.size());
  for (const auto& [state, values] : checkpoint.inner) {
    writer.put(state);
    writer.put_all(values);
  }
  writer.put_all(checkpoint.good);
  writer.put_all(checkpoint.edges);
  writer.put(checkpoint.transitions);
  writer.put(checkpoint.terminals);
  put_texts(writer, checkpoint.terminal);
  put_texts(writer, checkpoint.reached);
  writer.put<std::uint64_t>(checkpoint.counterexamples.size());
  for (const Counterexample& each : checkpoint.counterexamples) {
    writer.put(each.violation);
    writer.put_text(each.text);
    put_path(writer, each.path);
  }
  return write_atomically(file, writer.bytes());
}

std::optional<Checkpoint> read_checkpoint(const std::string& file, const std::string& setup) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  Reader reader(bytes);
  Checkpoint checkpoint;
  if (reader.get<std::uint64_t>() != kFormat) return std::nullopt;
  checkpoint.setup = reader.get_text();
  if (checkpoint.setup != setup) return std::nullopt;
  const auto mixed = reader.get_all<std::uint64_t>();
  const bool reads_membership = reader.get<char>() != 0;
  checkpoint.facts = explorer::SearchFacts::restored(mixed, reads_membership);
  if (reader.get<char>() != 0) checkpoint.facts.strayed();
  if (reader.get<char>() != 0) checkpoint.facts.drew();
  checkpoint.facts.grew();
  checkpoint.expanded = reader.get<std::uint64_t>();
  checkpoint.case_bound_reached = reader.get<char>() != 0;
  checkpoint.origins = reader.get_all<Origin>();
  const auto with_inner = reader.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < with_inner && reader.fine(); ++i) {
    const auto state = reader.get<std::uint32_t>();
    checkpoint.inner[state] = reader.get_all<std::uint32_t>();
  }
  checkpoint.good = reader.get_all<char>();
  checkpoint.edges = reader.get_all<SearchEdge>();
  checkpoint.transitions = reader.get<std::uint64_t>();
  checkpoint.terminals = reader.get<std::uint64_t>();
  checkpoint.terminal = get_texts(reader);
  checkpoint.reached = get_texts(reader);
  const auto found = reader.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < found && reader.fine(); ++i) {
    Counterexample each;
    each.violation = reader.get<Violation>();
    each.text = reader.get_text();
    each.path = get_path(reader);
    checkpoint.counterexamples.push_back(std::move(each));
  }
  if (!reader.fine() || !reader.at_end()) return std::nullopt;
  return checkpoint;
}

}  // namespace latchlab::explore
