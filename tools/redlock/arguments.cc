#include "tools/redlock/arguments.h"

#include <fmt/core.h>

#include <charconv>
#include <functional>
#include <map>

#include "core/protocols/registry.h"
#include "tools/redlock/redlock.h"

namespace latchlab::bank {

namespace {

constexpr const char* kHelp = R"(latchlab-redlock [OPTION...]

Runs SmallBank with its accounts in Redis (amalgamate, balance, deposit, send-payment,
transact-savings and write-check: 15, 15, 15, 25, 15 and 15 %). A lock protects every row: RedLock,
which uses keys in Redis, or a lock of Latchlab on an RDMA device. The program starts redis-server,
on loopback and without persistence, and stops it at the end.

  latchlab-redlock --lock redlock                              needs no RDMA device
  latchlab-redlock --lock redlock --redis 3                    a majority of three servers
  latchlab-redlock --lock redlock --profile artifact           as ShiftLock's artifact used it
  latchlab-redlock --lock shiftlock,lease=1s --lock redlock    the same bank with both locks
  latchlab-redlock --lock none --accounts 4                    loses money, and prints where

At the end every row must have the value that clients wrote, and the bank the sum that they paid in:
the program finds and prints updates that were lost because a lock failed. The files of results are
those of `latchlab run`, with one cycle per transaction: `latchlab report DIR` shows them, `latchlab
compare DIR DIR` compares them.

--lock NAME[,PARAM=VALUE...]  redlock, none, or any of `latchlab list protocols` (redlock);
                              repeated: one after the other. Parameters of redlock are those of
                              redlock_model: ttl, tries, retry_delay, call_timeout, validity ...
--profile paper|artifact      artifact: 3 attempts, pauses up to 200 ms, a new TCP connection for
                              each command of a lock, grants without end, Balance without locks.
                              paper (default): two-phase locking for all transactions, permanent
                              connections, no writes after the end of a grant
--redis N                     servers of RedLock, 1 to 9; the first stores the accounts (1)
--port P                      port of the first server; the others use the next ones (free ports)
--redis-server PATH           the program (redis-server; Debian package redis-server)
--accounts N                  number of accounts; fewer have more contention (1000000)
--clients N                   number of clients (8); with RedLock one thread each
--workers N                   number of client threads with a lock on RNICs (1)
--device NAME, --address IP, --agents    as for latchlab run --backend ibverbs
--warmup T, --duration T      (500ms, 2s)
--seed N, --repeats N         (1, 1)
--out DIR                     directory for results (results/smallbank-redis-N)
--data DIR                    as for latchlab
--json                        print results.json on stdout
--quiet                       print only errors

Exit status: 0 fine; 1 money was lost, or a run failed (finished runs are kept); 2 bad input; 3 no
redis-server, or no RDMA device; 130 interrupted.
)";

Status number(const std::string& option, const std::string& text, std::uint64_t least,
              std::uint64_t most, const std::function<void(std::uint64_t)>& take) {
  std::uint64_t value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc() || end != text.data() + text.size() || value < least || value > most)
    return Error{
        fmt::format("{} takes a number from {} to {}, not '{}'", option, least, most, text), {}};
  take(value);
  return fine();
}

using Take = std::function<Status(const std::string& value)>;

