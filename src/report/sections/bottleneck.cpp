// SPDX-License-Identifier: MIT
#include "analysis/model_run/conclusions/bottleneck.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/format.h"
#include "report/sections/sections.h"
#include "report/values.h"

namespace aaco::report {

namespace {

plot::Chart score_chart(const Bottleneck& bottleneck) {
  plot::Chart chart{
      .id = "bottleneck-scores",
      .title = "How far the evidence supports each class",
      .caption =
          "Coloured: the score, weighted over all of the class's signals. Grey: the share of those "
          "signals that have data, which the score cannot exceed.",
      .x = {.title = "share of the class's weight", .quantity = plot::Quantity::kPercent, .min = 0, .max = 1},
      .no_data = "no class was scored"};
  std::vector<ClassScore> scores = bottleneck.scores;
  std::stable_sort(scores.begin(), scores.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
  plot::Series coverage{.name = "coverage", .mark = plot::Mark::kBars, .colour = plot::kMuted, .thickness = 0.26};
  plot::Series score{.name = "score", .mark = plot::Mark::kBars, .colour = 0};
  for (const ClassScore& class_score : scores) {
    const auto row = static_cast<double>(chart.y.categories.size());
    const std::string label =
        fmt::format("{}: score {}, coverage {}", word_of(class_score.bottleneck_class),
                    format_percent(class_score.score, 0), format_percent(class_score.coverage, 0));
    chart.y.categories.push_back(word_of(class_score.bottleneck_class));
    coverage.x.push_back(class_score.coverage);
    coverage.y.push_back(row);
    coverage.labels.push_back(label);
    coverage.values.push_back(format_percent(class_score.score, 0) + " of " + format_percent(class_score.coverage, 0));
    score.x.push_back(class_score.score);
    score.y.push_back(row);
    score.labels.push_back(label);
  }
  chart.series = {std::move(coverage), std::move(score)};
  return chart;
}

// The signals of one class, or of all but that one.
TableBlock signal_table(const Bottleneck& bottleneck, BottleneckClass of_class, bool of_others) {
  TableBlock table{.id = of_others ? "other-signals" : "signals",
                   .columns = {{"class"},
                               {"signal"},
                               {"value", true},
                               {"threshold", true},
                               {"weight", true},
                               {"strength", true},
                               {"what it says"}},
                   .sortable = true,
                   .note =
                       "Strength is 0.5 at the threshold. A signal without data counts for no class: it only lowers "
                       "the coverage."};
  for (const Signal& signal : bottleneck.signals) {
    if ((signal.bottleneck_class == of_class) == of_others) {
      continue;
    }
    Cell strength = missing_cell("-");
    if (signal.value) {
      strength = percent_cell(signal.strength);
      strength.bar = signal.strength;
    }
    table.rows.push_back({text_cell(word_of(signal.bottleneck_class)), text_cell(signal.name),
                          optional_cell(signal.value, signal.unit), number_cell(signal.threshold, signal.unit),
                          number_cell(signal.weight, "1"), strength,
                          text_cell(signal.value ? signal.meaning : "no data: " + signal.no_data_reason)});
  }
  return table;
}

// What the learned classifier names, how often it was right, and what it rests on. Counts and no chance: where all
// answers were right, a chance is what the training took for the most that may be claimed.
Paragraph learned_paragraph(const LearnedLimit& learned) {
  std::string text = fmt::format(
      "The learned classifier: {} ({} of {} such answers were right, on families of models that it had not seen)",
      learned.name, learned.right, learned.answers);
  for (const LearnedEvidence& evidence : learned.evidence) {
    text += fmt::format("{}{} = {:.3g}", &evidence == learned.evidence.data() ? ", because of " : ", ", evidence.metric,
                        evidence.value);
  }
  return {text + "."};
}

}  // namespace

Section bottleneck_section(const Input& input) {
  const Bottleneck& bottleneck = input.analysis.bottleneck;
  Section section{"bottleneck", "Bottleneck", {}, {}};
  const bool any_signal = std::any_of(bottleneck.scores.begin(), bottleneck.scores.end(),
                                      [](const ClassScore& score) { return score.coverage > 0; });
  if (!any_signal) {
    section.blocks.push_back(
        Paragraph{"No data: " + (bottleneck.reason.empty() ? "nothing to classify was recorded" : bottleneck.reason),
                  Tone::kWarning});
    if (!bottleneck.signals.empty()) {
      section.blocks.push_back(FoldedBlocks{"Signals and why they have no data",
                                            {signal_table(bottleneck, BottleneckClass::kUnknown, true)}});
    }
    return section;
  }
  const bool decided = bottleneck.bottleneck_class != BottleneckClass::kUndetermined;
  section.badges.push_back({bottleneck_words(bottleneck.bottleneck_class), decided ? Tone::kNeutral : Tone::kWarning});
  section.blocks.push_back(Paragraph{bottleneck.reason});
  if (const LearnedLimit& learned = input.analysis.learned; !learned.name.empty()) {
    section.blocks.push_back(learned_paragraph(learned));
  }
  section.blocks.push_back(ChartBlock{score_chart(bottleneck)});
  if (!decided) {
    section.blocks.push_back(
        FoldedBlocks{"Signals of all classes", {signal_table(bottleneck, BottleneckClass::kUnknown, true)}});
    return section;
  }
  TableBlock leading = signal_table(bottleneck, bottleneck.leading_class, false);
  if (!leading.rows.empty()) {
    // The title names the class of them all.
    leading.columns.erase(leading.columns.begin());
    for (std::vector<Cell>& row : leading.rows) {
      row.erase(row.begin());
    }
    leading.title = fmt::format("Signals of {}", word_of(bottleneck.leading_class));
    section.blocks.push_back(std::move(leading));
  }
  section.blocks.push_back(
      FoldedBlocks{"Signals of the other classes", {signal_table(bottleneck, bottleneck.leading_class, true)}});
  return section;
}

}  // namespace aaco::report
