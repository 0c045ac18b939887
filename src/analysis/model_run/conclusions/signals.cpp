// SPDX-License-Identifier: MIT
#include "analysis/model_run/conclusions/signals.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace aaco {

namespace {

using enum BottleneckClass;

// Why these weights: each class has one signal that it cannot win without (kMainWeight; for launch-bound it is the sum
// of those that see dispatches). Where that was not measured the coverage is low, and where it is weak
// kLeastMainStrength rules the class out.
// "processors_granted" and "frequency_held" rule out the two limits that come from outside the program; they are in
// every class of the program itself, so that a squeezed or throttled run does not keep the class it has when
// undisturbed.
constexpr std::array kRules{
    SignalRule{kLaunchBound, "dispatch_cost_share", 0.10, 0.50, 0.20,
               "measured cost of the dispatches is much of the latency"},
    SignalRule{kLaunchBound, "mean_node_time", 2500, 500, 0.15,
               "nodes are so short that dispatching them costs as much"},
    SignalRule{kLaunchBound, "microkernel_fraction_time", 0.30, 0.80, 0.10, "most kernel time is in microkernels"},
    SignalRule{kLaunchBound, "microkernel_fraction_count", 0.30, 0.80, 0.05, "most dispatches are microkernels"},
    SignalRule{kLaunchBound, "cpu_overhead_ratio", 0.10, 0.50, 0.10, "much of the latency is outside any kernel"},
    SignalRule{kLaunchBound, "launch_rate", 5e4, 5e5, 0.05, "dispatches follow each other fast"},
    SignalRule{kLaunchBound, "batch_exponent", 0.60, 0.20, 0.05, "latency hardly grows with the batch"},
    SignalRule{kLaunchBound, "processors_granted", 0.75, 0.95, 0.15, "threads ran when they could"},
    SignalRule{kLaunchBound, "frequency_held", 0.85, 0.95, 0.15, "the processors' clock did not drop"},

    SignalRule{kCpuBound, "crowded_out_share", 0.05, 0.25, 0.70,
               "threads were runnable but not running, or blocked, and by no quota"},
    SignalRule{kCpuBound, "involuntary_switch_rate", 20, 100, 0.15, "the scheduler took processors away"},
    SignalRule{kCpuBound, "psi_cpu", 0.10, 0.40, 0.10, "some task waited for a processor"},
    SignalRule{kCpuBound, "runnable_per_processor", 1.25, 2.00, 0.05,
               "more tasks were runnable than there are processors"},

    SignalRule{kMemoryBound, "bandwidth_roof_fraction", 0.40, 0.80, 0.55,
               "compulsory traffic comes near the memory roof"},
    SignalRule{kMemoryBound, "intensity_over_ridge", 1.00, 0.25, 0.05,
               "too few FLOPs a byte to reach the arithmetic roof"},
    SignalRule{kMemoryBound, "low_intensity_time_share", 0.40, 0.80, 0.07, "time is in nodes below the ridge"},
    SignalRule{kMemoryBound, "batch_exponent", 0.50, 0.90, 0.03, "latency grows as the batch"},
    SignalRule{kMemoryBound, "processors_granted", 0.75, 0.95, 0.15, "threads ran when they could"},
    SignalRule{kMemoryBound, "frequency_held", 0.85, 0.95, 0.15, "the processors' clock did not drop"},

    SignalRule{kComputeBound, "flops_roof_fraction", 0.35, 0.70, 0.55,
               "FLOP/s come near the roof of the executed precision"},
    SignalRule{kComputeBound, "intensity_over_ridge", 1.00, 4.00, 0.04,
               "enough FLOPs a byte to reach the arithmetic roof"},
    SignalRule{kComputeBound, "high_intensity_time_share", 0.40, 0.80, 0.04, "time is in nodes above the ridge"},
    SignalRule{kComputeBound, "cpu_utilisation", 0.60, 0.90, 0.04, "all worker threads are busy"},
    SignalRule{kComputeBound, "batch_exponent", 0.50, 0.90, 0.03, "latency grows as the batch: the units are full"},
    SignalRule{kComputeBound, "processors_granted", 0.75, 0.95, 0.15, "threads ran when they could"},
    SignalRule{kComputeBound, "frequency_held", 0.85, 0.95, 0.15, "the processors' clock did not drop"},

    SignalRule{kQuotaBound, "quota_throttled_share", 0.05, 0.25, 0.80, "a CPU quota stopped the run's control group"},
    SignalRule{kQuotaBound, "quota_throttled_periods", 0.10, 0.50, 0.20, "many periods ran out of quota"},

    SignalRule{kCopyBound, "copy_time_share", 0.30, 0.90, 0.70,
               "in much of the time the device only copied from or to the host"},
    SignalRule{kCopyBound, "processors_granted", 0.75, 0.95, 0.15, "threads ran when they could"},
    SignalRule{kCopyBound, "frequency_held", 0.85, 0.95, 0.15, "the processors' clock did not drop"},

    SignalRule{kThrottling, "frequency_drop", 0.05, 0.20, 0.45, "the processors' clock dropped while busy"},
    SignalRule{kThrottling, "frequency_cv", 0.02, 0.10, 0.10, "the processors' clock varied while busy"},
    SignalRule{kThrottling, "frequency_latency_correlation", -0.30, -0.80, 0.25,
               "latency rose when the processors' clock fell"},
    SignalRule{kThrottling, "processors_granted", 0.75, 0.95, 0.20, "threads ran when they could"},
};

// Of the latency, device idle: at which evidence of the host counts nothing on a GPU, and at which it counts in full.
constexpr double kIdleNoneAt = 0.10;
constexpr double kIdleFullAt = 0.50;

// The thresholds of mean_node_time are what dispatching a node costs on a processor. Of a GPU we have measured no such
// cost over enough models: there the rule has no weight, and the others share its class. A processor copies nothing to
// a device.
bool holds_on(bool gpu, const SignalRule& rule) {
  return gpu ? std::string_view(rule.metric) != "mean_node_time" : rule.bottleneck_class != kCopyBound;
}

bool needs_device(const SignalRule& rule) {
  return rule.bottleneck_class == BottleneckClass::kMemoryBound ||
         rule.bottleneck_class == BottleneckClass::kComputeBound;
}

bool is_of_host(const SignalRule& rule) {
  return rule.bottleneck_class == kCpuBound || rule.bottleneck_class == kQuotaBound ||
         rule.bottleneck_class == kThrottling;
}

// Why the rule has no data whatever was recorded; empty where it may have some. A GPU has a clock of its own. Launches
// are the host's work, so that launch-bound keeps the processors' clock.
std::string why_never_known(const SignalRule& rule, const Context& context) {
  if (context.lacks_device && needs_device(rule)) {
    return kNeedsDeviceActivity;
  }
  const bool on_gpu = context.recording.facts.device_kind == DeviceKind::kGpu;
  const bool of_device = needs_device(rule) || rule.bottleneck_class == kCopyBound;
  return on_gpu && of_device && std::string_view(rule.metric) == "frequency_held"
             ? "the processors' clock says nothing of the device"
             : "";
}

// Share of a GPU run's time in which the device had neither kernel nor copy: of the mean latency, since a thread that
// is kept off its processor makes few iterations much longer. Copies are those of a profiled inference: the profilers
// slow the host, and no copy. None where device activity was not recorded. Without a record of copies it is the most
// that it can be.
std::optional<double> device_idle_share(const Context& context) {
  const std::optional<double> outside_kernels = context.value("cpu_overhead_ratio");  // of the median latency
  const std::optional<double> median_ns = context.value("latency_p50");
  const std::optional<double> mean_ns = context.value("latency_mean");
  if (!outside_kernels || !median_ns || !mean_ns) {
    return std::nullopt;
  }
  double busy_ns = (1 - *outside_kernels) * *median_ns;
  for (const char* id : {"device_copies_in_time", "device_copies_out_time", "device_other_copies_time"}) {
    busy_ns += context.value(id).value_or(0);
  }
  return 1 - busy_ns / *mean_ns;
}

void weigh_by_idle_device(const Context& context, Signal& signal) {
  const std::optional<double> weight = host_weight(context);
  if (!weight) {
    signal.value.reset();
    signal.strength = 0;
    signal.no_data_reason = kDeviceWaitUnknown;
    return;
  }
  signal.strength *= *weight;
}

std::string reason_without(const MetricValue* metric) {
  if (metric == nullptr) {
    return "not analysed";
  }
  return metric->quality.kind == QualityKind::kNoData ? metric->quality.note : quality_text(metric->quality);
}

Signal evaluate(const SignalRule& rule, const Context& context) {
  Signal signal{rule.metric,
                rule.bottleneck_class,
                {},
                (rule.none_at + rule.full_at) / 2,
                rule.none_at,
                rule.full_at,
                rule.weight,
                0,
                find_metric(rule.metric)->unit,
                rule.meaning,
                ""};
  signal.no_data_reason = why_never_known(rule, context);
  if (!signal.no_data_reason.empty()) {
    return signal;
  }
  const MetricValue* metric = context.analysis.metric(rule.metric);
  if (metric == nullptr || !usable(*metric)) {
    signal.no_data_reason = reason_without(metric);
    return signal;
  }
  if (metric->interval) {
    const double low = ramp(metric->interval->low, rule.none_at, rule.full_at);
    const double high = ramp(metric->interval->high, rule.none_at, rule.full_at);
    if (std::max(low, high) >= 1 && std::min(low, high) <= 0) {
      signal.no_data_reason = fmt::format("its interval, {:.3g} to {:.3g}, allows everything", metric->interval->low,
                                          metric->interval->high);
      return signal;
    }
  }
  signal.value = metric->value;
  signal.strength = ramp(*metric->value, rule.none_at, rule.full_at);
  return signal;
}

}  // namespace

