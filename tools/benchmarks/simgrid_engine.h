#pragma once
// SimGrid's engine with the settings that Latchlab's backend uses, for programs that do without
// the backend. Once per process.

namespace simgrid::s4u {
class Engine;
}

namespace latchlab::bench {

// Exact dates, no TCP effects; small stacks without guard pages, or 4,000 actors would need much
// more memory.
simgrid::s4u::Engine& make_simgrid_engine();

}  // namespace latchlab::bench
