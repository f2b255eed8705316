#include "core/run/files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "core/base/fingerprint.h"

namespace latchlab {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPart = ".part";         // suffix of files that are being written
constexpr const char* kClaim = "/claim.part";  // the claim of a directory; has the same suffix

// A rename is durable only after its directory is flushed. Failure is ignored: some file systems
// cannot flush directories.
void flush_directory_of(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  const int file =
      ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  ::fsync(file);
  ::close(file);
}

bool write_whole(int file, const std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t written = ::write(file, text.data() + at, text.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    at += static_cast<std::size_t>(written);
  }
  return ::fsync(file) == 0;
}

Error cannot_create(const std::string& path, const std::error_code& why) {
  return {fmt::format("cannot create {}: {}; choose another place with --out", path, why.message()),
          {}};
}

bool is_empty_directory(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error) && fs::is_empty(path, error);
}

// The number N of NAME-N.
std::optional<std::uint32_t> number_of(const std::string& file, const std::string& name) {
  if (file.size() <= name.size() + 1 || !file.starts_with(name + "-")) return std::nullopt;
  std::uint32_t number = 0;
  const char* const end = file.data() + file.size();
  const auto [stop, error] = std::from_chars(file.data() + name.size() + 1, end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// The results/NAME-N with the largest N; empty: none.
std::string newest_directory(const std::string& name) {
  std::string newest;
  std::uint32_t greatest = 0;
  std::error_code error;
  for (fs::directory_iterator at("results", error), end; !error && at != end; at.increment(error)) {
    const auto number = number_of(at->path().filename().string(), name);
    if (!number || *number <= greatest || !at->is_directory(error)) continue;
    greatest = *number;
    newest = at->path().string();
  }
  return newest;
}

// True for the directory of a run that was interrupted before it wrote a result.
bool is_begun(const std::string& path) {
  std::error_code error;
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    const bool points = at->path().filename() == "points" && is_empty_directory(at->path());
    if (!points && at->path().extension() != kPart) return false;
  }
  return !error;
}

// Removes unfinished files of killed programs.
void remove_parts(const std::string& folder) {
  std::vector<fs::path> parts;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == kPart && at->is_regular_file(error)) parts.push_back(at->path());
  for (const fs::path& part : parts) fs::remove(part, error);
}

}  // namespace

std::string checksum_of(std::string_view text) {
  Fingerprint hash;
  hash.add(text.size());
  for (const char c : text) hash.add(static_cast<unsigned char>(c));
  return hash.text();
}

Status write_atomically(const std::string& path, const std::string& text) {
  const std::string beside = fmt::format("{}.{}{}", path, ::getpid(), kPart);
  const auto problem = [&] {
    Error error{fmt::format("cannot write {}: {}", path, strerror(errno)), {}};
    ::unlink(beside.c_str());
    return error;
  };
  const int file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return problem();
  if (!write_whole(file, text)) {
    const Error error = problem();
    ::close(file);
    return error;
  }
  if (::close(file) != 0 || ::rename(beside.c_str(), path.c_str()) != 0) return problem();
  flush_directory_of(path);
  return fine();
}

Result<bool> claim_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0 && errno == EEXIST) return false;
  if (file < 0) return Error{fmt::format("cannot write {}: {}", path, strerror(errno)), {}};
  ::close(file);
  return true;
}

namespace {

Error is_taken(const std::string& directory) {
  return {fmt::format("{} exists already and results are never overwritten; choose another "
                      "--out, or go on with that run by --resume",
                      directory),
          {}};
}

Error is_written_to(const std::string& directory) {
  return {fmt::format("another latchlab writes into {}; wait for it, or choose another --out",
                      directory),
          {}};
}

// Claims an existing directory. Whether it is empty can be checked only after it is claimed.
Result<ResultsDirectory> claim_directory(const std::string& path) {
  auto lock = DirectoryLock::take(path);
  if (!lock) return lock.error();
  const std::string file = path + kClaim;
  const auto claimed = claim_file(file);
  if (!claimed) return claimed.error();
  if (!claimed.value()) return is_written_to(path);
  ResultsDirectory directory{path, std::move(lock).value(), DirectoryClaim(file)};
  std::error_code error;
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
    if (at->path() != file) return is_taken(path);
  if (error) return cannot_create(path, error);
  return directory;
}

}  // namespace

Status check_results_directory(const std::string& wanted) {
  std::error_code error;
  if (!fs::exists(wanted, error) || is_empty_directory(wanted)) return fine();
  return is_taken(wanted);
}

Result<ResultsDirectory> claim_results_directory(const std::string& wanted,
                                                 const std::string& name) {
  std::error_code error;
  if (!wanted.empty()) {
    if (Status usable = check_results_directory(wanted); !usable) return usable.error();
    fs::create_directories(wanted, error);
    if (error) return cannot_create(wanted, error);
    return claim_directory(wanted);
  }
  fs::create_directories("results", error);
  for (int n = 1; !error && n < 1'000'000; ++n) {
    const std::string path = fmt::format("results/{}-{}", name, n);
    if (fs::create_directory(path, error)) return claim_directory(path);  // else: exists, or error
  }
  return cannot_create("a directory under results/", error);
}

Result<ResultsDirectory> reopen_results_directory(const std::string& wanted,
                                                  const std::string& name,
                                                  const std::string& mark) {
  const std::string path = wanted.empty() ? newest_directory(name) : wanted;
  std::error_code error;
  if (path.empty()) return claim_results_directory(wanted, name);
  if (!fs::exists(path, error) || fs::is_empty(path, error))
    return Error{fmt::format("{} {}, so there is no run to go on with; look at --out, or leave "
                             "--resume away to begin one",
                             path, fs::exists(path, error) ? "is empty" : "does not exist"),
                 {}};
  if (!mark.empty() && !fs::exists(path + "/" + mark, error) && !is_begun(path))
    return Error{fmt::format("{} holds no run: there is no {}; choose another --out", path, mark),
                 {}};
  auto lock = DirectoryLock::take(path);
  if (!lock) return lock.error();
  for (const std::string& folder : {path, path + "/points"}) remove_parts(folder);
  return ResultsDirectory{path, std::move(lock).value(), {}};
}

Result<DirectoryLock> DirectoryLock::take(const std::string& directory) {
  constexpr int kTries = 100;
  constexpr useconds_t kPauseUs = 20'000;
  const int file = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return Error{fmt::format("cannot open {}: {}", directory, strerror(errno)), {}};
  for (int tries = 0; ::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; ++tries) {
    if (tries == kTries) {
      ::close(file);
      return is_written_to(directory);
    }
    ::usleep(kPauseUs);
  }
  return DirectoryLock(file);
}

DirectoryClaim::~DirectoryClaim() {
  if (!file_.empty()) ::unlink(file_.c_str());
}

DirectoryLock::~DirectoryLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace latchlab
