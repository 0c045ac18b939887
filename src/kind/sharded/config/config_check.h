// SPDX-License-Identifier: MIT
// What keys say together that cannot be trained, or has no effect.
#pragma once

#include <string>
#include <vector>

#include "kind/sharded/config/config_entries.h"
#include "kind/sharded/config/sharded_run_config.h"

namespace aaco::sharded {

// Adds to `refusals` and `notes`. The entries say where each key stands.
void check_sharded_run_config(const ShardedRunConfig& config, const ConfigEntries& entries,
                              std::vector<std::string>& notes, std::vector<Error>& refusals);

}  // namespace aaco::sharded
