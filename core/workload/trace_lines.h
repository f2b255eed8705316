#pragma once
// Reads a trace file of any length line by line, through a buffer that grows only for a line that
// does not fit. Blank lines and lines that begin with # are skipped. CRLF ends a line as LF does,
// and the last line needs no end. Compressed files and files that are not text are errors.

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

inline constexpr std::size_t kLongestTraceLine = std::size_t{1} << 20U;  // bytes, without the end

// Errors name the path. Regular files only: each process of a run reads the trace, and a pipe can
// be read once.
Result<std::ifstream> open_trace(const std::string& path);

class TraceLines {
 public:
  // Errors call the file `name`. The stream outlives this object.
  TraceLines(std::istream& in, std::string name);

  // Advances to the next line; false: there is none.
  Result<bool> next();
  std::string_view line() const { return line_; }
  std::uint64_t number() const { return number_; }  // of the line, from 1
  // True if the file ends within this line, without an end of line.
  bool cut() const { return cut_; }

  Error error(std::string message) const;         // about this line
  Error error_of_all(std::string message) const;  // about the file

 private:
  Result<bool> advance();  // to the next line, also a blank one or a comment
  Status fill();
  Status check_beginning();

  std::istream& in_;
  std::string name_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // the unread part of the buffer
  std::uint64_t number_ = 0;
  std::string_view line_;
  bool all_read_ = false, cut_ = false;
};

// Splits at commas, and trims blanks from both ends of each field. Returns the number of fields,
// which may exceed the size of `fields`.
std::size_t split_fields(std::string_view line, std::span<std::string_view> fields);

// The error for a line with `found` fields instead of the `expected` ones.
Error wrong_fields(const TraceLines& lines, std::size_t found, std::size_t expected,
                   std::string_view names);

// The bounds of a number, for the reader and for its message.
struct NumberField {
  std::string_view name;
  std::uint64_t least = 0, most = std::numeric_limits<std::uint64_t>::max();
  std::string_view fix = "write plain digits";
};
Result<std::uint64_t> read_trace_number(const TraceLines& lines, const NumberField& field,
                                        std::string_view text);

}  // namespace latchlab
