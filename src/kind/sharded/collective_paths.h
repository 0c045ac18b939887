// SPDX-License-Identifier: MIT
// Which way collectives went, against which was asked for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kind/sharded/analysis/sharded_document.h"
#include "kind/sharded/config/sharded_run_config.h"
#include "kind/sharded/rank_records.h"

namespace aaco {

// Of all ranks together.
std::vector<CollectivePathTaken> all_paths(std::span<const RankRecords> ranks);

// What did not go as it was asked for: "4 all_gather by kernel"; "": nothing. Copy engines gather, and do nothing else.
std::string paths_missed(sharded::CollectivePath wanted, std::span<const CollectivePathTaken> taken);

}  // namespace aaco
