// SPDX-License-Identifier: MIT
#include "guard/series/series_answer.h"

#include <fmt/format.h>
#include <utility>

#include "base/format.h"
#include "base/json/json.h"
#include "base/text/characters.h"

namespace aaco {

namespace {

// Of a commit, what git shows.
constexpr size_t kShownLabel = 12;

std::string level_text(double level, const std::string& unit) {
  return unit == "ns"
             ? format_duration_ns(level)
             : fmt::format("{:.5g}{}{}", level, unit.empty() || unit == "1" ? "" : " ", unit == "1" ? "" : unit);
}

std::string change_text(const ChangePoint& change) {
  return change.ratio ? fmt::format("{:+.1f} %", 100 * (*change.ratio - 1)) : "no ratio";
}

std::string interval_text(const ChangePoint& change) {
  return change.interval
             ? fmt::format("[{:+.1f}, {:+.1f}] %", 100 * (change.interval->low - 1), 100 * (change.interval->high - 1))
             : "the level before is not positive";
}

}  // namespace

Result<SeriesAnswer> answer_series(BuildSeries series, const SeriesOptions& options) {
  std::vector<std::vector<double>> builds;
  for (const SeriesBuild& build : series.builds) {
    builds.push_back(build.values);
  }
  AACO_ASSIGN(const std::vector<double> values, build_medians(builds));
  return SeriesAnswer{std::move(series), find_change_points(values, options)};
}

std::string series_text(const SeriesAnswer& answer) {
  const std::vector<SeriesBuild>& builds = answer.series.builds;
  const std::string title = printable(answer.series.title);
  if (builds.size() < 2 * kMinSegment) {
    return fmt::format("{}: too short to tell: {}, a change needs {} before and {} after it\n", title,
                       counted(builds.size(), "build", "builds"), kMinSegment, kMinSegment);
  }
  std::string text = fmt::format(
      "{}: {} in {} builds\n", title,
      answer.changes.empty() ? "no change" : counted(answer.changes.size(), "change", "changes"), builds.size());
  if (answer.changes.empty()) {
    return text;
  }
  const auto label = [&](size_t build) { return printable(builds[build].label.substr(0, kShownLabel)); };
  std::vector<std::vector<std::string>> table{{"since", "change", "95 % interval", "before", "after", "lies in"}};
  for (const ChangePoint& change : answer.changes) {
    table.push_back({label(change.build), change_text(change), interval_text(change),
                     level_text(change.before, answer.series.unit), level_text(change.after, answer.series.unit),
                     change.first_build == change.last_build
                         ? label(change.build)
                         : fmt::format("{} .. {}", label(change.first_build), label(change.last_build))});
  }
  return text + format_table(std::move(table));
}

Json series_json(const SeriesAnswer& answer, const SeriesOptions& options) {
  Json changes = Json::array();
  for (const ChangePoint& change : answer.changes) {
    changes.push_back(
        {{"index", change.build},
         {"build", answer.series.builds[change.build].label},
         {"first_build", answer.series.builds[change.first_build].label},
         {"last_build", answer.series.builds[change.last_build].label},
         {"before", change.before},
         {"after", change.after},
         {"ratio", change.ratio ? Json(*change.ratio) : Json()},
         {"interval", change.interval ? Json::array({change.interval->low, change.interval->high}) : Json()},
         {"evidence", change.evidence},
         {"threshold", change.threshold}});
  }
  return {{"series", answer.series.title},         {"unit", answer.series.unit},
          {"builds", answer.series.builds.size()}, {"min_change", options.min_change},
          {"warnings", answer.series.warnings},    {"judged", answer.series.builds.size() >= 2 * kMinSegment},
          {"changes", std::move(changes)}};
}

}  // namespace aaco
