// SPDX-License-Identifier: MIT
// What the probes of a device's queues found, as `aaco queue probe --json` gives it; metrics/queue_probe.json holds it
// beside the raw samples.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "kind/queue_probe/analysis/convoy.h"
#include "kind/queue_probe/analysis/launch_cost.h"
#include "kind/queue_probe/analysis/priority_effect.h"
#include "kind/queue_probe/analysis/queue_limit.h"
#include "kind/queue_probe/analysis/queue_map.h"
#include "kind/queue_probe/analysis/record_check.h"
#include "kind/queue_probe/analysis/switch_cost.h"

namespace aaco {

struct QueueProbeRequest {
  std::string device = "cpu:0";
  int32_t streams = 8;
  int64_t processes = 5;
  std::string sessions = "sessions";
  std::string folder;  // where processes put what they found; set by the run
  std::vector<std::string> command_line;
};

struct QueueProbeDocument {
  static constexpr const char* kKind = "queue_probe";
  static constexpr const char* kMember = "document";  // of the bundle's file

  std::string version;  // of the program
  std::string bundle;
  QueueProbeRequest request;
  std::string device_name;
  SwitchCost independent;
  SwitchCost hand_off;
  std::vector<LaunchCost> launches;
  QueueMap map;
  QueueLimit limit;
  Convoy convoy;
  PriorityEffect priority;
  RecordCheck records;
};

void to_json(Json& json, const QueueProbeRequest& request);
void from_json(const Json& json, QueueProbeRequest& request);
void to_json(Json& json, const QueueProbeDocument& document);
void from_json(const Json& json, QueueProbeDocument& document);

// Of the bundle's file. Errors: kUsage naming `source` for what holds no such document.
Result<QueueProbeDocument> read_queue_probe(const Json& file, std::string_view source);

}  // namespace aaco
