// SPDX-License-Identifier: MIT
// Which way collectives went, against which was asked for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/overlap/overlap_document.h"
#include "experiment/overlap/rank_records.h"
#include "experiment/overlap_config/overlap_config.h"

namespace aaco {

// Of all ranks together.
std::vector<CollectivePathTaken> all_paths(std::span<const RankRecords> ranks);

// What did not go as it was asked for: "4 all_gather by kernel"; "": nothing. Copy engines gather, and do nothing else.
std::string paths_missed(overlap::CollectivePath wanted, std::span<const CollectivePathTaken> taken);

}  // namespace aaco
