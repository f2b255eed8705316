#include "core/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace latchlab {

CheckContext& check_context() {
  static CheckContext context;
  return context;
}

void check_failed(std::string_view condition, std::string_view file, int line,
                  std::string_view message) {
  const CheckContext& context = check_context();
  std::fprintf(stderr, "latchlab: internal invariant broken at %.*s:%d: %.*s\n  %.*s\n",
               static_cast<int>(file.size()), file.data(), line, static_cast<int>(condition.size()),
               condition.data(), static_cast<int>(message.size()), message.data());
  if (!context.scenario.empty()) std::fprintf(stderr, "  scenario %s\n", context.scenario.c_str());
  std::fprintf(stderr, "  seed %llu\n", static_cast<unsigned long long>(context.seed));
  if (context.client >= 0)
    std::fprintf(stderr, "  client %lld\n", static_cast<long long>(context.client));
  if (context.time_ps >= 0)
    std::fprintf(stderr, "  time %lld ps\n", static_cast<long long>(context.time_ps));
  if (!context.replay_command.empty())
    std::fprintf(stderr, "  see it again: %s\n", context.replay_command.c_str());
  std::fflush(stderr);
  std::abort();
}

}  // namespace latchlab
