// SPDX-License-Identifier: MIT
#include "observe/telemetry/amdgpu/amdgpu_device.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <fstream>
#include <system_error>
#include <utility>

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr std::array kThrottleColumns{"clock_event_bits", "clock_events", "throttled"};
// pcie_bw would tell the traffic of a second, and stands still for that second.
constexpr const char* kNoPcie = "the amdgpu driver tells it only by pcie_bw, which stands still for a second";

// The device's hardware monitor, below it as hwmon/hwmon<n>.
fs::path monitor_of(const fs::path& device) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(device / "hwmon", error)) {
    return entry.path();
  }
  return device / "hwmon";
}

// "temp2_input" of the sensor with that label; that of the edge is the first where there are no labels.
std::string sensor_file(const fs::path& monitor, const std::string& label) {
  for (int i = 1; i <= 8; ++i) {
    std::ifstream file(monitor / fmt::format("temp{}_label", i));
    std::string text;
    if (std::getline(file, text) && text == label) {
      return fmt::format("temp{}_input", i);
    }
  }
  return label == "edge" && !fs::exists(monitor / "temp1_label") ? "temp1_input" : "no sensor " + label;
}

// The frequency of a line of levels: "1: 1700Mhz *".
std::optional<double> level_mhz(std::string_view line) {
  const size_t colon = line.find(':');
  return colon == std::string_view::npos ? std::nullopt : NumberReader(line.substr(colon + 1)).real();
}

// Of the line that is marked with a star.
std::optional<double> marked_mhz(std::string_view levels) {
  const size_t star = levels.find('*');
  if (star == std::string_view::npos) {
    return std::nullopt;
  }
  const size_t start = levels.rfind('\n', star);
  return level_mhz(levels.substr(start == std::string_view::npos ? 0 : start + 1, star));
}

std::optional<double> highest_mhz(std::string_view levels) {
  std::optional<double> highest;
  while (!levels.empty()) {
    const size_t end = std::min(levels.find('\n'), levels.size());
    if (const auto mhz = level_mhz(levels.substr(0, end))) {
      highest = std::max(highest.value_or(0), *mhz);
    }
    levels.remove_prefix(std::min(end + 1, levels.size()));
  }
  return highest;
}

template <class T>
void set_if_null(std::optional<T>& to, const std::optional<T>& from) {
  if (!to) {
    to = from;
  }
}

std::optional<int64_t> integer(std::optional<double> number) {
  return number ? std::optional(static_cast<int64_t>(*number)) : std::nullopt;
}

}  // namespace

AmdDevice::Source AmdDevice::source(const fs::path& folder, const std::string& name) {
  return {name, ProcFile(folder / name)};
}

AmdDevice::AmdDevice(std::string address, const fs::path& device)
    : address_(std::move(address)),
      core_hz_(source(monitor_of(device), "freq1_input")),
      memory_hz_(source(monitor_of(device), "freq2_input")),
      core_levels_(source(device, "pp_dpm_sclk")),
      memory_levels_(source(device, "pp_dpm_mclk")),
      power_average_uw_(source(monitor_of(device), "power1_average")),
      power_uw_(source(monitor_of(device), "power1_input")),
      power_cap_uw_(source(monitor_of(device), "power1_cap")),
      edge_mc_(source(monitor_of(device), sensor_file(monitor_of(device), "edge"))),
      hotspot_mc_(source(monitor_of(device), sensor_file(monitor_of(device), "junction"))),
      memory_mc_(source(monitor_of(device), sensor_file(monitor_of(device), "mem"))),
      busy_pct_(source(device, "gpu_busy_percent")),
      memory_busy_pct_(source(device, "mem_busy_percent")),
      memory_used_(source(device, "mem_info_vram_used")),
      memory_total_(source(device, "mem_info_vram_total")),
      errors_(source(device / "ras", "umc_err_count")),
      metrics_(source(device, "gpu_metrics")) {}

