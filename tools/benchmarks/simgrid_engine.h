#pragma once
// SimGrid's engine with the settings of Latchlab's backend, for benchmarks without the backend.

namespace simgrid::s4u {
class Engine;
}

namespace latchlab::bench {

// Call at most once per process. Exact times, no TCP effects, and small stacks without guard pages,
// because 4,000 actors would otherwise need much more memory.
simgrid::s4u::Engine& make_simgrid_engine();

}  // namespace latchlab::bench
