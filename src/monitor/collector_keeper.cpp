// SPDX-License-Identifier: MIT
#include "monitor/collector_keeper.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace aaco {

namespace {

size_t readable_rows(const SampleRows& rows) {
  return rows.host.size() + static_cast<size_t>(std::count_if(rows.gpus.begin(), rows.gpus.end(), is_readable));
}

std::string first_reason(const Collector& collector) {
  for (const PlaneColumn& column : collector.plane().columns) {
    if (!column.unread.empty()) {
      return column.unread;
    }
  }
  return "no device can be read";
}

}  // namespace

bool is_readable(const GpuSampleRow& row) {
  return row.core_clock_mhz || row.memory_clock_mhz || row.power_w || row.temperature_c || row.busy_pct ||
         row.clock_event_bits;
}

CollectorKeeper::CollectorKeeper(const CollectorInfo& info, CollectorOptions options, int64_t interval_ns)
    : info_(info), options_(std::move(options)) {
  reading_.collector = info.id;
  reading_.totals = SampleTotals(interval_ns);
  options_.sinks.set<SystemRow>(
      [this](std::span<const SystemRow> rows) { sampled_.host.insert(sampled_.host.end(), rows.begin(), rows.end()); });
  options_.sinks.set<GpuSampleRow>([this](std::span<const GpuSampleRow> rows) {
    sampled_.gpus.insert(sampled_.gpus.end(), rows.begin(), rows.end());
  });
}

Result<std::unique_ptr<Collector>> CollectorKeeper::open() {
  ++reading_.openings;
  return info_.make(options_);
}

void CollectorKeeper::step(int64_t now_ns) {
  if (!collector_) {
    if (now_ns < retry_at_ns_) {
      return;
    }
    Result<std::unique_ptr<Collector>> opened = open();
    if (!opened) {
      reading_.why = opened.error().message;
      reading_.remedy = opened.error().hint;
      retry_later(now_ns);
      return;
    }
    collector_ = std::move(*opened);
  }
  sample(now_ns);
}

void CollectorKeeper::sample(int64_t now_ns) {
  sampled_ = {};
  const int64_t start_ns = monotonic_ns();
  collector_->sample();
  reading_.sample_cost_ns = monotonic_ns() - start_ns;
  const size_t readable = readable_rows(sampled_);
  if (readable == 0) {
    lose(now_ns);
    return;
  }
  if (readable == sampled_.host.size() + sampled_.gpus.size()) {
    retry_after_ns_ = kFirstRetryNs;
  } else if (now_ns >= retry_at_ns_) {
    try_another(now_ns);
  }
  reading_.state = CollectorState::kUp;
  reading_.why.clear();
  reading_.remedy.clear();
  reading_.sampled_ns = now_ns;
  reading_.sampled_wall_ns = wall_clock_ns();
  ++reading_.samples;
  for (const SystemRow& row : sampled_.host) {
    reading_.totals.take(row);
  }
  for (const GpuSampleRow& row : sampled_.gpus) {
    if (is_readable(row)) {
      reading_.totals.take(row);
    }
  }
  reading_.rows = sampled_;
}

// A driver cannot be unloaded, nor its library started anew, while this holds it open.
void CollectorKeeper::lose(int64_t now_ns) {
  reading_.state = CollectorState::kLost;
  reading_.why = first_reason(*collector_);
  reading_.remedy = "it is opened again when it can be; if it stays so, see the kernel's messages (dmesg)";
  reading_.rows = {};
  collector_.reset();
  retry_later(now_ns);
}

// Some devices are lost. Another opening beside this one may read more of them, and costs the others nothing.
void CollectorKeeper::try_another(int64_t now_ns) {
  retry_later(now_ns);
  Result<std::unique_ptr<Collector>> opened = open();
  if (!opened) {
    return;
  }
  SampleRows before = std::exchange(sampled_, {});
  (*opened)->sample();
  if (readable_rows(sampled_) > readable_rows(before)) {
    collector_ = std::move(*opened);
    retry_after_ns_ = kFirstRetryNs;
  } else {
    sampled_ = std::move(before);
  }
}

void CollectorKeeper::retry_later(int64_t now_ns) {
  retry_at_ns_ = now_ns + retry_after_ns_;
  retry_after_ns_ = std::min(2 * retry_after_ns_, kLastRetryNs);
}

}  // namespace aaco
