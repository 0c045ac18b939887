// SPDX-License-Identifier: MIT
// The device waits for the next launch again and again, each time shortly: launching takes longer than what is
// launched.
#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "analysis/timeline/advice/patterns.h"
#include "analysis/timeline/waiting_call.h"
#include "base/format.h"
#include "record/intervals.h"

namespace aaco {

namespace {

constexpr double kLeastOfWindow = 0.1;
constexpr size_t kLeastSpans = 20;

// A graph is replayed by one launch: what is idle before it is not the cost of launching kernels one by one.
bool launches_graph(std::string_view call) { return call.find("GraphLaunch") != std::string_view::npos; }

bool counts(const EventTable& events, const ShortHeldIdle& idle) {
  const bool drained = idle.first != kNoEvent && events.kind[idle.first] == EventKind::kHostCall &&
                       waits_for_device(events.strings[events.name[idle.first]]);
  return !drained && !launches_graph(events.strings[events.name[idle.call]]);
}

int64_t median(std::vector<int64_t>& values) {
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) / 2];
}

uint64_t count_kernels(const DeviceSummary& device) {
  uint64_t kernels = 0;
  for (const KernelStatistics& kernel : device.kernels) {
    kernels += kernel.work == WorkClass::kComputation ? kernel.count : 0;
  }
  return kernels;
}

// Of decode steps of a serving engine, where each token costs as long as the host takes to launch.
constexpr uint64_t kFewestSteps = 10;  // the first ones may load code or record graphs
constexpr double kLeastOfWork = 0.2;

const DeviceSummary* device_of(const TraceSummary& summary, const StepClassSummary& steps) {
  for (const DeviceSummary& device : summary.devices) {
    if (device.recording == steps.recording && device.rank == steps.rank && device.device == steps.device) {
      return &device;
    }
  }
  return nullptr;
}

}  // namespace

std::vector<TraceFinding> launch_bound(const AdviceInput& input) {
  std::vector<TraceFinding> all;
  for (const DeviceSummary& device : input.summary.devices) {
    std::vector<int64_t> spans_ns;
    int64_t idle_ns = 0;
    for (const ShortHeldIdle& idle : device.idle.held_shortly) {
      if (counts(input.events, idle) && idle.length_ns > idle.waits_ns) {
        spans_ns.push_back(idle.length_ns - idle.waits_ns);
        idle_ns = saturating_sum(idle_ns, spans_ns.back());
      }
    }
    const uint64_t kernels = count_kernels(device);
    if (spans_ns.size() < kLeastSpans || kernels == 0 ||
        static_cast<double>(idle_ns) < kLeastOfWindow * static_cast<double>(device.budget.window_ns())) {
      continue;
    }
    TraceFinding finding = finding_of("launch-bound", device);
    finding.subject = "idle: launch-bound";
    finding.cost_ns = idle_ns;
    finding.saves_ns = static_cast<double>(idle_ns);
    finding.basis = "upper bound: all of this idle time, as when one graph replays all kernels";
    const auto median_ns = static_cast<double>(median(spans_ns));
    const double kernel_ns = static_cast<double>(device.budget.computation_ns) / static_cast<double>(kernels);
    finding.evidence = fmt::format(
        "{} idle in {} spans shorter than 1 ms, the median {}, in which the host had not yet launched; computation is "
        "{} "
        "a kernel in {} kernels",
        format_duration_ns(finding.saves_ns), spans_ns.size(), format_duration_ns(median_ns),
        format_duration_ns(kernel_ns), kernels);
    finding.figures = {{"idle", finding.saves_ns, "ns"},
                       {"spans", static_cast<double>(spans_ns.size()), "1"},
                       {"median_span", median_ns, "ns"},
                       {"computation_a_kernel", kernel_ns, "ns"},
                       {"kernels", static_cast<double>(kernels), "1"}};
    finding.remedy =
        "The host does not launch as fast as the device computes: replay what repeats from a graph (CUDA or HIP "
        "graphs, torch.compile "
        "with mode=\"reduce-overhead\"), give each kernel more to do (larger batch), and launch fewer (fused "
        "operators).";
    finding.source = "PyTorch documentation, Performance Tuning Guide: CUDA graphs";
    finding.explains.late_ns = idle_ns;
    all.push_back(std::move(finding));
  }
  return all;
}

std::vector<TraceFinding> decode_launch_bound(const AdviceInput& input) {
  std::vector<TraceFinding> all;
  for (const StepClassSummary& steps : input.summary.step_classes) {
    const DeviceSummary* const device = device_of(input.summary, steps);
    if (steps.step_class != StepClass::kDecode || steps.steps < kFewestSteps || device == nullptr ||
        !device->launch_times_carry_advice ||
        static_cast<double>(steps.host_held_ns) < kLeastOfWork * static_cast<double>(steps.work_ns)) {
      continue;
    }
    TraceFinding finding = finding_of("decode-launch-bound", *device);
    finding.subject = "idle: decode steps wait for launches";
    finding.cost_ns = steps.host_held_ns;
    finding.saves_ns = static_cast<double>(steps.host_held_ns);
    finding.basis = "upper bound: all of this idle time, as when one graph replays a whole step";
    finding.evidence = fmt::format(
        "{} of {} decode steps replay a graph; {} kernels by {} launches; in {} of {} of device time of these steps "
        "the "
        "host had not yet launched",
        steps.replayed, steps.steps, steps.kernels, steps.launches, format_duration_ns(finding.saves_ns),
        format_duration_ns(static_cast<double>(steps.work_ns)));
    finding.figures = {{"idle", finding.saves_ns, "ns"},
                       {"work", static_cast<double>(steps.work_ns), "ns"},
                       {"steps", static_cast<double>(steps.steps), "1"},
                       {"replayed", static_cast<double>(steps.replayed), "1"},
                       {"kernels", static_cast<double>(steps.kernels), "1"},
                       {"launches", static_cast<double>(steps.launches), "1"}};
    finding.remedy =
        steps.replayed < steps.steps
            ? "Replay decode steps from graphs: vLLM without enforce_eager and with this batch among its capture "
              "sizes, "
              "SGLang without --disable-cuda-graph and with --cuda-graph-max-bs of at least this batch."
            : "The graph covers a part of the step only: capture the whole step (vLLM: cudagraph_mode FULL), and look "
              "at what is launched beside the graph.";
    finding.source = "vLLM documentation, CUDA graphs; SGLang documentation, server arguments";
    finding.explains.late_in_decode_ns = steps.host_held_ns;
    all.push_back(std::move(finding));
  }
  return all;
}

}  // namespace aaco
