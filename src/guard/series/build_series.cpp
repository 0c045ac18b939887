// SPDX-License-Identifier: MIT
#include "guard/series/build_series.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/text/characters.h"
#include "ingest/bytes/byte_source.h"
#include "ingest/table/csv_reader.h"

namespace aaco {

namespace {

constexpr const char* kFileHint = "a CSV file with a header and the columns build and value, a row for each value";

struct Columns {
  size_t build = 0;
  size_t value = 0;
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
  return build && value ? std::optional<Columns>({*build, *value}) : std::nullopt;
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
  BuildSeries series{.title = name, .unit = "", .builds = {}};
  std::map<std::string, size_t, std::less<>> places;
  while (true) {
    AACO_ASSIGN(const bool has_row, reader.next(cells));
    if (!has_row) {
      break;
    }
    const std::optional<double> value =
        cells.size() > std::max(columns->build, columns->value) ? number_of(cells[columns->value]) : std::nullopt;
    if (!value) {
      return Error{ErrorKind::kUsage, fmt::format("{}:{}: no number in the column value", name, reader.line()),
                   kFileHint};
    }
    const std::string label = label_of(cells[columns->build]);
    const auto [place, is_new] = places.try_emplace(label, series.builds.size());
    if (is_new) {
      series.builds.push_back({label, {}});
    }
    series.builds[place->second].values.push_back(*value);
  }
  if (!losses.entries().empty()) {
    return Error{ErrorKind::kUsage, fmt::format("{}: a row is damaged", name), kFileHint};
  }
  return series;
}

BuildSeries builds_of(const Series& series) {
  const SeriesPlace& place = series.place;
  BuildSeries result{.title = fmt::format("{}{}{} {} ({}, {})", place.subject, series.name.empty() ? "" : " ",
                                          series.name, series.figure, place.backend, place.machine),
                     .unit = series.unit,
                     .builds = {}};
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
