#include "core/launch/hello.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "core/launch/frame.h"

namespace latchlab::launch {
namespace {

using Json = nlohmann::json;
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
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Hello> read_hello(const std::string& text) {
  const Json json = parse_flat(text);
  if (!json.is_object() || json.value("magic", Json()) != kMagic)
    return Error{"it is no latchlab node", {}};
  const Json wire = json.value("wire", Json());
  if (wire != kWireVersion) {
    const std::string version =
        wire.is_number_integer() ? "version " + wire.dump() : "an unknown version";
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
