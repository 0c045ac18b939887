// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "base/format.h"
#include "kind/training/lab/lab_list.h"
#include "kind/training/lab/lab_steps.h"

namespace aaco {

namespace {

std::string per_step(int64_t count, int64_t steps) {
  return fmt::format("{:.4g}", static_cast<double>(count) / static_cast<double>(steps));
}

Result<LabMeasurement> measure(const LabRequest& request, const ProgressCallback& progress) {
  LabMeasurement found;
  std::vector<TrainingRequest> requests{version_of(request, 3), version_of(request, 4)};
  for (TrainingRequest& training : requests) {
    training.profile = true;
  }
  AACO_ASSIGN(const std::vector<TrainingRunDocument> runs, train(requests, found, progress));
  for (const TrainingRunDocument& run : runs) {
    if (!run.activity || run.activity->dropped > 0 || !run.activity->same_every_step()) {
      return Error{ErrorKind::kInvalid, run.bundle + ": the device's records are not complete",
                   "repeat with --again on a quiet machine"};
    }
  }
  const TrainingActivity& third = *runs[0].activity;
  const TrainingActivity& fourth = *runs[1].activity;
  AACO_ASSIGN(const double before, step_ns(runs[0]));
  AACO_ASSIGN(const double after, step_ns(runs[1]));
  AACO_ASSIGN(const std::string speedup, speedup_text(runs[0], runs[1]));
  found.facts = {{"kernels of a step of version 3", per_step(third.kernels, third.steps)},
                 {"host's calls for a step of version 3", per_step(third.launches, third.steps)},
                 {"host's calls for a step of version 4", per_step(fourth.launches, fourth.steps)}};
  found.value = fourth.kernels_per_step();
  found.way = fmt::format(
      "The device's records of {} have {} kernels: {:.0f} a step. Version 4 captures what version 3 "
      "enqueues; what is captured still runs.",
      counted(fourth.steps, "step", "steps"), fourth.kernels, *found.value);
  found.meaning = fmt::format(
      "A graph takes away the host's calls, not the kernels: a step went from {} to {}. Speedup: {}. It helps where "
      "the host is what bounds (enqueueing took {} and {}), and cannot where kernels do. A whole block in one kernel "
      "would have to compute keys and values again for each tile of queries, or wait on the device for all of them.",
      format_duration_ns(before), format_duration_ns(after), speedup,
      runs[0].figures.dispatch_ns ? format_duration_ns(runs[0].figures.dispatch_ns->value) : "no data",
      runs[1].figures.dispatch_ns ? format_duration_ns(runs[1].figures.dispatch_ns->value) : "no data");
  return found;
}

}  // namespace

Lab lab_ultra_fusion() {
  return {.title = "Ultra fusion: what one graph takes away",
          .session = 4,
          .minutes = 10,
          .learn = "Keep host launches and device kernels apart: two figures, which different means make smaller.",
          .question =
              "Version 4 is version 3, captured once and launched as one graph. How many kernels does the device "
              "run in one of its steps?",
          .unit = "",
          .hint = "a graph is launched once; does the device do less for it?",
          .not_told = "what a persistent kernel would do: none of the versions has one",
          .next =
              "aaco llama compare --versions 3,4 --preset nano --device cpu:0 --processes 3\n"
              "aaco llama run --version 3 --preset nano --device cpu:0 --dispatch graph",
          .on_amd = "rocprofv3 --hip-trace --kernel-trace -- aaco llama run --version 4 --device hip:0",
          .measure = measure};
}

}  // namespace aaco
