#include "tests/scenario/keys_documents.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "tests/scenario/fixture.h"

namespace latchlab::scenario_test {

// A SimGrid platform, with what the reader looks at.
static std::string platform_file() {
  static const std::string path = testing::TempDir() + "keys-platform.xml";
  std::ofstream(path) << "<platform version=\"4.1\"/>";
  return path;
}

// A trace that exists.
static std::string orders() {
  return std::string(LATCHLAB_SOURCE_DIR) + "/scenarios/whatif/orders.csv";
}

Entries base_of(const std::string& mapping, const std::string& kind) {
  static const std::map<std::string, Entries> bases = {
      {"workload.distribution/power_law", {{"alpha", "2"}}},
      {"workload.distribution/hotspot", {{"locks", "1%"}, {"accesses", "90%"}}},
      {"workload.think_time/", {{"kind", "exponential"}, {"mean", "5us"}}},
      {"protocol/", {{"name", "shiftlock"}}},
      {"locks.placement/", {{"node", "0"}}},
      {"groups[]/", {{"name", "a"}}},
      {"workload.sizes/", {{"values", "[1, 16]"}, {"by", "operation"}}},
      {"workload.files.data/", {{"on", "clients"}}},
      {"workload.files.roles/", {{"readers", "50"}, {"writers", "10"}, {"loggers", "1"}}},
      {"workload.critical_section/", {{"remote_ops", "1"}}},
      {"workload.arrivals/poisson", {{"rate", "1M"}}},
      {"workload.arrivals/script", {{"list", "[{at: 0us, client: 0, lock: 0}]"}}},
      {"workload.arrivals.list[]/", {{"at", "0us"}, {"client", "0"}, {"lock", "0"}}},
      {"report.figures[]/", {{"x", "label"}, {"y", "goodput_ops_s"}}},
      {"faults[]/skip_release", {{"probability", "1%"}}},
      {"faults[]/client_crash", {{"at", "1ms"}}},
      {"faults[]/process_crash", {{"at", "1ms"}}},
      {"faults[]/node_crash", {{"at", "1ms"}, {"node", "0"}}},
      {"faults[]/link_down", {{"at", "1ms"}, {"node", "0"}}},
      {"faults[]/pause", {{"at", "1ms"}, {"client", "0"}, {"length", "1ms"}}},
      {"faults[]/slow_client", {{"at", "1ms"}, {"client", "0"}, {"factor", "4"}}},
      {"faults[]/drift", {{"at", "1ms"}, {"server", "0"}, {"jump", "1us"}}},
      {"expect[]/value", {{"metric", "goodput_ops_s"}, {"value", "1"}, {"where", "{label: cas}"}}},
      {"expect[]/ratio",
       {{"metric", "goodput_ops_s"},
        {"value", "1"},
        {"where", "{label: cas}"},
        {"over", "{label: mcs}"}}},
      {"expect[]/order", {{"metric", "goodput_ops_s"}, {"over", "label"}, {"order", "[cas, mcs]"}}},
      {"expect[]/table",
       {{"over", "label"},
        {"columns", "{p50: acquire_ns.p50}"},
        {"unit", "us"},
        {"rows", "{cas: [1.5], mcs: [2]}"}}},
      {"known[]/", {{"where", "{label: cas}"}, {"verdict", "no progress"}, {"why", "x"}}},
      {"workload/trace", {{"trace", "{file: " + orders() + "}"}}},
      {"workload.trace/", {{"file", orders()}}},
      {"platform.topology/file", {{"file", platform_file()}}},
  };
  Entries entries;
  const auto found = bases.find(mapping + "/" + kind);
  if (found != bases.end()) entries = found->second;
  if (!kind.empty() && kind != "file") entries["kind"] = kind;
  if (mapping == "expect[]")
    for (const char* word : {"id", "source"}) entries[word] = "x";
  if (mapping == "expect[]") entries["use"] = "validation";
  return entries;
}

void put(Entries& entries, const std::string& mapping, const std::string& kind,
         const std::string& name, const std::string& value) {
  static const std::map<std::string, std::vector<std::string>> instead = {
      {"rate", {"at"}}, {"client_node", {"client", "server"}}, {"server", {"client"}}};
  const auto gone = instead.find(name);
  const bool may_stand = mapping == "faults[]" && (kind == "pause" || kind == "drift");
  if (may_stand && gone != instead.end())
    for (const std::string& other : gone->second) entries.erase(other);
  if (mapping == "platform.topology" && (name == "up" || name == "parallel"))
    entries["down"] = "[4, 4]";
  if (kind == "order" && name == "profile") return;
  entries[name] = value;
}

static std::string flow(const Entries& entries) {
  std::string text;
  for (const auto& [name, value] : entries)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name, value);
  return "{" + text + "}";
}

