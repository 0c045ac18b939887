// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "base/format.h"
#include "kind/training/lab/lab_list.h"
#include "kind/training/lab/lab_steps.h"

namespace aaco {

namespace {

Result<LabMeasurement> measure(const LabRequest& request, const ProgressCallback& progress) {
  LabMeasurement found;
  AACO_ASSIGN(const TrainingRunDocument run, train(version_of(request, 1), found, progress));
  AACO_ASSIGN(const double ns, step_ns(run));
  if (!run.figures.mfu || !run.roof) {
    return Error{ErrorKind::kUnavailable, "no MFU: " + run.figures.mfu_unavailable, "let the run measure the roof"};
  }
  const auto parameters = static_cast<double>(run.work.parameters);
  const auto tokens = static_cast<double>(run.work.tokens);
  const double by_rule = 6 * parameters * tokens;
  found.facts = {{"parameters", fmt::format("{}", run.work.parameters)},
                 {"tokens of a step", fmt::format("{}", run.work.tokens)},
                 {"time of a step", format_duration_ns(ns)},
                 {"fastest product of matrices on this device", format_si(run.roof->flops_per_s, "FLOP/s")},
                 {"loss, first and last",
                  fmt::format("{:.3f}, {:.3f}", run.figures.first_loss.value_or(0), run.figures.last_loss.value_or(0))},
                 {"host's enqueueing of a step",
                  run.figures.dispatch_ns ? format_duration_ns(run.figures.dispatch_ns->value) : "no data"}};
  found.value = 100 * by_rule / ns * 1e9 / run.roof->flops_per_s;
  found.way = fmt::format(
      "6 x {} parameters x {} tokens = {}; in {} that is {}; over the roof's {} {:.1f} %. Counted exactly, a step is "
      "{}: {:.1f} %.",
      run.work.parameters, run.work.tokens, format_si(by_rule, "FLOP"), format_duration_ns(ns),
      format_si(by_rule / ns * 1e9, "FLOP/s"), format_si(run.roof->flops_per_s, "FLOP/s"), *found.value,
      format_si(run.work.model_flops, "FLOP"), 100 * *run.figures.mfu);
  found.meaning = fmt::format(
      "{:.1f} % of the time would do if all of a step were products of matrices at the device's best: the rest is work "
      "that is no product, small products, and waiting. A figure above 100 % would mean a wrong count or a wrong roof.",
      *found.value);
  return found;
}

}  // namespace

Lab lab_baseline() {
  return {.title = "Baseline: what a step costs",
          .session = 1,
          .minutes = 10,
          .learn =
              "Describe a training step by figures that can be compared: time, tokens a second, and the share of "
              "the device's arithmetic that it uses (MFU).",
          .question =
              "What is the MFU of version 1? Take 6 FLOPs for each parameter and token (2 forward, 4 backward), "
              "and the fastest product as the roof.",
          .unit = "in percent",
          .tolerance = 0.02,
          .hint = "FLOPs of a step = 6 x parameters x tokens; divide by the step's time, then by the roof",
          .not_told =
              "which part of the step keeps it below the roof (lab 3), and whether the roof of another precision "
              "would be higher",
          .next =
              "aaco llama run --version 1 --preset nano --device cpu:0 --generate-report\n"
              "aaco llama run --version 1 --preset nano --device cpu:0 --batch-size 16",
          .on_amd = "rocprof-compute profile -n baseline --no-roof -- aaco llama run --version 1 --device hip:0",
          .measure = measure};
}

}  // namespace aaco
