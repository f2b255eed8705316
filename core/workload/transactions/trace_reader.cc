// Parses the lines of a trace into transactions.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "core/workload/trace_lines.h"
#include "core/workload/transactions/trace.h"

namespace latchlab {
namespace {

constexpr std::string_view kOurHeader = "transaction,lock,mode";
constexpr std::string_view kFisslockFields = "txn_id,task,txn_type,lock_id,lock_type";

constexpr NumberField kLockField = {"lock", 0, kMostTraceLock, "number the locks anew from 0"};
constexpr NumberField kIdField = {.name = "transaction", .fix = "number the transactions anew"};
constexpr NumberField kTaskField = {"task", 0, 0,
                                    "delete the line: a trace has requests for locks alone, "
                                    "and a transaction releases all that it has at its end"};
constexpr NumberField kTypeField = {"txn_type", 1, kMostTraceTypes, "number the types anew from 1"};
constexpr NumberField kLockTypeField = {"lock_type", 1, 2, "write 1 for shared, 2 for exclusive"};

// The set of numbers seen so far, as intervals without gaps.
class SeenNumbers {
 public:
  // False: the set contains the number already.
  bool insert(std::uint64_t number) {
    const auto after = last_by_first_.upper_bound(number);
    const bool joins_next = after != last_by_first_.end() && after->first - 1 == number;
    const auto before = after == last_by_first_.begin() ? last_by_first_.end() : std::prev(after);
    if (before != last_by_first_.end() && number <= before->second) return false;
    std::uint64_t last = number;
    if (joins_next) {
      last = after->second;
      last_by_first_.erase(after);
    }
    if (before != last_by_first_.end() && before->second + 1 == number)
      before->second = last;
    else
      last_by_first_.emplace(number, last);
    return true;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> last_by_first_;
};

struct TraceRequest {
  std::uint64_t transaction = 0;
  std::uint32_t type = 0;
  LockNeed need;
};

std::optional<LockMode> mode_of(std::string_view text) {
  if (text == "shared" || text == "s") return LockMode::shared;
  if (text == "exclusive" || text == "x") return LockMode::exclusive;
  if (text == "update" || text == "u") return LockMode::update;
  return std::nullopt;
}

Result<TraceRequest> our_request(const TraceLines& lines) {
  std::array<std::string_view, 3> fields;
  const std::size_t found = split_fields(lines.line(), fields);
  if (found != fields.size()) return wrong_fields(lines, found, fields.size(), kOurHeader);
  const Result<std::uint64_t> id = read_trace_number(lines, kIdField, fields[0]);
  if (!id) return id.error();
  const Result<std::uint64_t> lock = read_trace_number(lines, kLockField, fields[1]);
  if (!lock) return lock.error();
  const std::optional<LockMode> mode = mode_of(fields[2]);
  if (!mode)
    return lines.error(
        fmt::format("mode {} is unknown; expected shared, exclusive or update: "
                    "write one of them, or s, x or u",
                    in_quotes(fields[2])));
  return TraceRequest{id.value(), 0, {LockId{lock.value()}, *mode}};
}

Result<TraceRequest> fisslock_request(const TraceLines& lines) {
  std::array<std::string_view, 5> fields;
  const std::size_t found = split_fields(lines.line(), fields);
  if (found != fields.size()) return wrong_fields(lines, found, fields.size(), kFisslockFields);
  constexpr const NumberField* kFields[] = {&kIdField, &kTaskField, &kTypeField, &kLockField,
                                            &kLockTypeField};
  std::array<std::uint64_t, 5> numbers{};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Result<std::uint64_t> number = read_trace_number(lines, *kFields[i], fields[i]);
    if (!number) return number.error();
    numbers[i] = number.value();
  }
  const LockMode mode = numbers[4] == 1 ? LockMode::shared : LockMode::exclusive;
  return TraceRequest{
      numbers[0], static_cast<std::uint32_t>(numbers[2] - 1), {LockId{numbers[3]}, mode}};
}

int strength(LockMode mode) {
  return mode == LockMode::shared ? 0 : mode == LockMode::update ? 1 : 2;
}

class LockTraceReader {
 public:
  LockTraceReader(std::istream& in, const std::string& name, const TraceOptions& options)
      : lines_(in, name), options_(options) {}

