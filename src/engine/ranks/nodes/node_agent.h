// SPDX-License-Identifier: MIT
// What the first process of a node does that is not rank 0's: it starts and ends the processes of the node's ranks as
// rank 0's node says, in a folder of its own that is removed behind.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "engine/ranks/nodes/node_contents.h"

namespace aaco {

// The exit code of rank 0's process. Errors: those of NodeLink::connect(); kUsage where rank 0's node refuses this one;
// kResource where it has gone; kInterrupted.
Result<int> serve_node(const RendezvousAddress& rank_zero, const NodeFacts& own, const std::string& secret,
                       int64_t limit_ns);

}  // namespace aaco
