#pragma once
// Lines of `latchlab doctor`: what was looked at, what was found, what to do about it.

#include <string>
#include <vector>

namespace latchlab::tool {

// `wrong` and `missing` fail the command.
enum class Health { fine, optional, note, missing, wrong };
const char* name_of(Health health);

struct Line {
  Health health;
  std::string what;   // "simulate"
  std::string found;  // what is there
  std::string fix;    // how to get what is not; empty: nothing to do
};
using Lines = std::vector<Line>;

bool is_well(const Lines& lines);
void print(const Lines& lines);
std::string json_of(const Lines& lines);  // an array

}  // namespace latchlab::tool
