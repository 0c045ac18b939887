// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/format.h"
#include "kind/training/document/training_request.h"
#include "kind/training/lab/lab_list.h"
#include "kind/training/lab/lab_steps.h"

namespace aaco {

namespace {

std::vector<std::string> names_of_fusions(const LlamaVersion& version) {
  std::vector<std::string> names;
  for (const NamedFusion& fusion : llama_fusions()) {
    if (version.fusions.*fusion.flag) {
      names.emplace_back(fusion.name);
    }
  }
  return names;
}

// So that neighbouring cases are not neighbouring fusions (SplitMix64's last steps).
uint64_t scattered(uint64_t number) {
  number = (number + 0x9E3779B97F4A7C15) * 0xBF58476D1CE4E5B9;
  number = (number ^ (number >> 27)) * 0x94D049BB133111EB;
  return number ^ (number >> 31);
}

void tabulate(const TrainingRunDocument& before, const TrainingRunDocument& after, LabMeasurement& found) {
  found.table = {{"part", "operations", "then", "MB", "then", "ms alone", "then"}};
  struct Row {
    int64_t operations = 0;
    double bytes = 0;
    double ms = 0;
  };
  const auto rows_of = [](const TrainingRunDocument& run) {
    std::map<std::string, Row> rows;
    for (const PartFigure& figure : run.figures.parts) {
      Row& row = rows[figure.phase + " " + figure.part];
      row.operations += figure.operations;
      row.bytes += figure.ideal_bytes;
      row.ms += figure.alone_ns.value_or(0) / 1e6;
    }
    return rows;
  };
  std::map<std::string, Row> thens = rows_of(after);
  std::map<std::string, Row> firsts = rows_of(before);
  for (const auto& [part, then] : thens) {
    firsts.try_emplace(part);
  }
  for (const auto& [part, first] : firsts) {
    const Row& then = thens[part];
    found.table.push_back({part, fmt::format("{}", first.operations), fmt::format("{}", then.operations),
                           fmt::format("{:.3f}", first.bytes / 1e6), fmt::format("{:.3f}", then.bytes / 1e6),
                           fmt::format("{:.3f}", first.ms), fmt::format("{:.3f}", then.ms)});
  }
}

// "forward loss: 1, then 2".
std::vector<std::string> changed_rows(const LabMeasurement& found) {
  std::vector<std::string> changed;
  for (const std::vector<std::string>& row : found.table) {
    if (&row != &found.table.front() && row[1] != row[2]) {
      changed.push_back(fmt::format("{}: {}, then {}", row[0], row[1], row[2]));
    }
  }
  return changed;
}

Result<LabMeasurement> measure(const LabRequest& request, const ProgressCallback& progress) {
  const TrainingRequest good = version_of(request, 3);
  AACO_ASSIGN(const LlamaVersion* version, llama_version_of(good));
  LabMeasurement found;
  found.choices = names_of_fusions(*version);
  const std::string planted =
      found.choices[scattered(static_cast<uint64_t>(request.case_number)) % found.choices.size()];
  TrainingRequest bad = good;
  bad.disable.push_back(planted);
  AACO_ASSIGN(const std::vector<TrainingRunDocument> runs, train({good, bad}, found, progress));
  AACO_ASSIGN(const double before, step_ns(runs[0]));
  AACO_ASSIGN(const double after, step_ns(runs[1]));
  AACO_ASSIGN(const std::string speedup, speedup_text(runs[0], runs[1]));
  tabulate(runs[0], runs[1], found);
  found.facts = {
      {"release before", fmt::format("{} a step, {} operations", format_duration_ns(before), runs[0].work.operations)},
      {"release now", fmt::format("{} a step, {} operations", format_duration_ns(after), runs[1].work.operations)},
      {"losses", runs[0].figures.last_loss && runs[1].figures.last_loss
                     ? fmt::format("{:.4f}, then {:.4f}: still the same training", *runs[0].figures.last_loss,
                                   *runs[1].figures.last_loss)
                     : "no data"}};
  found.words = {planted};
  found.way =
      fmt::format("Operations changed in {}. What makes one operation of those is the fusion {}, which is lost.",
                  fmt::join(changed_rows(found), "; "), planted);
  found.meaning = fmt::format(
      "It costs {} a step here, {:+.1f} %. Speedup of the release now: {}. Without an interval, or where it holds 1, "
      "that may be noise: counts are what proves it. A gate of times needs several processes on both sides and an "
      "effect that matters; a gate of counts needs one.",
      format_duration_ns(std::max(0.0, after - before)), 100 * (after / before - 1), speedup);
  return found;
}

}  // namespace

Lab lab_regression_hunt() {
  return {.title = "Production: hunt a regression",
          .session = 4,
          .minutes = 15,
          .learn = "Find what a release lost from two runs: counts first, then bytes, then times.",
          .question = "The release of version 3 that runs now lost one fusion. Which one? (--case N plants another.)",
          .unit = "",
          .hint = "find the rows whose operations changed, and read in aaco llama list which fusion makes one of those",
          .not_told =
              "that the next slowdown is a lost fusion: clocks, libraries and drivers change no count; aaco diff "
              "of two sessions says what differs, and attributes it",
          .next =
              "aaco llama list\n"
              "aaco llama run --version 3 --preset nano --device cpu:0 --processes 3\n"
              "aaco diff SESSION SESSION",
          .on_amd = "rocprofv3 --kernel-trace on both releases, then aaco trace diff before after",
          .measure = measure};
}

}  // namespace aaco
