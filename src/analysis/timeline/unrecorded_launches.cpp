// SPDX-License-Identifier: MIT
#include "analysis/timeline/unrecorded_launches.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "record/intervals.h"

namespace aaco {

namespace {

using Rank = std::pair<uint32_t, int64_t>;  // recording and rank

enum class CallName : uint8_t { kUnknown, kOther, kLaunch, kCaptureBegins, kCaptureEnds, kStep };

CallName class_of_text(std::string_view name) {
  const auto has = [&](std::string_view mark) { return name.find(mark) != std::string_view::npos; };
  return launches_one_kernel(name)           ? CallName::kLaunch
         : has("StreamBeginCapture")         ? CallName::kCaptureBegins
         : has("StreamEndCapture")           ? CallName::kCaptureEnds
         : name.starts_with("ProfilerStep#") ? CallName::kStep
                                             : CallName::kOther;
}

// What the launches of one rank are judged by.
struct RankRecord {
  std::vector<EventRow> launches;                 // the innermost of nested ones
  std::vector<std::pair<int64_t, int>> captures;  // when one begins (1) or ends (-1)
  std::vector<EventRow> steps;
  std::map<std::pair<int64_t, int64_t>, int64_t> last_recorded_ns;  // start of the last call, by device and stream
  int64_t end_ns = INT64_MIN;                                       // of all that is recorded
  int64_t longest_ns = 0;       // from a call's start to the end of what it launched
  uint64_t kernels_of_any = 0;  // without a usable id

  SpanSet capturing();
  // From then on a kernel may have run after the recording stopped.
  int64_t unsure_from_ns() const;
};

SpanSet RankRecord::capturing() {
  std::sort(captures.begin(), captures.end());
  SpanSet spans;
  int64_t from_ns = INT64_MIN;
  int open = 0;
  for (const auto& [time_ns, change] : captures) {
    if (change < 0 && open == 0) {  // it began before the recording
      spans = {{INT64_MIN, time_ns}};
    } else if (change > 0 && open++ == 0) {
      from_ns = time_ns;
    } else if (change < 0 && --open == 0) {
      append(spans, {from_ns, time_ns});
    }
  }
  if (open > 0) {
    append(spans, {from_ns, INT64_MAX});
  }
  return spans;
}

// A queue keeps its order: before the last recorded launch of every stream all had run. Behind it, what took no longer
// than the slowest of the others had run too.
int64_t RankRecord::unsure_from_ns() const {
  int64_t drained_ns = last_recorded_ns.empty() ? INT64_MIN : INT64_MAX;
  for (const auto& [stream, start_ns] : last_recorded_ns) {
    drained_ns = std::min(drained_ns, start_ns);
  }
  return last_recorded_ns.empty() ? INT64_MIN : std::max(drained_ns, end_ns - longest_ns);
}

class LaunchCounter {
 public:
  LaunchCounter(const EventTable& events, const std::vector<DeviceWork>& devices, const LaunchIndex& launches)
      : events_(events), launches_(launches), class_of_name_(events.strings.size(), CallName::kUnknown) {
    for (const DeviceWork& work : devices) {
      ranks_.try_emplace({work.recording, work.rank});
    }
    for (const Track& track : events.tracks) {
      const auto rank = ranks_.find({track.recording, track.rank});
      rank_of_track_.push_back(rank == ranks_.end() ? nullptr : &rank->second);
    }
  }

  std::map<Rank, UnrecordedLaunches> count(const std::vector<DeviceWork>& devices, LossTable& losses) {
    look_at_events();
    const bool any =
        std::any_of(ranks_.begin(), ranks_.end(), [](const auto& rank) { return !rank.second.launches.empty(); });
    std::map<Rank, UnrecordedLaunches> counts;
    if (!any) {
      return counts;
    }
    recorded_.resize(events_.size());
    for (const DeviceWork& work : devices) {
      look_at_slices(work, ranks_.at({work.recording, work.rank}));
    }
    mark_untimed();
    for (auto& [rank, record] : ranks_) {
      counts[rank] = count_of(record, losses);
    }
    return counts;
  }

