// SPDX-License-Identifier: MIT
#include "kind/queue_run/analysis/queue_run_metrics.h"

#include <algorithm>

namespace aaco {

namespace {

struct QueueRun {
  const QueueFigures& figures;
  const QueueWork& work;
  const std::vector<QueueProcess>& processes;
};

constexpr const char* kNotWaited = "the host waits for no single iteration";
constexpr const char* kTooFew = "too few iterations";
constexpr const char* kNothing = "nothing was measured";
constexpr const char* kNeedsWaits = "iterations that the host waits for one by one";
constexpr const char* kNeedsProcess = "a measured process";
constexpr const char* kNeedsEnd = "runs whose end the host waits for";

MetricValue quantile(const QueueRun& run, std::optional<double> LatencySummary::* value,
                     std::optional<Interval> LatencySummary::* interval) {
  const std::optional<LatencySummary>& latency = run.figures.latency;
  if (!latency || !((*latency).*value)) {
    return no_data("", latency ? kTooFew : kNotWaited);
  }
  return measured("", *((*latency).*value), (*latency).*interval);
}

MetricValue rate(const QueueRun& run, const std::optional<Estimate>& per_s) {
  const std::string& why = run.figures.throughput_unavailable;
  return figure_or(per_s, why.empty() ? std::string(kNothing) : why);
}

// The most of any process.
MetricValue most_bytes(const QueueRun& run, int64_t QueueProcess::* bytes) {
  const auto most = std::ranges::max_element(run.processes, {}, bytes);
  return most == run.processes.end() ? no_data("", kNothing) : measured("", static_cast<double>((*most).*bytes));
}

constexpr SubjectMetric<QueueRun> kMetrics[] = {
    {{"iteration_p50", "iteration, median", "ns", "median over processes of each process's median", kNeedsWaits,
      "iterations that few delays make slow: see the mean and p99"},
     [](const QueueRun& run) {
       return figure_or(run.figures.latency ? std::optional(run.figures.latency->p50_ns) : std::nullopt, kNotWaited);
     }},
    {{"iteration_mean", "iteration, mean", "ns", "mean of all iterations", kNeedsWaits, "a typical iteration"},
     [](const QueueRun& run) {
       return run.figures.latency ? figure_or(run.figures.latency->mean_ns, kTooFew) : no_data("", kNotWaited);
     }},
    {{"iteration_p95", "iteration, p95", "ns", "over all iterations; its interval is over processes", kNeedsWaits,
      "which iteration was slow"},
     [](const QueueRun& run) { return quantile(run, &LatencySummary::p95_ns, &LatencySummary::p95_interval_ns); }},
    {{"iteration_p99", "iteration, p99", "ns", "over all iterations; its interval is over processes", kNeedsWaits,
      "which iteration was slow"},
     [](const QueueRun& run) { return quantile(run, &LatencySummary::p99_ns, &LatencySummary::p99_interval_ns); }},
    {{"iteration_wall_time", "wall time per iteration", "ns", "wall time of all iterations / their number", kNeedsEnd,
      "how iterations differ"},
     [](const QueueRun& run) { return rate(run, run.figures.iteration_ns); }},
    {{"enqueue_time", "host time to enqueue it", "ns", "median time that the host took to enqueue an iteration",
      kNeedsProcess, "whether the device waited for it"},
     [](const QueueRun& run) { return figure_or(run.figures.dispatch_ns, kNothing); }},
    {{"enqueue_time_per_operation", "host time per operation", "ns",
      "host time to enqueue / operations of an iteration", kNeedsProcess, "which operation cost the most"},
     [](const QueueRun& run) {
       const std::optional<Estimate>& enqueue = run.figures.dispatch_ns;
       const bool is_known = enqueue && run.work.kernels > 0;
       return figure_or(is_known ? std::optional(enqueue->value / static_cast<double>(run.work.kernels)) : std::nullopt,
                        kNothing);
     }},
    {{"units_per_s", "throughput", "", "units of an iteration / wall time per iteration", kNeedsEnd,
      "what limits it: see the kernels on the device (--profile)"},
     [](const QueueRun& run) { return rate(run, run.figures.units_per_s); }},
    {{"units_per_s_per_stream", "throughput per stream used", "", "throughput / streams that the workload used",
      kNeedsEnd, "which stream was slow"},
     [](const QueueRun& run) { return rate(run, run.figures.units_per_s_per_stream); }},
    {{"operations_per_s", "operations", "/s", "operations of an iteration / wall time per iteration", kNeedsEnd,
      "how large they are"},
     [](const QueueRun& run) { return rate(run, run.figures.operations_per_s); }},
    {{"flops_per_s", "arithmetic", "FLOP/s", "FLOPs of an iteration / wall time per iteration", kNeedsEnd,
      "what the device could do"},
     [](const QueueRun& run) { return rate(run, run.figures.flops_per_s); }},
    {{"workload_peak_memory", "memory of the workload, peak", "B", "the most allocated at once, of any process",
      kNeedsProcess, "what libraries take"},
     [](const QueueRun& run) { return measured("", static_cast<double>(run.figures.peak_bytes)); }},
    {{"pinned_peak_memory", "memory, pinned on the host", "B", "the most of any process", kNeedsProcess,
      "memory that is not pinned"},
     [](const QueueRun& run) { return most_bytes(run, &QueueProcess::pinned_peak_bytes); }},
    {{"library_memory", "memory of libraries", "B", "workspaces of the GEMM library, the most of any process",
      kNeedsProcess, "what the driver takes"},
     [](const QueueRun& run) { return most_bytes(run, &QueueProcess::library_bytes); }},
    {{"device_memory_in_use", "memory, in use on the device", "B", "by all processes, as the driver says",
      "a driver that tells", "which process takes it"},
     [](const QueueRun& run) {
       const std::optional<int64_t>& bytes = run.figures.reserved_bytes;
       return figure_or(bytes ? std::optional(static_cast<double>(*bytes)) : std::nullopt, "this backend cannot tell");
     }},
};

}  // namespace

std::vector<MetricRow> queue_run_metrics(const QueueFigures& figures, const QueueWork& work,
                                         const std::vector<QueueProcess>& processes) {
  return metric_rows(kMetrics, QueueRun{figures, work, processes}, work.unit + "/s");
}

}  // namespace aaco
