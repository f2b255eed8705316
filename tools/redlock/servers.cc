#include "tools/redlock/servers.h"

#include <fmt/core.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include "core/launch/socket.h"
#include "tools/redlock/connection.h"

namespace latchlab::bank {

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
