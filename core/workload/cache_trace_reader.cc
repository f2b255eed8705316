// Parses the lines of a cache's trace into accesses.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/lookup.h"
#include "core/workload/cache_trace.h"
#include "core/workload/key_numbers.h"
#include "core/workload/trace_lines.h"

namespace latchlab {
namespace {

constexpr std::string_view kCacheFields =
    "timestamp,key,key size,value size,client id,operation,TTL";
constexpr std::size_t kCacheFieldCount = 7;
constexpr std::size_t kKeyPlace = 1, kOperationPlace = 5;

constexpr NumberField kTimestampField = {.name = "timestamp"};
constexpr NumberField kKeySizeField = {"key size", 1, UINT32_MAX,
                                       "give the key's bytes, 1 if unknown"};
constexpr NumberField kValueSizeField = {"value size", 0, UINT32_MAX,
                                         "give the value's bytes, 0 if unknown"};
constexpr NumberField kClientField = {.name = "client id"};  // often a hash
constexpr std::size_t kMostClients = std::size_t{1} << 31U;  // the limit of CacheTrace
constexpr NumberField kTtlField = {.name = "TTL"};

constexpr std::string_view kReadingOperations[] = {"get", "gets"};
constexpr std::string_view kWritingOperations[] = {"set",     "add",    "replace", "cas", "append",
                                                   "prepend", "delete", "incr",    "decr"};

template <std::size_t kCount>
bool is_one_of(std::string_view word, const std::string_view (&words)[kCount]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

using AccessFields = std::array<std::string_view, kCacheFieldCount>;

// The first field and the last five; the key is in between.
AccessFields fields_of_access(std::string_view line) {
  AccessFields fields;
  const std::size_t comma = line.find(',');
  fields[0] = line.substr(0, comma);
  line.remove_prefix(comma + 1);
  for (std::size_t i = kCacheFieldCount - 1; i > kKeyPlace; --i) {
    const std::size_t last = line.rfind(',');
    fields[i] = line.substr(last + 1);
    line = line.substr(0, last);
  }
  fields[kKeyPlace] = line;
  return fields;
}

class CacheTraceReader {
 public:
  CacheTraceReader(std::istream& in, const std::string& name)
      : lines_(in, name), trace_(std::make_shared<CacheTrace>(name)) {}

  Result<std::shared_ptr<const CacheTrace>> read(const CacheTraceOptions& options) {
    if (options.most && *options.most == 0)
      return lines_.error_of_all("0 accesses are to be read; expected 1 at least: raise most");
    while (!options.most || trace_->accesses() < *options.most) {
      const Result<bool> another = lines_.next();
      if (!another) return another.error();
      if (!another.value()) break;
      if (trace_->accesses() == kMostCacheAccesses)
        return lines_.error(
            fmt::format("there are more than {} accesses; expected at most so "
                        "many: say most, and less is read",
                        kMostCacheAccesses));
      const Status taken = take();
      if (!taken) return taken.error();
    }
    if (trace_->accesses() == 0)
      return lines_.error_of_all(fmt::format(
          "has no accesses; expected lines of {}: is this the right file?", kCacheFields));
    return std::shared_ptr<const CacheTrace>(std::move(trace_));
  }

 private:
  Status take() {
    const auto commas =
        static_cast<std::size_t>(std::count(lines_.line().begin(), lines_.line().end(), ','));
    if (commas + 1 < kCacheFieldCount)
      return wrong_fields(lines_, commas + 1, kCacheFieldCount, kCacheFields);
    const AccessFields fields = fields_of_access(lines_.line());
    const Result<CacheAccess> access = access_of(fields);
    if (access) {
      trace_->add(access.value());
      return fine();
    }
    if (commas + 1 == kCacheFieldCount) return access.error();
    return Error{fmt::format("{} (the line has {} fields, and so {} was taken for the key)",
                             access.error().message, commas + 1, in_quotes(fields[kKeyPlace])),
                 access.error().where};
  }

  // Keys and clients get their numbers only here, when the line has no error.
  Result<CacheAccess> access_of(const AccessFields& fields) {
    constexpr const NumberField* kFields[kCacheFieldCount] = {
        &kTimestampField, nullptr, &kKeySizeField, &kValueSizeField,
        &kClientField,    nullptr, &kTtlField};
    std::array<std::uint64_t, kCacheFieldCount> numbers{};
    for (std::size_t i = 0; i < kCacheFieldCount; ++i) {
      if (kFields[i] == nullptr) continue;
      const Result<std::uint64_t> number = read_trace_number(lines_, *kFields[i], fields[i]);
      if (!number) return number.error();
      numbers[i] = number.value();
    }
    if (fields[kKeyPlace].empty())
      return lines_.error("the key is empty; expected what was accessed: name it");
    const std::string_view operation = fields[kOperationPlace];
    const bool writes = is_one_of(operation, kWritingOperations);
    if (!writes && !is_one_of(operation, kReadingOperations))
      return lines_.error(
          fmt::format("operation {} is unknown; expected one of {} and {}: write "
                      "what it comes nearest to, or delete the line",
                      in_quotes(operation), fmt::join(kReadingOperations, ", "),
                      fmt::join(kWritingOperations, ", ")));
    if (clients_.size() == kMostClients && !clients_.contains(numbers[4]))
      return lines_.error(
          fmt::format("there are more than {} clients; expected at most so many: say "
                      "most, and less is read",
                      kMostClients));
    return CacheAccess{keys_.number_of(fields[kKeyPlace]), writes,
                       static_cast<std::uint32_t>(numbers[3]), number_of_client(numbers[4])};
  }

  std::uint32_t number_of_client(std::uint64_t id) {
    const std::uint32_t* known = clients_.find(id);
    if (known != nullptr) return *known;
    const auto number = static_cast<std::uint32_t>(clients_.size());
    clients_[id] = number;
    return number;
  }

  TraceLines lines_;
  std::shared_ptr<CacheTrace> trace_;
  KeyNumbers keys_;
  Lookup<std::uint32_t> clients_;
};

}  // namespace

Result<std::shared_ptr<const CacheTrace>> read_cache_trace(const std::string& path,
                                                           const CacheTraceOptions& options) {
  Result<std::ifstream> file = open_trace(path);
  if (!file) return file.error();
  return read_cache_trace(file.value(), path, options);
}

Result<std::shared_ptr<const CacheTrace>> read_cache_trace(std::istream& in,
                                                           const std::string& name,
                                                           const CacheTraceOptions& options) {
  return CacheTraceReader(in, name).read(options);
}

}  // namespace latchlab
