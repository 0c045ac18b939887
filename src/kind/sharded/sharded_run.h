// SPDX-License-Identifier: MIT
// A sharded training, a process per rank: checked, then measured without a collector, then recorded with the devices'
// collectors, of which the figures of overlap come.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/progress.h"
#include "kind/sharded/analysis/sharded_document.h"
#include "kind/sharded/config/sharded_run_config.h"
#include "kind/sharded/watch/injection.h"

namespace aaco {

class NodeGroup;

struct ShardedRequest {
  sharded::ShardedRunConfig config;
  std::vector<std::string> devices;  // by rank: as many ranks
  int64_t first_rank = 0;            // of the node whose process reads this
  int64_t local_ranks = 0;           // of that node; 0: all
  std::vector<std::string> notes;    // of the reading of the configuration
  bool check = true;                 // gates, before any figure
  bool kernel_plane = false;         // of this node's ranks; not in the plan
  ShardedInjection inject;           // into the measured steps
  std::string sessions = "sessions";
  std::string folder;  // where processes put what they found; set by the run
  std::vector<std::string> command_line;
};

void to_json(Json& json, const ShardedRequest& request);
void from_json(const Json& json, ShardedRequest& request);

// Errors: kUsage where a training of `steps`, of which `done` were done before, measures none: before a capture one
// more is done that nothing measures.
Result<void> expect_measured_step(int64_t steps, int64_t done, bool is_captured);

// Errors: kUsage of the request; kInvalid naming the gate that does not hold, with the session that says so; what the
// first rank that failed failed at, which is a hang where a rank held the others up; kInterrupted. `nodes`: of the
// ranks, where they are of several; request.devices are those of all of them. `hung`, where not null, is given the
// document of a session that a hang ended.
Result<ShardedDocument> run_sharded(const ShardedRequest& request, const ProgressCallback& progress,
                                    NodeGroup* nodes = nullptr, std::optional<ShardedDocument>* hung = nullptr);

// The request of a recorded session for measuring it again: the steps alone, without gates, which held when it was
// recorded, and without a recording, whose processes come after those that are measured. Errors: kUnavailable where the
// session is not there, or its ranks were of several nodes.
Result<ShardedRequest> sharded_request_again(const std::filesystem::path& bundle, const std::string& sessions);

// Two recorded trainings again, one after the other: the two new bundles. Errors: as sharded_request_again and
// run_sharded.
Result<std::pair<std::filesystem::path, std::filesystem::path>> rerun_sharded(const std::filesystem::path& baseline,
                                                                              const std::filesystem::path& test,
                                                                              const std::string& sessions,
                                                                              const ProgressCallback& progress);

}  // namespace aaco
