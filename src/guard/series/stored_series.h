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
  std::string subject;  // by its name, or by its slug as aaco prints it
  std::string figure;   // "median", or the name of a given value
};

// Errors: as GuardStore::expect_history and values.
Result<std::vector<BuildSeries>> read_stored_series(const std::string& store, const StoredSeriesFilter& filter,
                                                    std::vector<std::string>& damaged);

// For a page: {"store", "damaged", "series"}, each series as series_json() has it, with "points" (a build's label, its
// median, the least and the largest value of its processes, and their number) and, for each change, the places of the
// builds between which it lies.
Result<JsonValue> stored_series_answer(const std::string& store);

}  // namespace aaco
