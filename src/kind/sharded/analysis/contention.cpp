// SPDX-License-Identifier: MIT
#include "kind/sharded/analysis/contention.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/statistics.h"
#include "kind/sharded/analysis/step_slices.h"

namespace aaco {

namespace {

using Steps = std::vector<std::vector<DeviceSlice>>;

std::string_view name_of(const EventTable& events, const DeviceSlice& slice) {
  return events.strings[events.name[slice.event]];
}
int64_t stream_of(const EventTable& events, const DeviceSlice& slice) {
  return events.tracks[events.track[slice.event]].stream;
}

// By name, and those of a name by their start: where in a stream a command stands that waits for no other's, a captured
// graph decides anew, and on which stream.
Result<Steps> kernels_of(const RecordedSteps& recorded, const DeviceWork& work) {
  AACO_ASSIGN(Steps steps, slices_by_step(recorded.events, work, recorded.steps));
  for (std::vector<DeviceSlice>& slices : steps) {
    std::erase_if(slices, [&](const DeviceSlice& slice) {
      return slice.work != WorkClass::kComputation || recorded.events.kind[slice.event] != EventKind::kKernel;
    });
    std::stable_sort(slices.begin(), slices.end(), [&](const auto& a, const auto& b) {
      return name_of(recorded.events, a) < name_of(recorded.events, b);
    });
  }
  return steps;
}

// The median over steps of each of a step's kernels.
std::vector<double> medians_of(const EventTable& events, const Steps& steps) {
  std::vector<double> medians;
  for (size_t i = 0; i < steps.front().size(); ++i) {
    std::vector<double> durations;
    for (const std::vector<DeviceSlice>& slices : steps) {
      durations.push_back(static_cast<double>(events.duration_ns[slices[i].event]));
    }
    medians.push_back(*median(durations));
  }
  return medians;
}

Result<void> expect_same_kernels(const RecordedSteps& a, const std::vector<DeviceSlice>& one, const RecordedSteps& b,
                                 const std::vector<DeviceSlice>& other, int64_t rank) {
  if (one.size() != other.size()) {
    return Error{ErrorKind::kInvalid,
                 fmt::format("rank {} did {} kernels in a step, and {} alone", rank, one.size(), other.size()),
                 "record both again"};
  }
  for (size_t i = 0; i < one.size(); ++i) {
    if (name_of(a.events, one[i]) != name_of(b.events, other[i])) {
      return Error{ErrorKind::kInvalid,
                   fmt::format("kernel {} of {} of rank {} is {} in a step, and {} alone", i + 1, one.size(), rank,
                               name_of(a.events, one[i]), name_of(b.events, other[i])),
                   "record both again"};
    }
  }
  return {};
}

// What a slice is for is not told by its name alone, so that steps of the same records may have other kernels.
Result<void> expect_same(const RecordedSteps& overlapped, const Steps& steps, const RecordedSteps& alone,
                         const Steps& alone_steps, int64_t rank) {
  for (const std::vector<DeviceSlice>& slices : steps) {
    AACO_TRY(expect_same_kernels(overlapped, slices, alone, alone_steps.front(), rank));
  }
  for (const std::vector<DeviceSlice>& slices : alone_steps) {
    AACO_TRY(expect_same_kernels(overlapped, steps.front(), alone, slices, rank));
  }
  return {};
}

// How many kernels of each name each stream did.
using StreamCounts = std::map<std::string_view, std::map<int64_t, int64_t>>;

StreamCounts stream_counts(const EventTable& events, const std::vector<DeviceSlice>& slices) {
  StreamCounts counts;
  for (const DeviceSlice& slice : slices) {
    ++counts[name_of(events, slice)][stream_of(events, slice)];
  }
  return counts;
}

// Of names on several streams, whose order by start is the scheduler's.
struct SharedNames {
  std::set<std::string_view> by_stream;  // the streams are the same on both sides
  std::set<std::string_view> left_out;
};

SharedNames shared_names(const RecordedSteps& overlapped, const Steps& steps, const RecordedSteps& alone,
                         const Steps& alone_steps) {
  std::vector<StreamCounts> all;
  for (const std::vector<DeviceSlice>& slices : steps) {
    all.push_back(stream_counts(overlapped.events, slices));
  }
  SharedNames shared;
  for (const auto& entry : stream_counts(alone.events, alone_steps.front())) {
    if (entry.second.size() > 1) {
      const bool same = std::all_of(all.begin(), all.end(), [&](const StreamCounts& counts) {
        const auto found = counts.find(entry.first);
        return found != counts.end() && found->second == entry.second;
      });
      (same ? shared.by_stream : shared.left_out).insert(entry.first);
    }
  }
  return shared;
}

void order_shared(const EventTable& events, const SharedNames& shared, Steps& steps) {
  for (std::vector<DeviceSlice>& slices : steps) {
    std::erase_if(slices, [&](const DeviceSlice& slice) { return shared.left_out.contains(name_of(events, slice)); });
    const auto key = [&](const DeviceSlice& slice) {
      const std::string_view name = name_of(events, slice);
      return std::pair(name, shared.by_stream.contains(name) ? stream_of(events, slice) : 0);
    };
    std::stable_sort(slices.begin(), slices.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  }
}

SpanSet communication_of(const EventTable& events, const DeviceWork& work) {
  std::vector<Span> spans;
  for (const DeviceSlice& slice : work.slices) {
    if (slice.work == WorkClass::kCommunication) {
      spans.push_back(span_of(events, slice));
    }
  }
  return union_of(spans);
}

bool touches(const SpanSet& set, const Span& span) {
  const auto behind = std::upper_bound(set.begin(), set.end(), span.start_ns,
                                       [](int64_t time, const Span& one) { return time < one.end_ns; });
  return behind != set.end() && behind->start_ns < span.end_ns;
}

}  // namespace

Result<Contention> contention_of(const RecordedSteps& overlapped, const RecordedSteps& alone) {
  std::map<std::string, KernelContention, std::less<>> by_name;
  std::set<std::string> left_out;
  KernelGrowth growth;
  const double share = 1 / static_cast<double>(overlapped.steps * static_cast<int64_t>(overlapped.devices.size()));
  for (const DeviceWork& work : overlapped.devices) {
    const auto other = std::find_if(alone.devices.begin(), alone.devices.end(),
                                    [&](const DeviceWork& one) { return one.rank == work.rank; });
    if (other == alone.devices.end()) {
      return Error{ErrorKind::kInvalid, fmt::format("rank {} was not recorded alone", work.rank), "record both again"};
    }
    AACO_ASSIGN(Steps steps, kernels_of(overlapped, work));
    AACO_ASSIGN(Steps alone_steps, kernels_of(alone, *other));
    AACO_TRY(expect_same(overlapped, steps, alone, alone_steps, work.rank));
    const SharedNames shared = shared_names(overlapped, steps, alone, alone_steps);
    left_out.insert(shared.left_out.begin(), shared.left_out.end());
    order_shared(overlapped.events, shared, steps);
    order_shared(alone.events, shared, alone_steps);
    const std::vector<double> alone_ns = medians_of(alone.events, alone_steps);
    const SpanSet communication = communication_of(overlapped.events, work);
    for (const std::vector<DeviceSlice>& slices : steps) {
      for (size_t i = 0; i < slices.size(); ++i) {
        const double extra_ns =
            share * (static_cast<double>(overlapped.events.duration_ns[slices[i].event]) - alone_ns[i]);
        growth.all_ns += extra_ns;
        if (touches(communication, span_of(overlapped.events, slices[i]))) {
          KernelContention& kernel = by_name[std::string(name_of(overlapped.events, slices[i]))];
          kernel.beside += share;
          kernel.alone_ns += share * alone_ns[i];
          kernel.extra_ns += extra_ns;
          growth.beside_ns += extra_ns;
        }
      }
    }
  }
  Contention contention;
  contention.growth = growth;
  contention.left_out.assign(left_out.begin(), left_out.end());
  std::vector<KernelContention>& kernels = contention.kernels;
  for (auto& [name, kernel] : by_name) {
    kernel.name = name;
    kernels.push_back(std::move(kernel));
  }
  std::sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) { return a.extra_ns > b.extra_ns; });
  return contention;
}

}  // namespace aaco
