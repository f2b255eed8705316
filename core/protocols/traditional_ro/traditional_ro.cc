#include "core/protocols/traditional_ro/traditional_ro.h"

#include "core/base/paths.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/traditional/manager.h"

namespace latchlab {
namespace {

bool may_pass(const traditional::Options& options, const served::LockTable::Waiting& waiting) {
  if (!waiting.beside_readers && !PLANTED(traditional_ro_passes_any_holder)) return false;
  const std::uint64_t most =
      options.max_passes + (PLANTED(traditional_ro_passes_once_more) ? 1 : 0);
  const bool may = waiting.passed < most || PLANTED(traditional_ro_counts_nothing);
  if (may) LATCHLAB_PATH("traditional_ro: a reader passes waiting writers");
  if (!may) LATCHLAB_PATH("traditional_ro: a writer has been passed often enough");
  return may;
}

constexpr traditional::Kind kReadersFirst{may_pass, LATCHLAB_TRADITIONAL_PATHS("traditional_ro")};

struct TraditionalRoOptions : traditional::Options {
  TraditionalRoOptions() {
    kind = &kReadersFirst;
    max_passes = 10;
  }
};

class TraditionalRo final : public traditional::Manager {
 public:
  using Options = TraditionalRoOptions;
  using Manager::Manager;
};

}  // namespace

ProtocolEntry traditional_ro_entry() {
  Description<TraditionalRoOptions> lock = traditional::describe<TraditionalRoOptions>();
  lock.name = "traditional_ro";
  lock.summary = "traditional, in which readers may bypass a waiting writer a few times";
  lock.source = "DSLR (SIGMOD'18) 6.4, its Traditional_RO baseline; reconstructed";
  lock.fairness = "first come, first served, except that readers may bypass a writer 10 times";
  lock.params.push_back({"max_passes", &TraditionalRoOptions::max_passes, 0, 1'000'000'000,
                         "how often readers may bypass a waiting writer (DSLR 6.4: 10)"});
  lock.small_model.emplace_back("max_passes", std::int64_t{1});
  return make_entry<TraditionalRo>(lock);
}

}  // namespace latchlab
