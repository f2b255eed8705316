#pragma once
// The text of traces: the lines of a file of any length, one after the other, through a buffer that
// holds the longest line and no more. A line that is blank or begins with # is passed over. CRLF
// ends a line as LF does, and the last needs no end. Compressed files and what is not text are
// errors.

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <istream>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/quotes.h"
#include "core/base/result.h"

namespace latchlab {

inline constexpr std::size_t kLongestTraceLine = std::size_t{1} << 20U;  // bytes, without its end

// Errors name the path. Only regular files: each process of a run reads a trace for itself, and
// what comes through a pipe comes once.
Result<std::ifstream> open_trace(const std::string& path);

class TraceLines {
 public:
  // `name` stands in errors. The stream outlives this.
  TraceLines(std::istream& in, std::string name);

  // Goes to the next line; false: there is none.
  Result<bool> next();
  std::string_view line() const { return line_; }
  std::uint64_t number() const { return number_; }  // of the line, from 1
  // The file ends with this line, and does not end the line.
  bool cut() const { return cut_; }

  Error error(std::string message) const;         // that is wrong with this line
  Error error_of_all(std::string message) const;  // with the file

 private:
  Result<bool> advance();  // to the next line, whatever it is
  Status fill();
  Status check_beginning();

  std::istream& in_;
  std::string name_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // in the buffer: what was read and is still to come
  std::uint64_t number_ = 0;
  std::string_view line_;
  bool all_read_ = false, cut_ = false;
};

// Cuts at commas, and blanks off both ends of each piece. How many there are, which may be more
// than `fields` has room for.
std::size_t split_fields(std::string_view line, std::span<std::string_view> fields);

// For a line with so many fields in place of those named.
Error wrong_fields(const TraceLines& lines, std::size_t found, std::size_t expected,
                   std::string_view names);

// What a number may be, for the reader and for the message.
struct NumberField {
  std::string_view name;
  std::uint64_t least = 0, most = std::numeric_limits<std::uint64_t>::max();
  std::string_view fix = "write plain digits";
};
Result<std::uint64_t> read_trace_number(const TraceLines& lines, const NumberField& field,
                                        std::string_view text);

}  // namespace latchlab
