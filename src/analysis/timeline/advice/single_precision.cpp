// SPDX-License-Identifier: MIT
// Products and convolutions in single precision, where the device's matrix units have a faster one.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

#include "analysis/timeline/advice/patterns.h"
#include "base/format.h"
#include "record/intervals.h"

namespace aaco {

namespace {

struct LowerPrecision {
  const char* name;
  double traffic;  // of what single precision moves
};
constexpr std::array kLower = {LowerPrecision{"tf32", 1}, LowerPrecision{"bf16", 0.5}};

std::optional<double> rate_of(const Accelerator& accelerator, const char* precision) {
  for (const auto* rates : {&accelerator.achievable, &accelerator.matrix}) {
    if (const auto rate = rates->find(precision); rate != rates->end()) {
      return rate->second;
    }
  }
  return std::nullopt;
}

// The least that one call takes in the best of the precisions that the device has.
std::optional<double> least_ns(const Accelerator& accelerator, const OperatorRoof& op) {
  std::optional<double> best;
  for (const LowerPrecision& lower : kLower) {
    if (const auto rate = rate_of(accelerator, lower.name)) {
      const double ns =
          1e9 * std::max(*op.work.flops / *rate, lower.traffic * *op.work.bytes / *accelerator.bytes_per_s);
      best = std::min(best.value_or(ns), ns);
    }
  }
  return best;
}

// The name of a kernel tells TF32 from single precision but for cuBLAS's newest, whose names tell neither.
bool tells_precision(const EventTable& events, const OperatorRoof& op) {
  return std::none_of(op.kernels.begin(), op.kernels.end(),
                      [&](const KernelShare& kernel) { return has_mark(events.strings[kernel.name], "nvjet"); });
}

// What memory or launching bounds, arithmetic of less precision makes no faster.
bool counts(const EventTable& events, const OperatorRoof& op) {
  return op.place == WorkPlace::kHere && op.work.matrix && op.precision == "fp32" && op.bound == RoofBound::kCompute &&
         tells_precision(events, op);
}

struct SingleSum {
  uint64_t calls = 0;
  int64_t time_ns = 0;
  double flops = 0;
  double least_ns = 0;
  TimeByName operators;
};

std::string remedy_of(const Accelerator& accelerator) {
  const bool amd = accelerator.name.starts_with("MI");  // where PyTorch has TF32 only as an experiment
  return std::string(amd || !rate_of(accelerator, "tf32")
                         ? "Compute products in bfloat16 (torch.autocast with dtype=torch.bfloat16)"
                         : "Let products use TF32 (torch.set_float32_matmul_precision(\"high\"), "
                           "torch.backends.cudnn.allow_tf32), or bfloat16 (torch.autocast with dtype=torch.bfloat16)") +
         ", if the model bears the precision: check its results.";
}

}  // namespace

std::vector<TraceFinding> single_precision(const AdviceInput& input) {
  const EventTable& events = input.events;
  std::vector<TraceFinding> all;
  for (const RankRoofline& rank : input.summary.rooflines) {
    if (rank.on_host || !rank.accelerator || !rank.accelerator->bytes_per_s) {
      continue;
    }
    SingleSum sum;
    for (const OperatorRoof& op : rank.operators) {
      const auto least = counts(events, op) ? least_ns(*rank.accelerator, op) : std::nullopt;
      if (!least) {
        continue;
      }
      const auto calls = static_cast<double>(op.count);
      sum.calls += op.count;
      sum.time_ns = saturating_sum(sum.time_ns, op.time_ns);
      sum.flops += calls * *op.work.flops;
      sum.least_ns += std::min(calls * *least, static_cast<double>(op.time_ns));
      sum.operators.add(op.name, op.time_ns);
    }
    TraceFinding finding = finding_of("single-precision", input.windows, rank.recording, rank.rank);
    finding.subject = "products in single precision";
    finding.cost_ns = sum.time_ns;
    finding.saves_ns = static_cast<double>(sum.time_ns) - sum.least_ns;
    if (!worth_a_line(finding)) {
      continue;
    }
    finding.basis = "upper bound: time above the roof of the fastest precision of TF32 and bfloat16";
    finding.bound = "compute";
    finding.where = sum.operators.longest(events.strings);
    finding.evidence =
        fmt::format("{} of {} took {} for {} in single precision; {} at the roof of {}",
                    counted(sum.calls, "call", "calls"), quoted(finding.where), time_text(sum.time_ns),
                    format_si(sum.flops, "FLOP"), format_duration_ns(sum.least_ns), rank.accelerator->name);
    finding.figures = {{"time", static_cast<double>(sum.time_ns), "ns"},
                       {"calls", static_cast<double>(sum.calls), "1"},
                       {"flops", sum.flops, "FLOP"},
                       {"least_time", sum.least_ns, "ns"}};
    finding.remedy = remedy_of(*rank.accelerator);
    finding.source = "PyTorch documentation, CUDA semantics: TensorFloat-32";
    finding.explains.operators_ns = sum.operators.all();
    all.push_back(std::move(finding));
  }
  return all;
}

}  // namespace aaco
