#pragma once
// `latchlab classroom`.

#include <cstdint>
#include <string>

namespace latchlab::tool {

struct ClassroomArguments {
  std::string lesson;  // "2", "02-retry-storm"; empty: list the lessons
  bool all = false;    // the site: every lesson, an index, a worksheet and a key
  std::string out = "classroom";
  std::string data;
  std::uint32_t jobs = 0;  // 0: as many as there are cores
};
int classroom(const ClassroomArguments& arguments);

}  // namespace latchlab::tool