std::vector<GpuSampleRow> AmdDevice::sample(int64_t now_ns, int64_t boot_ns, ReadBuffer& buffer, Account& account) {
  GpuSampleRow row;
  row.t_ns = now_ns;
  row.device = address_;
  row.vendor = gpu_vendor::kAmd;
  read_files(row, buffer, account);
  std::vector<GpuSampleRow> partitions;
  if (const auto metrics = read_metrics(buffer, account)) {
    take(row, *metrics, boot_ns, account);
    for (size_t i = 0; i < metrics->partition_busy_pct.size(); ++i) {
      GpuSampleRow& partition = partitions.emplace_back();
      partition.t_ns = now_ns;
      partition.device = fmt::format("{} xcp {}", address_, i);
      partition.vendor = gpu_vendor::kAmd;
      partition.busy_pct = metrics->partition_busy_pct[i];
      partition.age_ns = row.age_ns;
    }
  } else {
    residency_.reset();
  }
  read_levels(row, buffer, account);
  if (!row.temperature_c) {
    row.temperature_c = row.hotspot_c;
  }
  std::vector<GpuSampleRow> rows{std::move(row)};
  rows.insert(rows.end(), partitions.begin(), partitions.end());
  return rows;
}

std::optional<std::string_view> AmdDevice::text(const Source& source, std::initializer_list<const char*> columns,
                                                ReadBuffer& buffer, Account& account) const {
  errno = 0;
  const auto content = source.file.read(buffer);
  if (!content && source.file.is_open()) {
    for (const char* column : columns) {
      account.unread(column, fmt::format("reading {} of {} failed: {}", source.name, address_,
                                         std::generic_category().message(errno)));
    }
  }
  return content;
}

std::optional<double> AmdDevice::number(const Source& source, double scale, const char* column, ReadBuffer& buffer,
                                        Account& account) const {
  const auto content = text(source, {column}, buffer, account);
  const auto value = content ? NumberReader(*content).real() : std::nullopt;
  return value ? std::optional(*value * scale) : std::nullopt;
}

void AmdDevice::read_files(GpuSampleRow& row, ReadBuffer& buffer, Account& account) const {
  const auto read = [&](const Source& source, double scale, const char* column) {
    return number(source, scale, column, buffer, account);
  };
  row.core_clock_mhz = read(core_hz_, 1e-6, "core_clock_mhz");
  row.memory_clock_mhz = read(memory_hz_, 1e-6, "memory_clock_mhz");
  row.power_w = read(power_average_uw_, 1e-6, "power_w");
  if (!row.power_w) {
    row.power_w = read(power_uw_, 1e-6, "power_w");
  }
  row.power_cap_w = read(power_cap_uw_, 1e-6, "power_cap_w");
  row.temperature_c = read(edge_mc_, 1e-3, "temperature_c");
  row.hotspot_c = read(hotspot_mc_, 1e-3, "hotspot_c");
  row.memory_temperature_c = read(memory_mc_, 1e-3, "memory_temperature_c");
  row.busy_pct = read(busy_pct_, 1, "busy_pct");
  row.memory_busy_pct = read(memory_busy_pct_, 1, "memory_busy_pct");
  row.memory_used_bytes = integer(read(memory_used_, 1, "memory_used_bytes"));
  row.memory_total_bytes = integer(read(memory_total_, 1, "memory_total_bytes"));
  read_errors(row, buffer, account);
}

// The marked level is what was asked for: it stands for the clock where the chip does not tell it.
void AmdDevice::read_levels(GpuSampleRow& row, ReadBuffer& buffer, Account& account) const {
  if (const auto levels = text(core_levels_, {"core_clock_max_mhz"}, buffer, account)) {
    set_if_null(row.core_clock_mhz, marked_mhz(*levels));
    row.core_clock_max_mhz = highest_mhz(*levels);
  }
  if (const auto levels = text(memory_levels_, {"memory_clock_max_mhz"}, buffer, account)) {
    set_if_null(row.memory_clock_mhz, marked_mhz(*levels));
    row.memory_clock_max_mhz = highest_mhz(*levels);
  }
}

// "ue: 0\nce: 2".
void AmdDevice::read_errors(GpuSampleRow& row, ReadBuffer& buffer, Account& account) const {
  const auto counts = text(errors_, {"ecc_corrected", "ecc_uncorrected"}, buffer, account);
  if (!counts) {
    return;
  }
  if (const auto corrected = after_key(*counts, "ce:")) {
    row.ecc_corrected = NumberReader(*corrected).integer();
  }
  if (const auto uncorrected = after_key(*counts, "ue:")) {
    row.ecc_uncorrected = NumberReader(*uncorrected).integer();
  }
}

std::optional<GpuMetrics> AmdDevice::read_metrics(ReadBuffer& buffer, Account& account) const {
  const auto table = text(metrics_, {"clock_event_bits", "clock_events", "throttled"}, buffer, account);
  if (!table) {
    return std::nullopt;
  }
  Result<GpuMetrics> metrics = gpu_metrics_of(*table);
  if (!metrics) {
    for (const char* column : kThrottleColumns) {
      account.unread(column, metrics.error().message);
    }
    return std::nullopt;
  }
  return std::move(*metrics);
}

