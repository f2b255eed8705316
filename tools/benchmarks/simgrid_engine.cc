#include "tools/benchmarks/simgrid_engine.h"

#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace latchlab::bench {

simgrid::s4u::Engine& make_simgrid_engine() {
  static std::vector<std::string> arguments = {"latchlab-bench",
                                               "--log=xbt_cfg.thres:warning",
                                               "--cfg=surf/precision:1e-14",
                                               "--cfg=network/model:CM02",
                                               "--cfg=network/crosstraffic:0",
                                               "--cfg=network/TCP-gamma:0",
                                               "--cfg=contexts/stack-size:16",
                                               "--cfg=contexts/guard-size:0"};
  static std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  static int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  // Never deleted: SimGrid requires the engine to live as long as the process.
  return *new simgrid::s4u::Engine(&argc, argv.data());
}

}  // namespace latchlab::bench
