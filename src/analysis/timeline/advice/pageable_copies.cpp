// SPDX-License-Identifier: MIT
// Copies between the device and memory of the host that is not pinned: they go through a buffer, and the host waits.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <vector>

#include "analysis/timeline/advice/patterns.h"
#include "analysis/timeline/lookup/event_arguments.h"
#include "base/format.h"
#include "record/intervals.h"

namespace aaco {

namespace {

constexpr int64_t kLeastBytes = 64 * 1024;  // below it a copy's time is its start's, pinned or not

struct PageableSum {
  uint64_t copies = 0;
  int64_t bytes = 0;
  int64_t time_ns = 0;
  TimeByName names;
};

using Device = std::tuple<uint32_t, int64_t, int64_t>;  // recording, rank and device

// Of each device that has exposed copies: events are looked at once, however many devices there are.
std::map<Device, PageableSum> pageable_by_device(const EventTable& events, const std::vector<DeviceSummary>& devices) {
  std::map<Device, PageableSum> sums;
  for (const DeviceSummary& device : devices) {
    if (device.budget.exposed_copy_ns != 0) {
      sums[{device.recording, device.rank, device.device}];
    }
  }
  for (size_t i = 0; i < events.size() && !sums.empty(); ++i) {
    if (events.kind[i] != EventKind::kCopy || events.shape[i] != EventShape::kSlice) {
      continue;
    }
    const Track& track = events.tracks[events.track[i]];
    const auto of_device = sums.find({track.recording, track.rank, track.device});
    if (of_device == sums.end() || !has_mark(events.strings[events.name[i]], "pageable")) {
      continue;
    }
    const auto bytes = integer_argument(events, i, "bytes");
    if (bytes && *bytes >= kLeastBytes) {
      PageableSum& sum = of_device->second;
      ++sum.copies;
      sum.bytes = saturating_sum(sum.bytes, *bytes);
      sum.time_ns = saturating_sum(sum.time_ns, events.duration_ns[i]);
      sum.names.add(events.name[i], events.duration_ns[i]);
    }
  }
  return sums;
}

}  // namespace

std::vector<TraceFinding> pageable_copies(const AdviceInput& input) {
  std::vector<TraceFinding> all;
  const std::map<Device, PageableSum> sums = pageable_by_device(input.events, input.summary.devices);
  for (const DeviceSummary& device : input.summary.devices) {
    const auto of_device = sums.find({device.recording, device.rank, device.device});
    if (of_device == sums.end()) {
      continue;
    }
    const PageableSum& sum = of_device->second;
    TraceFinding finding = finding_of("pageable-copies", device);
    finding.subject = "copies from and to pageable memory";
    finding.cost_ns = std::min(sum.time_ns, device.budget.exposed_copy_ns);
    finding.saves_ns = static_cast<double>(finding.cost_ns);
    if (!worth_a_line(finding)) {
      continue;
    }
    finding.basis = "upper bound: as much of the device's exposed copies as can be theirs";
    finding.where = sum.names.longest(input.events.strings);
    finding.evidence =
        fmt::format("{} copies of 64 KiB and more moved {} in {}, {}: {}; the device's exposed copies are {}",
                    sum.copies, format_si(static_cast<double>(sum.bytes), "B"), time_text(sum.time_ns),
                    format_si(1e9 * static_cast<double>(sum.bytes) / static_cast<double>(sum.time_ns), "B/s"),
                    quoted(finding.where), time_text(device.budget.exposed_copy_ns));
    finding.figures = {{"copies", static_cast<double>(sum.copies), "1"},
                       {"bytes", static_cast<double>(sum.bytes), "B"},
                       {"time", static_cast<double>(sum.time_ns), "ns"},
                       {"exposed_copies", static_cast<double>(device.budget.exposed_copy_ns), "ns"}};
    finding.remedy =
        "Copy from pinned memory (pin_memory=True of a DataLoader, tensor.pin_memory()) with non_blocking=True: at the "
        "link's rate, and beside computation.";
    finding.source = "PyTorch documentation, CUDA semantics: use pinned memory buffers";
    finding.explains.exposed_copy_ns = finding.cost_ns;
    all.push_back(std::move(finding));
  }
  return all;
}

}  // namespace aaco