  Result<std::shared_ptr<const LockTrace>> read() {
    if (options_.format == TraceFormat::latchlab) {
      const Status header = read_header();
      if (!header) return header.error();
    }
    for (;;) {
      const Result<bool> another = lines_.next();
      if (!another) return another.error();
      if (!another.value()) break;
      const Result<TraceRequest> request =
          options_.format == TraceFormat::latchlab ? our_request(lines_) : fisslock_request(lines_);
      if (!request) return request.error();
      const Status taken = take(request.value());
      if (!taken) return taken.error();
    }
    finish();
    if (trace_->transactions() == 0)
      return lines_.error_of_all(
          fmt::format("has no transactions; expected a line of {} for each "
                      "lock that one asks for: is this the right file?",
                      fields()));
    if (options_.format == TraceFormat::fisslock) name_types();
    return std::shared_ptr<const LockTrace>(std::move(trace_));
  }

 private:
  std::string_view fields() const {
    return options_.format == TraceFormat::latchlab ? kOurHeader : kFisslockFields;
  }

  Status read_header() {
    const Result<bool> another = lines_.next();
    if (!another) return another.error();
    if (!another.value())
      return lines_.error_of_all(
          fmt::format("is empty; expected the line {} and lines of transactions after it: is this "
                      "the right file?",
                      kOurHeader));
    std::array<std::string_view, 3> names;
    if (split_fields(lines_.line(), names) == names.size() && names[0] == "transaction" &&
        names[1] == "lock" && names[2] == "mode")
      return fine();
    return lines_.error(
        fmt::format("the first line is {}; expected {}: write it there, or say "
                    "format: fisslock for lines of {}",
                    in_quotes(lines_.line()), kOurHeader, kFisslockFields));
  }

  Status take(const TraceRequest& request) {
    if (locks_.empty() || request.transaction != id_) {
      const Status begun = begin(request);
      if (!begun) return begun;
    }
    if (request.type != transaction_.type)
      return lines_.error(fmt::format(
          "transaction {} has txn_type {} here and {} on line {}; expected one type: give one of "
          "them a number of its own",
          id_, request.type + 1, transaction_.type + 1, asked_on_.front()));
    const auto same = std::find(locks_.begin(), locks_.end(), request.need.lock);
    if (same != locks_.end()) return again(request, same - locks_.begin());
    if (locks_.size() == kMostTraceNeeds)
      return lines_.error(
          fmt::format("transaction {} asks for more than {} locks; expected at "
                      "most so many: split it",
                      id_, kMostTraceNeeds));
    locks_.push_back(request.need.lock);
    asked_on_.push_back(lines_.number());
    transaction_.needs.push_back(request.need);
    return fine();
  }

  Status begin(const TraceRequest& request) {
    finish();
    if (!seen_.insert(request.transaction))
      return lines_.error(fmt::format(
          "transaction {} comes back after others; expected all of its lines one after the other: "
          "move them together, or give it a number that is not in use",
          request.transaction));
    id_ = request.transaction;
    transaction_.type = request.type;
    types_ = std::max(types_, request.type + 1);
    return fine();
  }

  // Adds the collected requests as a transaction.
  void finish() {
    if (!locks_.empty()) trace_->add(transaction_);
    transaction_.needs.clear();
    locks_.clear();
    asked_on_.clear();
  }

  Status again(const TraceRequest& request, std::ptrdiff_t place) {
    const auto first = static_cast<std::size_t>(place);
    if (options_.duplicates == TraceDuplicates::refuse)
      return lines_.error(fmt::format(
          "transaction {} asks for lock {} again, after line {}; expected each lock once in a "
          "transaction: delete one of the lines, or say duplicates: merge for the stronger mode",
          id_, request.need.lock.value, asked_on_[first]));
    LockMode& mode = transaction_.needs[first].mode;
    if (strength(request.need.mode) > strength(mode)) mode = request.need.mode;
    return fine();
  }

  void name_types() {
    std::vector<std::string> names;
    for (std::uint32_t type = 1; type <= types_; ++type)
      names.push_back(fmt::format("type {}", type));
    trace_->rename_types(std::move(names));
  }

  TraceLines lines_;
  TraceOptions options_;
  std::shared_ptr<LockTrace> trace_ = std::make_shared<LockTrace>();
  SeenNumbers seen_;
  std::uint64_t id_ = 0;
  Transaction transaction_;
  std::vector<LockId> locks_;            // of the current transaction; empty: it has not begun
  std::vector<std::uint64_t> asked_on_;  // the line of each
  std::uint32_t types_ = 0;
};

}  // namespace

Result<std::shared_ptr<const LockTrace>> read_lock_trace(const std::string& path,
                                                         const TraceOptions& options) {
  Result<std::ifstream> file = open_trace(path);
  if (!file) return file.error();
  return read_lock_trace(file.value(), path, options);
}

Result<std::shared_ptr<const LockTrace>> read_lock_trace(std::istream& in, const std::string& name,
                                                         const TraceOptions& options) {
  return LockTraceReader(in, name, options).read();
}

}  // namespace latchlab
