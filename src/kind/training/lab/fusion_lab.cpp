// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "base/format.h"
#include "kind/training/document/training_request.h"
#include "kind/training/lab/lab_list.h"
#include "kind/training/lab/lab_steps.h"

namespace aaco {

namespace {

// What each fusion of version 2 leaves of version 1's operations when it alone is on.
Result<void> tabulate_fusions(const LabRequest& request, int64_t unfused, LabMeasurement& found) {
  AACO_ASSIGN(const LlamaVersion* second, llama_version_of(version_of(request, 2)));
  found.table = {{"version 1 and", "operations of a step", "fewer"}};
  for (const NamedFusion& fusion : llama_fusions()) {
    if (second->fusions.*fusion.flag) {
      TrainingRequest training = version_of(request, 1);
      training.enable.emplace_back(fusion.name);
      AACO_ASSIGN(const auto parts, count_parts(training));
      found.table.push_back(
          {fusion.name, fmt::format("{}", operations_in(parts)), fmt::format("{}", unfused - operations_in(parts))});
    }
  }
  return {};
}

Result<LabMeasurement> measure(const LabRequest& request, const ProgressCallback& progress) {
  LabMeasurement found;
  AACO_ASSIGN(const std::vector<TrainingRunDocument> runs,
              train({version_of(request, 1), version_of(request, 2)}, found, progress));
  const int64_t unfused = runs[0].work.operations;
  const int64_t fused = runs[1].work.operations;
  AACO_TRY(tabulate_fusions(request, unfused, found));
  AACO_ASSIGN(const double before, step_ns(runs[0]));
  AACO_ASSIGN(const double after, step_ns(runs[1]));
  AACO_ASSIGN(const std::string speedup, speedup_text(runs[0], runs[1]));
  found.facts = {{"operations of a step of version 1", fmt::format("{}", unfused)},
                 {"version 2", "all of the fusions below at once"}};
  found.value = static_cast<double>(fused);
  found.way = fmt::format("The fusions touch different operations, so that what they save adds up: {} - {} = {}.",
                          unfused, unfused - fused, fused);
  found.meaning = fmt::format(
      "{} fewer operations: a step went from {} to {}. Speedup: {}. An operation that is gone saves its launch and the "
      "bytes that went to memory and back between two; the products' arithmetic stays.",
      format_percent(1 - static_cast<double>(fused) / static_cast<double>(unfused)), format_duration_ns(before),
      format_duration_ns(after), speedup);
  return found;
}

}  // namespace

Lab lab_fusion() {
  return {.title = "Fusion: fewer operations for the same mathematics",
          .session = 2,
          .minutes = 20,
          .learn = "Predict what fusions save by counting, one at a time, before timing all of them.",
          .question = "How many operations does a step of version 2 have?",
          .unit = "",
          .hint = "subtract from version 1 what each fusion saves alone",
          .not_told =
              "whether a difference of times is real: with one process there is no interval; --processes 3 and "
              "more give one",
          .next =
              "aaco llama compare --versions 1,2 --preset nano --device cpu:0 --processes 3\n"
              "aaco llama run --version 1 --preset nano --device cpu:0 --enable qkv",
          .on_amd = "rocprofv3 --kernel-trace --stats -- aaco llama run --version 2 --device hip:0",
          .measure = measure};
}

}  // namespace aaco
