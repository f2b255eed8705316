#include "core/scenario/input_error.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <utility>

namespace latchlab {

std::string SourceLocation::text() const {
  const std::string name = source ? *source : std::string();
  return line > 0 ? fmt::format("{}:{}", name, line) : name;
}

void reject(const SourceLocation& place, std::string message) {
  throw InputError{Error{std::move(message), place.text()}};
}

std::string filled(const std::string& pattern, const std::vector<std::string>& values) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const std::string& value : values) store.push_back(value);
  return fmt::vformat(pattern, store);
}

}  // namespace latchlab
