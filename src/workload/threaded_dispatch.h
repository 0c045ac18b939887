// SPDX-License-Identifier: MIT
// A host thread per stream. Where order across streams matters to the host (a wait means the latest record enqueued
// before it; collectives of one communicator have one order; a host step stops everything), the threads wait for one
// another as little as that needs.
#pragma once

#include "workload/command_issuer.h"

namespace aaco {

Result<std::unique_ptr<Dispatcher>> make_threaded_dispatcher(const Program& program, CommandIssuer issuer,
                                                             DispatchRanges ranges);

}  // namespace aaco
