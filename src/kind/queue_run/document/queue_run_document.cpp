// SPDX-License-Identifier: MIT
#include "kind/queue_run/document/queue_run_document.h"

#include <fmt/format.h>

#include "base/json/json.h"

namespace aaco {

AACO_JSON_FIELDS(QueueRequest, workload, devices, device_choice, streams, emulated_ranks, iterations, warmup, sync_mode,
                 dispatch, parameters, scale, processes, seed, check, profile, with, sessions, folder, command_line)
AACO_JSON_FIELDS(WorkloadCheck, operations, checked, in_part, outputs, iterations, bitwise, worst_error,
                 worst_operation)

namespace {

constexpr const char* kHint = "the file is damaged: run it again with aaco queue";

}  // namespace

void to_json(Json& json, const QueueRunDocument& document) {
  json = {{"kind", QueueRunDocument::kKind},
          {"version", document.version},
          {"created_utc", document.created_utc},
          {"bundle", document.bundle},
          {"request", document.request},
          {"work", document.work},
          {"devices", document.devices},
          {"communicator", document.communicator},
          {"verification", document.verification},
          {"notes", document.notes},
          {"processes", document.processes},
          {"figures", document.figures},
          {"clocks", document.clocks},
          {"profile", document.profile},
          {"tool", document.tools.empty() ? Json() : Json(document.tools.front())},
          {"tools", document.tools}};
  if (document.until) {
    json["until"] = *document.until;
  }
}

void from_json(const Json& json, QueueRunDocument& document) {
  document.version = json.value("version", "");
  document.created_utc = json.value("created_utc", "");
  json.at("bundle").get_to(document.bundle);
  json.at("request").get_to(document.request);
  json.at("work").get_to(document.work);
  if (!json.at("devices").is_null()) {  // as a run that ended before it knew them left it
    json.at("devices").get_to(document.devices);
  }
  json.at("communicator").get_to(document.communicator);
  json.at("verification").get_to(document.verification);
  json.at("notes").get_to(document.notes);
  json.at("processes").get_to(document.processes);
  json.at("figures").get_to(document.figures);
  json.at("clocks").get_to(document.clocks);
  json.at("profile").get_to(document.profile);
  document.tools = tools_of(json);
  if (const auto until = json.find("until"); until != json.end()) {
    until->get_to(document.until.emplace());
  }
}

Result<QueueRunDocument> read_queue_run(const Json& json, std::string_view source) {
  if (document_kind(json) != QueueRunDocument::kKind) {
    return Error{ErrorKind::kUsage, fmt::format("{}: not what aaco queue run wrote", source), kHint};
  }
  const Json profile = json.value("profile", Json());
  for (const char* part : {"timeline", "overhead"}) {
    if (profile.is_object() && !profile.value(part, Json()).is_object()) {
      return Error{ErrorKind::kUsage, fmt::format("{}: the profile has no {}", source, part), kHint};
    }
  }
  AACO_ASSIGN(QueueRunDocument document, from_json_value<QueueRunDocument>(json, source));
  for (const QueueProcess& process : document.processes) {
    if (process.iterations < 0 || process.wall_ns < 0 || process.units_per_iteration < 0) {
      return Error{ErrorKind::kUsage, fmt::format("{}: process {} has a negative figure", source, process.process),
                   kHint};
    }
  }
  return document;
}

}  // namespace aaco
