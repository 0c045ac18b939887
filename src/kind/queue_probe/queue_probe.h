// SPDX-License-Identifier: MIT
// The controlled experiments on a device's queues, in fresh processes: switch cost, launch cost, the map of streams to
// hardware queues and how many there are, convoy, priority.
#pragma once

#include <string>
#include <vector>

#include "engine/progress.h"
#include "kind/queue_probe/queue_probe_document.h"

namespace aaco {

// Raw, of one process.
struct QueueProbeRun {
  SwitchRun switches;
  std::vector<LaunchSample> launches;
  std::vector<BlockingProbe> blocking;
  std::vector<LimitProbe> saturating;
  ConvoyRun convoy;
  PriorityRun priority;
  std::string device_name;
};

void to_json(Json& json, const QueueProbeRun& run);
void from_json(const Json& json, QueueProbeRun& run);

// What a worker process does. Errors: the device's. Records are probed in processes of their own (role::kQueueRecords).
Result<QueueProbeRun> probe_queues(const QueueProbeRequest& request);

// Errors: kUsage for fewer than two streams; the device's, from the process that met them; kInterrupted. The raw
// samples are in the bundle's metrics/queue_probe.json, beside the document.
Result<QueueProbeDocument> run_queue_probe(const QueueProbeRequest& request, const ProgressCallback& progress);

}  // namespace aaco
