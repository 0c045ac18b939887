// SPDX-License-Identifier: MIT
#include "analysis/timeline/critical_path/thread_handoffs.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "analysis/timeline/lookup/row_groups.h"
#include "record/intervals.h"

namespace aaco {

namespace {

using Threads = std::pair<uint32_t, uint32_t>;  // the asking thread, the backward one

std::vector<Threads> backward_threads(const EventTable& events) {
  const auto is_end = [&](EventRow mark) { return events.shape[mark] == EventShape::kFlowEnd; };
  const auto flow_of = [&](EventRow mark) {
    return std::pair(events.tracks[events.track[mark]].recording, events.correlation[mark]);
  };
  RowGroups groups(events.size(), 1, [&](size_t i) {
    const bool is_mark = events.shape[i] == EventShape::kFlowEnd || events.shape[i] == EventShape::kFlowStart;
    return is_mark && events.strings[events.name[i]] == "fwdbwd" ? 0 : RowGroups::kNone;
  });
  groups.sort([&](EventRow a, EventRow b) {
    return std::tuple(flow_of(a), is_end(a), events.track[a]) < std::tuple(flow_of(b), is_end(b), events.track[b]);
  });
  const auto marks = groups.group(0);
  std::vector<Threads> pairs;
  for (size_t i = 1; i < marks.size(); ++i) {
    const Threads threads(events.track[marks[i - 1]], events.track[marks[i]]);
    if (flow_of(marks[i]) == flow_of(marks[i - 1]) && is_end(marks[i]) && !is_end(marks[i - 1]) &&
        threads.first != threads.second) {
      pairs.push_back(threads);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

// When a thread was in an operator or a call.
SpanSet work_of(const EventTable& events, const HostSegments& segments) {
  SpanSet work;
  for (size_t i = 0; i + 1 < segments.size(); ++i) {
    const EventRow event = segments.event[i];
    if (event != kNoEvent && events.kind[event] != EventKind::kHostRange) {
      append(work, {segments.start_ns[i], segments.start_ns[i + 1]});
    }
  }
  return work;
}

void add_handoffs(const Threads& threads, const SpanSet& asking, const SpanSet& backward,
                  std::vector<ThreadHandoff>& handoffs) {
  const auto [asker, other] = threads;
  auto next = backward.begin();
  for (size_t i = 0; i < asking.size(); ++i) {
    const int64_t from_ns = asking[i].end_ns;
    const int64_t until_ns = i + 1 < asking.size() ? asking[i + 1].start_ns : INT64_MAX;
    while (next != backward.end() && next->start_ns < from_ns) {
      ++next;
    }
    const auto first = next;
    while (next != backward.end() && next->end_ns <= until_ns) {
      ++next;
    }
    if (first == next) {
      continue;
    }
    handoffs.push_back({{other, first->start_ns}, {asker, from_ns}});
    if (until_ns != INT64_MAX) {
      handoffs.push_back({{asker, until_ns}, {other, std::prev(next)->end_ns}});
    }
  }
}

}  // namespace

std::vector<ThreadHandoff> thread_handoffs(const EventTable& events, const HostTimeline& host) {
  std::vector<ThreadHandoff> handoffs;
  const std::vector<Threads> pairs = backward_threads(events);
  size_t parts_left = 1'000 + 64 * events.size();  // threads that all point at each other cost no more than this
  for (const Threads& threads : pairs) {
    const size_t parts = host.segments(threads.first).size() + host.segments(threads.second).size();
    if (parts > parts_left) {
      break;
    }
    parts_left -= parts;
    add_handoffs(threads, work_of(events, host.segments(threads.first)), work_of(events, host.segments(threads.second)),
                 handoffs);
  }
  std::sort(handoffs.begin(), handoffs.end());
  return handoffs;
}

}  // namespace aaco
