// Writes the result of a sensitivity search: sentences, and a file for the page.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/base/json.h"
#include "core/conclude/sensitivity.h"
#include "core/run/files.h"
#include "core/scenario/nic_constants.h"
#include "core/scenario/text_file.h"

namespace latchlab {
namespace {
constexpr const char* kFile = "/sensitivity.json";
constexpr const char* kChecksum = "checksum";  // of the text without this entry

std::string file_text(const Json& json) {
  return dump_json(json, 1) + "\n";
}

// Files of older programs without a checksum are accepted.
bool is_damaged(Json json) {
  if (!json.contains(kChecksum)) return false;
  const Json stored = json[kChecksum];
  json.erase(kChecksum);
  return stored != checksum_of(file_text(json));
}

const std::string& name_of(Order order) {
  static const std::string names[] = {"holds", "undecided", "flips"};
  return names[static_cast<std::size_t>(order)];
}

// "atomic.same_address_16 = 600ns", with the NIC if there are several.
std::string text_of(const ConstantBound& end, bool several) {
  return fmt::format("{} = {}{}", end.origin.key, end.at, several ? " of " + end.nic : "");
}

bool several_nics(const Sensitivity& found) {
  return std::any_of(found.moved.begin(), found.moved.end(), [&](const MovedBy& moved) {
    return moved.end.nic != found.moved.front().end.nic;
  });
}

// All bounds at which a pair has this order: "A (1.05 times B) ... at X = v (0.97)".
struct Told {
  std::size_t first = 0, second = 0;
  double ratio = 0;
  std::string at;
};

std::vector<Told> told(const Sensitivity& found, Order order) {
  std::vector<Told> all;
  const bool several = several_nics(found);
  for (const MovedBy& moved : found.moved) {
    for (const ComparedPair& pair : moved.pairs) {
      if (pair.order != order) continue;
      auto here = std::find_if(all.begin(), all.end(), [&](const Told& each) {
        return each.first == pair.first && each.second == pair.second;
      });
      if (here == all.end()) here = all.insert(here, {pair.first, pair.second, pair.ratio, {}});
      here->at += fmt::format("{}{} ({:.2f})", here->at.empty() ? "" : ", ",
                              text_of(moved.end, several), pair.ratio_at);
    }
  }
  std::sort(all.begin(), all.end(), [](const Told& a, const Told& b) {
    return std::pair(a.first, a.second) < std::pair(b.first, b.second);
  });
  return all;
}

std::string nothing_turns(const Sensitivity& found) {
  if (found.labels.size() < 2) return "No two locks are compared where the sweep ends.";
  const ComparedPair* farthest = nullptr;
  const MovedBy* by = nullptr;
  double factor = 1;
  for (const MovedBy& moved : found.moved) {
    for (const ComparedPair& pair : moved.pairs) {
      const double here = std::max(pair.ratio_at / pair.ratio, pair.ratio / pair.ratio_at);
      if (by != nullptr && here <= factor) continue;
      farthest = &pair;
      by = &moved;
      factor = here;
    }
  }
  std::string says = fmt::format(
      "No order of two locks turns round anywhere at the ends of the {} constants of the model "
      "that are not published",
      found.constants);
  if (by == nullptr)
    return says + fmt::format("; none moves a ratio by more than {:.0f}%.", (kMoves - 1) * 100);
  return says + fmt::format("; {} over {} moves most, from {:.2f} to {:.2f} at {}.",
                            found.labels[farthest->first], found.labels[farthest->second],
                            farthest->ratio, farthest->ratio_at,
                            text_of(by->end, several_nics(found)));
}

Json pair_json(const Sensitivity& found, const ComparedPair& pair) {
  return {{"first", found.labels[pair.first]},
          {"second", found.labels[pair.second]},
          {"ratio", pair.ratio},
          {"ratio_at", pair.ratio_at},
          {"order", name_of(pair.order)}};
}

Json moved_json(const Sensitivity& found, const MovedBy& moved) {
  const ConstantOrigin& origin = moved.end.origin;
  Json json = {{"nic", moved.end.nic},
               {"constant", origin.key},
               {"status", latchlab::name_of(origin.status)},
               {"value", origin.value},
               {"low", origin.low},
               {"high", origin.high},
               {"at", moved.end.at},
               {"broken", moved.broken}};
  Json& pairs = json["pairs"] = Json::array();
  for (const ComparedPair& pair : moved.pairs) pairs.push_back(pair_json(found, pair));
  return json;
}

// {"CAS": {"goodput_ops_s": [0.93, 1.08], ...}}
Json spans_json(const Sensitivity& found) {
  Json json = Json::object();
  for (std::size_t i = 0; i < found.spans.size(); ++i)
    for (const auto& [metric, span] : found.spans[i])
      json[found.labels[i]][metric] = {span.least, span.most};
  return json;
}

}  // namespace

std::vector<std::string> sentences(const Sensitivity& found) {
  std::vector<std::string> says;
  for (const Told& each : told(found, Order::flips))
    says.push_back(fmt::format("The order of {} and {} ({:.2f}) flips at {}.",
                               found.labels[each.first], found.labels[each.second], each.ratio,
                               each.at));
  if (says.empty()) says.push_back(nothing_turns(found));
  for (const Told& each : told(found, Order::undecided))
    says.push_back(fmt::format("{} and {} ({:.2f}) cannot be told apart at {}.",
                               found.labels[each.first], found.labels[each.second], each.ratio,
                               each.at));
  for (const MovedBy& moved : found.moved)
    if (!moved.broken.empty())
      says.push_back(fmt::format("At {} there is no comparison: {}.",
                                 text_of(moved.end, several_nics(found)), moved.broken));
  return says;
}

std::string sensitivity_json(const Sensitivity& found) {
  Json json = {{"schema", 1},
               {"results", found.results},
               {"says", sentences(found)},
               {"compared", found.labels},
               {"constants", found.constants},
               {"inert", found.inert}};
  Json& moved = json["moved"] = Json::array();
  for (const MovedBy& each : found.moved) moved.push_back(moved_json(found, each));
  json["spans"] = spans_json(found);
  json[kChecksum] = checksum_of(file_text(json));
  return file_text(json);
}

Result<std::string> stored_sensitivity(const std::string& directory, const StudyOutcome& outcome) {
  const std::string path = directory + kFile;
  if (std::error_code error; !std::filesystem::exists(path, error)) return std::string();
  auto text = read_text_file(path);
  if (!text) return text.error();
  const Json json = parse_json(text.value());
  if (!json.is_object() || !json.contains("results") || !json.contains("says") ||
      !json["says"].is_array() || !json.contains("moved") || !json["moved"].is_array())
    return Error{"not what 'latchlab run --sensitivity' writes; make it anew with --resume", path};
  if (json["results"] != results_hash(outcome)) return std::string();
  if (is_damaged(json))
    return Error{"damaged since it was written; make it anew with --sensitivity --resume", path};
  return text;
}

std::map<std::string, Spans> stored_spans(const std::string& text) {
  std::map<std::string, Spans> all;
  const Json json = parse_json(text);
  if (!json.is_object() || !json.contains("spans")) return all;
  for (const auto& [label, metrics] : json["spans"].items())
    for (const auto& [metric, span] : metrics.items())
      if (span.is_array() && span.size() == 2 && span[0].is_number() && span[1].is_number())
        all[label][metric] = {span[0].get<double>(), span[1].get<double>()};
  return all;
}

}  // namespace latchlab
