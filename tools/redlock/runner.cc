#include "tools/redlock/runner.h"

#include <fmt/core.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <thread>
#include <utility>

#include "core/launch/socket.h"
#include "tools/redlock/client.h"
#include "tools/redlock/connection.h"
#include "tools/redlock/on_rnics.h"
#include "tools/redlock/redlock.h"

namespace latchlab::bank {

namespace {

using std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLook{5};
constexpr std::chrono::milliseconds kDying{200};  // a connection breaks before its process ends

// The planted bug.
class NoLock final : public LockClient {
 public:
  Task<AcquireResult> acquire(Want want, AcquireOptions /*options*/) override {
    co_return Grant(want);
  }
  Task<ReleaseResult> release(Grant /*grant*/) override { co_return ReleaseResult::released; }
};

// A client on a separate thread, with its locks in Redis or, with `no_lock`, without locks.
struct ThreadClient {
  ThreadClient(ClientParts parts, Branch& branch, const Point& point, const Setting& setting,
               const Servers& servers, steady_clock::time_point start)
      : place(start), redis(servers.port(0), place) {
    std::vector<Instance*> masters;
    const auto how = setting.artifact ? Connections::per_command : Connections::kept;
    for (std::size_t i = 0; i < servers.count(); ++i)
      masters.push_back(
          instances.emplace_back(std::make_unique<RedisInstance>(servers.port(i), place, how))
              .get());
    const auto key = [accounts = setting.accounts](LockId row) {
      return "lock:" + name_of_row(row, accounts);
    };
    if (setting.no_lock)
      locks = std::make_unique<NoLock>();
    else
      locks = std::make_unique<RedLock>(
          redlock_options(point.protocol.params), masters, key, place,
          Rng(parts.seed, parts.id.value, StreamPurpose::protocol).next());
    parts.place = &place;
    parts.locks = locks.get();
    parts.redis = &redis;
    client = std::make_unique<Client>(parts, branch);
  }

  ThreadIo place;
  Connection redis;
  std::vector<std::unique_ptr<RedisInstance>> instances;
  std::unique_ptr<LockClient> locks;
  std::unique_ptr<Client> client;
};

void add(const Client& client, BankRun& run) {
  run.shares.push_back(client.share());
  run.outside += client.outside();
}

BankRun run_on_threads(const Point& point, const Setting& setting, std::uint64_t seed,
                       const Servers& servers, Branch& branch, const std::function<void()>& look) {
  std::vector<std::unique_ptr<ThreadClient>> clients;
  const auto start = steady_clock::now();
  for (std::uint32_t i = 0; i < point.platform.clients(); ++i) {
    ClientParts parts;
    parts.id = ClientId{i};
    parts.clients = point.platform.clients();
    parts.seed = seed;
    clients.push_back(
        std::make_unique<ThreadClient>(parts, branch, point, setting, servers, start));
  }
  std::atomic<std::size_t> ended = 0;
  std::vector<std::thread> threads;
  for (const auto& each : clients)
    threads.emplace_back([&ended, client = each->client.get()] {
      run_here(client->run());
      ++ended;
    });
  for (; ended < clients.size(); std::this_thread::sleep_for(kLook)) look();
  for (std::thread& thread : threads) thread.join();
  BankRun run;
  for (const auto& each : clients) add(*each->client, run);
  return run;
}

RepeatOutcome refused(RepeatStatus status, std::string why) {
  RepeatOutcome outcome;
  outcome.status = status;
  outcome.message = std::move(why);
  return outcome;
}

// The repeat's metrics and the result of the audit.
RepeatOutcome judge(const Point& point, const Ledger& ledger, const BankRun& run,
                    const Servers& servers) {
  ShareOutcome share;
  share.shares = run.shares;
  RepeatOutcome outcome = merge_outcomes(point, {&share, 1});
  if (outcome.status == RepeatStatus::failed) return outcome;
  ThreadIo place(steady_clock::now());
  Connection redis(servers.port(0), place);
  const auto audit = ledger.audit(redis, run.outside);
  if (!audit) return refused(RepeatStatus::failed, audit.error().text());
  std::uint64_t over = 0;
  for (const PartialMetrics& each : run.shares) over += each.expired_holds;
  outcome.metrics.safety = {audit.value().rows, audit.value().wrong, over, std::nullopt};
  if (audit.value().violation.empty()) return outcome;
  outcome.status = RepeatStatus::unsafe;
  outcome.message = audit.value().violation;
  return outcome;
}

}  // namespace

bool is_redlock(const Point& point) {
  return point.protocol.name == "redlock_model";
}

RepeatOutcome run_bank(const Point& point, std::uint32_t repeat, const Setting& setting,
                       const StopAsked& stop) {
  const std::uint64_t seed = repeat_seed(point.run.seed, repeat);
  ServerOptions options = setting.redis;
  const bool in_redis = setting.no_lock || is_redlock(point);
  if (!in_redis) options.count = 1;  // for the accounts
  auto servers = Servers::start(options);
  if (!servers) return refused(RepeatStatus::failed, servers.error().text());
  Ledger ledger(setting.accounts, seed);
  {
    ThreadIo place(steady_clock::now());
    Connection redis(servers.value().port(0), place);
    if (Status loaded = ledger.load(redis); !loaded)
      return refused(RepeatStatus::failed, loaded.error().text());
  }
  Branch branch(ledger, Time{} + point.run.earliest(), point.run.duration, !setting.artifact);
  const auto look = [&] {
    if (stop()) branch.stop();
    if (Status runs = servers.value().check(); !runs) branch.fail(runs.error().text());
  };
  const BankRun run =
      in_redis ? run_on_threads(point, setting, seed, servers.value(), branch, look)
               : run_on_rnics(point, setting, seed, servers.value().port(0), branch, look);
  if (run.status != RepeatStatus::ok) return refused(run.status, run.why);
  if (std::string why = branch.failure(); !why.empty()) {
    std::this_thread::sleep_for(kDying);
    if (Status runs = servers.value().check(); !runs) why = runs.error().text();
    return refused(RepeatStatus::failed, why);
  }
  return judge(point, ledger, run, servers.value());
}

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kStarting{30};
constexpr std::chrono::milliseconds kAskAgain{10};

// Returns `wanted` if it is free; for 0, any free port.
Result<std::uint16_t> free_port(std::uint16_t wanted) {
  auto socket = launch::listen_at({"127.0.0.1", wanted});
  if (socket) return launch::port_of(socket.value());
  return Error{
      fmt::format("port {} is in use, or not yours to take; name another by --port, or leave "
                  "the option out for any that is free",
                  wanted),
      {}};
}

Result<std::string> make_directory() {
  std::error_code none;
  std::string made = (fs::temp_directory_path(none) / "latchlab-redis-").string();
  made.append(6, 'X');
  if (::mkdtemp(made.data()) == nullptr)
    return Error{fmt::format("cannot make a directory {}: {}", made, std::strerror(errno)), {}};
  return made;
}

// Shortens LocalMembers' text to how the process ended and, if it ended by itself, its last line.
std::string in_short(const std::string& words) {
  const std::size_t end = words.find_last_not_of('\n');
  const std::size_t last = words.rfind('\n', end);
  const std::string how = words.substr(0, words.find(';'));
  const bool killed = how.find("signal") != how.npos;
  return last == words.npos || killed ? how : how + ": " + words.substr(last + 1, end - last);
}

std::string version_in(const std::string& info) {
  const std::string key = "redis_version:";
  const std::size_t at = info.find(key);
  if (at == info.npos) return "of unknown version";
  return info.substr(at + key.size(), info.find_first_of("\r\n", at) - at - key.size());
}

}  // namespace

