// SPDX-License-Identifier: MIT
#include "verdict/run_sample.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <set>
#include <string_view>

#include "analysis/devices/throttling.h"
#include "analysis/model_run/profile/node_time.h"
#include "analysis/model_run/profile/process_series.h"
#include "analysis/model_run/profile/profile_view.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/statistics.h"

namespace aaco {

AACO_JSON_FIELDS(NodeSample, name, op_type, shapes, executions, time_ns, bound_ns, limit, process_ns)
AACO_JSON_FIELDS(SampleConfiguration, model_name, model_sha256, backend, provider, batch, dims, input_shapes, precision,
                 intra_op_threads, inter_op_threads, prompt_tokens, generated_tokens, work)
AACO_JSON_FIELDS(RunSample, session_id, created_utc, status, status_reason, configuration, phase, process_medians_ns,
                 processes, stationary_processes, iterations, outputs_finite, interleave_group, nodes,
                 profiler_bound_ns, nodes_unavailable, exposed_ns, exposed_bound_ns, cpu_frequency_mhz, run_delay_ns,
                 off_cpu_ns, quota_stopped_ns, others_share, throttled_share, throttled_words, bottleneck_class,
                 device_kind, environment)

namespace {

SampleConfiguration configuration_of(const RunFacts& facts) {
  return {.model_name = facts.model_name,
          .model_sha256 = facts.model_sha256,
          .backend = facts.backend,
          .provider = facts.provider,
          .batch = facts.batch,
          .dims = facts.dims,
          .input_shapes = facts.input_shapes,
          .precision = facts.precision_executed.empty() ? facts.precision_requested : facts.precision_executed,
          .intra_op_threads = facts.intra_op_threads,
          .inter_op_threads = facts.inter_op_threads,
          .prompt_tokens = facts.prompt_tokens,
          .generated_tokens = facts.generated_tokens,
          .work = {}};
}

// Which of the measured roofs puts the highest floor under the node's time; kUnknown unless all that is needed is
// known.
NodeLimit limit_of(const OpKernelRow& row, const RunFacts& facts) {
  if (!facts.roofs || !row.flops || !row.bytes || !facts.roofs->bytes_per_s) {
    return NodeLimit::kUnknown;
  }
  const auto flops_per_s = facts.roofs->flops_per_s.find(facts.precision_executed);
  if (flops_per_s == facts.roofs->flops_per_s.end()) {
    return NodeLimit::kUnknown;
  }
  const double compute_ns = *row.flops / flops_per_s->second * 1e9;
  const double memory_ns = *row.bytes / *facts.roofs->bytes_per_s * 1e9;
  const double launch_ns = facts.roofs->launch_ns.value_or(0) * row.executions_per_inference;
  if (launch_ns > std::max(compute_ns, memory_ns)) {
    return NodeLimit::kOverhead;
  }
  return compute_ns >= memory_ns ? NodeLimit::kCompute : NodeLimit::kMemory;
}

// One entry per node; a node with several kernels counts each of their executions.
std::vector<NodeSample> nodes_of(const Recording& recording, const Analysis& analysis, double profiler_bound_ns) {
  std::map<std::string, std::string> shapes;
  for (const KernelRow& kernel : recording.kernels) {
    shapes.try_emplace(kernel.node_name, kernel.input_shapes);
  }
  std::map<std::string, size_t> index;
  std::set<std::string> untimed;
  std::map<std::string, double> spreads;
  std::vector<NodeSample> nodes;
  for (const OpKernelRow& row : analysis.ops) {
    if (is_control_flow(row.op_type) || !(row.executions_per_inference > 0)) {
      continue;  // its time is that of the nodes in its body
    }
    const NodeLimit limit = limit_of(row, recording.facts);
    const auto [position, added] = index.try_emplace(row.node_name, nodes.size());
    if (added) {
      nodes.push_back({row.node_name, row.op_type, shapes[row.node_name], 0, 0.0, 0, limit, {}});
    }
    // Totals per inference here; made per execution below.
    NodeSample& node = nodes[position->second];
    node.executions += row.executions_per_inference;
    node.bound_ns += row.bound_ns;
    node.process_ns.resize(row.process_ns.size());  // the same of every row
    std::ranges::transform(node.process_ns, row.process_ns, node.process_ns.begin(), std::plus{});
    spreads[row.node_name] += centre_of(row.process_ns).spread;
    node.limit = node.limit == limit ? limit : NodeLimit::kUnknown;
    *node.time_ns += row.time_ns.value_or(0);
    if (!row.time_ns) {
      untimed.insert(row.node_name);
    }
  }
  for (NodeSample& node : nodes) {
    // With a kernel that has no time only the upper limit of the node's time is known.
    const bool timed = !untimed.contains(node.name);
    const double bound_ns = timed ? node.bound_ns - spreads[node.name] : *node.time_ns + node.bound_ns;
    node.bound_ns = std::max(0.0, bound_ns / node.executions - profiler_bound_ns);
    node.time_ns = timed ? std::optional(*node.time_ns / node.executions) : std::nullopt;
  }
  return nodes;
}

std::string why_no_nodes(const Recording& recording, const Analysis& analysis) {
  if (analysis.ops.empty() && recording.kernels.empty()) {
    return "not profiled";
  }
  if (recording.facts.profiler_cost && recording.facts.profiler_cost->events_lost > 0) {
    return "the profiler lost " + std::to_string(recording.facts.profiler_cost->events_lost) + " events";
  }
  if (analysis.node_time_kind == NodeActivity::kHostEnqueue) {
    return std::string("node times are the host's enqueue times: ") + kNeedsDeviceActivity;
  }
  if (!execution_cost(recording.facts, analysis.node_time_kind)) {
    return "the profiler's cost was not calibrated";
  }
  return analysis.ops.empty() ? "no profiled inference is whole" : "";
}

// Share of the sampled processors' time that the measured process takes, from which on their mean clock is its own: an
// idle processor shows a clock at which nothing ran.
constexpr double kBusyShare = 0.9;

// Processors whose clocks the telemetry averages: those that aaco may use. A pinned process may use fewer.
double sampled_processors(const RunFacts& facts, const Json& environment) {
  const Json::json_pointer path("/limits/affinity_count");
  const bool recorded = environment.is_object() && environment.contains(path) && environment[path].is_number();
  const double allowed = recorded ? environment[path].get<double>() : 0;
  return std::max(allowed, static_cast<double>(facts.processors));
}

// Mean over the samples that fall into a measuring process's steady phase. None unless it kept the processors busy in
// nearly all of them: a few busy ones say nothing of the clock of the rest.
std::optional<double> frequency_while_measuring(const Recording& recording, const Json& environment) {
  const double processors = sampled_processors(recording.facts, environment);
  const double busy_pct = 100 * kBusyShare * processors;  // 100 is one processor
  constexpr double kMostIdleSamples = 0.1;
  std::vector<double> values;
  size_t idle = 0;
  for (const SystemRow& row : recording.collected.rows<SystemRow>()) {
    const bool measuring = std::ranges::any_of(recording.facts.process_facts, [&](const ProcessFacts& process) {
      return process.role == ProcessRole::kMeasure && process.t_start_ns <= row.t_ns && row.t_ns <= process.t_end_ns;
    });
    const bool busy = processors > 0 && row.process_cpu_pct.value_or(0) >= busy_pct;
    if (measuring && row.cpu_frequency_mhz) {
      values.push_back(*row.cpu_frequency_mhz);
      idle += busy ? 0 : 1;
    }
  }
  return static_cast<double>(idle) > kMostIdleSamples * static_cast<double>(values.size()) ? std::nullopt
                                                                                           : mean(values);
}

// Median over measuring processes of a steady-phase total divided by that process's inferences.
std::optional<double> per_inference(const Recording& recording, IterationPhase counted_phase,
                                    int64_t ProcessFacts::* total) {
  std::map<int64_t, int64_t> inferences;
  for (const IterationRow& row : recording.iterations) {
    inferences[row.process] += row.phase == counted_phase ? 1 : 0;
  }
  std::vector<double> values;
  for (const ProcessFacts& process : recording.facts.process_facts) {
    const auto count = inferences.find(process.process);
    if (process.role == ProcessRole::kMeasure && process.run_delay_known && count != inferences.end() &&
        count->second > 0) {
      values.push_back(static_cast<double>(process.*total) / static_cast<double>(count->second));
    }
  }
  return median(values);
}

// Empty unless each process that has a median has iterations.
std::vector<ProcessSample> process_samples(const Recording& recording, IterationPhase phase, const RunSample& sample) {
  const SeriesByProcess series = process_series(recording, phase);
  if (series.size() != sample.process_medians_ns.size()) {
    return {};
  }
  const std::map<int64_t, double> elapsed = elapsed_per_inference(recording);
  std::vector<ProcessSample> processes;
  for (const auto& [process, own] : series) {
    const auto process_elapsed = elapsed.find(process);
    processes.push_back(make_process_sample(
        own.latencies_ns, process_elapsed == elapsed.end() ? std::nullopt : std::optional(process_elapsed->second)));
  }
  return processes;
}

// From a value to the farther end of its interval.
std::optional<double> reach_of(double value, const std::optional<Interval>& interval) {
  return interval ? std::optional(std::max(value - interval->low, interval->high - value)) : std::nullopt;
}

bool plausible(double value) { return std::isfinite(value) && value >= 0 && value < 1e18; }
bool plausible(const std::optional<double>& value) { return !value || plausible(*value); }

// The first member that an object lacks; "" when it has them all.
std::string first_absent(const Json& json, std::initializer_list<const char*> members) {
  for (const char* member : members) {
    if (!json.is_object() || !json.contains(member)) {
      return member;
    }
  }
  return "";
}

void take_throttling(RunSample& sample, const Recording& recording) {
  for (const Throttling& device : throttling(recording.collected.rows<GpuSampleRow>(),
                                             recording.collected.rows<SystemRow>(), recording.iterations)) {
    if (device.share() && *device.share() >= sample.throttled_share.value_or(0)) {
      sample.throttled_share = device.share();
      sample.throttled_words = device.throttled() ? throttling_words(device) : "";
    }
  }
}

}  // namespace

RunSample make_run_sample(const Recording& recording, const Analysis& analysis, const Json& environment,
                          const SampleOrigin& origin) {
  RunSample sample;
  sample.session_id = origin.session_id;
  sample.created_utc = origin.created_utc;
  sample.status = origin.status;
  sample.status_reason = origin.status_reason;
  sample.configuration = configuration_of(recording.facts);
  sample.outputs_finite = recording.facts.outputs_finite;
  sample.interleave_group = recording.facts.interleave_group;
  sample.environment = environment;
  sample.device_kind = recording.facts.device_kind;
  sample.bottleneck_class = analysis.bottleneck.bottleneck_class;
  for (const ProcessFacts& process : recording.facts.process_facts) {
    sample.stationary_processes += process.role == ProcessRole::kMeasure && process.stationary ? 1 : 0;
    if (process.role == ProcessRole::kMeasure && process.others_share) {
      sample.others_share = std::max(*process.others_share, sample.others_share.value_or(0));
    }
  }
  if (const LatencySummary* latency = analysis.primary_latency(); latency != nullptr) {
    sample.phase = word_of(latency->phase);
    sample.process_medians_ns = latency->process_medians_ns;
    sample.processes = process_samples(recording, latency->phase, sample);
    sample.iterations = latency->iterations;
    sample.run_delay_ns = per_inference(recording, latency->phase, &ProcessFacts::run_delay_ns);
    sample.off_cpu_ns = per_inference(recording, latency->phase, &ProcessFacts::off_cpu_ns);
    if (const MetricValue* share = analysis.metric("quota_throttled_share"); share != nullptr && share->value) {
      sample.quota_stopped_ns = *share->value * latency->mean_ns.value_or(latency->p50_ns.value);
    }
  }
  sample.cpu_frequency_mhz = frequency_while_measuring(recording, environment);
  take_throttling(sample, recording);
  sample.nodes_unavailable = why_no_nodes(recording, analysis);
  if (sample.nodes_unavailable.empty()) {
    // The parts of node_time.h's bound that are the same in every execution.
    const ExecutionCost cost = *execution_cost(recording.facts, analysis.node_time_kind);
    sample.profiler_bound_ns = cost.bound_ns + cost.resolution_ns / 2;
    sample.nodes = nodes_of(recording, analysis, sample.profiler_bound_ns);
    const MetricValue* exposed = analysis.metric("exposed_launch_time");
    const MetricValue* idle = analysis.metric("cpu_overhead_ratio");
    const LatencySummary* latency = analysis.primary_latency();
    // On a GPU launches are but a part of the time in which no kernel ran.
    if (analysis.node_time_kind == NodeActivity::kDeviceKernel) {
      if (idle != nullptr && idle->value && latency != nullptr) {
        sample.exposed_ns = *idle->value * latency->p50_ns.value;
        sample.exposed_bound_ns = reach_of(latency->p50_ns.value, latency->p50_ns.interval);
      }
    } else if (exposed != nullptr && exposed->value) {
      sample.exposed_ns = exposed->value;
      sample.exposed_bound_ns = reach_of(*exposed->value, exposed->interval);
    }
  }
  return sample;
}

Result<RunSample> parse_run_sample(const Json& json, const std::string& source) {
  const auto damaged = [&](const std::string& what) {
    return Error{ErrorKind::kUsage, source + ": " + what,
                 "the file was not written by this version of aaco, or was edited"};
  };
  if (const std::string absent = first_absent(json, {"session_id", "created_utc", "status", "configuration", "phase",
                                                     "process_medians_ns", "nodes", "environment"});
      !absent.empty()) {
    return damaged("no member \"" + absent + "\"");
  }
  if (const std::string absent =
          first_absent(json["configuration"], {"model_name", "model_sha256", "backend", "batch"});
      !absent.empty()) {
    return damaged("the configuration has no member \"" + absent + "\"");
  }
  AACO_ASSIGN(RunSample sample, from_json_value<RunSample>(json, source));
  if (sample.status == SessionStatus::kUnknown && json["status"] != "") {
    return damaged(json_text(json["status"]) + " is no status of a session");
  }
  if (!std::ranges::all_of(sample.process_medians_ns, [](double value) { return plausible(value) && value > 0; })) {
    return damaged("process_medians_ns holds a value that is no duration");
  }
  if (!sample.processes.empty() && (sample.processes.size() != sample.process_medians_ns.size() ||
                                    !std::ranges::all_of(sample.processes, is_plausible_sample))) {
    return damaged("processes holds what no process measures");
  }
  std::set<std::string_view> names;
  for (const NodeSample& node : sample.nodes) {
    if (!std::ranges::all_of(node.process_ns, [](double value) { return plausible(value); })) {
      return damaged("node \"" + node.name + "\" holds a process_ns that is no duration");
    }
    if (!plausible(node.executions) || !(node.executions > 0) || !plausible(node.time_ns) ||
        !plausible(node.bound_ns) || !names.insert(node.name).second) {
      return damaged("node \"" + node.name + "\" holds a value that is no duration or count, or is there twice");
    }
  }
  if (!plausible(sample.exposed_ns) || !plausible(sample.exposed_bound_ns) || !plausible(sample.cpu_frequency_mhz) ||
      !plausible(sample.run_delay_ns) || !plausible(sample.off_cpu_ns) || !plausible(sample.quota_stopped_ns) ||
      !plausible(sample.profiler_bound_ns) || !plausible(sample.throttled_share)) {
    return damaged("a negative or infinite time or frequency");
  }
  return sample;
}

}  // namespace aaco
