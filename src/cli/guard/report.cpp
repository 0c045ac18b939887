// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/guard/guard_flags.h"
#include "cli/guard/guard_subcommands.h"

#include "base/clock.h"
#include "base/format.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/side_note.h"
#include "base/statistics.h"
#include "base/text/characters.h"
#include "guard/store/guard_store.h"
#include "guard/store/series.h"

namespace aaco {

namespace {

struct ReportFlags {
  std::string store = "guard";
  std::string subject;
};

struct SeriesLine {
  const Series* series;
  size_t valid = 0;
  const SeriesPoint* newest = nullptr;  // valid
};

SeriesLine line_of(const Series& series) {
  SeriesLine line{&series};
  for (const SeriesPoint& point : series.points) {
    if (point.valid) {
      ++line.valid;
      line.newest = &point;
    }
  }
  return line;
}

std::string value_text(const SeriesLine& line) {
  if (line.newest == nullptr) {
    return "no valid recording";
  }
  const double value = *median(line.newest->values);
  return line.series->unit == "ns" ? format_duration_ns(value) : fmt::format("{:.6g}", value);
}

Json line_json(const SeriesLine& line) {
  const Series& series = *line.series;
  return {{"subject", series.place.subject},
          {"backend", series.place.backend},
          {"machine", series.place.machine},
          {"name", series.name},
          {"figure", series.figure},
          {"unit", series.unit},
          {"recordings", series.points.size()},
          {"valid", line.valid},
          {"newest", line.newest == nullptr ? Json() : Json(*median(line.newest->values))},
          {"newest_ns", line.newest == nullptr ? Json() : Json(line.newest->recorded_ns)},
          {"commit", line.newest == nullptr ? "" : line.newest->commit}};
}

Result<int> show_history(const ReportFlags& flags, bool json) {
  const GuardStore store = GuardStore::for_reading(flags.store);
  AACO_TRY(store.expect_history());
  std::vector<std::string> damaged;
  AACO_ASSIGN(const std::vector<GuardValue> values, store.values_of(flags.subject, damaged));
  const std::vector<Series> all = series_of(values);
  Json document = Json::array();
  std::vector<std::vector<std::string>> table{
      {"subject", "sample", "figure", "recordings", "valid", "newest", "recorded", "commit", "machine"}};
  for (const Series& series : all) {
    const SeriesLine line = line_of(series);
    document.push_back(line_json(line));
    table.push_back({series.place.subject, series.name, series.figure, std::to_string(series.points.size()),
                     std::to_string(line.valid), value_text(line),
                     line.newest == nullptr ? "" : format_utc(line.newest->recorded_ns),
                     line.newest == nullptr ? "" : line.newest->commit.substr(0, 10), series.place.machine});
  }
  for (const std::string& what : damaged) {
    note("warning: {}\n", printable(what));
  }
  if (json) {
    fmt::print("{}", indented_json_text(document));
  } else if (all.empty()) {
    fmt::print("{} holds no recording{}\n", printable(store.folder().string()),
               flags.subject.empty() ? "" : " of " + printable(flags.subject));
  } else {
    fmt::print("{}", format_table(std::move(table)));
  }
  return damaged.empty() ? 0 : static_cast<int>(ErrorKind::kPartial);
}

}  // namespace

void add_guard_report(cli::Command guard, Invocation& invocation) {
  cli::Command command = guard.add_subcommand("report", "What the history holds");
  const auto flags = std::make_shared<ReportFlags>();
  add_store_flag(command, flags->store);
  command.add_option("--subject", flags->subject, "Of this subject alone").type_name("NAME");
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco guard report\n"
               "  aaco guard report --history ci/guard --subject resnet50 --json");
  command.callback([flags, &invocation] { invocation.finish(show_history(*flags, invocation.json)); });
}

}  // namespace aaco
