// SPDX-License-Identifier: MIT
#include "serve/answers/sql_answer.h"

#include <array>
#include <cmath>
#include <variant>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/text/utf8.h"
#include "record/table.h"
#include "session/sql/sql.h"

namespace aaco::serve {

namespace {

const char* type_name(ColumnType type) {
  switch (type) {
    case ColumnType::kInt64:
      return "integer";
    case ColumnType::kDouble:
      return "real";
    case ColumnType::kString:
      break;
  }
  return "text";
}

// Integers beyond 2^53 as text: a page's numbers do not hold them.
Json integer_json(int64_t value) {
  constexpr int64_t kMostExact = int64_t{1} << 53;
  return value > kMostExact || value < -kMostExact ? Json(std::to_string(value)) : Json(value);
}

Json cell_json(const TableColumn& column, size_t row) {
  if (!column.valid.empty() && column.valid[row] == 0) {
    return {};
  }
  if (const auto* integers = std::get_if<std::vector<int64_t>>(&column.values)) {
    return integer_json((*integers)[row]);
  }
  if (const auto* reals = std::get_if<std::vector<double>>(&column.values)) {
    return std::isfinite((*reals)[row]) ? Json((*reals)[row]) : Json();
  }
  return as_utf8(std::get<std::vector<std::string>>(column.values)[row]);
}

}  // namespace

Result<JsonValue> sql_answer(const std::filesystem::path& session, int64_t limit, const std::string& statement) {
  const int64_t start_ns = monotonic_ns();
  Json columns = Json::array();
  Json rows = Json::array();
  bool truncated = false;
  const std::array<std::filesystem::path, 1> bundles{session};
  AACO_TRY(query_bundles(bundles, statement, {}, [&](const Table& piece) -> Result<MoreRows> {
    if (columns.empty()) {
      for (const TableColumn& column : piece.columns) {
        columns.push_back({{"name", as_utf8(column.info.name)}, {"type", type_name(column.info.type)}});
      }
    }
    for (size_t row = 0; row < piece.row_count; ++row) {
      if (static_cast<int64_t>(rows.size()) == limit) {
        truncated = true;
        return MoreRows::kEnough;
      }
      Json cells = Json::array();
      for (const TableColumn& column : piece.columns) {
        cells.push_back(cell_json(column, row));
      }
      rows.push_back(std::move(cells));
    }
    return MoreRows::kWanted;
  }));
  return JsonValue(Json{{"columns", std::move(columns)},
                        {"rows", std::move(rows)},
                        {"truncated", truncated},
                        {"milliseconds", static_cast<double>(monotonic_ns() - start_ns) / 1e6}});
}

}  // namespace aaco::serve
