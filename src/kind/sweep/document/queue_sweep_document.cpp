// SPDX-License-Identifier: MIT
#include "kind/sweep/document/queue_sweep_document.h"

#include "base/json/json.h"

namespace aaco {

void to_json(Json& json, const QueueSweepDocument& document) {
  json = sweep_json(QueueSweepDocument::kForm, document);
  json["workload"] = document.workload;
  json["scaling"] = document.scaling;
  json["points"] = document.points;
  json["stopped_by"] = document.stopped_by;
}

Result<QueueSweepDocument> read_queue_sweep(const Json& json, std::string_view source) {
  QueueSweepDocument document;
  AACO_TRY(read_sweep_head(json, QueueSweepDocument::kForm, source, document));
  try {
    json.at("workload").get_to(document.workload);
    document.scaling = json.value("scaling", StreamScaling());
    json.at("stopped_by").get_to(document.stopped_by);
  } catch (const Json::exception& exception) {
    return damaged_sweep(source, QueueSweepDocument::kForm, json_problem(exception));
  }
  for (const Json& point : json["points"]) {
    AACO_ASSIGN(document.points.emplace_back(), read_queue_run(point, source));
  }
  return document;
}

}  // namespace aaco
