#include "core/run/point_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "core/base/fingerprint.h"
#include "core/base/json.h"
#include "core/run/child.h"
#include "core/run/files.h"
#include "core/scenario/resolve.h"

namespace latchlab {
namespace fs = std::filesystem;

namespace {

constexpr const char* kSuperseded = "/points/superseded";
// {"checksum":"0123456789abcdef","key":...
constexpr std::string_view kChecksum = "{\"checksum\":\"";
constexpr std::size_t kChecksumDigits = 16;
constexpr std::string_view kWithoutChecksum = "{\"key\":";

void add_text(Fingerprint& hash, const std::string& text) {
  hash.add(text.size());
  for (const char c : text) hash.add(static_cast<unsigned char>(c));
}

// Streamed files are not hashed: their size and modification time identify them.
void add_file(Fingerprint& hash, const std::string& path) {
  if (path.empty()) return;
  std::error_code failure;
  hash.add(fs::file_size(path, failure));
  hash.add(
      static_cast<std::uint64_t>(fs::last_write_time(path, failure).time_since_epoch().count()));
}

// True for completed repeats; after a failure another attempt may succeed.
bool is_worth_keeping(const RepeatOutcome& outcome) {
  return outcome.status != RepeatStatus::failed && outcome.status != RepeatStatus::unavailable;
}

enum class Integrity : std::uint8_t { checked, without_checksum, damaged };

Integrity integrity_of(std::string_view text) {
  if (text.starts_with(kWithoutChecksum)) return Integrity::without_checksum;
  const std::size_t end = kChecksum.size() + kChecksumDigits;
  const bool has = text.starts_with(kChecksum) && text.size() > end &&
                   text.substr(kChecksum.size(), kChecksumDigits) == checksum_of(text.substr(end));
  return has ? Integrity::checked : Integrity::damaged;
}

std::string stored_text(const StoredRepeat& stored) {
  Json json;
  json["key"] = stored.key;
  json["version"] = stored.manifest.version;
  json["backend"] = stored.manifest.backend;
  json["emulated"] = stored.manifest.emulated;
  if (!stored.manifest.software.empty()) json["software"] = stored.manifest.software;
  if (!stored.manifest.plugins.empty()) json["plugins"] = stored.manifest.plugins;
  if (!stored.manifest.quick.empty()) json["quick"] = stored.manifest.quick;
  json["outcome"] = parse_json(serialise_outcome(stored.outcome));
  std::string rest = dump_json(json) + "\n";
  rest.replace(0, 1, "\",");  // replaces the brace: the checksum covers what follows its digits
  return std::string(kChecksum) + checksum_of(rest) + rest;
}

// run.precision may add repeats.
std::uint32_t most_repeats(const Point& point) {
  const RunSpec& run = point.run;
  return run.precision_ppb == 0 ? run.repeats : std::max(run.repeats, run.most_repeats);
}

bool all_text(const Json& list) {
  return list.is_array() &&
         std::all_of(list.begin(), list.end(), [](const Json& each) { return each.is_string(); });
}

}  // namespace

std::string repeat_key(const Point& point, std::uint32_t repeat, const std::string& program) {
  Point plain = point;
  plain.run.repeats = 1;
  plain.run.precision_ppb = 0;
  plain.run.precision_of = RunSpec{}.precision_of;
  plain.run.most_repeats = RunSpec{}.most_repeats;
  Fingerprint hash;
  add_text(hash, emit_yaml(write_point(plain, "")));
  for_each_workload(point, [&](const WorkloadSpec& workload) {
    add_file(hash, workload.trace.file);
    add_file(hash, workload.objects.trace);
  });
  add_text(hash, program);
  hash.add(repeat);
  return hash.text();
}

std::string point_file(const std::string& directory, std::size_t point, std::uint32_t repeat) {
  return fmt::format("{}/points/{:04}-{}.json", directory, point, repeat);
}

Result<StoredRepeat> read_point_file(const std::string& path) {
  const Error wrong{
      "not a repeat of a run, or damaged since it was written; latchlab run --resume runs it again",
      path};
  if (std::error_code error; fs::exists(path, error) && !fs::is_regular_file(path, error))
    return Error{"not a file; expected a repeat of a run", path};
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return Error{fmt::format("cannot be read: {}", strerror(errno)), path};
  std::ostringstream text;
  text << stream.rdbuf();
  const Integrity integrity = integrity_of(text.str());
  if (integrity == Integrity::damaged) return wrong;
  const Json json = parse_json(text.str());
  if (!json.is_object() || !json.contains("key") || !json["key"].is_string() ||
      !json.contains("version") || !json["version"].is_string() || !json.contains("backend") ||
      !json["backend"].is_string() || !json.contains("emulated") || !all_text(json["emulated"]) ||
      !json.contains("outcome"))
    return wrong;
  auto outcome = parse_outcome(dump_json(json["outcome"]));
  if (!outcome) return wrong;
  StoredRepeat stored;
  stored.key = json["key"].get<std::string>();
  stored.manifest.version = json["version"].get<std::string>();
  stored.manifest.backend = json["backend"].get<std::string>();
  stored.manifest.emulated = json["emulated"].get<std::vector<std::string>>();
  if (json.contains("plugins")) {
    if (!json["plugins"].is_array()) return wrong;
    for (const Json& each : json["plugins"]) {
      if (!all_text(each) || each.size() != 2) return wrong;
      stored.manifest.plugins.emplace_back(each[0].get<std::string>(), each[1].get<std::string>());
    }
  }
  if (json.contains("quick")) {
    if (!all_text(json["quick"])) return wrong;
    stored.manifest.quick = json["quick"].get<std::vector<std::string>>();
  }
  if (json.contains("software")) {
    if (!all_text(json["software"])) return wrong;
    stored.manifest.software = json["software"].get<std::vector<std::string>>();
  }
  stored.outcome = std::move(outcome).value();
  stored.checked = integrity == Integrity::checked;
  return stored;
}

Result<PointFiles> PointFiles::open(const std::string& directory, RunManifest manifest,
                                    std::string program) {
  std::error_code error;
  fs::create_directory(directory + "/points", error);
  if (error)
    return Error{fmt::format("cannot create {}/points: {}", directory, error.message()), {}};
  return PointFiles(directory, std::move(manifest), std::move(program));
}

std::vector<PointFiles::Found> PointFiles::read_all(const std::string& folder) {
  std::vector<Found> all;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() != ".json") continue;
    auto stored = read_point_file(at->path().string());
    if (!stored)
      warnings_.push_back(stored.error().text());
    else
      all.push_back({at->path().string(), std::move(stored).value()});
  }
  return all;
}

