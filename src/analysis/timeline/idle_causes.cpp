// SPDX-License-Identifier: MIT
#include "analysis/timeline/idle_causes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "analysis/timeline/waiting_call.h"

namespace aaco {

namespace {

class Causes {
 public:
  Causes(const IdleContext& context, const DeviceWork& work, const StreamDependencies& dependencies,
         const IdleListener& listener)
      : events_(context.events),
        context_(context),
        work_(work),
        dependencies_(dependencies),
        listener_(listener),
        parts_left_(context.most_parts) {}

  void add_all(const SpanSet& idle) {
    const std::vector<uint32_t> next = next_slices(idle);
    held_shortly_.reserve(idle.size());  // the most there can be: what stays empty is address space only
    for (size_t i = 0; i < idle.size(); ++i) {
      add_span(idle[i], next[i]);
    }
  }

  IdleCauses finish() {
    IdleCauses causes;
    causes.shares = shares_;
    causes.held_long = std::move(held_long_);
    causes.held_shortly = std::move(held_shortly_);
    causes.starved = std::move(starved_);
    causes.starved_left_out = starved_left_out_;
    for (const auto& [key, holder] : holders_) {
      causes.holders.push_back(holder);
    }
    std::stable_sort(causes.holders.begin(), causes.holders.end(),
                     [](const IdleHolder& a, const IdleHolder& b) { return a.total_ns > b.total_ns; });
    return causes;
  }

 private:
  std::vector<uint32_t> next_slices(const SpanSet& idle) const;
  void add_span(const Span& span, size_t next);
  void add_host(const Span& span, size_t call, size_t slice);
  void add_held(const Span& span, EventRow call, EventRow first, int64_t waits_ns);
  void add_starved(const Span& span, uint32_t track);
  void add_device(const Span& span, size_t slice, std::optional<size_t> blocker);
  void add(IdleCause cause, StringId name, const Span& span);
  IdleCause cause_of_host(EventRow event) const;
  std::optional<size_t> waited_for(size_t slice, int64_t ended_ns) const;
  StringId name_of(size_t slice) const { return events_.name[work_.slices[slice].event]; }

