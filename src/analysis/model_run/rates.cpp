// SPDX-License-Identifier: MIT
#include "analysis/model_run/rates.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "analysis/model_run/host_load.h"
#include "analysis/model_run/latency.h"
#include "analysis/model_run/op_map.h"
#include "base/format.h"

namespace aaco {

namespace {

// Work of one inference and how much of it has a formula.
struct Work {
  std::optional<double> flops;  // of the nodes where known; none when no node's is
  std::optional<double> bytes;
  double both_flops = 0;  // over the nodes where both are known
  double both_bytes = 0;
  double flops_coverage = 0;
  double bytes_coverage = 0;
  bool by_time = false;  // the coverages are shares of node time, else of node executions
};

struct Piece {
  double weight = 0;
  std::optional<double> flops;
  std::optional<double> bytes;
};

Work work_of(const std::vector<Piece>& pieces, bool by_time) {
  Work work;
  work.by_time = by_time;
  double total = 0;
  for (const Piece& piece : pieces) {
    total += piece.weight;
    if (piece.flops) {
      work.flops = work.flops.value_or(0) + *piece.flops;
      work.flops_coverage += piece.weight;
    }
    if (piece.bytes) {
      work.bytes = work.bytes.value_or(0) + *piece.bytes;
      work.bytes_coverage += piece.weight;
    }
    if (piece.flops && piece.bytes) {
      work.both_flops += *piece.flops;
      work.both_bytes += *piece.bytes;
    }
  }
  if (total > 0) {
    work.flops_coverage /= total;
    work.bytes_coverage /= total;
  }
  return work;
}

bool any_flops(const std::vector<Piece>& pieces) {
  return std::ranges::any_of(pieces, [](const Piece& piece) { return piece.flops.has_value(); });
}

// Control flow works in its bodies.
std::vector<Piece> graph_pieces(const Context& context) {
  std::vector<Piece> pieces;
  for (const GraphNodeRow& node : context.recording.nodes) {
    const auto executions = executions_of(node);
    if (node.graph != GraphForm::kOptimized || executions == 0.0 || is_control_flow(node.op_type)) {
      continue;
    }
    pieces.push_back(executions ? Piece{*executions, work_of_executions(node.flops, *executions),
                                        work_of_executions(node.bytes, *executions)}
                                : Piece{1, std::nullopt, std::nullopt});
  }
  return pieces;
}

// Nodes of the optimized graph with the time of all their kernels on the device; and what time has no node.
std::vector<Piece> device_pieces(const Context& context) {
  std::map<int64_t, double> times;  // by node; -1: of none
  for (const OpKernelRow& op : context.analysis.ops) {
    times[op.node_id] += op.time_ns.value_or(0);
  }
  std::vector<Piece> pieces;
  for (const GraphNodeRow& node : context.recording.nodes) {
    const auto time = times.find(node.node_id);
    if (node.graph != GraphForm::kOptimized || time == times.end() || is_control_flow(node.op_type)) {
      continue;
    }
    const auto executions = executions_of(node);
    pieces.push_back({time->second, executions ? work_of_executions(node.flops, *executions) : std::nullopt,
                      executions ? work_of_executions(node.bytes, *executions) : std::nullopt});
  }
  if (const auto unknown = times.find(-1); unknown != times.end()) {
    pieces.push_back({unknown->second, std::nullopt, std::nullopt});
  }
  return pieces;
}

// From the executed nodes where a profile has them, else from the optimized graph; from that too where no executed node
// could be linked (they lack names).
Work run_work(const Context& context) {
  std::vector<Piece> pieces;
  const bool by_time = context.nodes.sum.known > 0;
  if (by_time && context.nodes.activity == NodeActivity::kDeviceKernel) {
    return work_of(device_pieces(context), true);
  }
  for (const OpKernelRow& op : context.analysis.ops) {
    if (!is_control_flow(op.op_type)) {
      pieces.push_back({by_time ? op.time_ns.value_or(0) : op.executions_per_inference, op.flops, op.bytes});
    }
  }
  if (!any_flops(pieces)) {
    const std::vector<Piece> of_graph = graph_pieces(context);
    if (pieces.empty() || any_flops(of_graph)) {
      return work_of(of_graph, false);
    }
  }
  return work_of(pieces, by_time);
}

MetricValue achieved(const char* id, const Context& context, const std::optional<double>& work, double coverage,
                     bool by_time, const char* what) {
  if (context.latency() == nullptr || !work) {
    return no_data(id, context.latency() == nullptr ? "no unprofiled iteration was recorded"
                                                    : fmt::format("no node's {} are known", what));
  }
  const auto& latency = context.latency()->p50_ns;
  MetricValue rate =
      measured(id, *work * 1e9 / latency.value,
               latency.interval
                   ? std::optional(Interval{*work * 1e9 / latency.interval->high, *work * 1e9 / latency.interval->low})
                   : std::nullopt);
  if (coverage < 1) {
    rate.quality = {
        QualityKind::kLowerBound,
        fmt::format("{} known for {} of node {}", what, format_percent(coverage, 0), by_time ? "time" : "executions")};
  }
  return rate;
}

MetricValue roof_fraction(const char* id, const MetricValue& rate, const std::optional<double>& roof,
                          const std::string& roof_missing, const std::string& note) {
  if (rate.value == 0.0 && rate.quality.kind == QualityKind::kMeasured) {  // of any roof
    return measured(id, 0);
  }
  if (!rate.value || !roof) {
    return no_data(id, rate.value ? roof_missing : rate.quality.note);
  }
  const double fraction = *rate.value / *roof;
  const auto interval =
      rate.interval ? std::optional(Interval{rate.interval->low / *roof, rate.interval->high / *roof}) : std::nullopt;
  if (interval.value_or(Interval{fraction, fraction}).low > 1) {
    return suspect(id, fraction, interval, fmt::format("{} of the measured roof", format_percent(fraction, 0)));
  }
  MetricValue value = measured(id, fraction, interval);
  value.quality = note.empty() ? rate.quality : with_note(rate.quality, note);
  return value;
}

// Share of the time of nodes with known intensity that those at or above the ridge take; none when less than half of
// the node time has one.
std::optional<double> high_intensity_share(const Context& context, double ridge) {
  double high = 0;
  double known = 0;
  double all = 0;
  for (const OpKernelRow& op : context.analysis.ops) {
    all += op.time_ns.value_or(0);
    if (op.time_ns && op.flops && op.bytes && *op.bytes > 0) {
      known += *op.time_ns;
      high += *op.flops / *op.bytes >= ridge ? *op.time_ns : 0;
    }
  }
  return known > 0 && known >= all / 2 ? std::optional(high / known) : std::nullopt;
}

void add_intensity(const Context& context, const Work& work, const RunRoofs& roofs, std::vector<MetricValue>& metrics) {
  const auto ridge = roofs.ridge();
  const std::string no_ridge = roofs.flops_per_s ? roofs.bytes_missing : roofs.flops_missing;
  if (!(work.both_bytes > 0)) {
    for (const char* id : {"arithmetic_intensity", "intensity_over_ridge"}) {
      metrics.push_back(no_data(id, "no node's FLOPs and bytes are known"));
    }
  } else {
    const double intensity = work.both_flops / work.both_bytes;
    metrics.push_back(measured("arithmetic_intensity", intensity));
    metrics.push_back(intensity == 0 ? measured("intensity_over_ridge", 0)  // below any ridge
                      : ridge        ? measured("intensity_over_ridge", intensity / *ridge)
                                     : no_data("intensity_over_ridge", no_ridge));
  }
  const auto share = ridge ? high_intensity_share(context, *ridge) : std::nullopt;
  const std::string missing = !ridge                      ? no_ridge
                              : context.nodes.available() ? "less than half of the node time has a known intensity"
                                                          : context.nodes.unavailable;
  metrics.push_back(share ? measured("high_intensity_time_share", *share)
                          : no_data("high_intensity_time_share", missing));
  metrics.push_back(share ? measured("low_intensity_time_share", 1 - *share)
                          : no_data("low_intensity_time_share", missing));
}

// Nodes whose formula says that they compute nothing, of a profile whose times are those of the work.
MetricValue movement_time_share(const Context& context) {
  constexpr const char* kId = "movement_time_share";
  double moving = 0;
  double known = 0;
  double all = 0;
  for (const OpKernelRow& op : context.analysis.ops) {
    if (!is_control_flow(op.op_type)) {
      const double time_ns = op.time_ns.value_or(0);
      all += time_ns;
      known += op.flops ? time_ns : 0;
      moving += op.flops == 0.0 ? time_ns : 0;
    }
  }
  if (all > 0 && known >= all / 2) {
    return measured(kId, moving / known);
  }
  return no_data(kId, all > 0                     ? "less than half of the node time has known FLOPs"
                      : context.nodes.available() ? "no node has a time"
                                                  : context.nodes.unavailable);
}

MetricValue coverage_metric(const char* id, double coverage, const Work& work, bool any) {
  if (!any) {
    return no_data(id, "no graph was recorded");
  }
  MetricValue value = measured(id, coverage);
  if (!work.by_time) {
    value.quality = with_note(value.quality, "by node executions, node times are not known");
  }
  return value;
}

std::string why_without(const Roofs& roofs, const std::string& what) {
  const auto reason = roofs.unavailable.find(what);
  return reason == roofs.unavailable.end() ? "" : ": " + reason->second;
}

}  // namespace

RunRoofs roofs_of(const Recording& recording) {
  RunRoofs run;
  const auto& roofs = recording.facts.roofs;
  const auto threads = worker_threads(recording.facts);
  if (!roofs) {
    run.flops_missing = recording.facts.roofs_unavailable.empty()
                            ? "the roofs were not measured (aaco doctor --measure)"
                            : recording.facts.roofs_unavailable;
    run.bytes_missing = run.flops_missing;
    return run;
  }
  // A device's roofs are of the whole of it, whatever threads of the host do.
  const bool of_device = recording.facts.device_kind == DeviceKind::kGpu;
  const double run_threads = of_device ? 1 : threads.value_or(0);
  const double measured_threads = of_device ? 1 : static_cast<double>(roofs->threads);
  const bool comparable = run_threads > 0 && run_threads <= measured_threads;
  const std::string& precision = recording.facts.precision_executed;
  const auto flops = roofs->flops_per_s.find(precision);
  if (!comparable) {
    run.flops_missing = fmt::format("the roofs were measured with {} threads, fewer than this run's", roofs->threads);
    run.bytes_missing = run.flops_missing;
    return run;
  }
  if (flops == roofs->flops_per_s.end() || !(flops->second > 0) || !std::isfinite(flops->second)) {
    run.flops_missing =
        "no roof was measured for precision " + (precision.empty() ? std::string("unknown") : precision);
  } else {
    run.flops_per_s = flops->second * run_threads / measured_threads;
  }
  if (!roofs->bytes_per_s || !(*roofs->bytes_per_s > 0) || !std::isfinite(*roofs->bytes_per_s)) {
    run.bytes_missing = "no memory roof was measured" + why_without(*roofs, "memory");
  } else {
    run.bytes_per_s = roofs->bytes_per_s;
  }
  if (run_threads < measured_threads) {
    run.note = fmt::format("roofs measured with {} threads, arithmetic scaled to {}", roofs->threads, run_threads);
  }
  return run;
}

std::optional<RoofTime> roof_time(const RunRoofs& roofs, const std::optional<double>& flops,
                                  const std::optional<double>& bytes) {
  if (!flops || !bytes || !roofs.ridge()) {
    return std::nullopt;
  }
  const double compute_ns = *flops * 1e9 / *roofs.flops_per_s;
  const double memory_ns = *bytes * 1e9 / *roofs.bytes_per_s;
  return compute_ns >= memory_ns ? RoofTime{compute_ns, RoofBound::kCompute} : RoofTime{memory_ns, RoofBound::kMemory};
}

std::vector<MetricValue> rate_metrics(const Context& context) {
  if (context.lacks_device) {
    std::vector<MetricValue> metrics;
    for (const char* id : {"achieved_flops", "flops_roof_fraction", "achieved_bandwidth", "bandwidth_roof_fraction",
                           "arithmetic_intensity", "intensity_over_ridge", "high_intensity_time_share",
                           "low_intensity_time_share", "flops_coverage", "bytes_coverage", "movement_time_share"}) {
      metrics.push_back(no_data(id, kNeedsDeviceActivity));
    }
    return metrics;
  }
  const Work work = run_work(context);
  const RunRoofs roofs = roofs_of(context.recording);
  std::vector<MetricValue> metrics;
  metrics.push_back(achieved("achieved_flops", context, work.flops, work.flops_coverage, work.by_time, "FLOPs"));
  metrics.push_back(
      roof_fraction("flops_roof_fraction", metrics.back(), roofs.flops_per_s, roofs.flops_missing, roofs.note));
  metrics.push_back(achieved("achieved_bandwidth", context, work.bytes, work.bytes_coverage, work.by_time, "bytes"));
  metrics.push_back(
      roof_fraction("bandwidth_roof_fraction", metrics.back(), roofs.bytes_per_s, roofs.bytes_missing, roofs.note));
  add_intensity(context, work, roofs, metrics);
  const bool any = !context.analysis.ops.empty() || !context.recording.nodes.empty();
  metrics.push_back(coverage_metric("flops_coverage", work.flops_coverage, work, any));
  metrics.push_back(coverage_metric("bytes_coverage", work.bytes_coverage, work, any));
  metrics.push_back(movement_time_share(context));
  return metrics;
}

}  // namespace aaco
