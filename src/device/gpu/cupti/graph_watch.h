// SPDX-License-Identifier: MIT
// Watches captures of CUDA graphs by CUPTI's callbacks for nodes that are created and cloned. That takes the process's
// one subscription, which torch.profiler and others want too: it is held no longer than asked for.
#pragma once

#include <cstdint>
#include <string>

namespace aaco::gpu {

// The ranges that are open on the calling thread, as GraphNodes::create() takes them.
using OpenPath = std::string (*)();

// As often as it is called, unwatch_graphs() has to be. False: another profiler is subscribed, and nothing is seen.
bool watch_graphs(OpenPath open_path);
void unwatch_graphs();

// Somebody else holds the subscription at this moment. False where nobody does, or this library itself.
bool another_is_subscribed();

}  // namespace aaco::gpu