std::map<std::string, Take> options_of(Arguments& to) {
  std::map<std::string, Take> all;
  const auto text = [&all](const char* name, std::string& field) {
    all[name] = [&field](const std::string& value) {
      field = value;
      return fine();
    };
  };
  const auto count = [&all](const char* name, std::uint64_t least, std::uint64_t most,
                            auto& field) {
    all[name] = [name, least, most, &field](const std::string& value) {
      return number(name, value, least, most, [&field](std::uint64_t read) {
        field = static_cast<std::remove_reference_t<decltype(field)>>(read);
      });
    };
  };
  const auto list = [&all](const char* name, std::vector<std::string>& field) {
    all[name] = [&field](const std::string& value) {
      field.push_back(value);
      return fine();
    };
  };
  list("--lock", to.locks);
  list("--address", to.setting.addresses);
  text("--redis-server", to.setting.redis.program);
  text("--device", to.setting.device);
  text("--warmup", to.warmup);
  text("--duration", to.duration);
  text("--seed", to.seed);
  text("--repeats", to.repeats);
  text("--out", to.out);
  text("--data", to.data);
  count("--redis", 1, 9, to.setting.redis.count);
  count("--port", 1, 65'000, to.setting.redis.port);
  count("--accounts", 2, 100'000'000, to.setting.accounts);
  count("--clients", 1, 10'000, to.clients);
  count("--workers", 1, 254, to.setting.workers);
  all["--profile"] = [&to](const std::string& value) -> Status {
    if (value != "paper" && value != "artifact")
      return Error{fmt::format("--profile takes paper or artifact, not '{}'", value), {}};
    to.setting.artifact = value == "artifact";
    return fine();
  };
  return all;
}

std::map<std::string, bool*> flags_of(Arguments& to) {
  return {{"--json", &to.json},
          {"--quiet", &to.quiet},
          {"--help", &to.help},
          {"-h", &to.help},
          {"--agents", &to.setting.agents}};
}

std::string name_in(const std::string& lock) {
  return lock.substr(0, lock.find(','));
}

// "redlock,ttl=1s" as the YAML of a scenario.
std::string protocol_of(const std::string& lock, const Arguments& arguments) {
  const std::string name = name_in(lock);
  std::string own = lock.substr(name.size());  // ",ttl=1s"
  const auto gives = [&own](const char* key) {
    return own.find("," + std::string(key) + "=") != own.npos;
  };
  std::string made = "{name: " + name;
  if (name == "none") made = "{name: redlock_model, label: none";
  if (name == "redlock") {
    const bool several = arguments.setting.redis.count > 1;
    made = "{name: redlock_model";
    if (!gives("label")) made += ", label: redlock";
    if (arguments.setting.artifact && !gives("profile")) made += ", profile: shiftlock_artifact";
    made += several ? ", masters: all" : ", masters: one";
  }
  for (std::size_t at = own.find('='); at != own.npos; at = own.find('=', own.find(',', at)))
    own.replace(at, 1, ": ");
  for (std::size_t at = own.find(','); at != own.npos; at = own.find(',', at + 2))
    own.replace(at, 1, ", ");
  return made + own + "}";
}

}  // namespace

std::string help_text() {
  return kHelp;
}

Result<Arguments> parse_arguments(const std::vector<std::string>& words) {
  Arguments made;
  const auto options = options_of(made);
  const auto flags = flags_of(made);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    if (const auto flag = flags.find(words[i]); flag != flags.end()) {
      *flag->second = true;
      continue;
    }
    const auto option = options.find(name);
    if (option == options.end()) return Error{fmt::format("there is no option '{}'", words[i]), {}};
    const bool inside = equals != std::string::npos;
    if (!inside && i + 1 == words.size()) return Error{fmt::format("{} takes a value", name), {}};
    if (Status taken = option->second(inside ? words[i].substr(equals + 1) : words[++i]); !taken)
      return taken.error();
  }
  if (made.locks.empty()) made.locks = {"redlock"};
  for (const std::string& lock : made.locks) {
    const bool none = name_in(lock) == "none";
    if (none && (made.locks.size() > 1 || !made.out.empty()))
      return Error{
          "--lock none is no lock: it shows that lost money is found, stands alone, and "
          "keeps no results (no --out)",
          {}};
    made.setting.no_lock = none;
    if (!none && name_in(lock) != "redlock" && find_protocol(name_in(lock)) == nullptr)
      return Error{
          fmt::format("--lock {}: there is no such lock; redlock, none, or one of latchlab "
                      "list protocols",
                      lock),
          {}};
  }
  return made;
}

std::string scenario_text(const Arguments& arguments) {
  std::string locks;
  for (const std::string& lock : arguments.locks)
    locks += "      - " + protocol_of(lock, arguments) + "\n";
  const Setting& setting = arguments.setting;
  return fmt::format(
      "schema: 1\nname: smallbank-redis\n"
      "description: \"SmallBank on {} accounts in Redis, profile {}, RedLock with --redis {}; a "
      "cycle "
      "is a transaction, of up to three locks\"\n"
      "platform: {{nic: connectx-5, servers: 1, client_nodes: 1, clients_per_node: {}}}\n"
      "locks: {{count: {}}}\n"
      "run: {{warmup: {}, duration: {}, seed: {}, repeats: {}}}\n"
      "sweep:\n  grid:\n    protocol:\n{}",
      setting.accounts, setting.artifact ? "artifact" : "paper", setting.redis.count,
      arguments.clients, 2 * setting.accounts, arguments.warmup, arguments.duration, arguments.seed,
      arguments.repeats, locks);
}

Status check_points(const Arguments& arguments, const Scenario& scenario) {
  for (const Point& point : scenario.points) {
    if (!is_redlock(point)) continue;
    const redlock::Options options = redlock_options(point.protocol.params);
    const bool all = point.protocol.params.choice("masters") == "all";
    if (options.ttl.ps % milliseconds(1).ps != 0)
      return Error{fmt::format("ttl of {} is {}: Redis counts in whole milliseconds",
                               point.protocol.label, format_duration(options.ttl)),
                   {}};
    if (all != (arguments.setting.redis.count > 1))
      return Error{fmt::format("masters of {}: how many servers keep a key is said by --redis N",
                               point.protocol.label),
                   {}};
  }
  return fine();
}

}  // namespace latchlab::bank
