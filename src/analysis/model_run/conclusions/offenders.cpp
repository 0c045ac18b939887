// SPDX-License-Identifier: MIT
#include "analysis/model_run/conclusions/offenders.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/model_run/conclusions/fusion.h"
#include "analysis/model_run/conclusions/rules.h"
#include "analysis/model_run/conclusions/signals.h"
#include "analysis/model_run/host_load.h"
#include "analysis/model_run/launch_tax.h"
#include "analysis/model_run/quota_load.h"
#include "analysis/model_run/rates.h"
#include "base/format.h"

namespace aaco {

namespace {

constexpr double kLeastOverhead = 0.05;  // share of the latency below which an overhead is not worth a line
constexpr double kMuchWaiting = 0.25;    // share of the time; the whole evidence of cpu-bound (signals.cpp)
constexpr const char* kAboveRoof = "time above the roof";
constexpr const char* kWholeTime = "upper bound: the whole time, no roof to compare with";
constexpr const char* kInCache = "unknown: faster than the memory roof, its data is in a cache";

// What is at stake in one node.
struct Stake {
  double ns = 0;
  RoofBound roof = RoofBound::kUnknown;
  std::string bound;  // the roof, or why there is none
  std::string basis;
  double roof_ns = 0;  // 0: no roof
};

std::string unknown_bound(const OpKernelRow& op, const RunRoofs& roofs) {
  if (op.node_name.empty()) {
    return "unknown: its node is not known";
  }
  if (!op.flops || !op.bytes) {
    return "unknown: no formula for the FLOPs or bytes of " + op.op_type;
  }
  return "unknown: " + (roofs.flops_per_s ? roofs.bytes_missing : roofs.flops_missing);
}

Stake stake_of(const OpKernelRow& op, const RunRoofs& roofs) {
  const double time = *op.time_ns;
  const auto roof = roof_time(roofs, op.flops, op.bytes);
  if (!roof) {
    return {time, RoofBound::kUnknown, unknown_bound(op, roofs), kWholeTime, 0};
  }
  if (roof->ns <= time + op.bound_ns) {
    return {std::max(0.0, time - roof->ns), roof->bound, word_of(roof->bound), kAboveRoof, roof->ns};
  }
  const double arithmetic_ns = *op.flops * 1e9 / *roofs.flops_per_s;
  if (roof->bound == RoofBound::kMemory && arithmetic_ns <= time + op.bound_ns) {
    return {std::max(0.0, time - arithmetic_ns), RoofBound::kUnknown, kInCache,
            "upper bound: time above the arithmetic roof", 0};
  }
  return {time, RoofBound::kUnknown, "unknown: faster than the arithmetic roof, its FLOPs or the roof are wrong",
          kWholeTime, 0};
}

// Several nodes as one offender.
struct Members {
  std::vector<const NodeTime*> nodes;
  std::vector<const OpKernelRow*> ops;
  std::vector<Stake> stakes;
};

std::string unknown_stake(std::string_view reason) { return fmt::format("{}{}", kUnknownStake, reason); }

// Nobody recorded how much of the waiting is in the time of which nodes. A device's kernel waits for no processor.
void expect_waiting(const Context& context, OffenderCase& offender_case) {
  if (context.nodes.activity == NodeActivity::kDeviceKernel) {
    return;
  }
  const double waiting = context.value("crowded_out_share").value_or(0);
  if (waiting >= kMuchWaiting) {
    offender_case.crowded = true;
    offender_case.offender.stake_basis = unknown_stake(
        fmt::format("threads were kept off the processors for {} of the steady time", format_percent(waiting)));
  }
}

OffenderCase case_of(const Context& context, const Members& members) {
  OffenderCase offender_case;
  const TimeSum sum = sum_of(members.nodes);
  const double bound = sum.range.high - sum.known_ns;
  const double latency = context.latency()->p50_ns.value;
  std::map<std::pair<std::string, RoofBound>, double> time_by_bound;
  double roof_ns = 0;
  double roofed_ns = 0;
  bool partly_unbounded = false;
  for (size_t i = 0; i < members.stakes.size(); ++i) {
    const Stake& stake = members.stakes[i];
    offender_case.offender.stake_ns += stake.ns;
    time_by_bound[{stake.bound, stake.roof}] += *members.ops[i]->time_ns;
    roof_ns += stake.roof_ns;
    roofed_ns += stake.roof_ns > 0 ? *members.ops[i]->time_ns : 0;
    partly_unbounded = partly_unbounded || stake.basis != kAboveRoof;
  }
  const auto main = std::max_element(time_by_bound.begin(), time_by_bound.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  std::tie(offender_case.offender.bound, offender_case.roof) = main->first;
  offender_case.offender.stake_basis = !partly_unbounded ? kAboveRoof
                                       : roofed_ns > 0   ? "upper bound: time above the roof where there is one"
                                                         : members.stakes.front().basis;
  if (!partly_unbounded && sum.known_ns > latency && latency > roof_ns) {
    offender_case.offender.stake_ns = std::min(offender_case.offender.stake_ns, latency - roof_ns);
    offender_case.offender.stake_basis = "upper bound: the latency less the time at the roof";
  }
  expect_waiting(context, offender_case);
  offender_case.offender.time_ns = sum.known_ns;
  offender_case.offender.time_interval_ns = sum.range;
  offender_case.offender.stake_interval_ns =
      Interval{std::max(0.0, offender_case.offender.stake_ns - bound), offender_case.offender.stake_ns + bound};
  offender_case.offender.share = sum.known_ns / latency;
  offender_case.op_type = members.ops.front()->op_type;
  offender_case.threads = worker_threads(context.recording.facts).value_or(1);
  offender_case.on_gpu = context.recording.facts.device_kind == DeviceKind::kGpu;
  offender_case.precision = context.recording.facts.precision_executed;
  if (roofed_ns > 0) {
    offender_case.roof_fraction = roof_ns / roofed_ns;
  }
  offender_case.offender.evidence =
      fmt::format("{} in {}, {}", format_duration_ns(sum.known_ns), counted(members.nodes.size(), "node", "nodes"),
                  offender_case.offender.share > 1 ? "more than the latency: the profiler slowed them"
                                                   : format_percent(offender_case.offender.share) + " of the latency");
  if (offender_case.roof_fraction) {
    offender_case.offender.evidence +=
        fmt::format("; at {} of the roof that bounds it", format_percent(*offender_case.roof_fraction, 0));
  }
  return offender_case;
}

void add_groups(const Context& context, std::vector<OffenderCase>& cases) {
  const RunRoofs roofs = roofs_of(context.recording);
  std::map<std::string, Members> groups;
  for (size_t i = 0; i < context.analysis.ops.size(); ++i) {
    const NodeTime& node = context.nodes.nodes[i];
    const OpKernelRow& op = context.analysis.ops[i];
    if (op.time_ns) {
      Members& members = groups[node.provider + ":" + node.op_type];
      members.nodes.push_back(&node);
      members.ops.push_back(&op);
      members.stakes.push_back(stake_of(op, roofs));
    }
  }
  for (const auto& [name, members] : groups) {
    OffenderCase group = case_of(context, members);
    const auto largest =
        static_cast<size_t>(std::max_element(members.stakes.begin(), members.stakes.end(),
                                             [](const Stake& a, const Stake& b) { return a.ns < b.ns; }) -
                            members.stakes.begin());
    if (members.nodes.size() == 1 || members.stakes[largest].ns > group.offender.stake_ns / 2) {
      OffenderCase node =
          case_of(context, {{members.nodes[largest]}, {members.ops[largest]}, {members.stakes[largest]}});
      node.offender.subject = members.nodes[largest]->node_name;
      node.offender.kind = OffenderKind::kNode;
      cases.push_back(std::move(node));
    } else {
      group.offender.subject = name;
      group.offender.kind = OffenderKind::kGroup;
      cases.push_back(std::move(group));
    }
  }
}

void add_chains(const Context& context, std::vector<OffenderCase>& cases) {
  const auto chains = elementwise_chains(context);
  if (chains.empty()) {
    return;
  }
  OffenderCase offender_case;
  std::vector<const NodeTime*> nodes;
  size_t longest = 0;
  for (size_t i = 0; i < chains.size(); ++i) {
    double slowest = 0;
    for (const size_t index : chains[i]) {
      nodes.push_back(&context.nodes.nodes[index]);
      slowest = std::max(slowest, *context.analysis.ops[index].time_ns);
      offender_case.offender.stake_ns += *context.analysis.ops[index].time_ns;
    }
    offender_case.offender.stake_ns -= slowest;
    longest = chains[i].size() > chains[longest].size() ? i : longest;
  }
  std::string operators;
  for (const size_t index : chains[longest]) {
    operators += (operators.empty() ? "" : ", ") + context.analysis.ops[index].op_type;
    if (operators.size() > 60) {
      operators += ", ...";
      break;
    }
  }
  const TimeSum sum = sum_of(nodes);
  const double bound = sum.range.high - sum.known_ns;
  offender_case.cause = OffenderCause::kFusion;
  offender_case.offender.subject = fmt::format("{} element-wise chain{}", chains.size(), chains.size() == 1 ? "" : "s");
  offender_case.offender.kind = OffenderKind::kGroup;
  offender_case.offender.time_ns = sum.known_ns;
  offender_case.offender.time_interval_ns = sum.range;
  offender_case.offender.share = sum.known_ns / context.latency()->p50_ns.value;
  offender_case.offender.stake_interval_ns =
      Interval{std::max(0.0, offender_case.offender.stake_ns - bound), offender_case.offender.stake_ns + bound};
  offender_case.offender.stake_basis = "upper bound: a fused kernel takes at least as long as its slowest node";
  expect_waiting(context, offender_case);
  offender_case.roof = RoofBound::kMemory;
  offender_case.offender.bound = word_of(offender_case.roof);
  offender_case.offender.evidence =
      fmt::format("{} nodes, the longest chain has {}: {}", nodes.size(), chains[longest].size(), operators);
  cases.push_back(std::move(offender_case));
}

OffenderCase overhead(const Context& context, OffenderCause cause, const std::string& subject, double time_ns,
                      const std::string& basis, const std::string& bound) {
  OffenderCase offender_case;
  offender_case.cause = cause;
  offender_case.threads = worker_threads(context.recording.facts).value_or(1);
  offender_case.on_gpu = context.recording.facts.device_kind == DeviceKind::kGpu;
  offender_case.offender.subject = subject;
  offender_case.offender.kind = OffenderKind::kOverhead;
  offender_case.offender.time_ns = time_ns;
  offender_case.offender.share = time_ns / context.latency()->p50_ns.value;
  offender_case.offender.stake_ns = time_ns;
  offender_case.offender.stake_basis = basis;
  offender_case.offender.bound = bound;
  return offender_case;
}

std::string weights_text(const DenormalFacts& denormals) {
  return denormals.weights > 0        ? fmt::format("; denormal are {}", fmt::join(denormals.tensors, ", "))
         : denormals.weights_read > 0 ? "; none of the weights is denormal, so that activations become so"
                                      : "";
}

// Time around the kernels: as exposed between them where the profile resolves it, else as the measured dispatch cost.
void add_dispatch(const Context& context, std::vector<OffenderCase>& cases) {
  const double latency = context.latency()->p50_ns.value;
  const MetricValue* exposed = context.analysis.metric("exposed_launch_time");
  const MetricValue* cost = context.analysis.metric("dispatch_cost_share");
  OffenderCase offender_case;
  if (exposed->value && context.recording.facts.device_kind == DeviceKind::kGpu) {
    // A profiled call takes longer: without the profilers no more can be exposed than no kernel fills.
    const double most = context.value("cpu_overhead_ratio").value_or(1) * latency;
    offender_case = overhead(context, OffenderCause::kDispatch, "launching calls", std::min(*exposed->value, most),
                             "upper bound: as profiled, at most the latency in which no kernel runs", "launches");
    offender_case.offender.evidence =
        fmt::format("for {} of a profiled inference the device was idle and the host in a call that launches",
                    format_duration_ns(*exposed->value));
  } else if (exposed->value && exposed->interval->high - exposed->interval->low < latency / 2) {
    offender_case = overhead(context, OffenderCause::kDispatch, "time between nodes", *exposed->value,
                             "upper bound: all of the time between nodes", "overhead");
    offender_case.offender.time_interval_ns = exposed->interval;
    offender_case.offender.evidence =
        fmt::format("unprofiled latency {} less the union of node times", format_duration_ns(latency));
  } else if (cost->value) {
    const double share = std::min(1.0, *cost->value);
    offender_case =
        overhead(context, OffenderCause::kDispatch, "dispatch of nodes", share * latency,
                 *cost->value < 1 ? "dispatches times the measured cost of the smallest"
                                  : unknown_stake("at the measured cost, all dispatches would take the whole latency"),
                 "overhead");
    if (cost->interval) {
      offender_case.offender.time_interval_ns =
          Interval{std::min(1.0, cost->interval->low) * latency, std::min(1.0, cost->interval->high) * latency};
    }
    offender_case.offender.evidence = fmt::format("{} a dispatch, as measured on this machine",
                                                  format_duration_ns(*smallest_dispatch_ns(context.recording.facts)));
  }
  if (offender_case.offender.share >= kLeastOverhead) {
    offender_case.offender.stake_interval_ns = offender_case.offender.time_interval_ns;
    cases.push_back(std::move(offender_case));
  }
}

// Scales what slowed the host by how far the device waited for it: host_weight(). False where that is too little to
// name.
bool weigh_by_idle_device(const Context& context, Offender& offender) {
  const std::optional<double> weight = host_weight(context);
  if (!weight) {
    offender.stake_basis = unknown_stake(kDeviceWaitUnknown);
    return true;
  }
  if (*weight < 1) {
    offender.share *= *weight;
    offender.time_ns *= *weight;
    offender.stake_ns *= *weight;
    offender.stake_basis += ", as far as the device was idle";
  }
  return offender.share >= kLeastOverhead;
}

// Its remedy names the limit and what was counted under it.
void add_quota(const Context& context, double mean_ns, std::vector<OffenderCase>& cases) {
  const auto share = context.value("quota_throttled_share");
  if (share.value_or(0) < kLeastOverhead) {
    return;
  }
  OffenderCase offender_case = overhead(context, OffenderCause::kQuota, "the CPU quota", *share * mean_ns,
                                        "upper bound: share of the steady time, of the mean latency", "CPU quota");
  offender_case.offender.share = *share;
  if (!weigh_by_idle_device(context, offender_case.offender)) {
    return;
  }
  offender_case.offender.evidence =
      fmt::format("a quota stopped the run for {} of the steady time", format_percent(*share));
  apply_rules(offender_case);
  const std::vector<QuotaGroup> groups = quota_groups(context.recording.facts);
  offender_case.offender.recommendation +=
      groups.empty() || groups.front().throttled_periods == 0
          ? "It is of a control group above those that this process can see (of a pod, a slice or another container)."
          : quota_words(groups.front()) + ".";
  cases.push_back(std::move(offender_case));
}

void add_outside_limits(const Context& context, std::vector<OffenderCase>& cases) {
  const double mean_ns = *context.latency()->mean_ns;
  if (const auto crowded = context.value("crowded_out_share"); crowded.value_or(0) >= kLeastOverhead) {
    OffenderCase offender_case =
        overhead(context, OffenderCause::kContention, "waiting for processors", *crowded * mean_ns,
                 "upper bound: share of the steady time, of the mean latency", "processors");
    // What the fastest iteration waited too is no iteration's to save.
    offender_case.offender.share = *crowded;  // of the mean, of which it was taken
    const double most_ns = std::max(0.0, mean_ns - context.latency()->min_ns.value_or(0));
    if (most_ns < offender_case.offender.stake_ns) {
      offender_case.offender.stake_ns = most_ns;
      offender_case.offender.stake_basis = "upper bound: the mean latency less that of the fastest iteration";
    }
    offender_case.offender.evidence =
        fmt::format("threads were kept off the processors for {} of the steady time{}", format_percent(*crowded),
                    context.value("quota_throttled_share").value_or(0) > 0 ? ", beyond what a CPU quota did" : "");
    if (weigh_by_idle_device(context, offender_case.offender)) {
      cases.push_back(std::move(offender_case));
    }
  }
  add_quota(context, mean_ns, cases);
  if (const auto drop = context.value("frequency_drop");
      drop.value_or(0) >= kLeastOverhead && context.analysis.bottleneck.leading_class == BottleneckClass::kThrottling) {
    OffenderCase offender_case = overhead(context, OffenderCause::kThrottling, "lowered clock", *drop * mean_ns,
                                          "upper bound: all at the highest clock seen", "clock");
    offender_case.offender.evidence = fmt::format("the processors' clock fell by {} while busy", format_percent(*drop));
    if (weigh_by_idle_device(context, offender_case.offender)) {
      cases.push_back(std::move(offender_case));
    }
  }
}

// Measured, and not divided among nodes: the same run with denormal numbers as zero took so much less. Below the
// processes' own spread it is no gain.
void add_denormals(const Context& context, std::vector<OffenderCase>& cases) {
  const auto& denormals = context.recording.facts.denormals;
  const LatencySummary& latency = *context.latency();
  if (!denormals || !denormals->as_zero_p50_ns || latency.process_medians_ns.empty()) {
    return;
  }
  const double as_zero = *denormals->as_zero_p50_ns;
  const double gain = latency.p50_ns.value - as_zero;
  if (gain < kLeastOverhead * latency.p50_ns.value ||
      as_zero >= *std::ranges::min_element(latency.process_medians_ns)) {
    return;
  }
  OffenderCase offender_case =
      overhead(context, OffenderCause::kDenormals, denormals->weights > 0 ? "denormal weights" : "denormal activations",
               gain, "measured: one process with denormal numbers as zero", "denormal numbers");
  offender_case.offender.evidence =
      fmt::format("{} with --option session.set_denormal_as_zero=1 ({}, 1 process) for {}{}",
                  format_duration_ns(as_zero), counted(denormals->as_zero_iterations, "iteration", "iterations"),
                  format_duration_ns(latency.p50_ns.value), weights_text(*denormals));
  cases.push_back(std::move(offender_case));
}

// A node's time is that of profiled runs, which may be longer than the unprofiled latency: that is all there is to
// save.
void cap_at_latency(const Context& context, std::vector<OffenderCase>& cases) {
  const double latency = context.latency()->p50_ns.value;
  for (OffenderCase& offender_case : cases) {
    if (offender_case.cause == OffenderCause::kContention || offender_case.cause == OffenderCause::kQuota) {
      continue;  // of the mean latency, which waiting alone lifts above the median
    }
    Offender& offender = offender_case.offender;
    if (offender.stake_ns > latency) {
      offender.stake_ns = latency;
      const bool is_unknown = offender.stake_basis.starts_with(kUnknownStake) || offender.stake_basis == kWholeTime;
      if (!is_unknown) {
        offender.stake_basis = unknown_stake("profiled, it takes longer than the whole latency");
      }
    }
    if (offender.stake_interval_ns) {
      offender.stake_interval_ns->low = std::min(offender.stake_interval_ns->low, offender.stake_ns);
      offender.stake_interval_ns->high =
          std::min(offender.stake_interval_ns->high, std::max(latency, offender.stake_ns));
    }
  }
}

// Nodes that the GPU's provider left to the CPU; their own host time is known even without device activity.
void add_fallback(const Context& context, std::vector<OffenderCase>& cases) {
  std::vector<const NodeTime*> nodes;
  for (const NodeTime& node : context.nodes.nodes) {
    if (node.activity == NodeActivity::kHostKernel && node.provider != context.recording.facts.provider) {
      nodes.push_back(&node);
    }
  }
  const TimeSum sum = sum_of(nodes);
  if (context.recording.facts.device_kind == DeviceKind::kGpu && sum.known > 0) {
    OffenderCase offender_case =
        overhead(context, OffenderCause::kFallback, fmt::format("{} nodes on the CPU", nodes.size()), sum.known_ns,
                 "time of these nodes on the host, without the copies around them", "fall-back to the CPU");
    offender_case.offender.time_interval_ns = sum.range;
    offender_case.offender.stake_interval_ns = sum.range;
    offender_case.offender.evidence =
        fmt::format("provider {} took them, not {}", nodes.front()->provider, context.recording.facts.provider);
    cases.push_back(std::move(offender_case));
  }
}

void add_copies(const Context& context, std::vector<OffenderCase>& cases) {
  const auto in_ns = context.value("device_copies_in_time");
  const auto out_ns = context.value("device_copies_out_time");
  if (!in_ns || !out_ns || *in_ns + *out_ns < kLeastOverhead * context.latency()->p50_ns.value) {
    return;
  }
  OffenderCase offender_case = overhead(context, OffenderCause::kHostCopies, "copies between host and device",
                                        *in_ns + *out_ns, "time in which the device only copied", "copies");
  offender_case.offender.evidence = fmt::format("{} to the device and {} from it in each profiled inference",
                                                format_duration_ns(*in_ns), format_duration_ns(*out_ns));
  cases.push_back(std::move(offender_case));
}

}  // namespace

std::vector<Offender> find_offenders(const Context& context) {
  if (context.latency() == nullptr) {
    return {};
  }
  std::vector<OffenderCase> cases;
  if (!context.lacks_device) {
    add_groups(context, cases);
    add_chains(context, cases);
    add_dispatch(context, cases);
  }
  add_outside_limits(context, cases);
  add_denormals(context, cases);
  add_fallback(context, cases);
  add_copies(context, cases);
  cap_at_latency(context, cases);
  return rank_offenders(std::move(cases));
}

}  // namespace aaco
