#pragma once
// How a run on hardware takes place: --device, --workers, --rendezvous and so on.

#include "tools/latchlab/cli/cli.h"

namespace latchlab::tool {

// Those that say by which ports, by which path and where nodes come together.
void add_fabric(CLI::App& command, HardwareArguments& hardware, const char* group);
void add_hardware_run(CLI::App& command, HardwareArguments& hardware);

}  // namespace latchlab::tool
