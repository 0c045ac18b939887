// SPDX-License-Identifier: MIT
#include "experiment/overlap_config/trainer_limits.h"

#include <fmt/format.h>

namespace aaco::overlap {

namespace {

struct TrainerLimit {
  const char* key;
  bool (*is_beyond)(const OverlapConfig& config);
  const char* why;
  const char* instead;  // behind --override
};

constexpr TrainerLimit kLimits[] = {
    {"distributed.collectives",
     [](const OverlapConfig& config) { return config.distributed.collectives != CollectivePath::kKernel; },
     "collectives are the library's kernels", "distributed.collectives=kernel"},
};

}  // namespace

std::vector<Error> trainer_limits(const OverlapConfig& config, const ConfigEntries& entries) {
  std::vector<Error> refusals;
  for (const TrainerLimit& limit : kLimits) {
    if (!limit.is_beyond(config)) {
      continue;
    }
    const auto found = entries.find(limit.key);
    const std::string what = fmt::format("{} is refused: {}", limit.key, limit.why);
    const std::string hint = fmt::format("--override {}", limit.instead);
    refusals.push_back(found == entries.end() ? Error{ErrorKind::kUsage, what + " (it is so by default)", hint}
                                              : found->second.error(what, hint));
  }
  return refusals;
}

}  // namespace aaco::overlap
