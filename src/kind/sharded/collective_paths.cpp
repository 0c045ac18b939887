// SPDX-License-Identifier: MIT
#include "kind/sharded/collective_paths.h"

#include <algorithm>
#include <fmt/format.h>

namespace aaco {

std::vector<CollectivePathTaken> all_paths(std::span<const RankRecords> ranks) {
  std::vector<CollectivePathTaken> all;
  for (const RankRecords& records : ranks) {
    for (const CollectivePathTaken& taken : records.paths) {
      const auto same = std::find_if(all.begin(), all.end(), [&](const CollectivePathTaken& other) {
        return other.collective == taken.collective && other.path == taken.path;
      });
      if (same == all.end()) {
        all.push_back(taken);
      } else {
        same->count += taken.count;
      }
    }
  }
  return all;
}

std::string paths_missed(sharded::CollectivePath wanted, std::span<const CollectivePathTaken> taken) {
  std::string missed;
  bool gathers = false;
  for (const CollectivePathTaken& one : taken) {
    const bool gather = one.collective == "all_gather";
    gathers = gathers || gather;
    if (one.path != sharded::word_of(wanted) && (gather || wanted != sharded::CollectivePath::kCopyEngine)) {
      missed += fmt::format("{}{} {} by {}", missed.empty() ? "" : ", ", one.count, one.collective, one.path);
    }
  }
  return wanted == sharded::CollectivePath::kCopyEngine && !gathers ? "nothing is gathered, which is all that they do"
                                                                    : missed;
}

}  // namespace aaco
