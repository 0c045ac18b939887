// SPDX-License-Identifier: MIT
#include "analysis/timeline/serving/engine_steps.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/timeline/serving/step_marks.h"

namespace aaco {

namespace {

constexpr uint32_t kNoStep = UINT32_MAX;

bool replays_graph(std::string_view call) { return call.find("GraphLaunch") != std::string_view::npos; }

// What a step's ranges say together: `step` is the outer one.
void merge_field(std::optional<int64_t>& field, const std::optional<int64_t>& inner, bool& contradictory) {
  if (!field) {
    field = inner;
  } else if (inner && *inner != *field) {
    contradictory = true;
  }
}

void merge(EngineStep& step, const EngineStep& inner) {
  merge_field(step.batch.requests, inner.batch.requests, step.contradictory);
  merge_field(step.batch.tokens, inner.batch.tokens, step.contradictory);
  merge_field(step.batch.prefill_requests, inner.batch.prefill_requests, step.contradictory);
  merge_field(step.batch.prefill_tokens, inner.batch.prefill_tokens, step.contradictory);
  merge_field(step.batch.decode_requests, inner.batch.decode_requests, step.contradictory);
  merge_field(step.batch.decode_tokens, inner.batch.decode_tokens, step.contradictory);
  if (step.step_class == StepClass::kUnknown) {
    step.step_class = inner.step_class;
  } else if (inner.step_class != StepClass::kUnknown && inner.step_class != step.step_class) {
    step.contradictory = true;
  }
}

StepClass class_by_marks(bool prefill, bool decode) {
  if (prefill) {
    return decode ? StepClass::kMixed : StepClass::kPrefill;
  }
  return decode ? StepClass::kDecode : StepClass::kUnknown;
}

// Names of kernels come again and again.
class AttentionMarks {
 public:
  explicit AttentionMarks(const EventTable& events) : events_(events) {}
  AttentionMark find(EventRow slice) {
    const StringId name = events_.name[slice];
    const auto [known, is_new] = marks_.try_emplace(name, AttentionMark::kNone);
    if (is_new) {
      known->second = attention_mark(events_.strings[name]);
    }
    return known->second;
  }

