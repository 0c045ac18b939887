// SPDX-License-Identifier: MIT
// The change points of a series for people and programs.
#pragma once

#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "guard/series/build_series.h"
#include "verdict/series/change_points.h"

namespace aaco {

struct SeriesAnswer {
  BuildSeries series;
  std::vector<ChangePoint> changes;
};

// Errors: as build_medians.
Result<SeriesAnswer> answer_series(BuildSeries series, const SeriesOptions& options);

// The answer first: "2 changes in 130 builds", then a row for each.
std::string series_text(const SeriesAnswer& answer);
Json series_json(const SeriesAnswer& answer, const SeriesOptions& options);

}  // namespace aaco
