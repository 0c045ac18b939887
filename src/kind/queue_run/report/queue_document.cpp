// SPDX-License-Identifier: MIT
#include "kind/queue_run/report/queue_document.h"

#include <fmt/format.h>

namespace aaco::report {

QueueFigures figures_of(const QueueRunDocument& document, const Recording& recording) {
  const bool waits = document.request.sync_mode != "none";
  return queue_figures(document.work, document.processes, recording.iterations, waits);
}

std::string used_of(int64_t used, int64_t streams) {
  return used == streams ? std::to_string(streams) : fmt::format("{} of {}", used, streams);
}

std::string parameters_of(const QueueRunDocument& document) {
  std::string text;
  for (const auto& [name, value] : document.request.parameters) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
  }
  return text.empty() ? "as they are" : document.request.scale == "cpu" ? text + " (sizes for a CPU)" : text;
}

std::string devices_of(const QueueRunDocument& document) {
  std::string text;
  for (const DeviceFacts& device : document.devices) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", device.id, device.name);
  }
  return text.empty() ? "not known" : text;
}

}  // namespace aaco::report