Result<std::string> PointFiles::move_to_superseded(const std::string& path) const {
  const std::string folder = directory_ + kSuperseded;
  std::error_code error;
  fs::create_directory(folder, error);
  const fs::path from(path);
  std::string to;
  // A fresh name, so that no existing file is replaced.
  for (int n = 0; !error && n < 1'000'000; ++n) {
    to = fmt::format("{}/{}.{}.json", folder, from.stem().string(), n);
    if (fs::exists(to, error)) continue;
    fs::rename(from, to, error);
    break;
  }
  if (error)
    return Error{fmt::format("cannot move {} to {}: {}", path, folder, error.message()), {}};
  return to;
}

Status PointFiles::adopt(const Scenario& scenario) {
  const std::vector<Found> here = read_all(directory_ + "/points");
  std::vector<Found> all = read_all(directory_ + kSuperseded);
  std::vector<std::string> copies;  // superseded files whose repeats are in place
  all.insert(all.end(), here.begin(), here.end());
  std::map<std::string, std::string> wanted;  // key -> file
  for (std::size_t p = 0; p < scenario.points.size(); ++p)
    for (std::uint32_t r = 0; r < most_repeats(scenario.points[p]); ++r)
      wanted.emplace(repeat_key(scenario.points[p], r, program_), point_file(directory_, p, r));
  bool related = here.empty();
  for (Found& found : all) {
    if (!wanted.contains(found.stored.key)) continue;
    related = true;
    if (!is_worth_keeping(found.stored.outcome)) continue;
    if (!found.stored.checked) {
      warnings_.push_back(
          Error{"has no checksum, and is not taken: its repeat runs again", found.path}.text());
      continue;
    }
    if (fs::path(found.path).parent_path() == directory_ + kSuperseded)
      copies.push_back(found.path);
    known_.insert_or_assign(found.stored.key, std::move(found.stored.outcome));
  }
  if (!related)
    return Error{fmt::format("{} holds results of another scenario or another build of latchlab, "
                             "or from another backend, and none of this one; run it without "
                             "--resume, or with another --out",
                             directory_),
                 {}};
  std::set<std::string> sound;  // files at their place
  for (const Found& found : here) {
    const auto place = wanted.find(found.stored.key);
    if (place != wanted.end() && place->second == found.path) {
      if (found.stored.checked) sound.insert(found.path);
      continue;
    }
    const auto moved = move_to_superseded(found.path);
    if (!moved) return moved.error();
    if (known_.contains(found.stored.key)) copies.push_back(moved.value());
  }
  for (std::size_t p = 0; p < scenario.points.size(); ++p) {
    const Point& point = scenario.points[p];
    for (std::uint32_t r = 0; r < most_repeats(point); ++r) {
      const auto outcome = find(point, r);
      if (!outcome || sound.contains(point_file(directory_, p, r))) continue;
      if (Status kept = keep(p, point, r, *outcome); !kept) return kept;
    }
  }
  if (!warnings_.empty()) return fine();  // a file at its place may be damaged
  for (const std::string& copy : copies) {
    std::error_code ignored;
    fs::remove(copy, ignored);
  }
  return fine();
}

std::optional<RepeatOutcome> PointFiles::find(const Point& point, std::uint32_t repeat) const {
  if (known_.empty()) return std::nullopt;  // a new run: computing a key takes time
  const auto found = known_.find(repeat_key(point, repeat, program_));
  if (found == known_.end()) return std::nullopt;
  return found->second;
}

Status PointFiles::keep(std::size_t number, const Point& point, std::uint32_t repeat,
                        const RepeatOutcome& outcome) const {
  const StoredRepeat stored{repeat_key(point, repeat, program_), manifest_, outcome, true};
  Status written = write_atomically(point_file(directory_, number, repeat), stored_text(stored));
  if (written && listener_) listener_(number, repeat, outcome);
  return written;
}

}  // namespace latchlab
