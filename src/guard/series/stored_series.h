// SPDX-License-Identifier: MIT
// The series of a history, with their changes.
#pragma once

#include <string>
#include <vector>

#include "base/json/json_value.h"
#include "base/result.h"
#include "guard/series/build_series.h"

namespace aaco {

// "" matches every subject, and every figure. Recordings that are damaged are left out and named in `damaged`.
struct StoredSeriesFilter {
  std::string subject;
  std::string figure;  // "median"
};

// Errors: as GuardStore::open and values.
Result<std::vector<BuildSeries>> read_stored_series(const std::string& store, const StoredSeriesFilter& filter,
                                                    std::vector<std::string>& damaged);

// For a page: {"store", "damaged", "series"}, each series as series_json() has it, with "points" (a build's label, its
// median, the least and the largest value of its processes, and their number) and, for each change, the places of the
// builds between which it lies.
Result<JsonValue> stored_series_answer(const std::string& store);

}  // namespace aaco
