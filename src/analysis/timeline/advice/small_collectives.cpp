// SPDX-License-Identifier: MIT
// Collectives whose time is that of starting them, not that of what they move.
#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "analysis/timeline/advice/patterns.h"
#include "base/format.h"
#include "record/intervals.h"

namespace aaco {

namespace {

constexpr int64_t kSmallBytes = 1 << 20;  // at 100 GB/s 10 us, about what a collective costs that moves nothing
constexpr int64_t kWaits_ns = 200'000;    // a small one that takes longer waits for other ranks
constexpr uint64_t kLeast = 20;

bool is_small(const CollectiveStatistics& collective) {
  return collective.bytes && *collective.bytes > 0 && *collective.bytes < kSmallBytes &&
         collective.median_ns < kWaits_ns;
}

struct CollectiveSum {
  uint64_t count = 0;
  double bytes = 0;
  int64_t time_ns = 0;
  int64_t exposed_ns = 0;
  int64_t longest_ns = 0;  // median of a kind
  TimeByName names;
};

// Bytes a nanosecond of the device's fastest larger collective: what these could reach together.
std::optional<double> best_rate(const DeviceSummary& device) {
  std::optional<double> best;
  for (const CollectiveStatistics& collective : device.collectives) {
    if (collective.bytes.value_or(0) >= kSmallBytes && collective.algorithm_bandwidth) {
      best = std::max(best.value_or(0), *collective.algorithm_bandwidth);
    }
  }
  return best;
}

}  // namespace

std::vector<TraceFinding> small_collectives(const AdviceInput& input) {
  std::vector<TraceFinding> all;
  for (const DeviceSummary& device : input.summary.devices) {
    CollectiveSum sum;
    for (const CollectiveStatistics& collective : device.collectives) {
      if (is_small(collective)) {
        sum.count += collective.count;
        sum.bytes += static_cast<double>(*collective.bytes) * static_cast<double>(collective.count);
        sum.time_ns = saturating_sum(sum.time_ns, collective.total_ns);
        sum.exposed_ns = saturating_sum(sum.exposed_ns, collective.exposed_ns);
        sum.longest_ns = std::max(sum.longest_ns, collective.median_ns);
        sum.names.add(input.summary.communication.kinds[collective.kind].name, collective.exposed_ns);
      }
    }
    const std::optional<double> rate = best_rate(device);
    TraceFinding finding = finding_of("small-collectives", device);
    finding.subject = "collectives too small";
    finding.cost_ns = sum.exposed_ns;
    finding.saves_ns =
        static_cast<double>(sum.exposed_ns) - (rate ? sum.bytes / *rate : static_cast<double>(sum.longest_ns));
    if (sum.count < kLeast || !worth_a_line(finding)) {
      continue;
    }
    finding.basis =
        rate ? "upper bound: exposed time above that of their bytes at the rate of this trace's fastest larger one"
             : "upper bound: their exposed time, but that of one";
    finding.where = sum.names.longest(input.events.strings);
    const double mean_bytes = sum.bytes / static_cast<double>(sum.count);
    finding.evidence = fmt::format("{} collectives smaller than 1 MiB, {} each, took {}, {} of it exposed: {}",
                                   sum.count, format_si(mean_bytes, "B"), time_text(sum.time_ns),
                                   time_text(sum.exposed_ns), quoted(finding.where));
    finding.figures = {{"collectives", static_cast<double>(sum.count), "1"},
                       {"mean_bytes", mean_bytes, "B"},
                       {"time", static_cast<double>(sum.time_ns), "ns"},
                       {"exposed", static_cast<double>(sum.exposed_ns), "ns"}};
    if (rate) {
      finding.evidence += fmt::format("; the fastest larger one moves {}", format_si(1e9 * *rate, "B/s"));
      finding.figures.push_back({"best_rate", 1e9 * *rate, "B/s"});
    }
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
