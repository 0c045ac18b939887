// SPDX-License-Identifier: MIT
// metrics/training.json of a training run, which `aaco llama run --json` and --output give too: one type, which one
// function writes and one reads.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/devices/tool_outcome.h"
#include "base/json/json_fwd.h"
#include "base/result.h"
#include "kind/queue_run/document/queue_run_document.h"
#include "kind/training/analysis/training_figures.h"
#include "kind/training/document/training_gate.h"

namespace aaco {

// What `aaco llama run` was asked for, complete: sizes of a preset are given here as numbers.
struct TrainingRequest {
  int32_t version = 1;
  std::string preset;  // that the sizes come from; what differs from it stands in them
  std::string device;
  std::string device_choice;  // why this one, where the user named none
  int64_t vocabulary = 0;
  int64_t hidden = 0;
  int64_t layers = 0;
  int64_t heads = 0;
  int64_t kv_heads = 0;
  int64_t inner = 0;
  int64_t sequences = 0;
  int64_t length = 0;
  int64_t batches = 16;
  std::string data = "learnable";  // or "random"
  std::string precision = "fp32";
  std::vector<std::string> enable;   // fusions besides the version's
  std::vector<std::string> disable;  // of the version's, left out
  std::string dispatch;
  double rate = 3e-4;
  double weight_decay = 0.01;
  int64_t rate_warmup_steps = 0;
  int64_t steps = 50;
  int64_t warmup = 5;
  int64_t processes = 3;
  uint64_t seed = 42;
  bool check = true;
  bool deterministic =
      false;  // products by the library's own choice of algorithm, none by timing: the same bits always
  bool measure_roofs = false;  // a processor's memory too, where it is not known: some seconds, once on a machine
  bool profile = false;        // keep the trace of the process under the device's activity collector
  std::string with;            // a process under this vendor's profiler after the others, or under all; empty: none
  bool telemetry = true;       // sample clocks and power while it measures
  bool kernel_plane = false;   // not in the document
  std::string sessions = "sessions";
  std::string folder;  // where processes put what they found; set by the run
  std::vector<std::string> command_line;
};

struct TrainingRunDocument {
  static constexpr const char* kKind = "training_run";

  std::string version;  // of the program
  std::string created_utc;
  std::string bundle;
  TrainingRequest request;
  TrainingWork work;
  std::optional<DeviceFacts> device;
  std::map<std::string, std::string> types;  // of what is kept and summed: "residual path" -> "bf16"
  std::vector<TrainingGate> gates;
  std::optional<TrainingActivity> activity;  // where the gates were asked for, or the trace
  std::optional<ProductRoof> roof;
  std::optional<MemoryRoof> memory_roof;
  std::string memory_roof_unavailable;  // why there is none
  std::vector<std::string> notes;
  std::vector<TrainingProcess> processes;
  std::vector<DeviceClocks> clocks;  // of a GPU, while steps were measured
  TrainingFigures figures;
  std::vector<ToolOutcome> tools;
};

void to_json(Json& json, const TrainingRequest& request);
void from_json(const Json& json, TrainingRequest& request);
void to_json(Json& json, const TrainingRunDocument& document);
void from_json(const Json& json, TrainingRunDocument& document);

// Why nothing may be said of its speed: the first gate that does not hold, with what it found, or the first loss that
// is no number. Empty: it may. Pure.
std::string why_no_speed(const TrainingRunDocument& document);

// Errors: kUsage naming `source` for what is no such document, or has a figure that no run can give.
Result<TrainingRunDocument> read_training_run(const Json& json, std::string_view source);

// A member of the document that is a number which its type cannot hold: "request.version is 1e+20"; empty: none. What
// is such must not be read, since JSON's numbers are converted without a look at their size.
std::string unreadable_number(const Json& json);

}  // namespace aaco