 private:
  const EventTable& events_;
  std::map<StringId, AttentionMark> marks_;
};

bool held_by_host(IdleCause cause) {
  return cause == IdleCause::kLaunchStarved || cause == IdleCause::kHostCall || cause == IdleCause::kHostOperator ||
         cause == IdleCause::kHostRange;
}

// Of one step: kept for its thread and for its device, and again while a vector grows.
constexpr uint64_t kBytesPerStep = 4 * sizeof(EngineStep);

bool may_be_step(std::string_view name) {
  return replays_graph(name) || is_step_frame(name) || parse_step_name(name).has_value();
}

}  // namespace

uint64_t engine_step_bytes(const EventTable& events) {
  std::map<StringId, bool> names;
  uint64_t steps = 0;
  for (size_t row = 0; row < events.size(); ++row) {
    if (events.kind[row] != EventKind::kHostRange && events.kind[row] != EventKind::kHostCall) {
      continue;
    }
    const auto [known, is_new] = names.try_emplace(events.name[row], false);
    if (is_new) {
      known->second = may_be_step(events.strings[events.name[row]]);
    }
    steps += known->second ? 1 : 0;
  }
  return steps * kBytesPerStep;
}

EngineStepFinder::EngineStepFinder(const EventTable& events) : events_(events), rank_of_track_(rank_of_track()) {
  const size_t ranks = rank_of_track_.empty() ? 0 : *std::ranges::max_element(rank_of_track_) + size_t{1};
  rank_has_ranges_.assign(ranks, false);
  find(StepMark::kRange, std::vector<bool>(ranks, true));
  for (const HostStep& step : host_steps_) {
    rank_has_ranges_[rank_of_track_[step.track]] = true;
  }
  std::vector<bool> without_range = rank_has_ranges_;
  without_range.flip();
  find(StepMark::kFrame, without_range);
  for (const HostStep& step : host_steps_) {
    rank_has_ranges_[rank_of_track_[step.track]] = true;
  }
  std::ranges::stable_sort(host_steps_, {}, [](const HostStep& step) { return step.track; });
  first_of_track_.assign(events.tracks.size() + 1, host_steps_.size());
  for (size_t i = host_steps_.size(); i-- > 0;) {
    first_of_track_[host_steps_[i].track] = i;
  }
  for (size_t track = events.tracks.size(); track-- > 0;) {  // a track without steps begins where the next one does
    first_of_track_[track] = std::min(first_of_track_[track], first_of_track_[track + 1]);
  }
}

// Numbers of the ranks of recordings.
std::vector<uint32_t> EngineStepFinder::rank_of_track() const {
  std::map<std::pair<uint32_t, int64_t>, uint32_t> numbers;
  std::vector<uint32_t> ranks;
  for (const Track& track : events_.tracks) {
    ranks.push_back(
        numbers.try_emplace({track.recording, track.rank}, static_cast<uint32_t>(numbers.size())).first->second);
  }
  return ranks;
}

// Adds the outermost ranges of each track; nested ones say more of the same step.
void EngineStepFinder::find(StepMark mark, const std::vector<bool>& wanted_ranks) {
  std::map<StringId, std::optional<StepName>> names;
  std::vector<std::pair<EventRow, const StepName*>> ranges;
  for (size_t row = 0; row < events_.size(); ++row) {
    if (events_.kind[row] != EventKind::kHostRange || events_.shape[row] != EventShape::kSlice ||
        !wanted_ranks[rank_of_track_[events_.track[row]]]) {
      continue;
    }
    const StringId name = events_.name[row];
    const auto [known, is_new] = names.try_emplace(name);
    if (is_new) {
      const std::string_view text = events_.strings[name];
      known->second = mark == StepMark::kRange ? parse_step_name(text)
                      : is_step_frame(text)    ? std::optional(StepName())
                                               : std::nullopt;
    }
    if (known->second) {
      ranges.emplace_back(static_cast<EventRow>(row), &*known->second);
    }
  }
  std::ranges::stable_sort(ranges, {}, [&](const auto& range) {
    const EventRow row = range.first;
    return std::tuple(events_.track[row], events_.start_ns[row], -events_.duration_ns[row]);
  });
  for (const auto& [row, name] : ranges) {
    EngineStep content;
    content.step_class = name->step_class;
    content.batch = name->batch;
    add_range(row, mark, content);
  }
}

void EngineStepFinder::add_range(EventRow row, StepMark mark, const EngineStep& content) {
  const uint32_t track = events_.track[row];
  if (!host_steps_.empty() && host_steps_.back().track == track && host_steps_.back().step.mark == mark &&
      events_.end_ns(row) <= host_steps_.back().step.host.end_ns) {
    merge(host_steps_.back().step, content);
    return;
  }
  HostStep step{content, track};
  step.step.event = row;
  step.step.mark = mark;
  step.step.recording = events_.tracks[track].recording;
  step.step.rank = events_.tracks[track].rank;
  step.step.host = {events_.start_ns[row], events_.end_ns(row)};
  host_steps_.push_back(step);
}

// The step in which its thread was as it began; of two that overlap the later one.
uint32_t EngineStepFinder::step_of(EventRow call) const {
  const uint32_t track = events_.track[call];
  const auto first = host_steps_.begin() + static_cast<std::ptrdiff_t>(first_of_track_[track]);
  const auto end = host_steps_.begin() + static_cast<std::ptrdiff_t>(first_of_track_[track + 1]);
  const auto after = std::upper_bound(first, end, events_.start_ns[call], [](int64_t time_ns, const HostStep& step) {
    return time_ns < step.step.host.start_ns;
  });
  if (after == first || std::prev(after)->step.host.end_ns <= events_.start_ns[call]) {
    return kNoStep;
  }
  return static_cast<uint32_t>(std::prev(after) - host_steps_.begin());
}

void EngineStepFinder::begin_device(const DeviceWork& work) {
  device_steps_.clear();
  if (work.slices.empty()) {
    return;
  }
  AttentionMarks marks(events_);
  const bool has_ranges = rank_has_ranges_[rank_of_track_[events_.track[work.slices.front().event]]];
  // What makes a step: its range, or the call that replays it.
  std::vector<std::pair<uint32_t, uint32_t>> slices;  // by step, the slice
  for (uint32_t slice = 0; slice < work.slices.size(); ++slice) {
    const EventRow call = work.slices[slice].call;
    if (call == kNoEvent) {
      continue;
    }
    const uint32_t step = has_ranges                                           ? step_of(call)
                          : replays_graph(events_.strings[events_.name[call]]) ? call
                                                                               : kNoStep;
    if (step != kNoStep) {
      slices.emplace_back(step, slice);
    }
  }
  std::ranges::sort(slices);
  for (size_t i = 0; i < slices.size();) {
    const uint32_t key = slices[i].first;
    EngineStep step;
    if (has_ranges) {
      step = host_steps_[key].step;
    } else {
      const Track& track = events_.tracks[events_.track[key]];
      step.event = key;
      step.mark = StepMark::kGraphReplay;
      step.recording = track.recording;
      step.rank = track.rank;
      step.host = {events_.start_ns[key], events_.end_ns(key)};
    }
    step.device = work.device;
    std::vector<EventRow> calls;
    bool cache = false;
    bool prefill = false;
    bool decode = false;
    for (; i < slices.size() && slices[i].first == key; ++i) {
      const DeviceSlice& slice = work.slices[slices[i].second];
      const Span span = span_of(events_, slice);
      step.work = step.slices == 0
                      ? span
                      : Span{std::min(step.work.start_ns, span.start_ns), std::max(step.work.end_ns, span.end_ns)};
      ++step.slices;
      calls.push_back(slice.call);
      if (events_.kind[slice.event] == EventKind::kKernel) {
        ++step.kernels;
        const AttentionMark mark = marks.find(slice.event);
        cache = cache || mark != AttentionMark::kNone;
        prefill = prefill || mark == AttentionMark::kPrefill;
        decode = decode || mark == AttentionMark::kDecode;
      }
    }
    if (!has_ranges && !cache) {
      continue;  // a graph of something else
    }
    std::ranges::sort(calls);
    calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
    step.launches = calls.size();
    step.graph_launches = static_cast<uint64_t>(std::ranges::count_if(
        calls, [&](EventRow call) { return replays_graph(events_.strings[events_.name[call]]); }));
    step.attention = class_by_marks(prefill, decode);
    if (step.mark != StepMark::kRange) {
      step.step_class = step.attention;
    }
    if (has_ranges) {
      host_steps_[key].on_device = true;
    }
    device_steps_.push_back(step);
  }
  std::ranges::stable_sort(device_steps_, {}, [](const EngineStep& step) { return step.work.end_ns; });
  idle_step_ = 0;
  idle_span_ = {};
  part_ns_ = 0;
}

void EngineStepFinder::add_idle(IdleCause cause, const Span& span) {
  const int64_t length_ns = span.end_ns - span.start_ns;
  while (idle_step_ < device_steps_.size() && device_steps_[idle_step_].work.end_ns <= span.start_ns) {
    end_idle_span();
    ++idle_step_;
  }
  if (idle_step_ == device_steps_.size() ||
      (idle_step_ == 0 && span.start_ns < device_steps_[0].work.start_ns)) {  // before all steps, or behind them
    return;
  }
  EngineStep& step = device_steps_[idle_step_];
  if (span.start_ns >= step.work.start_ns) {
    step.idle_ns += length_ns;
    step.host_held_ns += held_by_host(cause) ? length_ns : 0;
  } else {
    step.idle_before_ns += length_ns;
  }
  step.idle_by_cause_ns[static_cast<size_t>(cause)] += length_ns;
  if (span.start_ns != idle_span_.end_ns) {
    end_idle_span();
    idle_span_ = {span.start_ns, span.start_ns};
  }
  idle_span_.end_ns = span.end_ns;
  if (length_ns > part_ns_) {
    part_ns_ = length_ns;
    part_cause_ = cause;
  }
}

void EngineStepFinder::end_idle_span() {
  const int64_t length_ns = idle_span_.end_ns - idle_span_.start_ns;
  if (idle_step_ < device_steps_.size() && length_ns > device_steps_[idle_step_].longest_idle_ns) {
    device_steps_[idle_step_].longest_idle_ns = length_ns;
    device_steps_[idle_step_].longest_cause = part_cause_;
  }
  idle_span_ = {};
  part_ns_ = 0;
}

void EngineStepFinder::end_device() {
  end_idle_span();
  finished_.insert(finished_.end(), device_steps_.begin(), device_steps_.end());
  device_steps_.clear();
}

std::vector<EngineStep> EngineStepFinder::finish() {
  for (const HostStep& step : host_steps_) {
    if (!step.on_device) {
      finished_.push_back(step.step);
    }
  }
  for (EngineStep& step : finished_) {
    if (step.contradictory) {
      step.step_class = StepClass::kUnknown;
      step.batch = {};
    }
  }
  std::ranges::stable_sort(finished_, {}, [](const EngineStep& step) {
    return std::tuple(step.recording, step.rank, step.host.start_ns, step.device);
  });
  return std::move(finished_);
}

}  // namespace aaco
