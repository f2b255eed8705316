#include "core/run/share_json.h"

#include <utility>

#include "core/base/json.h"
#include "core/measure/results_json.h"

namespace latchlab {
std::string serialise_share_outcome(const ShareOutcome& outcome) {
  Json json;
  json["status"] = static_cast<int>(outcome.status);
  json["message"] = outcome.message;
  json["secondary"] = outcome.secondary;
  json["seed"] = outcome.seed;
  json["end"] = static_cast<int>(outcome.end);
  Json& shares = json["shares"] = Json::array();
  for (const PartialMetrics& share : outcome.shares) shares.push_back(serialise_share(share));
  return dump_json(json);
}

Result<ShareOutcome> parse_share_outcome(std::string_view text) {
  const Error broken{"not the outcome of a share of a repeat", {}};
  const Json json = parse_json(text);
  if (!json.is_object()) return broken;
  const auto number = [&json](const char* field, std::uint64_t most) {
    return json.contains(field) && json[field].is_number_unsigned() &&
           json[field].get<std::uint64_t>() <= most;
  };
  if (!number("status", static_cast<std::uint64_t>(kWorstStatus)) || !number("seed", ~0ULL) ||
      !number("end", static_cast<std::uint64_t>(RunEnd::stuck)) || !json.contains("message") ||
      !json["message"].is_string() || !json.contains("secondary") ||
      !json["secondary"].is_boolean() || !json.contains("shares") || !json["shares"].is_array())
    return broken;
  ShareOutcome outcome;
  outcome.status = static_cast<RepeatStatus>(json["status"].get<int>());
  outcome.message = json["message"].get<std::string>();
  outcome.secondary = json["secondary"].get<bool>();
  outcome.seed = json["seed"].get<std::uint64_t>();
  outcome.end = static_cast<RunEnd>(json["end"].get<int>());
  for (const Json& entry : json["shares"]) {
    if (!entry.is_string()) return broken;
    auto share = parse_share(entry.get_ref<const std::string&>());
    if (!share) return share.error();
    outcome.shares.push_back(std::move(share).value());
  }
  return outcome;
}

}  // namespace latchlab