// hwmon comes first: it tells the same, in units that are documented for every chip.
void AmdDevice::take(GpuSampleRow& row, const GpuMetrics& metrics, int64_t boot_ns, Account& account) {
  set_if_null(row.core_clock_mhz, metrics.core_clock_mhz);
  set_if_null(row.memory_clock_mhz, metrics.memory_clock_mhz);
  set_if_null(row.power_w, metrics.power_w);
  set_if_null(row.temperature_c, metrics.edge_c);
  set_if_null(row.hotspot_c, metrics.hotspot_c);
  set_if_null(row.memory_temperature_c, metrics.memory_c);
  set_if_null(row.busy_pct, metrics.busy_pct);
  set_if_null(row.memory_busy_pct, metrics.memory_busy_pct);
  row.energy_j = metrics.energy_j;
  row.link_receive_bytes = metrics.link_read_bytes;
  row.link_send_bytes = metrics.link_written_bytes;
  if (metrics.boot_ns && *metrics.boot_ns <= boot_ns) {
    row.age_ns = boot_ns - *metrics.boot_ns;
  }
  if (metrics.throttle_bits) {
    set_clock_events(row, *metrics.throttle_bits);
  } else if (metrics.residency) {
    const auto before = std::exchange(residency_, metrics.residency);
    const auto held = before ? held_between(*before, *metrics.residency) : std::nullopt;
    if (held) {
      set_throttle_names(row, *held);
    }
    account.unread("clock_event_bits", fmt::format("gpu_metrics {}.{} counts how long each cause held the clocks down, "
                                                   "instead of bits",
                                                   metrics.format, metrics.content));
  } else {
    for (const char* column : kThrottleColumns) {
      account.unread(column, metrics.no_throttling);
    }
  }
}

void AmdDevice::tell_unread(Account& account) const {
  const auto tell = [&](const char* column, const char* files, std::initializer_list<const Source*> any) {
    if (std::none_of(any.begin(), any.end(), [](const Source* source) { return source->file.is_open(); })) {
      account.unread(column, fmt::format("the driver shows no {} of {}", files, address_));
    }
  };
  tell("core_clock_mhz", "freq1_input or pp_dpm_sclk", {&core_hz_, &core_levels_, &metrics_});
  tell("memory_clock_mhz", "freq2_input or pp_dpm_mclk", {&memory_hz_, &memory_levels_, &metrics_});
  tell("core_clock_max_mhz", "pp_dpm_sclk", {&core_levels_});
  tell("memory_clock_max_mhz", "pp_dpm_mclk", {&memory_levels_});
  tell("power_w", "power1_average or power1_input", {&power_average_uw_, &power_uw_, &metrics_});
  tell("power_cap_w", "power1_cap", {&power_cap_uw_});
  tell("temperature_c", "temp1_input", {&edge_mc_, &hotspot_mc_, &metrics_});
  tell("hotspot_c", "sensor \"junction\"", {&hotspot_mc_, &metrics_});
  tell("memory_temperature_c", "sensor \"mem\"", {&memory_mc_, &metrics_});
  tell("busy_pct", "gpu_busy_percent", {&busy_pct_, &metrics_});
  tell("memory_busy_pct", "mem_busy_percent", {&memory_busy_pct_, &metrics_});
  tell("memory_used_bytes", "mem_info_vram_used", {&memory_used_});
  tell("memory_total_bytes", "mem_info_vram_total", {&memory_total_});
  tell("ecc_corrected", "ras/umc_err_count", {&errors_});
  tell("ecc_uncorrected", "ras/umc_err_count", {&errors_});
  for (const char* column : {"energy_j", "age_ns", "link_receive_bytes", "link_send_bytes", "clock_event_bits",
                             "clock_events", "throttled"}) {
    tell(column, "gpu_metrics", {&metrics_});
  }
  account.unread("core_clock_target_mhz", "the amdgpu driver does not tell it");
  account.unread("pcie_receive_bytes_s", kNoPcie);
  account.unread("pcie_send_bytes_s", kNoPcie);
  for (const char* column : {"sm_busy_pct", "sm_occupancy_pct", "tensor_busy_pct", "memory_bandwidth_pct"}) {
    account.unread(column, "NVIDIA's GPM alone tells it");
  }
}

}  // namespace aaco
