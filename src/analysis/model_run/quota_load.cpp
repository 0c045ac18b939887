// SPDX-License-Identifier: MIT
#include "analysis/model_run/quota_load.h"

#include <algorithm>
#include <fmt/format.h>

namespace aaco {

namespace {

template <class Action>
void for_each_measuring(const RunFacts& facts, Action action) {
  for (const ProcessFacts& process : facts.process_facts) {
    if (process.role == ProcessRole::kMeasure) {
      action(process);
    }
  }
}

}  // namespace

std::optional<double> quota_share(const RunFacts& facts, const ProcessFacts& process) {
  const QuotaFacts& quota = process.quota;
  // A process that sleeps until a request is due has no use for a processor.
  const auto wall_ns = static_cast<double>(process.t_end_ns - process.t_start_ns - process.awaited_ns.value_or(0));
  if (!quota.unavailable.empty() || !(wall_ns > 0)) {
    return std::nullopt;
  }
  int64_t held_ns = quota.held_ns.value_or(0);
  if (!quota.held_ns) {
    for (const QuotaGroup& group : quota.groups) {
      held_ns = std::max(held_ns, group.throttled_ns);
    }
  }
  // The kernel adds up the processors on which the group had work, at most one for each thread. worker_threads() does
  // not serve: its processors are those that the quota leaves.
  const int64_t processors = std::max<int64_t>(quota.processors, 1);
  const int64_t at_once = facts.intra_op_threads > 0 ? std::min(facts.intra_op_threads, processors) : processors;
  return std::clamp(static_cast<double>(held_ns) / (wall_ns * static_cast<double>(at_once)), 0.0, 1.0);
}

std::vector<QuotaGroup> quota_groups(const RunFacts& facts) {
  std::vector<QuotaGroup> sums;
  for_each_measuring(facts, [&](const ProcessFacts& process) {
    for (const QuotaGroup& group : process.quota.groups) {
      const auto position = std::find_if(sums.begin(), sums.end(), [&](const QuotaGroup& sum) {
        return sum.group == group.group && sum.limit == group.limit;
      });
      if (position == sums.end()) {
        sums.push_back(group);
      } else {
        position->periods += group.periods;
        position->throttled_periods += group.throttled_periods;
        position->throttled_ns += group.throttled_ns;
        position->burst_periods += group.burst_periods;
      }
    }
  });
  std::stable_sort(sums.begin(), sums.end(),
                   [](const QuotaGroup& a, const QuotaGroup& b) { return a.throttled_ns > b.throttled_ns; });
  return sums;
}

std::string quota_words(const QuotaGroup& group) {
  return fmt::format("{} ({}), throttled in {} of {} periods{}", group.limit, group.group, group.throttled_periods,
                     group.periods,
                     group.burst_periods > 0 ? fmt::format(", in bursts in {}", group.burst_periods) : "");
}

std::string quota_unavailable(const RunFacts& facts) {
  std::string reason = "no measuring process closed its record";
  bool recorded = false;
  for_each_measuring(facts, [&](const ProcessFacts& process) {
    recorded = recorded || process.quota.unavailable.empty();
    reason = process.quota.unavailable;
  });
  return recorded ? "" : reason;
}

std::vector<MetricValue> quota_metrics(const Context& context) {
  const RunFacts& facts = context.recording.facts;
  const std::string unavailable = quota_unavailable(facts);
  if (!unavailable.empty()) {
    return {no_data("quota_throttled_share", unavailable), no_data("quota_throttled_periods", unavailable)};
  }
  std::vector<double> shares;
  for_each_measuring(facts, [&](const ProcessFacts& process) {
    if (const auto share = quota_share(facts, process)) {
      shares.push_back(*share);
    }
  });
  std::vector<MetricValue> metrics;
  if (const auto middle = median(shares)) {
    const auto estimate = estimate_over_processes(shares);  // none where a value is zero
    const auto interval = estimate ? estimate->interval : std::nullopt;
    // Under load a quota may have stopped others of the group while this process slept until a request was due.
    metrics.push_back(facts.process_facts.front().awaited_ns ? upper_bound("quota_throttled_share", *middle, interval)
                                                             : measured("quota_throttled_share", *middle, interval));
  } else {
    metrics.push_back(no_data("quota_throttled_share", "no measuring process closed its record"));
  }
  const std::vector<QuotaGroup> groups = quota_groups(facts);
  if (groups.empty() || groups.front().periods <= 0) {
    metrics.push_back(no_data("quota_throttled_periods", groups.empty()
                                                             ? "no control group that can be seen has a CPU quota"
                                                             : "no period of the quota passed"));
  } else {
    metrics.push_back(measured("quota_throttled_periods", static_cast<double>(groups.front().throttled_periods) /
                                                              static_cast<double>(groups.front().periods)));
  }
  return metrics;
}

}  // namespace aaco
