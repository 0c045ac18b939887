// SPDX-License-Identifier: MIT
#include "observe/telemetry/amdgpu/gpu_metrics.h"

#include <cstring>
#include <fmt/format.h>

namespace aaco {

namespace {

constexpr size_t kXgmiLinks = 8;
constexpr size_t kPartitions = 8;
constexpr size_t kChiplets = 8;
constexpr double kJoulesPerCount = 1.0 / 65'536;  // 15.259 uJ
constexpr double kKilobyte = 1024;

enum class Throttling {
  kNone,         // the table has no such field
  kOfChip,       // throttle_status, whose bits mean other things on each chip; 1.4 and 1.5: always 0
  kIndependent,  // indep_throttle_status
  kResidency,
};

// Offsets in bytes; 0: the table does not have the field, or none whose unit is told.
struct Layout {
  uint8_t format, content;
  size_t bytes;
  size_t edge, hotspot, memory_temperature, power, busy, memory_busy;
  size_t energy;  // 64 bits
  size_t boot_ns;
  size_t core_clock;
  size_t core_clocks;  // how many
  size_t memory_clock;
  Throttling throttling;
  size_t throttle;   // the status, or the first of the residencies' six counters
  size_t xgmi_read;  // as many for what was written behind them
  size_t partitions;
  size_t partition_stats;
};

// The energy counters of 1.0 to 1.3 have no unit that AMD tells. 2.x are of APUs: temperatures and power are those of
// the whole chip, in units that differ by chip.
constexpr Layout kLayouts[] = {
    {1, 0, 80, 16, 18, 20, 34, 28, 30, 0, 8, 54, 1, 58, Throttling::kOfChip, 0, 0, 0, 0},
    {1, 1, 96, 4, 6, 8, 22, 16, 18, 0, 32, 54, 1, 58, Throttling::kOfChip, 0, 0, 0, 0},
    {1, 2, 104, 4, 6, 8, 22, 16, 18, 0, 32, 54, 1, 58, Throttling::kOfChip, 0, 0, 0, 0},
    {1, 3, 120, 4, 6, 8, 22, 16, 18, 0, 32, 54, 1, 58, Throttling::kIndependent, 112, 0, 0, 0},
    {1, 4, 288, 0, 4, 6, 10, 12, 14, 24, 32, 240, 8, 280, Throttling::kOfChip, 0, 104, 0, 0},
    {1, 5, 360, 0, 4, 6, 10, 12, 14, 88, 96, 312, 8, 352, Throttling::kOfChip, 0, 176, 0, 0},
    {1, 6, 1664, 0, 4, 6, 10, 12, 14, 16, 24, 264, 8, 304, Throttling::kResidency, 32, 128, 306, 312},
    {1, 7, 2208, 0, 4, 6, 10, 12, 14, 24, 32, 296, 8, 336, Throttling::kResidency, 40, 136, 338, 344},
    {1, 8, 3360, 0, 4, 6, 10, 12, 14, 24, 32, 296, 8, 336, Throttling::kResidency, 40, 136, 338, 344},
    {1, 8, 3872, 0, 4, 6, 10, 12, 14, 24, 32, 296, 8, 336, Throttling::kResidency, 40, 136, 338, 344},
    {2, 2, 128, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0, Throttling::kIndependent, 120, 0, 0, 0},
    {2, 3, 152, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0, Throttling::kIndependent, 120, 0, 0, 0},
    {2, 4, 168, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0, Throttling::kIndependent, 120, 0, 0, 0},
};

struct Header {
  uint16_t bytes;
  uint8_t format;
  uint8_t content;
};

Error unavailable(std::string why) {
  return {ErrorKind::kUnavailable, "gpu_metrics of the AMD GPU: " + std::move(why), "the other figures are there"};
}

class Reading {
 public:
  explicit Reading(std::string_view table) : table_(table) {}

  // None: the table has no such field (offset 0), or the driver did not fill it.
  template <class T>
  std::optional<T> at(size_t offset) const {
    if (offset == 0 || offset + sizeof(T) > table_.size()) {
      return std::nullopt;
    }
    T value{};
    std::memcpy(&value, table_.data() + offset, sizeof(value));
    return value == static_cast<T>(~T{0}) ? std::nullopt : std::optional(value);
  }
  std::optional<double> number(size_t offset) const {
    const auto value = at<uint16_t>(offset);
    return value ? std::optional<double>(*value) : std::nullopt;
  }
  // Of those of `count` fields, one behind the other, that have a value.
  template <class T>
  std::optional<double> mean(size_t offset, size_t count) const {
    double sum = 0;
    int filled = 0;
    for (size_t i = 0; i < count; ++i) {
      if (const auto value = at<T>(offset == 0 ? 0 : offset + i * sizeof(T))) {
        sum += static_cast<double>(*value);
        ++filled;
      }
    }
    return filled == 0 ? std::nullopt : std::optional(sum / filled);
  }
  std::optional<int64_t> link_bytes(size_t offset) const {
    double sum = 0;
    bool any = false;
    for (size_t i = 0; i < kXgmiLinks; ++i) {
      if (const auto value = at<uint64_t>(offset == 0 ? 0 : offset + i * sizeof(uint64_t))) {
        sum += static_cast<double>(*value) * kKilobyte;
        any = true;
      }
    }
    return any ? std::optional(static_cast<int64_t>(sum)) : std::nullopt;
  }

