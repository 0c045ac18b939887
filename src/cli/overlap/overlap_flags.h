// SPDX-License-Identifier: MIT
// The flags that say what is trained and where: shared by the subcommands of `aaco overlap`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command/command.h"

#include "kind/sharded/config/read_config.h"

namespace aaco {

struct OverlapFlags {
  std::string config;
  std::vector<std::string> overrides;
  std::string device;  // ids by comma; "": all of the first accelerator's, else cpu:0
  bool kernel_plane = false;
};

void add_overlap_flags(cli::Command command, OverlapFlags& flags);

// Where ranks run.
struct RankDevices {
  std::vector<std::string> ids;  // one a rank
  std::string why;               // "" where they were named
};

// Those of this node. `place`: of a launcher, which says how many ranks it has; none: one for each device. Errors:
// kUsage for a device that is named twice, for devices of several backends, for more or fewer than the launcher has
// ranks; those of the backend.
Result<RankDevices> rank_devices(const std::string& named, const std::optional<sharded::RankPlace>& place);

}  // namespace aaco