 private:
  CallName class_of(StringId name);  // each looked at once
  void look_at_events();
  void look_at_slices(const DeviceWork& work, RankRecord& record);
  void mark_untimed();
  void mark(EventRow call) { recorded_[call] = true; }
  bool is_recorded(EventRow launch) const;
  int64_t short_tail_ns(const RankRecord& record) const;
  UnrecordedLaunches count_of(RankRecord& record, LossTable& losses) const;

  const EventTable& events_;
  const LaunchIndex& launches_;
  std::map<Rank, RankRecord> ranks_;
  std::vector<RankRecord*> rank_of_track_;  // null without devices
  std::vector<CallName> class_of_name_;
  std::vector<bool> recorded_;  // by call
};

CallName LaunchCounter::class_of(StringId name) {
  CallName& known = class_of_name_[name];
  if (known == CallName::kUnknown) {
    known = class_of_text(events_.strings[name]);
  }
  return known;
}

void LaunchCounter::look_at_events() {
  for (size_t i = 0; i < events_.size(); ++i) {
    RankRecord* const rank = rank_of_track_[events_.track[i]];
    if (rank == nullptr || events_.shape[i] != EventShape::kSlice) {
      continue;
    }
    rank->end_ns = std::max(rank->end_ns, events_.end_ns(i));
    const EventKind kind = events_.kind[i];
    if (kind == EventKind::kHostRange && class_of(events_.name[i]) == CallName::kStep) {
      rank->steps.push_back(static_cast<EventRow>(i));
    } else if (kind == EventKind::kHostCall) {
      const CallName name = class_of(events_.name[i]);
      if (name == CallName::kLaunch && launches_.innermost(i) == i) {
        rank->launches.push_back(static_cast<EventRow>(i));
      } else if (name == CallName::kCaptureBegins || name == CallName::kCaptureEnds) {
        rank->captures.emplace_back(events_.start_ns[i], name == CallName::kCaptureBegins ? 1 : -1);
      }
    }
  }
}

void LaunchCounter::look_at_slices(const DeviceWork& work, RankRecord& record) {
  for (const DeviceSlice& slice : work.slices) {
    if (slice.link == LaunchLink::kLinked) {
      mark(slice.call);
      const int64_t start_ns = events_.start_ns[slice.call];
      record.longest_ns = std::max(record.longest_ns, events_.end_ns(slice.event) - start_ns);
      const int64_t stream = events_.tracks[events_.track[slice.event]].stream;
      int64_t& last_ns = record.last_recorded_ns.try_emplace({work.device, stream}, start_ns).first->second;
      last_ns = std::max(last_ns, start_ns);
    } else if (slice.link == LaunchLink::kBeforeCall) {
      mark(launches_.launch_of(slice.event).call);
    } else if (events_.kind[slice.event] == EventKind::kKernel) {
      const int64_t id = events_.correlation[slice.event];
      record.kernels_of_any += slice.link == LaunchLink::kAmbiguous || id == kNoId || id == 0 ? 1 : 0;
    }
  }
}

// Kernels whose time was not recorded, or is impossible: they have a record.
void LaunchCounter::mark_untimed() {
  for (size_t i = 0; i < events_.size(); ++i) {
    if (events_.shape[i] == EventShape::kUntimed && events_.kind[i] == EventKind::kKernel) {
      if (const auto call = launches_.call_of(events_.track[i], events_.correlation[i], INT64_MAX)) {
        mark(static_cast<EventRow>(*call));
      }
    }
  }
}

// Behind the last recorded launch where few follow: the device's recording may have stopped before the host's, with
// what its last buffers held.
int64_t LaunchCounter::short_tail_ns(const RankRecord& record) const {
  constexpr size_t kOneOf = 20;
  int64_t last_ns = INT64_MIN;
  for (const auto& [stream, start_ns] : record.last_recorded_ns) {
    last_ns = std::max(last_ns, start_ns);
  }
  const auto tail =
      static_cast<size_t>(std::count_if(record.launches.begin(), record.launches.end(),
                                        [&](EventRow launch) { return events_.start_ns[launch] > last_ns; }));
  return kOneOf * tail <= record.launches.size() ? last_ns : INT64_MAX;
}

// A kernel that starts early within nested calls is linked to an outer one.
bool LaunchCounter::is_recorded(EventRow launch) const {
  constexpr size_t kMostNested = 8;
  if (recorded_[launch]) {
    return true;
  }
  const std::span<const EventRow> same = launches_.same_id(launch);
  return same.size() <= kMostNested && std::any_of(same.begin(), same.end(), [&](EventRow call) {
           return recorded_[call] && launches_.innermost(call) == launch;
         });
}

UnrecordedLaunches LaunchCounter::count_of(RankRecord& record, LossTable& losses) const {
  const SpanSet capturing = record.capturing();
  const int64_t unsure_from_ns = std::min(record.unsure_from_ns(), short_tail_ns(record));
  const auto by_start = [&](EventRow a, EventRow b) {
    return std::tuple(events_.start_ns[a], a) < std::tuple(events_.start_ns[b], b);
  };
  std::sort(record.launches.begin(), record.launches.end(), by_start);
  std::sort(record.steps.begin(), record.steps.end(), by_start);
  UnrecordedLaunches unrecorded_launches;
  std::vector<EventRow> missing;
  auto capture = capturing.begin();
  auto step = record.steps.begin();
  for (const EventRow launch : record.launches) {
    const int64_t start_ns = events_.start_ns[launch];
    while (capture != capturing.end() && capture->end_ns <= start_ns) {
      ++capture;
    }
    const bool captured = capture != capturing.end() && capture->start_ns <= start_ns;
    const bool recorded = is_recorded(launch);
    if (!recorded && (captured || start_ns >= unsure_from_ns)) {
      continue;
    }
    ++unrecorded_launches.count.launches;
    while (step != record.steps.end() && events_.end_ns(*step) <= start_ns) {
      ++step;
    }
    const bool in_step = step != record.steps.end() && events_.start_ns[*step] <= start_ns;
    if (in_step &&
        (unrecorded_launches.steps.empty() || unrecorded_launches.steps.back().name != events_.name[*step])) {
      unrecorded_launches.steps.push_back({events_.name[*step], {}});
    }
    unrecorded_launches.count.unrecorded += recorded ? 0 : 1;
    if (in_step) {
      ++unrecorded_launches.steps.back().count.launches;
      unrecorded_launches.steps.back().count.unrecorded += recorded ? 0 : 1;
    }
    if (!recorded) {
      missing.push_back(launch);
    }
  }
  if (record.kernels_of_any > 0) {
    unrecorded_launches.steps.clear();
    unrecorded_launches.count.unrecorded -= std::min(unrecorded_launches.count.unrecorded, record.kernels_of_any);
  }
  std::erase_if(unrecorded_launches.steps, [](const StepLaunches& each) { return each.count.unrecorded == 0; });
  for (uint64_t i = 0; i < unrecorded_launches.count.unrecorded; ++i) {
    losses.add(Loss::kUnrecordedLaunch, [&] {
      return fmt::format("\"{}\" at {} ns", events_.strings[events_.name[missing[0]]], events_.start_ns[missing[0]]);
    });
  }
  return unrecorded_launches;
}

}  // namespace

bool launches_one_kernel(std::string_view call) {
  const auto has = [&](std::string_view mark) { return call.find(mark) != std::string_view::npos; };
  return (has("LaunchKernel") || has("LaunchCooperativeKernel") || has("EnqueueKernelLaunch") || call == "cudaLaunch" ||
          call.starts_with("cudaLaunch_v") || call == "cuLaunch" || call == "cuLaunchGrid" ||
          call == "cuLaunchGridAsync") &&
         !has("MultiDevice") && !has("Graph");
}

std::vector<UnrecordedLaunches> count_unrecorded_launches(const EventTable& events,
                                                          const std::vector<DeviceWork>& devices,
                                                          const LaunchIndex& launches, LossTable& losses) {
  const std::map<Rank, UnrecordedLaunches> of_ranks = LaunchCounter(events, devices, launches).count(devices, losses);
  std::vector<UnrecordedLaunches> counts;
  for (const DeviceWork& work : devices) {
    const auto position = of_ranks.find({work.recording, work.rank});
    counts.push_back(position == of_ranks.end() ? UnrecordedLaunches{} : position->second);
  }
  return counts;
}

}  // namespace aaco