static bool is(const Entries& entries, const std::string& name, const std::string& value) {
  const auto found = entries.find(name);
  return found != entries.end() && found->second == value;
}

std::string document(const std::string& mapping, const Entries& entries) {
  Entries top = {{"schema", "1"}, {"name", "t"}, {"protocol", "{name: shiftlock}"}};
  if (mapping.starts_with("expect") || mapping.starts_with("report") || mapping == "known[]" ||
      entries.contains("expect") || entries.contains("known")) {
    top.erase("protocol");
    top["sweep"] = "{grid: {protocol: [{name: cas}, {name: mcs}]}}";
  }
  if (mapping == "workload") {
    if (entries.contains("locality")) top["platform"] = "{colocated: true, servers: 2}";
    top["locks"] = is(entries, "kind", "file_io") ? "{count: 1}" : "{count: 1000}";
    if (is(entries, "kind", "index")) top["locks"] = "{count: 1M}";
  }
  if (mapping == "workload.index") top["locks"] = "{count: 100M}";
  if (mapping == "workload.files")
    top["locks"] = is(entries, "kind", "oltp") ? "{count: 2}" : "{count: 1}";
  if (mapping == "workload.files.roles") top["locks"] = "{count: 2}";
  if (mapping == "workload.files.roles" || entries.contains("roles"))
    top["platform"] = "{clients_per_node: 61}";
  if (entries.contains("by_group")) top["groups"] = "[{name: a}, {name: b}]";
  if (mapping.empty()) {
    for (const auto& [name, value] : entries) top[name] = value;
  } else {
    std::string rest = mapping;
    std::string value = flow(entries);
    while (!rest.empty()) {
      const std::size_t dot = rest.rfind('.');
      std::string name = rest.substr(dot == std::string::npos ? 0 : dot + 1);
      rest = dot == std::string::npos ? "" : rest.substr(0, dot);
      if (name.ends_with("[]")) value = "[" + value + "]";
      if (name.ends_with("[]")) name.resize(name.size() - 2);
      if (mapping == "workload.arrivals.list[]" && name == "list") value = value + ", kind: script";
      if (mapping == "workload.sizes" && name == "sizes") value = value + ", kind: range";
      if (mapping.starts_with("workload.files") && name == "files")
        value = value + ", kind: file_io";
      if (name == "data") value = value + ", kind: bt_io";
      if (name == "roles") value = value + ", kind: oltp";
      for (const auto& [key, of_kind] : {std::pair{"transactions", "transactions"},
                                         {"trace", "trace"},
                                         {"objects", "object_store"},
                                         {"index", "index"}})
        if (mapping == std::string("workload.") + key && name == key)
          value = value + ", kind: " + of_kind;
      if (rest.empty())
        top[name] = value;
      else
        value = fmt::format("{{{}: {}}}", name, value);
    }
  }
  std::string text;
  for (const auto& [name, value] : top) text += name + ": " + value + "\n";
  return text;
}

std::string problem_of(const std::string& mapping, const std::string& kind, const std::string& name,
                       const std::string& value) {
  Entries entries = base_of(mapping, kind);
  put(entries, mapping, kind, name, value);
  return problem(document(mapping, entries));
}

}  // namespace latchlab::scenario_test
