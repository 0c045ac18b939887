// SPDX-License-Identifier: MIT
#include "kind/queue_probe/queue_probe_document.h"

#include <fmt/format.h>

#include "base/json/json.h"
#include "kind/queue_run/document/queue_run_document.h"

namespace aaco {

AACO_JSON_FIELDS(QueueProbeRequest, device, streams, processes, sessions, folder, command_line)

void to_json(Json& json, const QueueProbeDocument& document) {
  json = {{"kind", QueueProbeDocument::kKind},   {"version", document.version},
          {"bundle", document.bundle},           {"request", document.request},
          {"device_name", document.device_name}, {"independent_switch", document.independent},
          {"hand_off", document.hand_off},       {"launches", document.launches},
          {"queue_map", document.map},           {"queue_limit", document.limit},
          {"convoy", document.convoy},           {"priority", document.priority},
          {"records", document.records}};
}

void from_json(const Json& json, QueueProbeDocument& document) {
  document.version = json.value("version", "");
  document.bundle = json.value("bundle", "");
  json.at("request").get_to(document.request);
  json.at("device_name").get_to(document.device_name);
  json.at("independent_switch").get_to(document.independent);
  json.at("hand_off").get_to(document.hand_off);
  json.at("launches").get_to(document.launches);
  json.at("queue_map").get_to(document.map);
  json.at("queue_limit").get_to(document.limit);
  json.at("convoy").get_to(document.convoy);
  json.at("priority").get_to(document.priority);
  json.at("records").get_to(document.records);
}

Result<QueueProbeDocument> read_queue_probe(const Json& file, std::string_view source) {
  const bool there = file.is_object() && file.contains(QueueProbeDocument::kMember);
  if (!there || document_kind(file[QueueProbeDocument::kMember]) != QueueProbeDocument::kKind) {
    return Error{ErrorKind::kUsage, fmt::format("{}: not what aaco queue probe wrote", source),
                 "the file is damaged: run it again with aaco queue"};
  }
  return from_json_value<QueueProbeDocument>(file[QueueProbeDocument::kMember], source);
}

}  // namespace aaco
