// SPDX-License-Identifier: MIT
// Steps of a serving engine: prefill against decode.
#include <fmt/format.h>

#include "report/trace/row_sinks.h"
#include "report/trace/sections.h"
#include "report/trace/values.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr size_t kMostSteps = 2'000;  // in JSON; the table for CSV and SQL has all

const char* how_found(StepMark mark) {
  switch (mark) {
    case StepMark::kRange:
      return "by the engine's own ranges";
    case StepMark::kFrame:
      return "by the engine's Python functions; kernels of attention tell the class";
    case StepMark::kGraphReplay:
      return "by replays of graphs with attention over a paged cache; what was launched outside of graphs is in no "
             "step";
  }
  return "";
}

void outline_steps(const TraceInput& input, Outline& at) {
  const std::vector<EngineStep>& steps = input.summary.engine_steps;
  at.figure("steps_in_all", steps.size());
  if (at.is_data()) {
    const Table table = engine_steps_table(input.events, input.summary, {0, kMostSteps});
    at.rows("steps", TableRows(table));
  }
}

}  // namespace

void outline_serving(const TraceInput& input, Outline& at) {
  const TableRows classes = input.rows(step_classes_table);
  if (classes.empty()) {
    return;
  }
  Outline inner(at.is_data() ? Outline::Form::kData : Outline::Form::kSections, at.most());
  if (at.is_data()) {
    inner.rows("classes", classes);
    outline_steps(input, inner);
    at.figure("serving", inner.take_data());
    return;
  }
  at.section();
  at.note(fmt::format("steps of a serving engine, found {}", how_found(input.summary.engine_steps.front().mark)));
  at.show(shown_rows(
      classes,
      {{.title = "steps",
        .cell =
            [&](const TableRow& row) {
              const StepClassSummary& each = input.summary.step_classes[row.index()];
              const std::string where = each.device == kNoId ? "" : fmt::format(" on {}", device_name(each.device));
              return text_cell(of_rank(word_of(each.step_class) + where, input.events, each.recording, each.rank));
            }},
       {"count", "steps"},
       {"median", "median_ns"},
       {.title = "p99", .column = "p99_ns", .missing = "needs 299 steps"},
       {.title = "tokens/s", .column = "tokens_per_s", .missing = "not recorded"},
       {.title = "kernels", .column = "kernels", .missing = "no device work"},
       {.title = "replayed", .column = "replayed", .missing = "no device work"},
       {.title = "idle in a step", .column = "idle_share", .missing = "no device work"},
       {.title = "idle mostly",
        .cell =
            [](const TableRow& row) {
              return text_cell(row.has("main_cause") ? spaced(row.text("main_cause")) : std::string());
            }}},
      at.most()));
}

}  // namespace aaco::report
