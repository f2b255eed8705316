#pragma once
// What the metadata server knows of each lock's tree, and how clients ask it (CITRON 3.2, 3.9): it
// is the lock's server, behind calls.

#include <cstdint>
#include <memory>
#include <optional>

#include "core/protocols/citron/options.h"
#include "core/protocols/citron/tree.h"
#include "core/protocols/lock.h"

namespace latchlab::citron {

namespace metadata {

// The change after so many; if there is none, at once or when it comes.
Request next_change(RemoteAddr entry, std::uint64_t after, std::uint64_t waits);
std::optional<Change> change_in(const Reply& reply);
// Zeroed memory for nodes.
Request allocate(RemoteAddr entry, std::uint64_t bytes);
std::optional<RemoteAddr> memory_in(const Reply& reply);
// It is the change after so many; else there was one meanwhile, and nothing happens.
Request publish(RemoteAddr entry, std::uint64_t after, const Change& change);

}  // namespace metadata

std::unique_ptr<ServerPart> make_server_part(const Options& options, const ServerEnv& env);

}  // namespace latchlab::citron
