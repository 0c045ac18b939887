// SPDX-License-Identifier: MIT
#include "analysis/timeline/communication/communication.h"

#include <algorithm>
#include <utility>

#include "analysis/timeline/communication/collective.h"

namespace aaco {

namespace {

constexpr uint32_t kNone = UINT32_MAX;

// Lengths of a set's part within any span, in logarithmic time.
class LengthWithin {
 public:
  explicit LengthWithin(const SpanSet& set) : set_(set) {
    before_ns_.reserve(set.size() + 1);
    before_ns_.push_back(0);
    for (const Span& span : set) {
      before_ns_.push_back(before_ns_.back() + span.end_ns - span.start_ns);
    }
  }
  int64_t length_ns(const Span& span) const {
    return span.start_ns < span.end_ns ? until(span.end_ns) - until(span.start_ns) : 0;
  }

 private:
  int64_t until(int64_t time_ns) const {
    const auto behind = std::upper_bound(set_.begin(), set_.end(), time_ns,
                                         [](int64_t time, const Span& span) { return time < span.start_ns; });
    const auto i = static_cast<size_t>(behind - set_.begin());
    return i == 0 ? 0 : before_ns_[i - 1] + std::min(time_ns, set_[i - 1].end_ns) - set_[i - 1].start_ns;
  }

  const SpanSet& set_;
  std::vector<int64_t> before_ns_;
};

// For each slice the computation that was launched first of those that cannot begin before the slice has ended: what
// follows on its stream, and what follows on a stream that waits for it or for what follows it.
class Dependents {
 public:
  Dependents(const EventTable& events, const DeviceWork& work, const StreamDependencies& dependencies,
             std::span<const uint32_t> order)
      : events_(events), work_(work), first_(work.slices.size(), kNone) {
    const auto after = [&](size_t place) {
      const bool is_there = place + 1 < order.size() && dependencies.before(order[place + 1]) == order[place];
      return is_there ? order[place + 1] : kNone;
    };
    std::vector<uint32_t> next(work.slices.size(), kNone);  // on the same stream
    for (size_t i = order.size(); i > 0; --i) {
      if (const uint32_t behind = after(i - 1); behind != kNone) {
        next[order[i - 1]] = earlier(next[behind], computation(behind));
      }
    }
    for (const StreamDependencies::Wait& wait : dependencies.waits()) {
      uint32_t& first = first_[wait.waited_for];
      first = earlier(first, earlier(computation(wait.waiter), next[wait.waiter]));
    }
    for (size_t i = order.size(); i > 0; --i) {
      const uint32_t slice = order[i - 1];
      const uint32_t behind = after(i - 1);
      first_[slice] = earlier(earlier(first_[slice], next[slice]), behind == kNone ? kNone : first_[behind]);
    }
  }

  // None either where the times contradict it.
  std::optional<int64_t> launched_ns(size_t slice) const {
    const uint32_t first = first_[slice];
    return first != kNone && events_.start_ns[work_.slices[first].event] >= events_.end_ns(work_.slices[slice].event)
               ? std::optional(submitted_ns(events_, work_.slices[first]))
               : std::nullopt;
  }

 private:
  uint32_t computation(uint32_t slice) const {
    return work_.slices[slice].work == WorkClass::kComputation && work_.slices[slice].call != kNoEvent ? slice : kNone;
  }
  uint32_t earlier(uint32_t a, uint32_t b) const {
    if (a == kNone || b == kNone) {
      return a == kNone ? b : a;
    }
    return submitted_ns(events_, work_.slices[b]) < submitted_ns(events_, work_.slices[a]) ? b : a;
  }

