// SPDX-License-Identifier: MIT
#include "analysis/timeline/operators/elementwise_runs.h"

#include <algorithm>

#include "record/intervals.h"

namespace aaco {

namespace {

constexpr size_t kExample = 8;

bool is_elementwise(const EventTable& events, const LinkedSlice& slice, OperatorWorks& works) {
  if (slice.op == kNoEvent || events.kind[slice.event] != EventKind::kKernel) {
    return false;
  }
  const OpFamily family = works.work(slice.op).family;
  return family == OpFamily::kElementwise || family == OpFamily::kMovement;
}

}  // namespace

std::vector<ElementwiseRuns> elementwise_runs(const EventTable& events, const std::vector<RankOperators>& ranks,
                                              OperatorWorks& works) {
  std::vector<ElementwiseRuns> all;
  for (const RankOperators& rank : ranks) {
    const RowGroups order = linked_stream_order(events, rank);
    const auto ordered = order.all();
    const auto slice_at = [&](size_t place) -> const LinkedSlice& { return rank.slices[ordered[place]]; };
    ElementwiseRuns result;
    result.recording = rank.recording;
    result.rank = rank.rank;
    size_t longest_run = 0;
    for (size_t first = 0, behind = 0; first < ordered.size(); first = std::max(behind, first + 1)) {
      behind = first;
      int64_t longest_ns = 0;
      int64_t total_ns = 0;
      while (behind < ordered.size() && events.track[slice_at(behind).event] == events.track[slice_at(first).event] &&
             is_elementwise(events, slice_at(behind), works)) {
        const int64_t duration_ns = events.duration_ns[slice_at(behind).event];
        total_ns = saturating_sum(total_ns, duration_ns);
        longest_ns = std::max(longest_ns, duration_ns);
        ++behind;
      }
      if (behind - first < 2) {
        continue;
      }
      ++result.runs;
      result.kernels += behind - first;
      result.total_ns = saturating_sum(result.total_ns, total_ns);
      result.longest_ns = saturating_sum(result.longest_ns, longest_ns);
      if (behind - first > longest_run) {
        longest_run = behind - first;
        result.example.clear();
        for (size_t i = first; i < std::min(behind, first + kExample); ++i) {
          result.example.push_back(events.name[slice_at(i).op]);
        }
      }
    }
    all.push_back(std::move(result));
  }
  return all;
}

}  // namespace aaco
