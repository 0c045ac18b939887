// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "base/format.h"
#include "kind/training/lab/lab_list.h"
#include "kind/training/lab/lab_steps.h"

namespace aaco {

namespace {

Result<LabMeasurement> measure(const LabRequest& request, const ProgressCallback& progress) {
  LabMeasurement found;
  TrainingRequest training = version_of(request, 1);
  training.profile = true;
  AACO_ASSIGN(const TrainingRunDocument run, train(training, found, progress));
  if (!run.activity || run.activity->dropped > 0 || !run.activity->same_every_step()) {
    return Error{ErrorKind::kInvalid, run.bundle + ": the device's records are not complete",
                 "repeat with --again on a quiet machine"};
  }
  const TrainingActivity& activity = *run.activity;
  found.facts = {{"recorded steps", fmt::format("{}", activity.steps)},
                 {"layers", fmt::format("{}", run.request.layers)},
                 {"the trace", "aaco trace report " + run.bundle}};
  found.value = activity.kernels_per_step();
  found.way =
      fmt::format("The trace has {} kernels in {}: {:.0f} a step. The program enqueues {} operations a step.",
                  activity.kernels, counted(activity.steps, "step", "steps"), *found.value, run.work.operations);
  found.meaning = fmt::format(
      "The host made {:.0f} calls a step for them, and from the first kernel to the last one ran {} of the time. Where "
      "that share is small, kernels wait for the host, and fewer of them help more than faster ones.",
      static_cast<double>(activity.launches) / static_cast<double>(activity.steps),
      format_percent(activity.busy_ratio));
  return found;
}

}  // namespace

Lab lab_profiler() {
  return {.title = "A profiler: what the device really did",
          .session = 1,
          .minutes = 10,
          .learn = "Record a few steps with the device's own collector, open the trace, and count in it.",
          .question =
              "How many kernels does the device run in one step of version 1? Look into the trace that is named "
              "above.",
          .unit = "",
          .hint = "the trace has all kernels of all recorded steps; divide by those",
          .not_told = "what the collector costs: steps are timed in other processes, without it",
          .next =
              "aaco llama run --version 1 --preset nano --device cpu:0 --profile\n"
              "aaco trace report sessions/latest\n"
              "aaco trace export sessions/latest --to perfetto -o trace.json",
          .on_amd =
              "rocprofv3 --kernel-trace --output-format csv -d out -- aaco llama run --version 1 --device hip:0, "
              "then aaco trace report out",
          .measure = measure};
}

}  // namespace aaco
