#pragma once
// What the metadata server knows of each lock's tree, and the calls by which clients ask it (CITRON
// 3.2, 3.9). It runs on the lock's server.

#include <cstdint>
#include <memory>
#include <optional>

#include "core/protocols/citron/options.h"
#include "core/protocols/citron/tree.h"
#include "core/protocols/lock.h"

namespace latchlab::citron {

namespace metadata {

// The change that follows the first `after` ones. If there is none yet: an empty reply at once, or,
// where `waits` is not 0, a reply when it comes.
Request next_change(RemoteAddr entry, std::uint64_t after, std::uint64_t waits);
std::optional<Change> change_in(const Reply& reply);
// Zeroed memory for nodes.
Request allocate(RemoteAddr entry, std::uint64_t bytes);
std::optional<RemoteAddr> memory_in(const Reply& reply);
// Makes it the change after the first `after` ones; ignored if that change exists already.
Request publish(RemoteAddr entry, std::uint64_t after, const Change& change);

}  // namespace metadata

std::unique_ptr<ServerPart> make_server_part(const Options& options, const ServerEnv& env);

}  // namespace latchlab::citron
