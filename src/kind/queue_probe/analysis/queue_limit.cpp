// SPDX-License-Identifier: MIT
#include "kind/queue_probe/analysis/queue_limit.h"

#include <fmt/format.h>
#include <map>

namespace aaco {

namespace {

// Of counts in the order of busy streams.
void find_limit(QueueLimit& limit) {
  for (const LimitCount& count : limit.counts) {
    if (count.relation == QueueRelation::kUnknown) {
      limit.reason = fmt::format("{} of {} kernels waited with {} busy", count.waited, count.votes, count.busy);
      return;
    }
    if (count.relation == QueueRelation::kShared) {
      limit.queues = count.busy;
      return;
    }
  }
  limit.reason = limit.counts.empty() ? "not probed"
                                      : fmt::format("no kernel waited with up to {} busy", limit.counts.back().busy);
}

}  // namespace

QueueLimit queue_limit(std::span<const LimitProbe> probes) {
  std::map<int32_t, LimitCount> counts;
  for (const LimitProbe& probe : probes) {
    LimitCount& count = counts[probe.busy];
    count.busy = probe.busy;
    if (probe.vote != ProbeVote::kUnknown) {
      ++count.votes;
      count.waited += probe.vote == ProbeVote::kWaited ? 1 : 0;
    }
  }
  QueueLimit limit;
  for (auto& [busy, count] : counts) {
    count.relation = decided_by(count.waited, count.votes);
    limit.counts.push_back(count);
  }
  find_limit(limit);
  return limit;
}

}  // namespace aaco
