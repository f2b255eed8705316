#include "core/workload/parts.h"

#include "core/workload/files.h"
#include "core/workload/index.h"
#include "core/workload/objects.h"
#include "core/workload/ranges.h"
#include "core/workload/transactions/mixes.h"

namespace latchlab {

Result<std::unique_ptr<PartChooser>> make_parts(const PartSetup& setup) {
  switch (setup.spec.kind) {
    case WorkloadKind::micro:
      break;
    case WorkloadKind::range:
      return Ranges::make(setup);
    case WorkloadKind::file_io:
      return make_files(setup);
    case WorkloadKind::object_store:
      if (!setup.spec.objects.trace.empty()) return make_traced_objects(setup);
      break;
    case WorkloadKind::index:
      return make_index(setup);
    case WorkloadKind::transactions:
    case WorkloadKind::trace:
      return make_transactions(setup);
  }
  return std::unique_ptr<PartChooser>();
}

}  // namespace latchlab