  const EventTable& events_;
  const DeviceWork& work_;
  std::vector<uint32_t> first_;  // on any stream
};

}  // namespace

uint32_t CommunicationFinder::number_of(const CollectiveKind& kind) {
  const auto [entry, added] = kinds_.try_emplace(kind, static_cast<uint32_t>(found_.kinds.size()));
  if (added) {
    found_.kinds.push_back(kind);
  }
  return entry->second;
}

void CommunicationFinder::add(const DeviceWork& work, const SpanSet& exposed, const StreamDependencies& dependencies,
                              std::span<const uint32_t> order) {
  const uint32_t device = devices_++;
  const auto is_communication = [](const DeviceSlice& slice) { return slice.work == WorkClass::kCommunication; };
  if (std::none_of(work.slices.begin(), work.slices.end(), is_communication)) {
    return;
  }
  const LengthWithin length(exposed);
  const Dependents dependents(events_, work, dependencies, order);
  const size_t first = found_.kernels.size();
  for (size_t i = 0; i < work.slices.size(); ++i) {
    const DeviceSlice& slice = work.slices[i];
    if (!is_communication(slice)) {
      continue;
    }
    const Span span = span_of(events_, slice);
    const KernelCollective recorded = arguments_.collective(slice.event);
    CollectiveKernel kernel{slice.event,
                            number_of(recorded.kind),
                            device,
                            length.length_ns(span),
                            kNoId,
                            recorded.sequence,
                            slice.call == kNoEvent ? kNoId : steps_.step(slice.call)};
    if (const auto launched_ns = dependents.launched_ns(i)) {
      kernel.blocking_ns = length.length_ns({std::max(span.start_ns, *launched_ns), span.end_ns});
    }
    found_.kernels.push_back(kernel);
  }
  std::sort(&found_.kernels[first], &found_.kernels.back() + 1,
            [&](const CollectiveKernel& a, const CollectiveKernel& b) {
              return std::pair(events_.start_ns[a.event], a.event) < std::pair(events_.start_ns[b.event], b.event);
            });
}

namespace {

CollectiveStatistics statistics_of(const EventTable& events, const CollectiveKind& kind,
                                   std::span<const CollectiveKernel* const> kernels) {
  CollectiveStatistics collective;
  collective.kind = kernels.front()->kind;
  collective.count = kernels.size();
  std::vector<int64_t> durations;
  for (const CollectiveKernel* kernel : kernels) {
    durations.push_back(events.duration_ns[kernel->event]);
    collective.total_ns = saturating_sum(collective.total_ns, durations.back());
    collective.exposed_ns = saturating_sum(collective.exposed_ns, kernel->exposed_ns);
    if (kernel->blocking_ns != kNoId) {
      ++collective.proved;
      collective.blocking_ns = saturating_sum(collective.blocking_ns, kernel->blocking_ns);
    }
  }
  const auto middle = durations.begin() + static_cast<std::ptrdiff_t>((durations.size() - 1) / 2);
  std::nth_element(durations.begin(), middle, durations.end());
  collective.median_ns = *middle;
  const CollectiveType type = collective_type(events.strings[kind.name]);
  collective.bytes = collective_bytes(type, kind.in_elements, kind.out_elements, events.strings[kind.element]);
  if (collective.bytes && collective.median_ns > 0) {
    collective.algorithm_bandwidth = static_cast<double>(*collective.bytes) / static_cast<double>(collective.median_ns);
    if (const auto factor = bus_factor(type, kind.group_size)) {
      collective.bus_bandwidth = *collective.algorithm_bandwidth * *factor;
    }
  }
  return collective;
}

}  // namespace

std::vector<CollectiveStatistics> collective_statistics(const EventTable& events, const Communication& communication,
                                                        uint32_t device) {
  const auto [from, to] = std::equal_range(communication.kernels.begin(), communication.kernels.end(),
                                           CollectiveKernel{0, 0, device, 0, kNoId, kNoId, kNoId},
                                           [](const auto& a, const auto& b) { return a.device < b.device; });
  std::vector<const CollectiveKernel*> kernels;
  for (auto kernel = from; kernel != to; ++kernel) {
    kernels.push_back(&*kernel);
  }
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const CollectiveKernel* a, const CollectiveKernel* b) { return a->kind < b->kind; });
  std::vector<CollectiveStatistics> all;
  for (size_t first = 0, behind = 0; first < kernels.size(); first = behind) {
    while (behind < kernels.size() && kernels[behind]->kind == kernels[first]->kind) {
      ++behind;
    }
    all.push_back(statistics_of(events, communication.kinds[kernels[first]->kind],
                                std::span(kernels).subspan(first, behind - first)));
  }
  std::stable_sort(all.begin(), all.end(), [](const CollectiveStatistics& a, const CollectiveStatistics& b) {
    return a.total_ns > b.total_ns;
  });
  return all;
}

}  // namespace aaco
