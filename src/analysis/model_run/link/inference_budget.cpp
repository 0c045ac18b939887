// SPDX-License-Identifier: MIT
#include "analysis/model_run/link/inference_budget.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "analysis/model_run/link/device_work.h"
#include "record/device/device_rows.h"
#include "record/intervals.h"

namespace aaco {

namespace {

// Parts of the budget, in the order in which an instant is given to the first that holds it.
enum Part : size_t { kKernels, kCopiesIn, kCopiesOut, kOtherCopies, kLaunches, kNodes, kParts };

Part part_of_copy(const KernelRow& row) {
  return row.kernel_name == device_row::kCopyToDevice     ? kCopiesIn
         : row.kernel_name == device_row::kCopyFromDevice ? kCopiesOut
                                                          : kOtherCopies;
}

std::optional<Part> part_of(const KernelRow& row) {
  switch (row.activity) {
    case NodeActivity::kDeviceKernel:
      return kKernels;
    case NodeActivity::kDeviceCopy:
      return part_of_copy(row);
    case NodeActivity::kDeviceMemset:
      return kOtherCopies;
    case NodeActivity::kHostLaunch:
      return kLaunches;
    case NodeActivity::kHostEnqueue:
    case NodeActivity::kHostKernel:
      return kNodes;
    default:
      return std::nullopt;
  }
}

struct InferenceSpans {
  std::array<std::vector<Span>, kParts> parts;
  bool has_device_work = false;
};

InferenceBudget budget_of(const IterationRow& iteration, const InferenceSpans& spans) {
  const SpanSet wall{{iteration.t_start_ns, iteration.t_end_ns}};
  SpanSet covered;
  std::array<int64_t, kParts> lengths{};
  for (size_t part = 0; part < kParts; ++part) {
    const SpanSet here = intersect(union_of(spans.parts[part]), wall);
    std::vector<Span> both(covered);
    both.insert(both.end(), here.begin(), here.end());
    SpanSet wider = union_of(both);
    lengths[part] = length_ns(wider) - length_ns(covered);
    covered = std::move(wider);
  }
  const int64_t whole = iteration.t_end_ns - iteration.t_start_ns;
  return {whole,
          lengths[kKernels],
          lengths[kCopiesIn],
          lengths[kCopiesOut],
          lengths[kOtherCopies],
          lengths[kLaunches],
          lengths[kNodes],
          whole - length_ns(covered)};
}

MetricValue mean_of(const char* id, const std::vector<InferenceBudget>& budgets, int64_t InferenceBudget::* part) {
  double sum = 0;
  for (const InferenceBudget& budget : budgets) {
    sum += static_cast<double>(budget.*part);
  }
  return measured(id, sum / static_cast<double>(budgets.size()));
}

// The profilers slow the host and no copy, so that the copies of a profiled inference count against the mean latency
// without them.
MetricValue copy_share_of(const Context& context, const std::vector<InferenceBudget>& budgets) {
  constexpr const char* kId = "copy_time_share";
  constexpr double kNoise = 1.05;
  const LatencySummary* const latency = context.latency();
  if (budgets.empty() || latency == nullptr || !latency->mean_ns) {
    return no_data(kId, budgets.empty() ? kNeedsDeviceActivity : "no unprofiled iteration was recorded");
  }
  double copies_ns = 0;
  for (const InferenceBudget& budget : budgets) {
    copies_ns += static_cast<double>(budget.copies_in_ns) + static_cast<double>(budget.copies_out_ns);
  }
  const double share = copies_ns / static_cast<double>(budgets.size()) / *latency->mean_ns;
  return share > kNoise ? suspect(kId, share, {}, "as profiled the copies take longer than the mean latency")
                        : measured(kId, std::min(share, 1.0));
}

// Shares of the kernels whose node is known, by count and by time.
void add_links(const Recording& recording, std::vector<MetricValue>& metrics) {
  double all = 0, linked = 0, all_ns = 0, linked_ns = 0;
  for (const KernelRow& row : recording.kernels) {
    if (row.activity == NodeActivity::kDeviceKernel) {
      const auto duration = static_cast<double>(std::max(row.dur_ns, int64_t{0}));
      all += 1;
      all_ns += duration;
      linked += is_linked(row) ? 1 : 0;
      linked_ns += is_linked(row) ? duration : 0;
    }
  }
  metrics.push_back(measured("kernels_linked", linked / all));
  metrics.push_back(all_ns > 0 ? measured("kernel_time_linked", linked_ns / all_ns)
                               : no_data("kernel_time_linked", "the kernels took no time"));
}

struct Figure {
  const char* id;
  int64_t InferenceBudget::* part;
};
constexpr std::array kFigures{
    Figure{"profiled_inference_time", &InferenceBudget::wall_ns},
    Figure{"device_kernels_time", &InferenceBudget::kernels_ns},
    Figure{"device_copies_in_time", &InferenceBudget::copies_in_ns},
    Figure{"device_copies_out_time", &InferenceBudget::copies_out_ns},
    Figure{"device_other_copies_time", &InferenceBudget::other_copies_ns},
    Figure{"launch_idle_time", &InferenceBudget::launches_ns},
    Figure{"node_idle_time", &InferenceBudget::nodes_ns},
    Figure{"between_nodes_idle_time", &InferenceBudget::between_ns},
};

}  // namespace

std::vector<InferenceBudget> inference_budgets(const Recording& recording) {
  std::map<std::pair<int64_t, int64_t>, InferenceSpans> inferences;
  for (const KernelRow& row : recording.kernels) {
    if (const auto part = part_of(row); part && is_plausible(row.t_start_ns, row.t_end_ns)) {
      InferenceSpans& spans = inferences[{row.process, row.iter_idx}];
      spans.parts[*part].push_back({row.t_start_ns, row.t_end_ns});
      spans.has_device_work = spans.has_device_work || *part <= kOtherCopies;
    }
  }
  std::vector<InferenceBudget> budgets;
  for (const IterationRow& row : recording.iterations) {
    const auto spans = inferences.find({row.process, row.iter_idx});
    if (row.phase == IterationPhase::kProfile && spans != inferences.end() && spans->second.has_device_work &&
        is_plausible(row.t_start_ns, row.t_end_ns)) {
      budgets.push_back(budget_of(row, spans->second));
    }
  }
  return budgets;
}

std::vector<MetricValue> device_metrics(const Context& context) {
  std::vector<MetricValue> metrics;
  if (context.recording.facts.device_kind != DeviceKind::kGpu) {
    return metrics;
  }
  const std::vector<InferenceBudget> budgets =
      context.lacks_device ? std::vector<InferenceBudget>() : inference_budgets(context.recording);
  for (const Figure& figure : kFigures) {
    metrics.push_back(budgets.empty() ? no_data(figure.id, kNeedsDeviceActivity)
                                      : mean_of(figure.id, budgets, figure.part));
  }
  metrics.push_back(copy_share_of(context, budgets));
  if (context.lacks_device) {
    metrics.push_back(no_data("kernels_linked", kNeedsDeviceActivity));
    metrics.push_back(no_data("kernel_time_linked", kNeedsDeviceActivity));
  } else {
    add_links(context.recording, metrics);
  }
  return metrics;
}

}  // namespace aaco
