// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/timeline/operators/call_groups.h"
#include "record/intervals.h"

namespace aaco {

namespace {

// What runs on the processors whose threads the profiler timed; of others the time is that of handing the node over.
constexpr auto kHostProviders =
    std::to_array<std::string_view>({"CPUExecutionProvider", "DnnlExecutionProvider", "XnnpackExecutionProvider",
                                     "ACLExecutionProvider", "ArmNNExecutionProvider"});

// How much an operator does, as far as it is known. What does less within it prepares its arguments or finishes its
// result.
enum class Effort : uint8_t { kUnknown, kMoves, kComputes, kMultiplies };

Effort effort_of(const CallWork& work) {
  switch (work.family) {
    case OpFamily::kUnknown:
      return Effort::kUnknown;
    case OpFamily::kMovement:
      return Effort::kMoves;
    case OpFamily::kProduct:
    case OpFamily::kConvolution:
    case OpFamily::kAttention:
      return Effort::kMultiplies;
    case OpFamily::kNormalization:
    case OpFamily::kReduction:
    case OpFamily::kElementwise:
      return Effort::kComputes;
  }
  return Effort::kUnknown;
}

constexpr size_t kEfforts = 4;
using TimeByEffort = std::array<int64_t, kEfforts>;

// A call that has not ended, and what operators within it took themselves.
struct OpenCall {
  EventRow op = 0;
  int64_t self_ns = 0;
  bool multiplies_within = false;
  TimeByEffort within_ns = {};
};

void add_to(TimeByEffort& sum, const TimeByEffort& more) {
  for (size_t i = 0; i < kEfforts; ++i) {
    sum[i] = saturating_sum(sum[i], more[i]);
  }
}

// What those took that do as much as `effort`, or nobody knows what.
int64_t as_much_ns(const TimeByEffort& within_ns, Effort effort) {
  int64_t sum_ns = within_ns[static_cast<size_t>(Effort::kUnknown)];
  for (size_t i = std::max<size_t>(static_cast<size_t>(effort), 1); i < kEfforts; ++i) {
    sum_ns = saturating_sum(sum_ns, within_ns[i]);
  }
  return sum_ns;
}

bool runs_elsewhere(const EventTable& events, StringId provider) {
  return provider != kEmptyString &&
         std::find(kHostProviders.begin(), kHostProviders.end(), events.strings[provider]) == kHostProviders.end();
}

// Takes operators in the order of their threads and starts, outer ones first.
class HostCalls {
 public:
  HostCalls(const EventTable& events, OperatorWorks& works) : events_(events), works_(works) {}

  void add(EventRow op, int64_t self_ns) {
    while (!open_.empty() && !contains_start(open_.back().op, op)) {
      close();
    }
    open_.push_back({op, self_ns, false, {}});
  }
  CallGroups finish();

 private:
  bool contains_start(EventRow outer, EventRow inner) const {
    return events_.track[outer] == events_.track[inner] && events_.end_ns(outer) > events_.start_ns[inner];
  }
  void close();

  const EventTable& events_;
  OperatorWorks& works_;
  std::vector<OpenCall> open_;
  CallGroups groups_;
  std::map<OperatorKey, TimeByEffort> within_ns_;  // of those that are left to do their work
};

void HostCalls::close() {
  const OpenCall call = open_.back();
  open_.pop_back();
  OperatorKey key = works_.key_of(call.op);
  if (!works_.has_formula(key)) {  // views and allocations, whose shapes would make thousands of rows without a figure
    key.dims = kEmptyString;
    key.types = kEmptyString;
  }
  const Effort effort = effort_of(works_.work(key));
  const bool done_within = effort == Effort::kMultiplies && call.multiplies_within;
  const WorkPlace place = runs_elsewhere(events_, key.provider) ? WorkPlace::kOtherProvider
                          : done_within                         ? WorkPlace::kOperatorsWithin
                                                                : WorkPlace::kHere;
  CallGroup& group = groups_[{key, place}];
  ++group.count;
  group.time_ns = saturating_sum(group.time_ns, call.self_ns);
  if (place == WorkPlace::kHere) {
    add_to(within_ns_[key], call.within_ns);
  }
  if (!open_.empty()) {
    OpenCall& outer = open_.back();
    outer.multiplies_within = outer.multiplies_within || call.multiplies_within || effort == Effort::kMultiplies;
    add_to(outer.within_ns, call.within_ns);
    int64_t& its_ns = outer.within_ns[static_cast<size_t>(effort)];
    its_ns = saturating_sum(its_ns, call.self_ns);
  }
}

CallGroups HostCalls::finish() {
  while (!open_.empty()) {
    close();
  }
  for (const auto& [key, within_ns] : within_ns_) {
    const auto here = groups_.find({key, WorkPlace::kHere});
    if (as_much_ns(within_ns, effort_of(works_.work(key))) > here->second.time_ns) {
      CallGroup& rest = groups_[{key, WorkPlace::kOperatorsWithin}];
      rest.count += here->second.count;
      rest.time_ns = saturating_sum(rest.time_ns, here->second.time_ns);
      groups_.erase(here);
    }
  }
  return std::move(groups_);
}

}  // namespace

// A product around a product hands its work on. Of others, those within them do the work that take longer than
// themselves and do as much, or what nobody knows.
CallGroups host_calls(const EventTable& events, const RankOperators& rank, OperatorWorks& works) {
  std::vector<uint32_t> order(rank.operators.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const auto place = [&](uint32_t i) {
      const EventRow op = rank.operators[i];
      return std::tuple(events.track[op], events.start_ns[op], -events.duration_ns[op], op);
    };
    return place(a) < place(b);
  });
  HostCalls calls(events, works);
  for (const uint32_t i : order) {
    calls.add(rank.operators[i], rank.host_self_ns[i]);
  }
  return calls.finish();
}

}  // namespace aaco
