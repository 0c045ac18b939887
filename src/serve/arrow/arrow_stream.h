// SPDX-License-Identifier: MIT
// Columns of numbers as an Arrow IPC stream: a schema, one record batch, the end (arrow.apache.org/docs/format,
// "Columnar format"; metadata version 5). Any Arrow library reads it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace aaco::serve {

inline constexpr const char* kArrowStreamType = "application/vnd.apache.arrow.stream";

using ArrowValues =
    std::variant<std::vector<uint8_t>, std::vector<uint16_t>, std::vector<uint32_t>, std::vector<double>>;

struct ArrowColumn {
  std::string name;
  ArrowValues values;
  std::vector<bool> valid = {};  // one for each value; empty: all are
};

// All columns have the same length. `metadata`: keys and values beside the schema.
std::string arrow_stream(const std::vector<ArrowColumn>& columns,
                         const std::vector<std::pair<std::string, std::string>>& metadata);

}  // namespace aaco::serve
