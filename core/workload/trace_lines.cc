#include "core/workload/trace_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/base/file_allowlist.h"

namespace latchlab {
namespace {

struct Compression {
  std::string_view magic, name, fix;  // the file's first bytes
};
constexpr Compression kCompressions[] = {
    {"\x1f\x8b", "gzip", "gzip -dk"},
    {"\x28\xb5\x2f\xfd", "zstd", "zstd -d"},
    {{"\xfd"
      "7zXZ\0",
      6},
     "xz",
     "xz -dk"},
    {"BZh", "bzip2", "bzip2 -dk"},
};
constexpr std::size_t kFirstBuffer = std::size_t{1} << 16U;  // doubled for longer lines
constexpr std::size_t kLargestBuffer = kLongestTraceLine + 1;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

bool no_text(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && byte != '\t') || byte == 0x7f;
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

Result<std::ifstream> open_trace(const std::string& path) {
  if (Status may = may_read(path); !may) return may.error();
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) return Error{"no such file; check the path", path};
  if (!std::filesystem::is_regular_file(path, failed))
    return Error{
        "not a file; expected the path of a trace (not a pipe: each process of a run "
        "reads it for itself)",
        path};
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    return Error{"cannot be opened; check its permissions, and how many files are open", path};
  return stream;
}

TraceLines::TraceLines(std::istream& in, std::string name)
    : in_(in), name_(std::move(name)), buffer_(kFirstBuffer) {}

Error TraceLines::error(std::string message) const {
  return {std::move(message), fmt::format("{}:{}", name_, number_)};
}

Error TraceLines::error_of_all(std::string message) const {
  return {std::move(message), name_};
}

Result<bool> TraceLines::next() {
  do {
    const Result<bool> another = advance();
    if (!another || !another.value()) return another;
  } while (without_blanks(line_).empty() || line_.front() == '#');
  return true;
}

Result<bool> TraceLines::advance() {
  std::size_t looked_at = 0;  // bytes that contain no end of line
  const char* line_end = nullptr;
  for (;;) {
    const char* from = buffer_.data() + begin_ + looked_at;
    line_end = static_cast<const char*>(std::memchr(from, '\n', end_ - begin_ - looked_at));
    if (line_end != nullptr || all_read_) break;
    looked_at = end_ - begin_;
    if (looked_at == kLargestBuffer) {
      ++number_;
      return error(
          fmt::format("the line has more than {} bytes; expected a trace of shorter "
                      "lines: is this the right file?",
                      kLongestTraceLine));
    }
    const Status filled = fill();
    if (!filled) return filled.error();
  }
  cut_ = line_end == nullptr;
  if (cut_ && begin_ == end_) return false;
  const char* const start = buffer_.data() + begin_;
  line_ = {start, cut_ ? end_ - begin_ : static_cast<std::size_t>(line_end - start)};
  begin_ += line_.size() + (cut_ ? 0 : 1);
  ++number_;
  if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
  const auto odd = std::find_if(line_.begin(), line_.end(), no_text);
  if (odd != line_.end())
    return error(
        fmt::format("the byte 0x{:02x} is not text; expected lines of fields between "
                    "commas: is this the right file?",
                    static_cast<unsigned char>(*odd)));
  return true;
}

// Reads more of the file, behind the unread part of the buffer.
Status TraceLines::fill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) buffer_.resize(std::min(2 * end_, kLargestBuffer));
  const bool beginning = number_ == 0 && end_ == 0;
  in_.read(buffer_.data() + end_, static_cast<std::streamsize>(buffer_.size() - end_));
  end_ += static_cast<std::size_t>(in_.gcount());
  all_read_ = in_.eof();
  if (in_.bad() || (in_.fail() && !all_read_))
    return error_of_all("cannot be read to its end; check the disk");
  return beginning ? check_beginning() : fine();
}

Status TraceLines::check_beginning() {
  const std::string_view read(buffer_.data(), end_);
  for (const Compression& compression : kCompressions)
    if (read.starts_with(compression.magic))
      return error_of_all(
          fmt::format("compressed with {}; expected plain text: decompress it "
                      "first ({} FILE)",
                      compression.name, compression.fix));
  if (read.starts_with(kByteOrderMark)) begin_ = kByteOrderMark.size();
  return fine();
}

std::size_t split_fields(std::string_view line, std::span<std::string_view> fields) {
  std::size_t count = 0;
  for (;;) {
    const std::size_t comma = line.find(',');
    if (count < fields.size()) fields[count] = without_blanks(line.substr(0, comma));
    ++count;
    if (comma == std::string_view::npos) return count;
    line.remove_prefix(comma + 1);
  }
}

Error wrong_fields(const TraceLines& lines, std::size_t found, std::size_t expected,
                   std::string_view names) {
  const bool cut = found < expected && lines.cut();
  return lines.error(
      fmt::format("{} field{} in {}; expected {} ({}): {}", found, found == 1 ? "" : "s",
                  in_quotes(lines.line()), expected, names,
                  cut ? "the file ends in the middle of this line, so copy it whole, or delete "
                        "the line"
                  : found < expected ? "add what is missing"
                                     : "delete what is too much"));
}

Result<std::uint64_t> read_trace_number(const TraceLines& lines, const NumberField& field,
                                        std::string_view text) {
  std::uint64_t value = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [stop, problem] = std::from_chars(begin, end, value);
  if (stop != end || problem == std::errc::invalid_argument)
    return lines.error(fmt::format("{} {} is not a number; expected {} to {}: write plain digits",
                                   field.name, in_quotes(text), field.least, field.most));
  if (problem != std::errc{} || value < field.least || value > field.most)
    return lines.error(fmt::format("{} {} is out of range; expected {} to {}: {}", field.name,
                                   text.substr(0, 60), field.least, field.most, field.fix));
  return value;
}

}  // namespace latchlab
