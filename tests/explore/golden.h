#pragma once
// Traces that are stored in golden/.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/paths.h"

namespace latchlab::explore {

inline std::filesystem::path golden_directory() {
  return std::filesystem::path(LATCHLAB_SOURCE_DIR) / "tests/explore/golden";
}

inline std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace latchlab::explore
