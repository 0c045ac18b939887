// SPDX-License-Identifier: MIT
// One point of a series of numbers that work reports about itself: loss, learning rate, tokens per second.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "record/table.h"

namespace aaco {

struct ScalarRow {
  std::string series;
  std::optional<int64_t> step;
  int64_t time_ns = 0;
  double value = 0;
  std::optional<std::string> unit;
  std::optional<int64_t> process;
};

template <>
struct RowSchema<ScalarRow> {
  static constexpr const char* kName = "scalars";
  static constexpr const char* kMeaning = "series of numbers that the work reports, one row per point";
  template <class R = ScalarRow>
  static auto columns() {
    return std::tuple{row_column("series", &R::series, "", "name of the series: loss, learning_rate"),
                      row_column("step", &R::step, "1", "step of the work that it is of; null where there are none"),
                      row_column("time_ns", &R::time_ns, "ns", "when it was reported, session time"),
                      row_column("value", &R::value, "", "as it was reported, NaN and infinities too"),
                      row_column("unit", &R::unit, "", "of the value; null where it has none"),
                      row_column("process", &R::process, "1", "index of the process; null: of the run")};
  }
};

}  // namespace aaco
