#include <fmt/core.h>

#include "core/protocols/registry.h"
#include "core/scenario/json_schema.h"
#include "core/scenario/reference.h"
#include "tools/latchlab/commands.h"

namespace latchlab::tool {

int schema(const SchemaArguments& arguments) {
  if (arguments.markdown)
    fmt::print("{}", scenario_reference(protocol_infos()));
  else
    fmt::print("{}", arguments.nic ? nic_schema() : scenario_schema(protocol_infos()));
  return kFine;
}

}  // namespace latchlab::tool
