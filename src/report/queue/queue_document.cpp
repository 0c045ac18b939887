// SPDX-License-Identifier: MIT
#include "report/queue/queue_document.h"

#include <fmt/format.h>

#include "base/json.h"
#include "report/json_fields.h"
#include "report/values.h"

namespace aaco::report {

void from_json(const Json& json, QueueRunDocument& document) {
  json.at("bundle").get_to(document.bundle);
  document.request = json.at("request");
  json.at("work").get_to(document.work);
  document.devices = json.at("devices");
  document.communicator = json.at("communicator");
  document.verification = json.at("verification");
  json.at("notes").get_to(document.notes);
  json.at("processes").get_to(document.processes);
  document.figures = json.at("figures");
  json.at("clocks").get_to(document.clocks);
  document.profile = json.at("profile");
  document.tool = json.value("tool", Json());
}

Result<QueueRunDocument> read_queue_run(const Json& json, const std::string& source) {
  if (!json.is_object() || text_of(json, "kind") != "queue_run") {
    return Error{ErrorKind::kUsage, source + ": not what aaco queue run wrote",
                 "the file is damaged: run it again with aaco queue"};
  }
  AACO_ASSIGN(QueueRunDocument document, from_json_value<QueueRunDocument>(json, source));
  for (const char* part : {"timeline", "overhead"}) {
    const Json* figures = member_of(document.profile, part);
    if (document.profile.is_object() && (figures == nullptr || !figures->is_object())) {
      return Error{ErrorKind::kUsage, fmt::format("{}: the profile has no {}", source, part),
                   "the file is damaged: run it again with aaco queue"};
    }
  }
  for (const QueueProcess& process : document.processes) {
    if (process.iterations < 0 || process.wall_ns < 0 || process.units_per_iteration < 0) {
      return Error{ErrorKind::kUsage, fmt::format("{}: process {} has a negative figure", source, process.process),
                   "the file is damaged: run it again with aaco queue"};
    }
  }
  return document;
}

QueueFigures figures_of(const QueueRunDocument& document, const Recording& recording) {
  const bool waits = text_of(document.request, "sync_mode") != "none";
  return queue_figures(document.work, document.processes, recording.iterations, waits);
}

std::string used_of(int64_t used, int64_t streams) {
  return used == streams ? std::to_string(streams) : fmt::format("{} of {}", used, streams);
}

std::string parameters_of(const QueueRunDocument& document) {
  std::string text;
  const Json* parameters = member_of(document.request, "parameters");
  if (parameters != nullptr && parameters->is_object()) {
    for (const auto& [name, value] : parameters->items()) {
      text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, format_json(value));
    }
  }
  return text.empty() ? "as they are" : text;
}

std::string devices_of(const QueueRunDocument& document) {
  std::string text;
  for (const Json& device : document.devices.is_array() ? document.devices : Json::array()) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", text_of(device, "id"), text_of(device, "name"));
  }
  return text.empty() ? "not known" : text;
}

}  // namespace aaco::report
