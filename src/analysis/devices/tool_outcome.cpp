// SPDX-License-Identifier: MIT
#include "analysis/devices/tool_outcome.h"

#include "base/json/json.h"

namespace aaco {

void to_json(Json& json, const ToolOutcome& outcome) {
  Json files = Json::array();
  for (const ToolOutcome::File& file : outcome.files) {
    files.push_back(
        {{"path", file.path}, {"format", file.format.empty() ? Json() : Json(file.format)}, {"bytes", file.bytes}});
  }
  json = {{"tool", outcome.tool},     {"version", outcome.version}, {"command", outcome.command},
          {"folder", outcome.folder}, {"files", std::move(files)},  {"events", outcome.events}};
}

void from_json(const Json& json, ToolOutcome& outcome) {
  json.at("tool").get_to(outcome.tool);
  json.at("version").get_to(outcome.version);
  json.at("command").get_to(outcome.command);
  json.at("folder").get_to(outcome.folder);
  json.at("events").get_to(outcome.events);
  for (const Json& file : json.at("files")) {
    const Json& format = file.at("format");
    outcome.files.push_back({file.at("path").get<std::string>(), format.is_null() ? "" : format.get<std::string>(),
                             file.at("bytes").get<uint64_t>()});
  }
}

std::vector<ToolOutcome> tools_of(const Json& document) {
  if (document.contains("tools")) {
    return document.at("tools").get<std::vector<ToolOutcome>>();
  }
  const Json tool = document.value("tool", Json());
  return tool.is_null() ? std::vector<ToolOutcome>() : std::vector{tool.get<ToolOutcome>()};
}

}  // namespace aaco
