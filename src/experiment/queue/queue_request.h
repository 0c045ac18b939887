// SPDX-License-Identifier: MIT
// What `aaco queue run` was asked for: a workload, on which devices, with how many streams, dispatched and waited for
// how.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "workload/dispatch.h"

namespace aaco {

// When the host waits for the device, and so what an iteration's time is:
//   per_iteration  after each iteration: from the first enqueue to the end of all streams
//   end_only       once, after the last: the whole, over the iterations; per iteration only the enqueueing is timed
//   none           never within what is timed: the time is the host's enqueueing alone
enum class SyncMode : uint8_t { kPerIteration, kEndOnly, kNone };

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
  std::map<std::string, std::string> parameters;
  int64_t processes = 5;
  uint64_t seed = 1;
  bool check = true;     // the process before the measured ones verifies every operation
  bool profile = false;  // a process under the activity collector after them
  std::string with;      // a process under this vendor's profiler after them; empty: none
  std::string sessions = "sessions";
  std::string folder;  // where processes put what they found; set by the run
  std::vector<std::string> command_line;
};

// Errors: kUsage naming the choices.
Result<SyncMode> sync_mode_of(const QueueRequest& request);
Result<DispatchMode> dispatch_mode_of(const QueueRequest& request);

// Everything that can be told to be wrong before a process is started, and the defaults that depend on the workload.
// Errors: kUsage.
Result<QueueRequest> complete_request(QueueRequest request);

void to_json(Json& json, const QueueRequest& request);
void from_json(const Json& json, QueueRequest& request);

}  // namespace aaco
