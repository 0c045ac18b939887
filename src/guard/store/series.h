// SPDX-License-Identifier: MIT
// Values of a store as series over time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "guard/store/guard_rows.h"

namespace aaco {

struct SeriesPoint {
  std::string record_id;
  int64_t recorded_ns = 0;
  std::string commit;
  bool valid = true;
  std::vector<double> values;  // one for each process
};

struct Series {
  SeriesPlace place;
  std::string name;
  std::string figure;
  std::string unit;
  std::vector<SeriesPoint> points;  // by recorded_ns, then record_id
};

// Pure: by place, name, figure and unit: 12 ms and 12 are no two values of one thing. `values` as GuardStore::values
// gives them.
std::vector<Series> series_of(const std::vector<GuardValue>& values);

}  // namespace aaco
