#pragma once
// How a run on hardware takes place: --device, --workers, --rendezvous and so on.

#include "tools/latchlab/cli/cli.h"

namespace latchlab::tool {

void add_hardware_run(CLI::App& command, HardwareArguments& hardware);

}  // namespace latchlab::tool
