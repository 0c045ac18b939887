// SPDX-License-Identifier: MIT
// metrics/queue.json of a run, as a report reads it.
#pragma once

#include <string>
#include <vector>

#include "analysis/queue/device_clocks.h"
#include "analysis/queue/queue_process.h"
#include "analysis/queue/run_figures.h"
#include "base/json.h"
#include "base/result.h"
#include "trace/recording.h"

namespace aaco::report {

struct QueueRunDocument {
  std::string bundle;
  Json request;
  QueueWork work;
  Json devices;
  Json communicator;
  Json verification;  // null where it was not asked for
  std::vector<std::string> notes;
  std::vector<QueueProcess> processes;
  Json figures;
  std::vector<DeviceClocks> clocks;  // of GPUs
  Json profile;                      // null where there was none
  Json tool;                         // null where none was asked for
};

void from_json(const Json& json, QueueRunDocument& document);

// Errors: kUsage naming `source` for what is no such document.
Result<QueueRunDocument> read_queue_run(const Json& json, const std::string& source);

// Figures are computed again from what the processes left, so that an edited file cannot contradict itself.
QueueFigures figures_of(const QueueRunDocument& document, const Recording& recording);

// "4 of 8", or "8" where all are used.
std::string used_of(int64_t used, int64_t streams);
// "tensor_size=64, ops=5"; "as they are" where none was given.
std::string parameters_of(const QueueRunDocument& document);
// "cpu:0 (AMD EPYC), ..."
std::string devices_of(const QueueRunDocument& document);

}  // namespace aaco::report
