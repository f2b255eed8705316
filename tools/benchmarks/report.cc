// The report as a table and as JSON.

#include <fmt/format.h>

#include "core/base/json.h"
#include "tools/benchmarks/engine.h"

namespace latchlab::bench {
namespace {

const char* verdict(bool met) {
  return met ? "met" : "missed";
}

bool met(const EngineLine& line) {
  return line.floor_events <= *line.most_floor_events;
}
bool met(const SpeedUp& speed_up) {
  return speed_up.factor >= speed_up.least;
}
bool met(const IdleMemory& memory) {
  return memory.bytes_per_client <= memory.most;
}

std::string text_of(const EngineLine& line) {
  const std::string events =
      line.events_per_verb ? fmt::format("{:.2f}", *line.events_per_verb) : "-";
  std::string goal;
  if (line.most_floor_events)
    goal = fmt::format("  <= {:<4g} {}", *line.most_floor_events, verdict(met(line)));
  return fmt::format("{:>8}  {:<16} {:<8} {:>11} {:>10.1f} {:>13.2f}{}\n", line.clients,
                     line.subject, line.workload, events, line.ns, line.floor_events, goal);
}

std::string text_of(const EngineLine& line, const VerbCounts& counts) {
  const std::string what =
      fmt::format("{:>8}  {:<16} {:<8}", line.clients, line.subject, line.workload);
  if (!counts.problem.empty()) return fmt::format("{} {}\n", what, counts.problem);
  return fmt::format("{} {:>12.0f} {:>12.1f}  {}\n", what, counts.instructions, counts.missed_lines,
                     counts.by);
}

Json json_of(const VerbCounts& counts) {
  if (!counts.problem.empty()) return {{"problem", counts.problem}};
  return {{"by", counts.by},
          {"instructions_per_verb", counts.instructions},
          {"missed_lines_per_verb", counts.missed_lines}};
}

Json json_of(const EngineLine& line) {
  Json json;
  json["clients"] = line.clients;
  json["subject"] = line.subject;
  json["workload"] = line.workload;
  json["unit"] = line.workload == "hold" ? "event" : "verb";
  json["events_per_verb"] = line.events_per_verb ? Json(*line.events_per_verb) : Json();
  json["ns"] = line.ns;
  json["floor_events"] = line.floor_events;
  if (line.most_floor_events) {
    json["goal_most_floor_events"] = *line.most_floor_events;
    json["met"] = met(line);
  }
  json["ns_of_repeats"] = line.ns_of_repeats;
  if (line.counts) json["counts"] = json_of(*line.counts);
  return json;
}

}  // namespace

std::string report_text(const EngineReport& report) {
  std::string text = fmt::format("{:>8}  {:<16} {:<8} {:>11} {:>10} {:>13}  goal\n", "clients",
                                 "what", "workload", "events/verb", "ns", "floor events");
  std::uint32_t clients = 0;
  for (const EngineLine& line : report.lines) {
    if (clients != 0 && line.clients != clients) text += "\n";
    clients = line.clients;
    text += text_of(line);
  }
  text += fmt::format("\n{:>8}  {:<16} {:<8} {:>12} {:>12}  by\n", "clients", "per verb",
                      "workload", "instructions", "missed lines");
  for (const EngineLine& line : report.lines)
    if (line.counts) text += text_of(line, *line.counts);
  text += "\nAgainst the plain SimGrid program, CAS lock, CPU time per verb:\n";
  for (const SpeedUp& each : report.speed_ups)
    text += fmt::format("{:>8}  clients: {:.1f} times faster, goal >= {:g}: {}\n", each.clients,
                        each.factor, each.least, verdict(met(each)));
  text += "\nMemory of an idle client:\n";
  for (const IdleMemory& each : report.memory)
    text +=
        fmt::format("{:>10}: {:.0f} bytes, from {} to {} clients on {} nodes, goal <= {:g}: {}\n",
                    each.protocol, each.bytes_per_client, each.few, each.many, each.nodes,
                    each.most, verdict(met(each)));
  if (report.options.quick)
    return text + "\nA quick run: it shows that everything works, not how fast.\n";
  return text + fmt::format("\nns: CPU time per verb, of the hold model per event; medians of {}\n",
                            report.options.repeats);
}

std::string report_json(const EngineReport& report) {
  Json json;
  json["schema"] = 1;
  json["repeats"] = report.options.repeats;
  json["quick"] = report.options.quick;
  json["lines"] = Json::array();
  for (const EngineLine& line : report.lines) json["lines"].push_back(json_of(line));
  json["speed_ups"] = Json::array();
  for (const SpeedUp& each : report.speed_ups)
    json["speed_ups"].push_back({{"clients", each.clients},
                                 {"factor", each.factor},
                                 {"goal_least", each.least},
                                 {"met", met(each)}});
  json["idle_memory"] = Json::array();
  for (const IdleMemory& each : report.memory)
    json["idle_memory"].push_back({{"protocol", each.protocol},
                                   {"nodes", each.nodes},
                                   {"few_clients", each.few},
                                   {"many_clients", each.many},
                                   {"bytes_per_client", each.bytes_per_client},
                                   {"goal_most", each.most},
                                   {"met", met(each)}});
  return dump_json(json, 2) + "\n";
}

}  // namespace latchlab::bench