std::span<const SignalRule> signal_rules() { return kRules; }

double ramp(double value, double none_at, double full_at) {
  return std::clamp((value - none_at) / (full_at - none_at), 0.0, 1.0);
}

std::optional<double> host_weight(const Context& context) {
  if (context.recording.facts.device_kind != DeviceKind::kGpu) {
    return 1;
  }
  const std::optional<double> idle = device_idle_share(context);
  return idle ? std::optional(ramp(*idle, kIdleNoneAt, kIdleFullAt)) : std::nullopt;
}

std::vector<Signal> evaluate_signals(const Context& context) {
  std::vector<Signal> signals;
  const bool on_gpu = context.recording.facts.device_kind == DeviceKind::kGpu;
  for (const SignalRule& rule : kRules) {
    if (holds_on(on_gpu, rule)) {
      signals.push_back(evaluate(rule, context));
      if (on_gpu && is_of_host(rule) && signals.back().value) {
        weigh_by_idle_device(context, signals.back());
      }
    }
  }
  return signals;
}

std::string signal_table() {
  std::string table =
      "| Class | Signal | Strength 0 at | Strength 1 at | Unit | Weight | What it says "
      "|\n|---|---|---:|---:|---|---:|---|\n";
  for (const SignalRule& rule : kRules) {
    table +=
        fmt::format("| {} | `{}` | {:g} | {:g} | {} | {:.2f} | {} |\n", word_of(rule.bottleneck_class), rule.metric,
                    rule.none_at, rule.full_at, find_metric(rule.metric)->unit, rule.weight, rule.meaning);
  }
  return table;
}

}  // namespace aaco
