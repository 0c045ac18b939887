// SPDX-License-Identifier: MIT
// What it costs the host to launch a kernel that does nothing, from one thread and from several with a stream each.
//
//   call        time of one launching call by the host's clock, ns: p50 over processes, p99 pooled
//   per kernel  wall time of a batch of launches / launches of all threads, ns: what one launch costs where many
//   threads
//               share the driver; the median over batches, over processes
//   launch and synchronise   a call and the wait for its kernel
//
// One read of the clock, some 20 ns, is part of each call.
// What it does not tell: when the kernels ran; and what a launch costs where the queue of the device is full.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kind/queue_run/analysis/signed_figure.h"

namespace aaco {

// One way of launching in one process.
struct LaunchSample {
  int32_t threads = 1;
  bool synchronised = false;          // after each launch
  std::vector<double> call_ns;        // of all threads
  std::vector<double> per_kernel_ns;  // by batch
};

struct LaunchCost {
  int32_t threads = 1;
  bool synchronised = false;
  MetricValue call_p50;
  MetricValue call_p99;
  MetricValue per_kernel;
  SignedDistribution calls_ns;
};

// Each process's samples, of which the ways are matched; in the order of the first process.
std::vector<LaunchCost> launch_costs(std::span<const std::vector<LaunchSample>> processes);

void to_json(Json& json, const LaunchSample& value);
void from_json(const Json& json, LaunchSample& value);
void to_json(Json& json, const LaunchCost& value);
void from_json(const Json& json, LaunchCost& value);

}  // namespace aaco
