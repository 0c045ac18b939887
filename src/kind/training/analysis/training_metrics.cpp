// SPDX-License-Identifier: MIT
#include "kind/training/analysis/training_metrics.h"

namespace aaco {

namespace {

struct Training {
  const TrainingFigures& figures;
  const LatencySummary* latency;
};

constexpr const char* kNoSteps = "no step was measured";
constexpr const char* kNeedsSteps = "a measured step";
constexpr const char* kNeedsPower = "telemetry of the device's power";

MetricValue quantile(const Training& training, std::optional<double> LatencySummary::* value,
                     std::optional<Interval> LatencySummary::* interval) {
  const LatencySummary* latency = training.latency;
  if (latency == nullptr || !(latency->*value)) {
    return no_data("", latency == nullptr ? kNoSteps : "too few steps");
  }
  return measured("", *(latency->*value), latency->*interval);
}

constexpr SubjectMetric<Training> kMetrics[] = {
    {{"step_p50", "step, median", "ns", "median over processes of each process's median", kNeedsSteps,
      "steps that a few slow ones delay: see the mean and p99"},
     [](const Training& training) { return figure_or(training.figures.median_ns, kNoSteps); }},
    {{"step_mean", "step, mean", "ns", "mean of all measured steps", kNeedsSteps, "a typical step"},
     [](const Training& training) {
       return training.latency == nullptr ? no_data("", kNoSteps) : figure_or(training.latency->mean_ns, kNoSteps);
     }},
    {{"step_p95", "step, p95", "ns", "over all steps; its interval is over processes", kNeedsSteps,
      "which step was slow"},
     [](const Training& training) {
       return quantile(training, &LatencySummary::p95_ns, &LatencySummary::p95_interval_ns);
     }},
    {{"step_p99", "step, p99", "ns", "over all steps; its interval is over processes", kNeedsSteps,
      "which step was slow"},
     [](const Training& training) {
       return quantile(training, &LatencySummary::p99_ns, &LatencySummary::p99_interval_ns);
     }},
    {{"step_wall_time", "wall time per step", "ns", "wall time of all steps / their number", kNeedsSteps,
      "how steps differ"},
     [](const Training& training) { return figure_or(training.figures.step_ns, kNoSteps); }},
    {{"step_enqueue_time", "host time to enqueue it", "ns", "median time that the host took to enqueue a step",
      kNeedsSteps, "whether the device waited for it"},
     [](const Training& training) { return figure_or(training.figures.dispatch_ns, kNoSteps); }},
    {{"training_tokens_per_s", "tokens", "tokens/s", "tokens of a step / wall time per step", kNeedsSteps,
      "whether the training learns"},
     [](const Training& training) { return figure_or(training.figures.tokens_per_s, kNoSteps); }},
    {{"training_sequences_per_s", "samples (sequences)", "samples/s", "sequences of a step / wall time per step",
      kNeedsSteps, "how long the sequences are"},
     [](const Training& training) { return figure_or(training.figures.sequences_per_s, kNoSteps); }},
    {{"model_flops_per_s", "model FLOPs", "FLOP/s", "FLOPs of the model's mathematics / wall time per step",
      kNeedsSteps, "FLOPs that are computed again"},
     [](const Training& training) { return figure_or(training.figures.model_flops_per_s, kNoSteps); }},
    {{"mfu", "MFU", "%", "model FLOPs a second over the fastest measured matrix product", "a measured roof",
      "what limits the rest"},
     [](const Training& training) {
       const std::optional<double>& mfu = training.figures.mfu;
       const std::string& why = training.figures.mfu_unavailable;
       MetricValue value =
           figure_or(mfu ? std::optional(100 * *mfu) : std::nullopt, why.empty() ? std::string(kNoSteps) : why);
       return mfu.value_or(0) > 1 ? suspect("", 100 * *mfu, std::nullopt, "above the measured roof") : value;
     }},
    {{"training_peak_memory", "peak memory", "B", "arrays and what libraries take, the most of any process",
      "a measured process", "what other programs take"},
     [](const Training& training) {
       const auto peak = static_cast<double>(training.figures.peak_bytes);
       return peak > 0 ? measured("", peak) : no_data("", "no process was measured");
     }},
    {{"first_loss", "loss, first step", "1", "loss of the first step", kNeedsSteps, "whether it is right"},
     [](const Training& training) { return figure_or(training.figures.first_loss, kNoSteps); }},
    {{"last_loss", "loss, last steps", "1", "mean of the last tenth of the steps", kNeedsSteps, "whether it is right"},
     [](const Training& training) { return figure_or(training.figures.last_loss, kNoSteps); }},
    {{"mean_power", "mean power", "W", "mean power of the device while steps were measured", kNeedsPower,
      "the rest of the machine"},
     [](const Training& training) {
       return figure_or(training.figures.energy.power_w, training.figures.energy.unavailable);
     }},
    {{"joules_per_step", "energy of a step", "J", "mean power times the time of a step", kNeedsPower,
      "the rest of the machine"},
     [](const Training& training) {
       return figure_or(training.figures.energy.joules_per_step, training.figures.energy.unavailable);
     }},
    {{"joules_per_token", "energy of a token", "J", "energy of a step / its tokens", kNeedsPower,
      "the rest of the machine"},
     [](const Training& training) {
       return figure_or(training.figures.energy.joules_per_token, training.figures.energy.unavailable);
     }},
};

}  // namespace

std::vector<MetricRow> training_metrics(const TrainingFigures& figures, const LatencySummary* latency) {
  return metric_rows(kMetrics, Training{figures, latency});
}

}  // namespace aaco