  const EventTable& events_;
  const IdleContext& context_;
  const DeviceWork& work_;
  const StreamDependencies& dependencies_;
  const IdleListener& listener_;
  size_t parts_left_;
  std::array<IdleShare, kIdleCauses> shares_;
  std::array<int64_t, kIdleCauses> ends_ns_ = {};  // of the last span of each cause
  std::map<std::pair<IdleCause, StringId>, IdleHolder> holders_;
  std::vector<LongHeldIdle> held_long_;
  std::vector<ShortHeldIdle> held_shortly_;
  std::vector<StarvedIdle> starved_;
  uint64_t starved_left_out_ = 0;
};

// The slice that ends each idle span. Of several that begin together the one that was launched first, for it was the
// first that could have begun.
std::vector<uint32_t> Causes::next_slices(const SpanSet& idle) const {
  constexpr uint32_t kNone = UINT32_MAX;
  std::vector<uint32_t> next(idle.size(), kNone);
  for (uint32_t slice = 0; slice < work_.slices.size(); ++slice) {
    const DeviceSlice& device_slice = work_.slices[slice];
    const int64_t start_ns = events_.start_ns[device_slice.event];
    const auto position = std::lower_bound(idle.begin(), idle.end(), start_ns,
                                           [](const Span& span, int64_t time_ns) { return span.end_ns < time_ns; });
    if (position == idle.end() || position->end_ns != start_ns) {
      continue;
    }
    uint32_t& known = next[static_cast<size_t>(position - idle.begin())];
    const EventRow call = known == kNone ? kNoEvent : work_.slices[known].call;
    const bool earlier =
        device_slice.call != kNoEvent && (call == kNoEvent || events_.end_ns(device_slice.call) < events_.end_ns(call));
    if (known == kNone || earlier) {
      known = slice;
    }
  }
  return next;
}

void Causes::add_span(const Span& span, size_t next) {
  const EventRow call = work_.slices[next].call;
  if (call == kNoEvent) {
    add(IdleCause::kNoLaunch, name_of(next), span);
    return;
  }
  const int64_t submitted_ns = events_.end_ns(call);
  add_host({span.start_ns, std::min(span.end_ns, submitted_ns)}, call, next);
  const bool waited = submitted_ns <= span.start_ns;  // for what ended then
  add_device({std::max(span.start_ns, submitted_ns), span.end_ns}, next,
             waited ? waited_for(next, span.start_ns) : std::nullopt);
}

void Causes::add_host(const Span& span, size_t call, size_t slice) {
  if (span.start_ns >= span.end_ns) {
    return;
  }
  const HostSegments segments = context_.host.segments(events_.track[call]);
  size_t i = segments.at(span.start_ns);
  const auto waited_ns = [&] { return shares_[static_cast<size_t>(IdleCause::kHostWaits)].total_ns; };
  const int64_t before_ns = waited_ns();
  const EventRow first = i == segments.size() ? kNoEvent : segments.event[i];
  for (int64_t from_ns = span.start_ns; from_ns < span.end_ns;) {
    if (parts_left_ == 0) {
      add(IdleCause::kUnexplained, name_of(slice), {from_ns, span.end_ns});
      break;
    }
    --parts_left_;
    const size_t after = i == segments.size() ? 0 : i + 1;
    const int64_t until_ns = after < segments.size() ? std::min(segments.start_ns[after], span.end_ns) : span.end_ns;
    const EventRow event = i == segments.size() ? kNoEvent : segments.event[i];
    add(cause_of_host(event), event == kNoEvent ? kEmptyString : events_.name[event], {from_ns, until_ns});
    if (event == kNoEvent) {
      add_starved({from_ns, until_ns}, events_.track[call]);
    }
    from_ns = until_ns;
    i = after;
  }
  add_held(span, static_cast<EventRow>(call), first, waited_ns() - before_ns);
}

void Causes::add_held(const Span& span, EventRow call, EventRow first, int64_t waits_ns) {
  const int64_t length_ns = span.end_ns - span.start_ns;
  if (length_ns >= kLongIdle_ns) {
    held_long_.push_back({span, call, first, waits_ns});
  } else {
    held_shortly_.push_back({call, first, static_cast<uint32_t>(length_ns), static_cast<uint32_t>(waits_ns)});
  }
}

void Causes::add_starved(const Span& span, uint32_t track) {
  if (span.end_ns - span.start_ns < kLeastStarved_ns) {
    return;
  }
  if (starved_.size() < kMostStarved) {
    starved_.push_back({span, track});
  } else {
    ++starved_left_out_;
  }
}

IdleCause Causes::cause_of_host(EventRow event) const {
  if (event == kNoEvent) {
    return IdleCause::kLaunchStarved;
  }
  switch (events_.kind[event]) {
    case EventKind::kHostCall:
      return waits_for_device(events_.strings[events_.name[event]]) ? IdleCause::kHostWaits : IdleCause::kHostCall;
    case EventKind::kHostOp:
      return IdleCause::kHostOperator;
    default:
      return IdleCause::kHostRange;
  }
}

void Causes::add_device(const Span& span, size_t slice, std::optional<size_t> blocker) {
  if (span.start_ns >= span.end_ns) {
    return;
  }
  if (!blocker) {
    add(IdleCause::kUnexplained, name_of(slice), span);
    return;
  }
  const bool own_stream = dependencies_.before(slice) == blocker;
  switch (work_.slices[*blocker].work) {
    case WorkClass::kCommunication:
      add(IdleCause::kAfterCommunication, name_of(*blocker), span);
      return;
    case WorkClass::kCopy:
      add(IdleCause::kAfterCopy, name_of(*blocker), span);
      return;
    case WorkClass::kComputation:
      add(own_stream ? IdleCause::kTurnaround : IdleCause::kAfterOtherStream, name_of(*blocker), span);
      return;
  }
}

// What `slice` depends on and what ended at that very moment.
std::optional<size_t> Causes::waited_for(size_t slice, int64_t ended_ns) const {
  for (const StreamDependencies::Wait& wait : dependencies_.waits_of(slice)) {
    if (events_.end_ns(work_.slices[wait.waited_for].event) == ended_ns) {
      return wait.waited_for;
    }
  }
  const auto before = dependencies_.before(slice);
  return before && events_.end_ns(work_.slices[*before].event) == ended_ns ? before : std::nullopt;
}

void Causes::add(IdleCause cause, StringId name, const Span& span) {
  const auto at = static_cast<size_t>(cause);
  shares_[at].spans += shares_[at].spans == 0 || ends_ns_[at] < span.start_ns ? 1 : 0;
  shares_[at].total_ns += span.end_ns - span.start_ns;
  ends_ns_[at] = span.end_ns;
  if (listener_) {
    listener_(cause, span);
  }
  IdleHolder& holder = holders_[{cause, name}];
  holder.cause = cause;
  holder.name = name;
  ++holder.spans;
  holder.total_ns += span.end_ns - span.start_ns;
}

}  // namespace

IdleCauses idle_causes(const IdleContext& context, const DeviceWork& work, const StreamDependencies& dependencies,
                       const SpanSet& idle, const IdleListener& listener) {
  Causes causes(context, work, dependencies, listener);
  causes.add_all(idle);
  return causes.finish();
}

}  // namespace aaco
