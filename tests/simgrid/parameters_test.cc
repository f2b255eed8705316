// Every parameter of every lock has an effect: some run differs between two of its values. A
// parameter that is read and then ignored fails here.

#include <algorithm>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "tests/non_empty.h"
#include "tests/simgrid/runs.h"

namespace latchlab::simtest {
namespace {

// A protocol and one of its parameters.
struct Subject {
  const ProtocolInfo* info = nullptr;
  const ParamSpec* param = nullptr;
};

std::ostream& operator<<(std::ostream& out, const Subject& subject) {
  return out << subject.info->name << "." << subject.param->name;
}

const std::vector<ProtocolInfo>& infos() {
  static const std::vector<ProtocolInfo> all = protocol_infos();
  return all;
}

std::vector<Subject> all_parameters() {
  std::vector<Subject> subjects;
  for (const ProtocolInfo& info : infos())
    for (const ParamSpec& param : info.params) subjects.push_back({&info, &param});
  return subjects;
}

std::vector<ParamValue> values_of(const ParamSpec& param) {
  switch (param.kind) {
    case ParamKind::boolean:
      return {false, true};
    case ParamKind::choice:
      return {param.choices.begin(), param.choices.end()};
    case ParamKind::integer: {
      const std::set<std::int64_t> some = {param.min, std::min(param.min + 1, param.max),
                                           std::min(param.min + 3, param.max), param.max};
      return {some.begin(), some.end()};
    }
    case ParamKind::duration: {
      std::vector<ParamValue> some = {Duration{param.min}};
      for (const Duration each : {nanoseconds(500), microseconds(5), microseconds(100)})
        if (each.ps > param.min && each.ps < param.max) some.emplace_back(each);
      return some;
    }
  }
  return {};
}

// Contention; clients that crash; clients that pause for longer than any lease; many messages at
// once; locks held together; locks of the client's own node; upgrades; WRITEs under a lock; ranges.
const std::vector<std::string>& situations() {
  static const std::vector<std::string> all = {
      R"(platform: {client_nodes: 2, clients_per_node: 6}
locks: {count: 3}
workload: {read_ratio: 50%, critical_section: 2us})",
      R"(platform: {client_nodes: 2, clients_per_node: 4, clocks: {drift: 100ppm}}
locks: {count: 2}
workload: {read_ratio: 50%}
faults: [{kind: client_crash, client: 1, at: 250us}, {kind: client_crash, client: 4, at: 300us}])",
      R"(platform: {client_nodes: 2, clients_per_node: 4}
locks: {count: 1}
workload: {read_ratio: 40%}
faults:
- {kind: pause, client: 2, at: 250us, length: 300us}
- {kind: pause, client: 5, at: 700us, length: 300us})",
      R"(platform: {client_nodes: 2, clients_per_node: 20}
locks: {count: 40}
workload: {locks_per_section: 2})",
      // Few enough clients for the narrow counters of small models.
      R"(platform: {client_nodes: 3, clients_per_node: 1}
locks: {count: 1}
workload: {read_ratio: 50%, critical_section: 10us}
faults: [{kind: pause, rate: 5000, length: 150us}])",
      R"(platform: {client_nodes: 3, clients_per_node: 2}
locks: {count: 1}
workload: {read_ratio: 60%, critical_section: 10us}
faults: [{kind: pause, rate: 2000, length: 700us}])",
      R"(platform: {client_nodes: 5, clients_per_node: 2, topology: {kind: fat_tree, down: [2, 4]}}
locks: {count: 1})",
      R"(platform: {servers: 2, client_nodes: 2, clients_per_node: 2}
locks: {count: 3})",
      R"(platform: {servers: 2, client_nodes: 2, clients_per_node: 4, colocated: true}
locks: {count: 2}
workload: {critical_section: 2us})",
      R"(platform: {client_nodes: 3, clients_per_node: 1}
