// SPDX-License-Identifier: MIT
#include "kind/sweep/document/model_sweep_document.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/json/json.h"

namespace aaco {

namespace {

ModelSweepPoint read_point(const Json& json) {
  return {json.at("batch").get<int64_t>(), json.at("bundle").get<std::string>(), json.at("status").get<SessionStatus>(),
          json.at("bottleneck_class").get<std::string>()};
}

bool is_sound(const Estimate& estimate) {
  const bool positive = std::isfinite(estimate.value) && estimate.value > 0;
  const auto& interval = estimate.interval;
  return positive &&
         (!interval || (interval->low > 0 && interval->low <= interval->high && std::isfinite(interval->high)));
}

bool is_sound(const Scaling& scaling) {
  return std::all_of(scaling.rows.begin(), scaling.rows.end(), [](const ScalingRow& row) {
    return is_sound(row.latency_ns) && (!row.samples_per_s || is_sound(*row.samples_per_s)) &&
           std::isfinite(row.gain_per_doubling.value_or(0)) && std::isfinite(1 / row.per_sample_ns);
  });
}

}  // namespace

void to_json(Json& json, const ModelSweepDocument& document) {
  json = sweep_json(ModelSweepDocument::kForm, document);
  json["scaling"] = document.scaling;
  json["points"] = Json::array();
  for (const ModelSweepPoint& point : document.points) {
    json["points"].push_back({{"batch", point.batch},
                              {"bundle", point.bundle},
                              {"status", point.status},
                              {"bottleneck_class", point.bottleneck_class}});
  }
  json["stopped_by"] = document.stopped_by;
}

Result<ModelSweepDocument> read_model_sweep(const Json& json, std::string_view source) {
  const SweepForm& form = ModelSweepDocument::kForm;
  ModelSweepDocument document;
  AACO_TRY(read_sweep_head(json, form, source, document));
  if (const auto scaling = json.find("scaling"); scaling == json.end() || !scaling->is_object()) {
    return damaged_sweep(source, form, "no scaling in it");
  }
  std::vector<ScalingPoint> times;
  try {
    const Json& points = json.at("points");
    std::transform(points.begin(), points.end(), std::back_inserter(document.points), read_point);
    document.stopped_by = json.value("stopped_by", std::optional<std::string>());
    const auto scaling = json.at("scaling").get<Scaling>();
    std::transform(scaling.rows.begin(), scaling.rows.end(), std::back_inserter(times),
                   [](const ScalingRow& row) { return ScalingPoint{row.batch, row.latency_ns, row.elapsed_ns}; });
  } catch (const Json::exception& exception) {
    return damaged_sweep(source, form, json_problem(exception));
  }
  document.scaling = scaling_of(times);
  if (!is_sound(document.scaling) || document.scaling.rows.size() != times.size()) {
    return damaged_sweep(source, form, "a batch twice, or a batch or time that is not positive");
  }
  return document;
}

}  // namespace aaco
