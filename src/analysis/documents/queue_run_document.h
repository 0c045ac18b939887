// SPDX-License-Identifier: MIT
// metrics/queue.json of a queue run, which `aaco queue run --json` and --output give too: one type, which one function
// writes and one reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/documents/queue_profile_result.h"
#include "analysis/documents/queue_request.h"
#include "analysis/documents/tool_outcome.h"
#include "analysis/queue/queue_process.h"
#include "analysis/queue/run_figures.h"
#include "analysis/queue/timeline/device_clocks.h"
#include "base/json_fwd.h"
#include "base/result.h"

namespace aaco {

// Of a device that a run used, as its backend describes it (device/device.h).
struct DeviceFacts {
  std::string id;
  std::string name;
  std::string architecture;
  std::string driver;
  std::string runtime;
  std::string gemm_library;
  std::string conv_library;
  int64_t memory_bytes = 0;
  int32_t compute_units = 0;
  int32_t wave_lanes = 0;
  std::optional<std::string> pci;  // none where it is no PCI device
  int32_t lowest_priority = 0;
  int32_t highest_priority = 0;
};

struct CommunicatorFacts {
  int32_t ranks = 0;
  std::string library;
  bool emulated = false;
};

// What the check of a workload's operations found (workload/verify.h); only of one that found them right.
struct WorkloadCheck {
  int64_t operations = 0;
  int64_t checked = 0;
  int64_t in_part = 0;
  int64_t outputs = 0;
  int64_t iterations = 0;
  bool bitwise = false;
  double worst_error = 0;
  std::string worst_operation;
};

struct QueueRunDocument {
  static constexpr const char* kKind = "queue_run";

  std::string version;  // of the program
  std::string created_utc;
  std::string bundle;
  QueueRequest request;
  QueueWork work;
  std::vector<DeviceFacts> devices;
  CommunicatorFacts communicator;
  std::optional<WorkloadCheck> verification;  // where it was asked for
  std::vector<std::string> notes;
  std::vector<QueueProcess> processes;
  QueueFigures figures;
  std::vector<DeviceClocks> clocks;     // of GPUs
  std::optional<QueueProfile> profile;  // where it was asked for
  std::vector<ToolOutcome> tools;
};

void to_json(Json& json, const DeviceFacts& facts);
void from_json(const Json& json, DeviceFacts& facts);
void to_json(Json& json, const CommunicatorFacts& facts);
void from_json(const Json& json, CommunicatorFacts& facts);
void to_json(Json& json, const WorkloadCheck& check);
void from_json(const Json& json, WorkloadCheck& check);
void to_json(Json& json, const QueueRunDocument& document);
void from_json(const Json& json, QueueRunDocument& document);

// The kind that a document names; empty where it names none.
std::string document_kind(const Json& json);

// Errors: kUsage naming `source` for what is no such document, or has a figure that no run can give.
Result<QueueRunDocument> read_queue_run(const Json& json, std::string_view source);

}  // namespace aaco
