#include "core/launch/frame.h"

#include <fmt/core.h>

#include "core/base/json.h"

namespace latchlab::launch {
namespace {

constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kHeadBytes = 9;  // kind, rank, number

void put(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
}

std::uint32_t get(const char* at) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(at[i]);
  return value;
}

}  // namespace

std::string join_slices(const std::vector<std::string>& slices) {
  std::string joined;
  for (const std::string& slice : slices) {
    put(joined, static_cast<std::uint32_t>(slice.size()));
    joined += slice;
  }
  return joined;
}

std::optional<std::vector<std::string_view>> cut_slices(std::string_view joined,
                                                        std::size_t count) {
  std::vector<std::string_view> slices;
  while (!joined.empty()) {
    if (joined.size() < kLengthBytes || slices.size() == count) return std::nullopt;
    const std::size_t length = get(&joined.front());
    joined.remove_prefix(kLengthBytes);
    if (length > joined.size()) return std::nullopt;
    slices.push_back(joined.substr(0, length));
    joined.remove_prefix(length);
  }
  if (slices.size() < count) return std::nullopt;
  return slices;
}

bool fits(std::string_view payload, std::size_t max_frame) {
  return payload.size() <= max_frame - kHeadBytes;
}

Bytes encode(FrameKind kind, std::uint32_t rank, std::uint32_t number, std::string_view payload) {
  std::string out;
  out.reserve(kLengthBytes + kHeadBytes + payload.size());
  put(out, static_cast<std::uint32_t>(kHeadBytes + payload.size()));
  out.push_back(static_cast<char>(kind));
  put(out, rank);
  put(out, number);
  out += payload;
  return std::make_shared<const std::string>(std::move(out));
}

void FrameReader::add(std::string_view bytes) {
  // Compacts only if at least half of the buffer is consumed, so that each byte moves about once.
  if (at_ > bytes_.size() / 2) {
    bytes_.erase(0, at_);
    at_ = 0;
  }
  bytes_ += bytes;
}

Result<std::optional<Frame>> FrameReader::next() {
  using Maybe = std::optional<Frame>;
  if (bytes_.size() - at_ < kLengthBytes) return Maybe();
  const char* const start = bytes_.data() + at_;
  const std::size_t length = get(start);
  // Checked before the rest arrives, so that a peer cannot make us allocate a large buffer.
  if (length > max_frame_)
    return Error{fmt::format("it announces a frame of {} bytes, more than {}", length, max_frame_),
                 {}};
  if (length < kHeadBytes) return Error{"what it sends are no frames", {}};
  if (bytes_.size() - at_ < kLengthBytes + 1) return Maybe();
  const auto kind = static_cast<std::uint8_t>(start[kLengthBytes]);
  if (kind < static_cast<std::uint8_t>(FrameKind::hello) ||
      kind > static_cast<std::uint8_t>(FrameKind::slices))
    return Error{fmt::format("it sends a frame of the unknown kind {}", kind), {}};
  if (bytes_.size() - at_ < kLengthBytes + length) return Maybe();
  Frame frame;
  frame.kind = static_cast<FrameKind>(kind);
  frame.rank = get(start + kLengthBytes + 1);
  frame.number = get(start + kLengthBytes + 5);
  frame.payload.assign(start + kLengthBytes + kHeadBytes, length - kHeadBytes);
  at_ += kLengthBytes + length;
  return Maybe(std::move(frame));
}

// ---- hello ----

namespace {

constexpr const char* kMagic = "latchlab-node";
constexpr int kMostDepth = 4;  // a later version may nest more, but depth must be bounded

// Deeper values are dropped: traversing them later could overflow the stack.
Json parse_flat(const std::string& text) {
  const auto is_kept = [](int depth, Json::parse_event_t, Json&) { return depth <= kMostDepth; };
  return Json::parse(text, is_kept, false);
}

bool has_strings(const Json& json) {
  for (const char* key : {"program", "host", "facts"})
    if (!json.contains(key) || !json[key].is_string()) return false;
  return true;
}

bool is_rank(const Json& json) {
  return json.is_number_unsigned() && json.get<std::uint64_t>() <= UINT32_MAX;
}

}  // namespace

std::string write_hello(const Hello& hello) {
  Json json = {{"magic", kMagic},    {"wire", kWireVersion}, {"program", hello.program},
               {"host", hello.host}, {"pid", hello.pid},     {"facts", hello.facts}};
  if (hello.rank) json["rank"] = *hello.rank;
  return dump_json(json);
}

Result<Hello> read_hello(const std::string& text) {
  const Json json = parse_flat(text);
  if (!json.is_object() || json.value("magic", Json()) != kMagic)
    return Error{"it is no latchlab node", {}};
  const Json wire = json.value("wire", Json());
  if (wire != kWireVersion) {
    const std::string version =
        wire.is_number_integer() ? "version " + dump_json(wire) : "an unknown version";
    return Error{fmt::format("it speaks {} of the launch protocol, the coordinator version {}; "
                             "install the same latchlab on all machines",
                             version, kWireVersion),
                 {}};
  }
  const Json pid = json.value("pid", Json());
  const bool asks = json.contains("rank");
  if (!has_strings(json) || !pid.is_number_integer() || (asks && !is_rank(json["rank"])))
    return Error{"its hello is damaged", {}};
  Hello hello;
  hello.program = json["program"].get<std::string>();
  hello.host = json["host"].get<std::string>();
  hello.pid = pid.get<std::int64_t>();
  if (asks) hello.rank = json["rank"].get<std::uint32_t>();
  hello.facts = json["facts"].get<std::string>();
  return hello;
}

Status examine(const Hello& hello, const std::string& program) {
  if (hello.program != program)
    return Error{fmt::format("install the same build, with the same plug-ins, on all machines: it "
                             "runs {}, the coordinator {}",
                             hello.program, program),
                 {}};
  return fine();
}

}  // namespace latchlab::launch
