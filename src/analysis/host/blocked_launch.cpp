// SPDX-License-Identifier: MIT
#include "analysis/host/blocked_launch.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/host/wait_place.h"

namespace aaco {

namespace {

using Key = std::pair<HostCauseKind, std::string>;

class Sharing {
 public:
  explicit Sharing(const CollectedRows& rows) : stacks_(rows.rows<StackRow>()) {
    for (const OffCpuRow& row : rows.rows<OffCpuRow>()) {
      if (is_span(row.t_start_ns, row.t_end_ns)) {
        spans_[row.thread_id].push_back(&row);
      }
    }
    for (auto& [thread, spans] : spans_) {
      std::ranges::stable_sort(spans, {}, &OffCpuRow::t_start_ns);
    }
    for (const HostEventRow& row : rows.rows<HostEventRow>()) {
      if (row.kind == HostEventKind::kPageFault && row.thread_id && row.t_end_ns) {
        faults_[*row.thread_id].push_back({row.t_start_ns, *row.t_end_ns});
      }
    }
  }

  void add(const LaunchGap& gap);
  BlockedLaunches finish();

 private:
  void add_part(const Span& part, const LaunchGap& gap, const OffCpuRow& row, Key key);
  std::string wait_name(const OffCpuRow& row) const;

  StackIndex stacks_;
  std::map<int64_t, std::vector<const OffCpuRow*>> spans_;  // by thread
  std::map<int64_t, std::vector<Span>> faults_;
  std::map<Key, LaunchBlocker> blockers_;
  std::set<Key> of_gap_;  // that have a part in the gap that is shared out now
  int64_t left_ns_ = 0;   // of that gap
  BlockedLaunches result_;
};

std::string Sharing::wait_name(const OffCpuRow& row) const {
  const WaitPlace place = stacks_.place(row.stack);
  const auto faults = faults_.find(row.thread_id);
  const bool in_fault =
      place.function.empty() && faults != faults_.end() && std::ranges::any_of(faults->second, [&](const Span& fault) {
        return fault.start_ns <= row.t_start_ns && row.t_start_ns < fault.end_ns;
      });
  return in_fault ? word_of(WaitClass::kPageFault) : wait_text(place);
}

void Sharing::add_part(const Span& part, const LaunchGap& gap, const OffCpuRow& row, Key key) {
  const int64_t length_ns = std::min(part.end_ns, gap.span.end_ns) - std::max(part.start_ns, gap.span.start_ns);
  if (length_ns <= 0) {
    return;
  }
  LaunchBlocker& blocker = blockers_[key];
  blocker.kind = key.first;
  blocker.name = key.second;
  blocker.total_ns = saturating_sum(blocker.total_ns, length_ns);
  left_ns_ -= length_ns;
  if (length_ns > blocker.longest_ns) {
    blocker.longest_ns = length_ns;
    blocker.stack = row.stack;
    blocker.waker_name = row.waker_name;
    blocker.waker_stack = row.waker_stack;
  }
  of_gap_.insert(std::move(key));
}

void Sharing::add(const LaunchGap& gap) {
  const int64_t length_ns = gap.span.end_ns - gap.span.start_ns;
  result_.gaps_ns = saturating_sum(result_.gaps_ns, length_ns);
  const auto spans = spans_.find(gap.thread_id);
  if (spans == spans_.end()) {
    result_.unknown_ns = saturating_sum(result_.unknown_ns, length_ns);
    return;
  }
  left_ns_ = length_ns;
  of_gap_.clear();
  // A thread's spans do not overlap, so that their ends ascend too.
  auto at = std::ranges::upper_bound(spans->second, gap.span.start_ns, {}, &OffCpuRow::t_end_ns);
  for (; at != spans->second.end() && (*at)->t_start_ns < gap.span.end_ns; ++at) {
    const OffCpuRow& row = **at;
    if (row.reason == OffCpuReason::kPreempted) {
      add_part({row.t_start_ns, row.t_end_ns}, gap, row, {HostCauseKind::kPreempted, row.next_name.value_or("")});
      continue;
    }
    const int64_t runnable_from_ns = std::max(row.t_start_ns, row.t_end_ns - row.run_queue_ns.value_or(0));
    add_part({row.t_start_ns, runnable_from_ns}, gap, row, {HostCauseKind::kWait, wait_name(row)});
    add_part({runnable_from_ns, row.t_end_ns}, gap, row, {HostCauseKind::kRunQueue, ""});
  }
  for (const Key& key : of_gap_) {
    ++blockers_[key].gaps;
  }
  result_.ran_ns = saturating_sum(result_.ran_ns, std::max<int64_t>(0, left_ns_));
}

BlockedLaunches Sharing::finish() {
  for (auto& [key, blocker] : blockers_) {
    result_.blockers.push_back(std::move(blocker));
  }
  std::ranges::stable_sort(result_.blockers,
                           [](const LaunchBlocker& a, const LaunchBlocker& b) { return a.total_ns > b.total_ns; });
  return std::move(result_);
}

}  // namespace

BlockedLaunches blocked_launches(std::span<const LaunchGap> gaps, const CollectedRows& rows) {
  Sharing sharing(rows);
  for (const LaunchGap& gap : gaps) {
    if (is_span(gap.span.start_ns, gap.span.end_ns)) {
      sharing.add(gap);
    }
  }
  return sharing.finish();
}

}  // namespace aaco