 private:
  std::string_view table_;
};

void read_throttling(GpuMetrics& metrics, const Reading& reading, const Layout& layout) {
  switch (layout.throttling) {
    case Throttling::kIndependent:
      metrics.throttle_bits = reading.at<uint64_t>(layout.throttle);
      break;
    case Throttling::kResidency:
      if (const auto cycles = reading.at<uint32_t>(layout.throttle)) {
        metrics.residency.emplace().cycles = *cycles;
        for (size_t i = 0; i < metrics.residency->held.size(); ++i) {
          metrics.residency->held[i] = reading.at<uint32_t>(layout.throttle + (i + 1) * sizeof(uint32_t));
        }
      }
      break;
    case Throttling::kOfChip:
    case Throttling::kNone:
      metrics.no_throttling = fmt::format("gpu_metrics {}.{} tells it in bits whose meaning depends on the chip",
                                          layout.format, layout.content);
      return;
  }
  if (!metrics.throttle_bits && !metrics.residency) {
    metrics.no_throttling = "the driver does not fill that field of gpu_metrics";
  }
}

void read_partitions(GpuMetrics& metrics, const Reading& reading, const Layout& layout) {
  const auto count = reading.at<uint16_t>(layout.partitions);
  if (!count || *count < 2 || *count > kPartitions) {
    return;
  }
  // Each ends where the next starts; behind them are 8 bytes, the last counter and what aligns it.
  const size_t stride = (layout.bytes - 8 - layout.partition_stats) / kPartitions;
  for (size_t i = 0; i < *count; ++i) {
    metrics.partition_busy_pct.push_back(
        reading.mean<uint32_t>(layout.partition_stats + i * stride, kChiplets));  // gfx_busy_inst is the first field
  }
}

}  // namespace

std::optional<std::vector<std::string>> held_between(const ThrottleResidency& before, const ThrottleResidency& after) {
  if (after.cycles <= before.cycles) {
    return std::nullopt;
  }
  std::vector<std::string> names;
  bool any = false;
  for (size_t i = 0; i < kResidencyNames.size(); ++i) {
    if (!before.held[i] || !after.held[i]) {
      continue;
    }
    any = true;
    if (*after.held[i] > *before.held[i]) {
      names.emplace_back(kResidencyNames[i]);
    }
  }
  return any ? std::optional(names) : std::nullopt;
}

Result<GpuMetrics> gpu_metrics_of(std::string_view table) {
  Header header{};
  if (table.size() < sizeof(header)) {
    return unavailable("the table is too short");
  }
  std::memcpy(&header, table.data(), sizeof(header));
  const Layout* layout = nullptr;
  bool known = false;
  for (const Layout& candidate : kLayouts) {
    if (candidate.format == header.format && candidate.content == header.content) {
      known = true;
      layout = candidate.bytes == header.bytes ? &candidate : layout;
    }
  }
  if (!known) {
    return unavailable(
        fmt::format("version {}.{} is not known (known: 1.0 to 1.8, 2.2 to 2.4)", header.format, header.content));
  }
  if (layout == nullptr || table.size() < layout->bytes) {
    return unavailable(fmt::format("a table of version {}.{} has {} bytes, read were {}: another layout than the known",
                                   header.format, header.content, header.bytes, table.size()));
  }
  const Reading reading(table.substr(0, layout->bytes));
  GpuMetrics metrics;
  metrics.format = header.format;
  metrics.content = header.content;
  metrics.edge_c = reading.number(layout->edge);
  metrics.hotspot_c = reading.number(layout->hotspot);
  metrics.memory_c = reading.number(layout->memory_temperature);
  metrics.power_w = reading.number(layout->power);
  metrics.busy_pct = reading.number(layout->busy);
  metrics.memory_busy_pct = reading.number(layout->memory_busy);
  if (const auto energy = reading.at<uint64_t>(layout->energy)) {
    metrics.energy_j = static_cast<double>(*energy) * kJoulesPerCount;
  }
  if (const auto boot_ns = reading.at<uint64_t>(layout->boot_ns)) {
    metrics.boot_ns = static_cast<int64_t>(*boot_ns);
  }
  metrics.core_clock_mhz = reading.mean<uint16_t>(layout->core_clock, layout->core_clocks);
  metrics.memory_clock_mhz = reading.number(layout->memory_clock);
  read_throttling(metrics, reading, *layout);
  metrics.link_read_bytes = reading.link_bytes(layout->xgmi_read);
  metrics.link_written_bytes =
      reading.link_bytes(layout->xgmi_read == 0 ? 0 : layout->xgmi_read + kXgmiLinks * sizeof(uint64_t));
  read_partitions(metrics, reading, *layout);
  return metrics;
}

}  // namespace aaco
