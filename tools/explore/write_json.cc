// Traces and verdicts as JSON.

#include "core/base/json.h"
#include "core/scenario/scenario.h"
#include "tools/explore/campaign.h"
#include "tools/explore/trace.h"

namespace latchlab::explore {

namespace {
Json moves_json(const std::vector<Move>& path) {
  Json moves = Json::array();
  for (const Move& move : path) {
    Json one = Json::array({move.choice});
    for (const std::uint32_t value : move.inner) one.push_back(value);
    moves.push_back(one);
  }
  return moves;
}

void write_time(const CaseTime& time, Json& json) {
  for (const Duration latency : time.latencies)
    json["latencies"].push_back(format_duration(latency));
  json["drift_ppm"] = Json::array();
  for (const std::int64_t drift : time.drift_ppm)
    json["drift_ppm"].push_back(std::to_string(drift));
  json["hold"] = format_duration(time.hold);
  json["patience"] = format_duration(time.patience);
  if (time.pause.ps > 0) json["pause_length"] = format_duration(time.pause);
  json["horizon"] = format_duration(time.horizon);
}

// Writes only what differs from most cases.
void write_places(const Case& setup, Json& json) {
  if (setup.servers > 1) json["servers"] = setup.servers;
  if (setup.colocated) json["colocated"] = true;
}
void write_wants(const Case& setup, Json& json) {
  if (setup.held > 1) json["held"] = setup.held;
  if (!setup.sorted) json["sorted"] = false;
  for (const Extent& extent : setup.extents) json["extents"].push_back(text_of(extent));
}
void write_fault_limits(const Case& setup, Json& json) {
  if (setup.crash_unit) json["crash_unit"] = name_of(*setup.crash_unit);
  if (setup.between_atomics) json["between_atomics"] = true;
  if (setup.delays > 0) json["delays"] = setup.delays;
  if (setup.cuts > 0) json["cuts"] = setup.cuts;
}

}  // namespace

std::string case_json(const Case& setup) {
  Json json;
  json["protocol"] = setup.protocol;
  json["profile"] = setup.profile;
  json["set"] = setup.sets;
  json["client_nodes"] = setup.client_nodes;
  json["clients_per_node"] = setup.clients_per_node;
  write_places(setup, json);
  json["operations"] = setup.operations;
  if (setup.locks > 1) json["locks"] = setup.locks;
  write_wants(setup, json);
  json["modes"] = setup.modes;
  json["crashes"] = setup.crashes;
  write_fault_limits(setup, json);
  json["pauses"] = setup.pauses;
  json["timeouts"] = setup.timeouts;
  json["reduce"] = setup.reduce;
  if (setup.symmetry) json["symmetry"] = true;
  if (setup.timed()) write_time(setup.time, json);
  return dump_json(json);
}

std::string trace_json(const Trace& trace) {
  Json json;
  json["latchlab_trace"] = kTraceVersion;
  json["wrong"] = name_of(trace.counterexample.violation);
  json["text"] = trace.counterexample.text;
  json.update(parse_json(case_json(trace.setup)));
  json["mixed_words"] = trace.facts.mixed_words();
  json["reads_membership"] = trace.facts.reads_membership();
  json["entry"] = trace.entry;
  json["moves"] = moves_json(trace.counterexample.path);
  return dump_json(json) + "\n";
}

std::string verdict_json(const Campaign& campaign, const Verdict& verdict,
                         const std::vector<std::string>& trace_files) {
  Json json;
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
  write_places(base, json["bounds"]);
  write_wants(base, json["bounds"]);
  write_fault_limits(base, json["bounds"]);
  if (base.timed()) {
    json["bounds"].erase("timeouts");  // leases expire by their own dates
    write_time(base.time, json["bounds"]);
    // The drift of the campaign, not the clocks of one case.
    json["bounds"]["drift_ppm"] = campaign.drift_ppm;
  }
  json["cases"] = verdict.cases;
  json["states"] = verdict.states;
  json["transitions"] = verdict.transitions;
  if (campaign.compact) json["chance_of_a_miss"] = verdict.chance_of_a_miss;
  json["walks"] = verdict.walks;
  json["unfinished_walks"] = verdict.unfinished;
  json["paths"] = verdict.paths;
  json["unreached"] = verdict.unreached;
  json["violations"] = Json::array();
  for (std::size_t i = 0; i < verdict.counterexamples.size(); ++i) {
    const Trace& trace = verdict.counterexamples[i];
    json["violations"].push_back({{"wrong", name_of(trace.counterexample.violation)},
                                  {"text", trace.counterexample.text},
                                  {"case", describe(trace.setup)},
                                  {"moves", trace.counterexample.path.size()},
                                  {"trace", i < trace_files.size() ? trace_files[i] : ""}});
  }
  return dump_json(json, 2) + "\n";
}

}  // namespace latchlab::explore