locks: {count: 1}
workload: {read_ratio: 30%, update_ratio: 40%, upgrade_ratio: 50%, critical_section: 2us})",
      R"(platform: {client_nodes: 4, clients_per_node: 2}
locks: {count: 1}
workload: {read_ratio: 50%, critical_section: {remote_ops: 1}})",
      // Ranges within a small tree, across its nodes and beyond it; and a file that grows.
      R"(platform: {client_nodes: 4, clients_per_node: 6, clocks: {drift: 100ppm}}
locks: {count: 1}
workload:
  {kind: range, units: 1024, sizes: {values: [1, 16, 64, 100, 256, 700], by: operation},
   critical_section: 2us})",
      R"(platform: {client_nodes: 4, clients_per_node: 6}
locks: {count: 1}
workload:
  {kind: range, units: 256, sizes: {values: [1, 16, 64, 100], by: operation}, critical_section: 2us}
faults: [{kind: pause, rate: 2000, length: 150us}])",
      R"(platform: {client_nodes: 2, clients_per_node: 8}
locks: {count: 1}
workload: {kind: file_io, files: {kind: hard_write, access_bytes: 256KiB, data: false}})",
      // Locks side by side.
      R"(platform: {client_nodes: 2, clients_per_node: 4}
locks: {count: 4, stride: null})",
  };
  return all;
}

// Trees that grow, another value of m in the middle, and leases that sections nearly reach.
void set_beside_of_citron(ParamSet& base, const std::string& param) {
  const std::set<std::string> grows = {"scale_up_levels", "allocation_time", "propagation",
                                       "expansion",       "exp_bits",        "scale_up_poll",
                                       "scale_up_by",     "out_of_bounds"};
  const std::set<std::string> tunes = {"tune_meet", "tune_t_wait", "acknowledge"};
  if (grows.count(param) > 0) {
    base.set("units", std::int64_t{256});
    if (param != "scale_up_poll") base.set("scale_up_poll", microseconds(20));
  }
  if (tunes.count(param) > 0) base.set("tune_after", microseconds(300));
  if (param == "patience") base.set("lease", microseconds(10));
  if (param == "fallback" || param == "between_nodes") {
    base.set("nodes", std::int64_t{2});
    base.set("leaf_tries", std::int64_t{1});
  }
}

// Other parameters that must be set for a value to be allowed or to matter.
ParamSet with(ParamSet base, const Subject& subject, const ParamValue& value) {
  const std::string what = subject.info->name + "." + subject.param->name;
  const auto text = [](const char* choice) { return ParamValue(std::string(choice)); };
  base.set(subject.param->name, value);
  if (what == "dslr.entry") {  // the tickets of a short run never come near the limit
    base.set("fields", text("masked_faa"));
    base.set("ticket_bits", std::int64_t{16});
    base.set("over_limit", text(value == text("wide16") ? "wrap" : "stay"));
  }
  if (what == "dslr.max_slots") base.set("reserve", base.duration("lease") * 2);
  if (what == "dslr.reserve") {
    base.set("max_slots", std::int64_t{2});
    base.set("lease", microseconds(50));
  }
  if (what.ends_with("watermark_percent")) {
    if (base.values().count("backoff") > 0) base.set("backoff", text("truncated_exponential"));
    base.set("adapt_interval", microseconds(10));
  }
  const bool queues = what.starts_with("traditional") || what.starts_with("n_cosed");
  if (queues && subject.param->name.starts_with("backoff_")) base.set("timeout", microseconds(20));
  if (what == "n_cosed.backoff_bound") {  // many timeouts in a row
    base.set("timeout", nanoseconds(1));
    base.set("backoff_first", nanoseconds(500));
  }
  if (what == "cql.resend" || what == "declock.resend") base.set("messages", text("ud"));
  if (what == "cql.overflow" || what == "declock.overflow") base.set("capacity", std::int64_t{2});
  if (what.ends_with(".packed")) base.set("unlock_by", text("faa"));
  if (what == "declock.local_bound" || what == "declock.bound_counts")
    base.set("transfer", text("local_bound"));
  if (what == "declock.readers_first") {
    base.set("fairness", text("phase_fair"));
    base.set("transfer", text("local_prefer"));
  }
  if (what.starts_with("citron.")) set_beside_of_citron(base, subject.param->name);
  if (what.starts_with("redlock_model.")) {  // sections are longer than keys live
    if (subject.param->name != "drift_least") base.set("drift_least", Duration{});
    if (subject.param->name != "ttl") base.set("ttl", microseconds(5));
  }
  return base;
}

