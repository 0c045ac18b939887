// SPDX-License-Identifier: MIT
#include "analysis/timeline/time_budget.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace aaco {

namespace {

constexpr size_t kIdle = kWorkClasses;

// Goes through the slices by start and gives `add(label, span)` the window piece by piece: as what the first class in
// the order of WorkClass is that is running, or as kIdle. Nothing begins within a piece.
class Sweep {
 public:
  Sweep(const EventTable& events, std::span<const DeviceSlice> slices) : events_(events), slices_(slices) {
    order_.resize(slices.size());
    std::iota(order_.begin(), order_.end(), 0);
    const auto earlier = [&](uint32_t a, uint32_t b) {
      return events.start_ns[slices[a].event] < events.start_ns[slices[b].event];
    };
    if (!std::is_sorted(order_.begin(), order_.end(), earlier)) {
      std::sort(order_.begin(), order_.end(), earlier);
    }
  }

  template <class Add>
  void run(const Span& window, const Add& add) const {
    std::array<int64_t, kWorkClasses> until_ns;
    until_ns.fill(window.start_ns);
    int64_t at_ns = window.start_ns;
    const auto go_to = [&](int64_t time_ns) {
      while (at_ns < time_ns) {
        const auto* const running =
            std::find_if(until_ns.begin(), until_ns.end(), [&](int64_t end_ns) { return end_ns > at_ns; });
        const int64_t end_ns = running == until_ns.end() ? time_ns : std::min(*running, time_ns);
        add(static_cast<size_t>(running - until_ns.begin()), Span{at_ns, end_ns});
        at_ns = end_ns;
      }
    };
    for (const uint32_t slice : order_) {
      const Span span = span_of(events_, slices_[slice]);
      go_to(span.start_ns);
      int64_t& its_ns = until_ns[static_cast<size_t>(slices_[slice].work)];
      its_ns = std::max(its_ns, span.end_ns);
    }
    go_to(window.end_ns);
  }

  // Length of the union of one class.
  int64_t union_ns(WorkClass work) const {
    int64_t total_ns = 0;
    int64_t until_ns = INT64_MIN;
    for (const uint32_t slice : order_) {
      const Span span = span_of(events_, slices_[slice]);
      const int64_t from_ns = std::max(span.start_ns, until_ns);
      if (slices_[slice].work == work && span.end_ns > from_ns) {
        total_ns += span.end_ns - from_ns;
        until_ns = span.end_ns;
      }
    }
    return total_ns;
  }

 private:
  const EventTable& events_;
  std::span<const DeviceSlice> slices_;
  std::vector<uint32_t> order_;
};

}  // namespace

TimeBudget time_budget(const EventTable& events, std::span<const DeviceSlice> slices) {
  TimeBudget budget;
  if (slices.empty()) {
    return budget;
  }
  TimeShares& shares = budget.shares;
  shares.window = span_of(events, slices.front());
  for (const DeviceSlice& slice : slices) {
    const auto at = static_cast<size_t>(slice.work);
    const Span span = span_of(events, slice);
    ++shares.slices[at];
    shares.slice_sum_ns[at] = saturating_sum(shares.slice_sum_ns[at], span.end_ns - span.start_ns);
    shares.window.start_ns = std::min(shares.window.start_ns, span.start_ns);
    shares.window.end_ns = std::max(shares.window.end_ns, span.end_ns);
  }
  const Sweep sweep(events, slices);
  SpanSet* const sets[] = {&budget.computation, &budget.exposed_communication, &budget.exposed_copy, &budget.idle};
  int64_t* const lengths_ns[] = {&shares.computation_ns, &shares.exposed_communication_ns, &shares.exposed_copy_ns,
                                 &shares.idle_ns};
  std::array<size_t, kIdle + 1> sizes = {};
  std::array<int64_t, kIdle + 1> ends_ns = {};
  sweep.run(shares.window, [&](size_t label, const Span& span) {  // first, so that no set grows
    sizes[label] += sizes[label] == 0 || ends_ns[label] < span.start_ns ? 1 : 0;
    ends_ns[label] = span.end_ns;
    *lengths_ns[label] += span.end_ns - span.start_ns;
  });
  for (size_t label = 0; label <= kIdle; ++label) {
    sets[label]->reserve(sizes[label]);
  }
  sweep.run(shares.window, [&](size_t label, const Span& span) { append(*sets[label], span); });
  shares.communication_ns = sweep.union_ns(WorkClass::kCommunication);
  shares.copy_ns = sweep.union_ns(WorkClass::kCopy);
  shares.hidden_communication_ns = shares.communication_ns - shares.exposed_communication_ns;
  return budget;
}

}  // namespace aaco
