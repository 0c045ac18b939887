// SPDX-License-Identifier: MIT
// The memory that collectives of a step send and receive, registered with their communicators.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "device/communicator.h"
#include "workload/sharded/sharded_step.h"

namespace aaco {

// On each communicator what its collectives use, in the program's order, which all ranks have: every rank calls this,
// before the first collective. The training was built with registers_memory. Errors: those of Communicator::add_memory,
// kUnavailable above all.
Result<std::vector<std::unique_ptr<RegisteredMemory>>> register_collectives(
    const ShardedTraining& training, std::span<Communicator* const> communicators);

}  // namespace aaco
