// SPDX-License-Identifier: MIT
#include "kind/model_run/report/alternatives_section.h"

#include <fmt/format.h>

#include "report/values.h"

namespace aaco::report {

std::vector<std::string> measured_remedies(const std::vector<TriedAlternative>& tried) {
  std::vector<std::string> remedies;
  for (const TriedAlternative& alternative : tried) {
    if (alternative.time && alternative.time->interval.high < 1) {
      remedies.push_back(fmt::format("measured: --try {} is {}", alternative.name, words_of_gain(alternative)));
    }
  }
  return remedies;
}

void put_remedies(const std::vector<TriedAlternative>& tried, Headline& headline) {
  const std::vector<std::string> remedies = measured_remedies(tried);
  headline.findings.insert(headline.findings.begin(), remedies.begin(), remedies.end());
}

Section alternatives_section(const std::vector<TriedAlternative>& tried) {
  TableBlock table{
      .id = "tried",
      .title = "Tried in turns with the run",
      .columns = {{"alternative"}, {"batch", true}, {"run", true}, {"alternative", true}, {"gain"}, {"bundle"}},
      .note =
          "Times are medians over processes, of an inference. The gain is of a sample, the mean over pairs of "
          "processes that ran in turns, with its 95 % interval; whether the outputs are the same is not looked at."};
  for (const TriedAlternative& alternative : tried) {
    const bool has_times = alternative.ns > 0;
    table.rows.push_back({text_cell(alternative.name),
                          has_times ? count_cell(alternative.batch) : missing_cell("no data"),
                          has_times ? duration_cell(alternative.base_ns) : missing_cell("no data"),
                          has_times ? duration_cell(alternative.ns) : missing_cell("no data"),
                          text_cell(words_of_gain(alternative)), text_cell(alternative.bundle.string())});
  }
  return {"tried", "Alternatives", {}, {std::move(table)}};
}

}  // namespace aaco::report
