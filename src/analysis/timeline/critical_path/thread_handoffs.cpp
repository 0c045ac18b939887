// SPDX-License-Identifier: MIT
#include "analysis/timeline/critical_path/thread_handoffs.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "trace/intervals.h"

namespace aaco {

namespace {

using Threads = std::pair<uint32_t, uint32_t>;  // the asking thread, the backward one

std::vector<Threads> backward_threads(const EventTable& events) {
  using Mark = std::tuple<uint32_t, int64_t, bool, uint32_t>;  // recording, id, whether it is an end, track
  std::vector<Mark> marks;
  for (size_t i = 0; i < events.size(); ++i) {
    const bool end = events.shape[i] == EventShape::kFlowEnd;
    if ((end || events.shape[i] == EventShape::kFlowStart) && events.strings[events.name[i]] == "fwdbwd") {
      marks.emplace_back(events.tracks[events.track[i]].recording, events.correlation[i], end, events.track[i]);
    }
  }
  std::sort(marks.begin(), marks.end());
  std::vector<Threads> pairs;
  for (size_t i = 1; i < marks.size(); ++i) {
    const auto& [recording, id, end, track] = marks[i];
    const auto& [recording_before, id_before, end_before, track_before] = marks[i - 1];
    if (recording == recording_before && id == id_before && end && !end_before && track != track_before) {
      pairs.emplace_back(track_before, track);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

// When a thread was in an operator or a call.
SpanSet work_of(const EventTable& events, std::span<const HostSegment> segments) {
  std::vector<Span> work;
  for (size_t i = 0; i + 1 < segments.size(); ++i) {
    const uint64_t event = segments[i].event;
    if (event != HostSegment::kNone && events.kind[event] != EventKind::kHostRange) {
      work.push_back({segments[i].start_ns, segments[i + 1].start_ns});
    }
  }
  return union_of(work);
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
    const size_t parts = host.of(threads.first).size() + host.of(threads.second).size();
    if (parts > parts_left) {
      break;
    }
    parts_left -= parts;
    add_handoffs(threads, work_of(events, host.of(threads.first)), work_of(events, host.of(threads.second)), handoffs);
  }
  std::sort(handoffs.begin(), handoffs.end());
  return handoffs;
}

}  // namespace aaco
