// SPDX-License-Identifier: MIT
#include "guard/series/stored_series.h"

#include <algorithm>
#include <utility>

#include "base/json/json.h"
#include "base/text/utf8.h"
#include "guard/series/series_answer.h"
#include "guard/store/guard_store.h"
#include "guard/subject/given_value.h"

namespace aaco {

namespace {

Result<Json> points_json(const BuildSeries& series) {
  std::vector<std::vector<double>> values;
  for (const SeriesBuild& build : series.builds) {
    values.push_back(build.values);
  }
  AACO_ASSIGN(const std::vector<double> medians, build_medians(values));
  Json points = Json::array();
  for (size_t i = 0; i < medians.size(); ++i) {
    const auto [low, high] = std::minmax_element(values[i].begin(), values[i].end());
    points.push_back({{"build", as_utf8(series.builds[i].label)},
                      {"value", medians[i]},
                      {"low", *low},
                      {"high", *high},
                      {"processes", values[i].size()}});
  }
  return points;
}

Result<Json> page_json(BuildSeries series, const SeriesOptions& options) {
  AACO_ASSIGN(Json points, points_json(series));
  AACO_ASSIGN(const SeriesAnswer answer, answer_series(std::move(series), options));
  Json json = series_json(answer, options);
  for (size_t i = 0; i < answer.changes.size(); ++i) {
    json["changes"][i]["first_index"] = answer.changes[i].first_build;
    json["changes"][i]["last_index"] = answer.changes[i].last_build;
  }
  json["points"] = std::move(points);
  return json;
}

}  // namespace

Result<std::vector<BuildSeries>> read_stored_series(const std::string& store, const StoredSeriesFilter& filter,
                                                    std::vector<std::string>& damaged) {
  const GuardStore guard_store = GuardStore::for_reading(store);
  AACO_TRY(guard_store.expect_history());
  AACO_ASSIGN(const std::vector<GuardValue> values, guard_store.values_of(filter.subject, damaged));
  std::vector<BuildSeries> result;
  for (const Series& series : series_of(values)) {
    if (filter.figure.empty() || is_of_figure(filter.figure, series.figure, series.name)) {
      result.push_back(builds_of(series));
    }
  }
  return result;
}

Result<JsonValue> stored_series_answer(const std::string& store) {
  std::vector<std::string> damaged;
  AACO_ASSIGN(std::vector<BuildSeries> all, read_stored_series(store, {}, damaged));
  Json json = {{"store", as_utf8(store)}, {"damaged", Json::array()}, {"series", Json::array()}};
  for (const std::string& what : damaged) {
    json["damaged"].push_back(as_utf8(what));
  }
  for (BuildSeries& series : all) {
    AACO_ASSIGN(Json series_page, page_json(std::move(series), {}));
    json["series"].push_back(std::move(series_page));
  }
  return JsonValue(std::move(json));
}

}  // namespace aaco
