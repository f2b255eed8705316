#pragma once
// JSON values whose keys keep their order. Parser and writer are compiled once, in json.cc: they
// are large templates.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace latchlab {

using Json = nlohmann::ordered_json;

// Text that is no JSON gives a value that is_discarded().
Json parse_json(std::string_view text);

// In one line, or indented. Bytes that are no UTF-8 become U+FFFD.
std::string dump_json(const Json& json, int indent = -1);
// With other characters than ASCII as \u escapes.
std::string dump_json_in_ascii(const Json& json);

}  // namespace latchlab