Result<Servers> Servers::start(const ServerOptions& options) {
  Servers servers;
  for (std::uint32_t i = 0; i < options.count; ++i) {
    const auto port = free_port(options.port == 0 ? 0 : options.port + i);
    if (!port) return port.error();
    if (Status started = servers.start_one(options.program, port.value()); !started)
      return started.error();
  }
  return servers;
}

Status Servers::start_one(const std::string& program, std::uint16_t port) {
  const auto directory = make_directory();
  if (!directory) return directory.error();
  launch::LocalMemberOptions options;
  options.argv = {program,  "--port",          std::to_string(port),
                  "--bind", "127.0.0.1",       "--save",
                  "",       "--appendonly",    "no",
                  "--dir",  directory.value(), "--loglevel",
                  "warning"};
  auto process = launch::LocalMembers::start(std::move(options));
  Status answers = fine();
  if (process) {
    processes_.push_back(std::move(process).value());
    ports_.push_back(port);
    answers = await_answer(port);
  } else {
    answers = Error{fmt::format("{}; install the Debian package redis-server (sudo apt-get install "
                                "redis-server), or name the program by --redis-server PATH",
                                process.error().text()),
                    {}};
  }
  std::error_code none;
  fs::remove_all(directory.value(), none);  // Redis runs in it, but stores nothing there
  return answers;
}

Status Servers::await_answer(std::uint16_t port) {
  ThreadIo place(std::chrono::steady_clock::now());
  const auto give_up = std::chrono::steady_clock::now() + kStarting;
  for (;;) {
    Connection connection(port, place);
    const std::vector<std::string> ask = {"INFO", "server"};
    const auto told = run_here(connection.command(ask));
    if (Status runs = check(); !runs) return runs;
    if (told) version_ = version_in(told.value().text);
    if (told) return fine();
    if (std::chrono::steady_clock::now() > give_up)
      return Error{fmt::format("Redis does not start: {}", told.error().text()), {}};
    std::this_thread::sleep_for(kAskAgain);
  }
}

Status Servers::check() {
  for (std::size_t i = 0; i < processes_.size(); ++i)
    if (Status runs = processes_[i].check(); !runs)
      return Error{fmt::format("the Redis at 127.0.0.1:{} has ended: {}", ports_[i],
                               in_short(runs.error().text())),
                   {}};
  return fine();
}

}  // namespace latchlab::bank
