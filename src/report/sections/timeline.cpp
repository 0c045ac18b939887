// SPDX-License-Identifier: MIT
// One profiled iteration as it ran: the one of median length, so that what is shown is typical.
#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "report/sections/sections.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr size_t kNamedOperators = 7;

struct Extent {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};

using IterationKey = std::pair<int64_t, int64_t>;  // process, iteration

// Kernels of the profiler's warm-up are left out; the caller knows that there are others.
IterationKey median_iteration(const Recording& recording, const std::set<IterationKey>& profiled) {
  std::map<IterationKey, Extent> extents;
  for (const KernelRow& row : recording.kernels) {
    if (!profiled.contains({row.process, row.iter_idx})) {
      continue;
    }
    const auto [at, first] = extents.try_emplace({row.process, row.iter_idx}, Extent{row.t_start_ns, row.t_end_ns});
    if (!first) {
      at->second.start_ns = std::min(at->second.start_ns, row.t_start_ns);
      at->second.end_ns = std::max(at->second.end_ns, row.t_end_ns);
    }
  }
  std::vector<std::pair<int64_t, IterationKey>> lengths;
  for (const auto& [key, extent] : extents) {
    lengths.emplace_back(extent.end_ns - extent.start_ns, key);
  }
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>((lengths.size() - 1) / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return middle->second;
}

// Operators by time in these rows, longest first.
std::vector<std::string> operators_by_time(const std::vector<const KernelRow*>& rows) {
  std::map<std::string, int64_t> totals;
  for (const KernelRow* row : rows) {
    totals[row->op_type] += row->dur_ns;
  }
  std::vector<std::string> names;
  for (const auto& [name, total] : totals) {
    names.push_back(name);
  }
  std::stable_sort(names.begin(), names.end(), [&](const auto& a, const auto& b) { return totals[a] > totals[b]; });
  return names;
}

bool is_on_device(const KernelRow& row) {
  return row.activity == NodeActivity::kDeviceKernel || row.activity == NodeActivity::kDeviceCopy ||
         row.activity == NodeActivity::kDeviceMemset;
}

std::string lane_of(const KernelRow& row) {
  if (is_on_device(row)) {
    return row.stream ? "stream " + std::to_string(*row.stream) : "device";
  }
  return row.queue_id ? "queue " + std::to_string(*row.queue_id) : "thread " + std::to_string(row.thread_id);
}

plot::Chart timeline_chart(const std::vector<const KernelRow*>& rows, int64_t start_ns) {
  plot::Chart chart{
      .id = "iteration-timeline",
      .title = "One profiled iteration",
      .caption =
          "Each span is one node as the profiler saw it, its own cost included; gaps are time outside "
          "of all nodes.",
      .x = {.title = "time since the first node began", .quantity = plot::Quantity::kDuration, .unit = "ns", .min = 0},
      .no_data = "no profiled iteration"};
  std::map<std::string, double> lanes;
  const std::vector<std::string> operators = operators_by_time(rows);
  const size_t named = operators.size() <= kNamedOperators + 1 ? operators.size() : kNamedOperators;
  for (size_t i = 0; i < std::min(operators.size(), named + 1); ++i) {
    const bool other = i == named;
    const std::string name = operators[i].empty() ? "not linked" : operators[i];
    chart.series.push_back({.name = other ? "other" : name,
                            .mark = plot::Mark::kSpans,
                            .colour = other ? plot::kMuted : static_cast<int>(i)});
  }
  for (const KernelRow* row : rows) {
    const auto place = std::find(operators.begin(), operators.end(), row->op_type) - operators.begin();
    plot::Series& series = chart.series[std::min(static_cast<size_t>(place), chart.series.size() - 1)];
    const auto [lane, added] = lanes.try_emplace(lane_of(*row), static_cast<double>(lanes.size()));
    if (added) {
      chart.y.categories.push_back(lane->first);
    }
    series.start.push_back(static_cast<double>(row->t_start_ns - start_ns));
    series.x.push_back(static_cast<double>(row->t_end_ns - start_ns));
    series.y.push_back(lane->second);
    const std::string& what = is_on_device(*row) && row->node_name.empty() ? row->kernel_name : row->node_name;
    series.labels.push_back((row->op_type.empty() ? "not linked" : row->op_type) + ": " + what + ", " +
                            format_duration_ns(static_cast<double>(row->dur_ns)));
  }
  return chart;
}

}  // namespace

std::optional<Section> timeline_section(const Input& input) {
  const std::vector<KernelRow>& kernels = input.recording.kernels;
  std::set<IterationKey> profiled;
  for (const IterationRow& row : input.recording.iterations) {
    if (row.phase == IterationPhase::kProfile) {
      profiled.emplace(row.process, row.iter_idx);
    }
  }
  const bool any = std::any_of(kernels.begin(), kernels.end(),
                               [&](const KernelRow& row) { return profiled.contains({row.process, row.iter_idx}); });
  if (!any) {
    return std::nullopt;
  }
  const auto [process, iteration] = median_iteration(input.recording, profiled);
  std::vector<const KernelRow*> rows;
  for (const KernelRow& row : kernels) {
    const bool is_call = row.activity == NodeActivity::kHostLaunch || row.activity == NodeActivity::kHostWait;
    if (row.process == process && row.iter_idx == iteration && !is_call) {
      rows.push_back(&row);
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto* a, const auto* b) { return a->t_start_ns < b->t_start_ns; });
  if (rows.empty()) {
    return std::nullopt;
  }
  Section section{"timeline", "Timeline", {}, {}};
  plot::Chart chart = timeline_chart(rows, rows.front()->t_start_ns);
  chart.caption += " Process " + std::to_string(process) + ", iteration " + std::to_string(iteration) + ", " +
                   format_count(static_cast<int64_t>(rows.size())) + (rows.size() == 1 ? " execution" : " executions") +
                   ": the profiled iteration of median length.";
  if (std::ranges::any_of(rows, [](const KernelRow* row) { return is_on_device(*row); })) {
    chart.caption +=
        " Spans of a stream are what the device did, with the operator of the node that launched it; those of a "
        "thread, "
        "the host in its nodes.";
  } else if (rows.front()->activity == NodeActivity::kHostEnqueue) {
    chart.caption += " Times are of the host handing nodes to the device, not of the device.";
  }
  section.blocks.push_back(ChartBlock{std::move(chart)});
  return section;
}

}  // namespace aaco::report
