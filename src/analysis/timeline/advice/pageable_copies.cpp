// SPDX-License-Identifier: MIT
// Copies between the device and memory of the host that is not pinned: they go through a buffer, and the host waits.
#include <algorithm>
#include <fmt/format.h>

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

PageableSum pageable_of(const EventTable& events, const DeviceSummary& device) {
  PageableSum sum;
  for (size_t i = 0; i < events.size(); ++i) {
    const Track& track = events.tracks[events.track[i]];
    if (events.kind[i] != EventKind::kCopy || events.shape[i] != EventShape::kSlice ||
        track.recording != device.recording || track.rank != device.rank || track.device != device.device ||
        !has_mark(events.strings[events.name[i]], "pageable")) {
      continue;
    }
    const auto bytes = integer_argument(events, i, "bytes");
    if (bytes && *bytes >= kLeastBytes) {
      ++sum.copies;
      sum.bytes = saturating_sum(sum.bytes, *bytes);
      sum.time_ns = saturating_sum(sum.time_ns, events.duration_ns[i]);
      sum.names.add(events.name[i], events.duration_ns[i]);
    }
  }
  return sum;
}

}  // namespace

std::vector<TraceFinding> pageable_copies(const AdviceInput& input) {
  std::vector<TraceFinding> all;
  for (const DeviceSummary& device : input.summary.devices) {
    if (device.budget.exposed_copy_ns == 0) {
      continue;
    }
    const PageableSum sum = pageable_of(input.events, device);
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
