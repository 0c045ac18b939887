// SPDX-License-Identifier: MIT
#include "guard/series/build_series.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/format.h"
#include "base/text/characters.h"
#include "ingest/bytes/byte_source.h"
#include "ingest/table/csv_reader.h"

namespace aaco {

namespace {

constexpr const char* kFileHint = "a CSV file with a header and the columns build and value, a row for each value";

// Beyond these squares overflow or vanish; nothing that is measured is so large or small in any unit.
constexpr double kLargest = 1e100;
constexpr double kSmallest = 1e-100;

struct Columns {
  size_t build = 0;
  size_t value = 0;
  size_t count = 0;
};

std::optional<Columns> columns_of(const std::vector<Cell>& header) {
  std::optional<size_t> build;
  std::optional<size_t> value;
  for (size_t i = 0; i < header.size(); ++i) {
    if (header[i].text == "build") {
      build = i;
    } else if (header[i].text == "value") {
      value = i;
    }
  }
  return build && value ? std::optional<Columns>({*build, *value, header.size()}) : std::nullopt;
}

std::string label_of(const Cell& cell) {
  return cell.type == Cell::Type::kInteger ? std::to_string(cell.integer) : std::string(cell.text);
}

std::optional<double> number_of(const Cell& cell) {
  if (cell.type == Cell::Type::kInteger) {
    return static_cast<double>(cell.integer);
  }
  return cell.type == Cell::Type::kReal && std::isfinite(cell.real) ? std::optional(cell.real) : std::nullopt;
}

// What is wrong with a row; "" where it is right.
std::string row_problem(const std::vector<Cell>& cells, const Columns& columns) {
  if (cells.size() != columns.count) {
    return fmt::format("{}, and {} in the header{}", counted(cells.size(), "column", "columns"), columns.count,
                       cells.size() > columns.count ? ": a number has a point, not a comma" : "");
  }
  const std::optional<double> value = number_of(cells[columns.value]);
  if (!value) {
    return "no number in the column value";
  }
  const double size = std::abs(*value);
  return size > kLargest || (size > 0 && size < kSmallest)
             ? fmt::format("{} is no measured value: it is not between {} and {}", *value, kSmallest, kLargest)
             : "";
}

}  // namespace

Result<BuildSeries> read_builds(const std::filesystem::path& file) {
  const std::string name = printable(file.string());
  AACO_ASSIGN(const std::unique_ptr<ByteSource> source, open_text(file));
  LossTable losses;
  CsvReader reader(*source, name, losses);
  std::vector<Cell> cells;
  AACO_ASSIGN(const bool has_header, reader.next(cells));
  const std::optional<Columns> columns = has_header ? columns_of(cells) : std::nullopt;
  if (!columns) {
    return Error{ErrorKind::kUsage, fmt::format("{}: no header with the columns build and value", name), kFileHint};
  }
  BuildSeries series{.title = name, .unit = "", .builds = {}, .warnings = {}};
  std::map<std::string, size_t, std::less<>> places;
  while (true) {
    AACO_ASSIGN(const bool has_row, reader.next(cells));
    if (!has_row) {
      break;
    }
    if (const std::string problem = row_problem(cells, *columns); !problem.empty()) {
      return Error{ErrorKind::kUsage, fmt::format("{}:{}: {}", name, reader.line(), problem), kFileHint};
    }
    const double value = *number_of(cells[columns->value]);
    if (value <= 0 && series.warnings.empty()) {
      series.warnings.push_back(
          fmt::format("{}:{}: {} is no duration and no rate: a level that is not positive has no change in percent",
                      name, reader.line(), value));
    }
    const std::string label = label_of(cells[columns->build]);
    const auto [place, is_new] = places.try_emplace(label, series.builds.size());
    if (is_new) {
      series.builds.push_back({label, {}});
    }
    series.builds[place->second].values.push_back(value);
  }
  if (!losses.entries().empty()) {
    return Error{ErrorKind::kUsage, fmt::format("{}: a row is damaged", name), kFileHint};
  }
  if (series.builds.empty()) {
    return Error{ErrorKind::kUsage, name + ": no row behind the header", kFileHint};
  }
  return series;
}

BuildSeries builds_of(const Series& series) {
  const SeriesPlace& place = series.place;
  BuildSeries result{.title = fmt::format("{}{}{} {} ({}, {})", place.subject, series.name.empty() ? "" : " ",
                                          series.name, series.figure, place.backend, place.machine),
                     .unit = series.unit,
                     .builds = {},
                     .warnings = {}};
  std::string commit;
  for (const SeriesPoint& point : series.points) {
    if (!point.valid || point.values.empty()) {
      continue;
    }
    const bool same = !point.commit.empty() && point.commit == commit && !result.builds.empty();
    if (!same) {
      result.builds.push_back({point.commit.empty() ? point.record_id : point.commit, {}});
    }
    std::vector<double>& values = result.builds.back().values;
    values.insert(values.end(), point.values.begin(), point.values.end());
    commit = point.commit;
  }
  return result;
}

}  // namespace aaco
