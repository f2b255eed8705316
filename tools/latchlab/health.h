#pragma once
// Lines of `latchlab doctor`: the subject, the finding and the remedy.

#include <string>
#include <vector>

namespace latchlab::tool {

// `missing` and `wrong` make the command fail.
enum class Health { fine, optional, note, missing, wrong };
const char* name_of(Health health);

struct Line {
  Health health;
  std::string what;   // "simulate"
  std::string found;  // the state of the machine
  std::string fix;    // the remedy; empty: nothing to do
};
using Lines = std::vector<Line>;

bool is_well(const Lines& lines);
void print(const Lines& lines);
std::string json_of(const Lines& lines);  // an array

}  // namespace latchlab::tool
