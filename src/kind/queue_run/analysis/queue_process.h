// SPDX-License-Identifier: MIT
// What one process of a queue run found out: the input of its figures, and a row of its document.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"

namespace aaco {

// What an iteration is made of, the same in every process.
struct QueueWork {
  int64_t kernels = 0;
  double flops = 0;
  double ideal_bytes = 0;
  int64_t used_streams = 0;
  int64_t streams = 0;  // of all devices
  std::string unit;
};

struct QueueProcess {
  int64_t process = 0;
  int64_t pid = 0;
  double load_ms = 0;  // devices, memory, initial values
  int64_t iterations = 0;
  int64_t wall_ns = 0;                    // from the first enqueue to the end of the last iteration's work
  bool stationary = false;                // the measured iterations show no trend (engine/warmup.h's test)
  std::optional<double> dispatch_p50_ns;  // the host's enqueueing of one iteration; none of no iteration
  std::optional<double> p50_ns;           // of an iteration, where each is waited for
  double units_per_iteration = 0;         // as built, or as the device counted them over the measured iterations
  int64_t allocated_bytes = 0;            // of the devices, by the workload
  int64_t peak_bytes = 0;                 // the most that was
  int64_t pinned_peak_bytes = 0;          // of the host, by the workload; no part of the others
  int64_t library_bytes = 0;              // of the devices, the GEMM library's workspaces; no part of the others
  std::optional<int64_t> reserved_bytes;  // by all processes, as the driver says
  bool interrupted = false;
};

// Units of work a second; none where nothing was measured.
std::optional<double> units_per_s(const QueueProcess& process);

void to_json(Json& json, const QueueWork& work);
void from_json(const Json& json, QueueWork& work);
void to_json(Json& json, const QueueProcess& process);
void from_json(const Json& json, QueueProcess& process);

}  // namespace aaco
