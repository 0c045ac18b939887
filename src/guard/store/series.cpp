// SPDX-License-Identifier: MIT
#include "guard/store/series.h"

#include <map>
#include <tuple>
#include <utility>

namespace aaco {

std::vector<Series> series_of(const std::vector<GuardValue>& values) {
  std::map<std::tuple<SeriesPlace, std::string, std::string, std::string>, Series> all;
  for (const GuardValue& value : values) {
    Series& series = all[{value.place, value.name, value.figure, value.unit}];
    if (series.points.empty() || series.points.back().record_id != value.record_id) {
      series.points.push_back({value.record_id, value.recorded_ns, value.commit, value.valid != 0, {}});
    }
    series.points.back().values.push_back(value.value);
  }
  std::vector<Series> list;
  for (auto& [key, series] : all) {
    std::tie(series.place, series.name, series.figure, series.unit) = key;
    list.push_back(std::move(series));
  }
  return list;
}

}  // namespace aaco
