// SPDX-License-Identifier: MIT
// What a configuration may say and the trainer does not do: refused when it is to be trained, shown by a dry run. A
// line goes when the trainer has learnt it.
#pragma once

#include <vector>

#include "experiment/overlap_config/config_entries.h"
#include "workload/sharded/overlap_config.h"

namespace aaco::overlap {

// One error for each, at the place where its key was written.
std::vector<Error> trainer_limits(const OverlapConfig& config, const ConfigEntries& entries);

}  // namespace aaco::overlap