// The observable outcome of a run.
std::string seen(const Point& point) {
  const RepeatOutcome outcome = outcome_of(point);
  return std::to_string(static_cast<int>(outcome.status)) + outcome.message +
         outcome.metrics.fingerprint;
}

class Parameters : public testing::TestWithParam<Subject> {};
INSTANTIATE_TEST_SUITE_P(Shipped, Parameters, testing::ValuesIn(all_parameters()),
                         [](const auto& made) {
                           return made.param.info->name + "_" + made.param.param->name;
                         });

// Parameters whose effect this test cannot see, and the tests that see it. A number in messages
// that decides only when one from two lives ago arrives: tests/protocols/shiftlock/messages_test.cc
// makes one. The number of attempts after which an acquisition begins anew, and a value that
// matters when a deletion is late: tests/protocols/redlock_model. What is done about dead clients
// when membership reports them, which is after these runs: tests/protocols/cql. What is taken back
// by a request that has been paused for a lease: tests/protocols/citron/undo_test.cc.
bool unseen_in_time(const Subject& subject) {
  const std::string what = subject.info->name + "." + subject.param->name;
  return what == "shiftlock.message_number" || what == "redlock_model.tries" ||
         what == "redlock_model.value" || what == "citron.undo" || what.ends_with(".evict_dead");
}

// Whether runs of the point differ between values of the parameter, over the values of a base.
bool differ(Point point, const ParamSet& base, const Subject& subject) {
  const auto& [info, param] = subject;
  std::vector<ParamValue> values = values_of(*param);
  values.push_back(base.values().find(param->name)->second);
  std::set<std::string> outcomes;
  for (const ParamValue& value : values) {
    point.protocol.params = with(base, subject, value);
    if (info->contradiction != nullptr && !info->contradiction(point.protocol.params).empty())
      continue;
    outcomes.insert(seen(point));
    if (outcomes.size() > 1) return true;
  }
  return false;
}

TEST_P(Parameters, change_the_outcome_of_a_run) {
  if (unseen_in_time(GetParam())) GTEST_SKIP() << "a test of its own sees it";
  const ProtocolInfo& info = *GetParam().info;
  std::vector<ParamSet> bases = {find_protocol(info.name)->small_params()};
  for (const Profile& profile : info.profiles) bases.push_back(info.resolve(profile.name));
  // What few faults bring about happens with some seed.
  for (std::uint64_t seed = 1; seed <= 16; ++seed)
    for (const std::string& situation : situations()) {
      Point point = point_of("protocol: {name: " + info.name + "}\n" + situation);
      point.run.seed = seed;
      if (!point.faults.empty())
        point.run.duration = milliseconds(10);
      else if (seed > 1)
        continue;
      for (const ParamSet& base : bases)
        if (differ(point, base, GetParam())) return;
    }
  ADD_FAILURE() << "no run differs, whatever the value";
}

// Without this, the test above could see differences that mean nothing.
TEST(EqualParameters, give_equal_runs) {
  for (const ProtocolInfo& info : non_empty(infos()))
    for (const std::string& situation : non_empty(situations())) {
      const Point point = point_of("protocol: {name: " + info.name + "}\n" + situation);
      EXPECT_EQ(seen(point), seen(point)) << info.name;
    }
}

}  // namespace
}  // namespace latchlab::simtest
