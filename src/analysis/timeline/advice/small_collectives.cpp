// SPDX-License-Identifier: MIT
// Collectives whose time is that of starting them, not that of what they move.
#include <algorithm>
#include <fmt/format.h>

#include "analysis/timeline/advice/patterns.h"
#include "base/format.h"
#include "trace/intervals.h"

namespace aaco {

namespace {

constexpr int64_t kSmallBytes = 1 << 20;  // at 100 GB/s 10 us, about what a collective costs that moves nothing
constexpr int64_t kWaits_ns = 200'000;    // a small one that takes longer waits for other ranks
constexpr uint64_t kLeast = 20;

bool is_small(const CollectiveStatistics& one) {
  return one.bytes && *one.bytes > 0 && *one.bytes < kSmallBytes && one.median_ns < kWaits_ns;
}

struct CollectiveSum {
  uint64_t count = 0;
  double bytes = 0;
  int64_t time_ns = 0;
  int64_t exposed_ns = 0;
  TimeByName names;
};

// Bytes a nanosecond of the fastest collective of the device: what these could reach together.
double best_rate(const DeviceSummary& device) {
  double best = 0;
  for (const CollectiveStatistics& one : device.collectives) {
    best = std::max(best, one.algorithm_bandwidth.value_or(0));
  }
  return best;
}

}  // namespace

std::vector<TraceFinding> small_collectives(const AdviceInput& input) {
  std::vector<TraceFinding> all;
  for (const DeviceSummary& device : input.summary.devices) {
    CollectiveSum sum;
    for (const CollectiveStatistics& one : device.collectives) {
      if (is_small(one)) {
        sum.count += one.count;
        sum.bytes += static_cast<double>(*one.bytes) * static_cast<double>(one.count);
        sum.time_ns = saturating_sum(sum.time_ns, one.total_ns);
        sum.exposed_ns = saturating_sum(sum.exposed_ns, one.exposed_ns);
        sum.names.add(input.summary.communication.kinds[one.kind].name, one.exposed_ns);
      }
    }
    const double rate = best_rate(device);
    TraceFinding finding = finding_of("small-collectives", device);
    finding.subject = "collectives too small";
    finding.cost_ns = sum.exposed_ns;
    finding.saves_ns = static_cast<double>(sum.exposed_ns) - (rate > 0 ? sum.bytes / rate : 0);
    if (sum.count < kLeast || !worth_a_line(finding)) {
      continue;
    }
    finding.basis =
        "upper bound: exposed time above that of their bytes at the rate of this trace's fastest collective";
    finding.where = sum.names.longest(input.events.strings);
    const double mean_bytes = sum.bytes / static_cast<double>(sum.count);
    finding.evidence = fmt::format(
        "{} collectives smaller than 1 MiB, {} each, took {}, {} of it exposed: {}; the "
        "fastest collective moves {}",
        sum.count, format_si(mean_bytes, "B"), time_text(sum.time_ns), time_text(sum.exposed_ns), quoted(finding.where),
        format_si(1e9 * rate, "B/s"));
    finding.figures = {{"collectives", static_cast<double>(sum.count), "1"},
                       {"mean_bytes", mean_bytes, "B"},
                       {"time", static_cast<double>(sum.time_ns), "ns"},
                       {"exposed", static_cast<double>(sum.exposed_ns), "ns"},
                       {"best_rate", 1e9 * rate, "B/s"}};
    finding.remedy =
        "Put several into one: larger buckets (bucket_cap_mb of DDP, larger units of FSDP), coalesced calls, gradients "
        "in one flat buffer.";
    finding.source = "PyTorch documentation, DistributedDataParallel: bucket_cap_mb";
    finding.explains.exposed_communication_ns = sum.exposed_ns;
    all.push_back(std::move(finding));
  }
  return all;
}

}  // namespace aaco
