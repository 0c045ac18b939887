// SPDX-License-Identifier: MIT
// A training that torchrun, mpirun or srun started as one process per rank. The first process of each node starts a
// process per rank of the node, as it does without a launcher: that of rank 0 trains, those of other nodes do what it
// says over TCP. All others wait for how it ends.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kind/sharded/config/sharded_run_config.h"

namespace aaco {

class NodeGroup;

// From this process's environment. Errors: those of sharded::rank_place().
Result<std::optional<sharded::RankPlace>> launched_rank();

// What `train` gives, on rank 0 or where nothing launched this process; it gets the nodes where there are several, else
// null. Other processes give rank 0's exit code. `devices`: of this node's ranks; `limit_ns`: for nodes to find each
// other. Errors: kResource where rank 0 or its node's first process does not begin, or ended and left nothing; those of
// NodeGroup::gather() and serve_node().
Result<int> as_launched(const std::optional<sharded::RankPlace>& place, const std::vector<std::string>& devices,
                        int64_t limit_ns, const std::function<Result<int>(NodeGroup*)>& train);

}  // namespace aaco
