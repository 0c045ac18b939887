// SPDX-License-Identifier: MIT
// What `aaco queue run` was asked for: a workload, on which devices, with how many streams, dispatched and waited for
// how.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "record/until.h"

namespace aaco {

struct QueueRequest {
  std::string workload;
  std::vector<std::string> devices{"cpu"};  // a rank each
  std::string device_choice;                // why these, where the user named none
  int32_t streams = 8;                      // per device
  int32_t emulated_ranks = 0;               // of collectives, where there is one device; 0: the workload's own
  int64_t iterations = 100;
  int64_t warmup = 10;  // exactly so many
  std::string sync_mode = "per_iteration";
  std::string dispatch = "single";
  std::map<std::string, std::string> parameters;  // that are not the workload's defaults
  std::string scale = "full";                     // of the sizes that the user did not give: "full", or "cpu"
  int64_t processes = 5;              // of a run that ends by itself: at least; in its document as many as it took
  std::optional<UntilRequest> until;  // not in the document
  uint64_t seed = 1;
  bool check = true;          // the process before the measured ones verifies every operation
  bool profile = false;       // a process under the activity collector after them
  bool kernel_plane = false;  // not in the document
  std::string with;           // a process under this vendor's profiler after them; empty: none
  std::string sessions = "sessions";
  std::string folder;  // where processes put what they found; set by the run
  std::vector<std::string> command_line;
};

void to_json(Json& json, const QueueRequest& request);
void from_json(const Json& json, QueueRequest& request);

}  // namespace aaco
