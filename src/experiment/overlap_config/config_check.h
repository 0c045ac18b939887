// SPDX-License-Identifier: MIT
// What keys say together that cannot be trained, or has no effect.
#pragma once

#include <string>
#include <vector>

#include "experiment/overlap_config/config_entries.h"
#include "experiment/overlap_config/overlap_config.h"

namespace aaco::overlap {

// Adds to `refusals` and `notes`. The entries say where each key stands.
void check_overlap_config(const OverlapConfig& config, const ConfigEntries& entries, std::vector<std::string>& notes,
                          std::vector<Error>& refusals);

}  // namespace aaco::overlap
