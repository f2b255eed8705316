// A verdict for programs.

#include <nlohmann/json.hpp>

#include "core/scenario/scenario.h"
#include "tools/explore/campaign.h"

namespace latchlab::explore {

namespace {

std::vector<std::string> texts_of(const std::vector<Duration>& durations) {
  std::vector<std::string> texts;
  for (const Duration duration : durations) texts.push_back(format_duration(duration));
  return texts;
}

}  // namespace

std::string verdict_json(const Campaign& campaign, const Verdict& verdict,
                         const std::vector<std::string>& trace_files) {
  nlohmann::ordered_json json;
  const Case& base = campaign.base;
  json["mode"] = base.timed() ? "timed" : "untimed";
  json["strategy"] = name_of(campaign.method);
  json["exhausted"] = verdict.exhausted;
  json["cut"] = verdict.cut;
  json["protocol"] = base.protocol;
  json["profile"] = base.profile;
  json["set"] = base.sets;
  json["bounds"] = {{"clients", campaign.clients}, {"operations", base.operations},
                    {"locks", base.locks},         {"crashes", base.crashes},
                    {"pauses", base.pauses},       {"timeouts", base.timeouts},
                    {"cases", verdict.all_cases}};
  if (base.timed()) {
    json["bounds"].erase("timeouts");  // leases run out by themselves
    json["bounds"]["latencies"] = texts_of(base.time.latencies);
    json["bounds"]["drift_ppm"] = campaign.drift_ppm;
    json["bounds"]["hold"] = format_duration(base.time.hold);
    json["bounds"]["patience"] = format_duration(base.time.patience);
    json["bounds"]["horizon"] = format_duration(base.time.horizon);
  }
  json["cases"] = verdict.cases;
  json["states"] = verdict.states;
  json["transitions"] = verdict.transitions;
  json["walks"] = verdict.walks;
  json["unfinished_walks"] = verdict.unfinished;
  json["paths"] = verdict.paths;
  json["unreached"] = verdict.unreached;
  json["violations"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < verdict.findings.size(); ++i) {
    const Trace& trace = verdict.findings[i];
    json["violations"].push_back({{"wrong", name_of(trace.finding.wrong)},
                                  {"text", trace.finding.text},
                                  {"case", describe(trace.setup)},
                                  {"moves", trace.finding.path.size()},
                                  {"trace", i < trace_files.size() ? trace_files[i] : ""}});
  }
  return json.dump(2) + "\n";
}

}  // namespace latchlab::explore
