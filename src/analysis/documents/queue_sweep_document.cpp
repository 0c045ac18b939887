// SPDX-License-Identifier: MIT
#include "analysis/documents/queue_sweep_document.h"

#include <fmt/format.h>

#include "base/json.h"

namespace aaco {

namespace {

// But for the points, each of which is checked.
void from_json(const Json& json, QueueSweepDocument& document) {
  document.version = json.value("version", "");
  document.bundle = json.value("bundle", "");
  json.at("workload").get_to(document.workload);
  document.scaling = json.value("scaling", StreamScaling());
  json.at("stopped_by").get_to(document.stopped_by);
}

}  // namespace

void to_json(Json& json, const QueueSweepDocument& document) {
  json = {{"kind", QueueSweepDocument::kKind}, {"version", document.version}, {"bundle", document.bundle},
          {"workload", document.workload},     {"scaling", document.scaling}, {"points", document.points},
          {"stopped_by", document.stopped_by}};
}

Result<QueueSweepDocument> read_queue_sweep(const Json& json, std::string_view source) {
  if (document_kind(json) != QueueSweepDocument::kKind || !json.contains("points") || !json["points"].is_array()) {
    return Error{ErrorKind::kUsage, fmt::format("{}: not what aaco queue sweep wrote", source),
                 "the file is damaged: run it again with aaco queue"};
  }
  QueueSweepDocument document;
  try {
    from_json(json, document);
  } catch (const Json::exception& exception) {
    return Error{ErrorKind::kUsage, fmt::format("{}: {}", source, exception.what()),
                 "the file was not written by this version of aaco, or was edited"};
  }
  for (const Json& point : json["points"]) {
    AACO_ASSIGN(document.points.emplace_back(), read_queue_run(point, source));
  }
  return document;
}

}  // namespace aaco
