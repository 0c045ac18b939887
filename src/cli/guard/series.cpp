// SPDX-License-Identifier: MIT
// aaco guard series: when the history of a subject changed its level, and by how much.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/guard/guard_flags.h"
#include "cli/guard/guard_subcommands.h"

#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/side_note.h"
#include "base/text/characters.h"
#include "guard/series/series_answer.h"
#include "guard/series/stored_series.h"

namespace aaco {

namespace {

struct SeriesFlags {
  std::string file;
  std::string store = "guard";
  std::string subject;
  std::string figure;
  double min_effect_pct = 1;
};

Result<std::vector<BuildSeries>> stored_series(const SeriesFlags& flags, std::vector<std::string>& damaged) {
  AACO_ASSIGN(std::vector<BuildSeries> result, read_stored_series(flags.store, {flags.subject, flags.figure}, damaged));
  for (const std::string& what : damaged) {
    note("warning: {}\n", printable(what));
  }
  if (result.empty()) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: no recording{}{}", printable(flags.store),
                             flags.subject.empty() ? "" : " of " + printable(flags.subject),
                             flags.figure.empty() ? "" : " with the figure " + printable(flags.figure)),
                 "aaco guard report lists what there is; --file CSV reads values from a file"};
  }
  return result;
}

Result<std::vector<BuildSeries>> wanted_series(const SeriesFlags& flags, std::vector<std::string>& damaged) {
  if (flags.file.empty()) {
    return stored_series(flags, damaged);
  }
  AACO_ASSIGN(BuildSeries series, read_builds(flags.file));
  for (const std::string& what : series.warnings) {
    note("warning: {}\n", what);
  }
  return std::vector<BuildSeries>{std::move(series)};
}

Result<int> show_series(const SeriesFlags& flags, bool json) {
  SeriesOptions options;
  options.min_change = flags.min_effect_pct / 100;
  std::vector<std::string> damaged;
  AACO_ASSIGN(std::vector<BuildSeries> all, wanted_series(flags, damaged));
  Json document = Json::array();
  for (BuildSeries& series : all) {
    AACO_ASSIGN(const SeriesAnswer answer, answer_series(std::move(series), options));
    if (json) {
      document.push_back(series_json(answer, options));
    } else {
      fmt::print("{}", series_text(answer));
    }
  }
  if (json) {
    fmt::print("{}", indented_json_text(document));
  }
  return damaged.empty() ? 0 : static_cast<int>(ErrorKind::kPartial);
}

}  // namespace

void add_guard_series(cli::Command guard, Invocation& invocation) {
  cli::Command command = guard.add_subcommand("series", "When the history changed its level, and by how much");
  const auto flags = std::make_shared<SeriesFlags>();
  command.add_option("--file", flags->file, "Values from a CSV file with the columns build and value, not the history")
      .type_name("CSV");
  add_store_flag(command, flags->store);
  command.add_option("--subject", flags->subject, "Of this subject alone").type_name("NAME");
  command.add_option("--figure", flags->figure, "Of this figure alone: median, mean, p99, or the name of a value")
      .type_name("NAME");
  command.add_option("--min-effect", flags->min_effect_pct, {0, 100}, "smallest change that matters, in percent")
      .capture_default_str()
      .type_name("PCT");
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco guard series --file values.csv\n"
               "  aaco guard series --subject resnet50 --figure median --json");
  command.callback([flags, &invocation] { invocation.finish(show_series(*flags, invocation.json)); });
}

}  // namespace aaco
