// SPDX-License-Identifier: MIT
#include "report/sections/telemetry/gpu_telemetry.h"

#include <fmt/format.h>
#include <functional>
#include <limits>
#include <map>

#include "analysis/devices/throttling.h"
#include "base/format.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kMostDevices = 8;  // in a chart: more lines are none that could be told apart

using Rows = std::vector<const GpuSampleRow*>;

std::map<std::string, Rows> rows_by_device(const Input& input) {
  std::map<std::string, Rows> devices;
  for (const GpuSampleRow& row : input.recording.collected.rows<GpuSampleRow>()) {
    devices[row.device].push_back(&row);
  }
  return devices;
}

// A line for each device; `value` of a row and the one before it, which is null at the first.
template <class Value>
std::vector<plot::Series> lines(const std::map<std::string, Rows>& devices, const TimeAxis& axis, const Value& value) {
  std::vector<plot::Series> series;
  for (const auto& [device, rows] : devices) {
    if (series.size() == kMostDevices) {
      break;
    }
    plot::Series line{.name = device, .mark = plot::Mark::kLine, .colour = static_cast<int>(series.size())};
    const GpuSampleRow* before = nullptr;
    for (const GpuSampleRow* row : rows) {
      line.x.push_back(axis.at(row->t_ns));
      line.y.push_back(std::optional<double>(value(*row, before)).value_or(kNothing));
      before = row;
    }
    series.push_back(std::move(line));
  }
  return series;
}

auto column(std::optional<double> GpuSampleRow::* member, double factor = 1) {
  return [member, factor](const GpuSampleRow& row, const GpuSampleRow*) {
    return row.*member ? std::optional(*(row.*member) * factor) : std::nullopt;
  };
}

// Of a counter: what it grew by a second.
auto rate(std::optional<int64_t> GpuSampleRow::* member) {
  return [member](const GpuSampleRow& row, const GpuSampleRow* before) -> std::optional<double> {
    if (before == nullptr || !(row.*member) || !(before->*member) || *(row.*member) < *(before->*member) ||
        row.t_ns <= before->t_ns) {
      return std::nullopt;
    }
    return static_cast<double>(*(row.*member) - *(before->*member)) * 1e9 /
           static_cast<double>(row.t_ns - before->t_ns);
  };
}

}  // namespace

void add_gpu_charts(const Input& input, const TimeAxis& axis, Section& section) {
  const std::map<std::string, Rows> devices = rows_by_device(input);
  if (devices.empty()) {
    return;
  }
  std::vector<std::string> missing;
  const auto add = [&](const char* id, const char* title, plot::Axis y, const auto& value) {
    plot::Chart chart = small_chart(axis, id, title);
    chart.y = std::move(y);
    add_chart(section, axis, std::move(chart), lines(devices, axis, value), missing);
  };
  constexpr double kMega = 1e6;
  add("gpu-clock", "GPU clock", {.title = "of the SMs or compute units", .quantity = plot::Quantity::kSi, .unit = "Hz"},
      column(&GpuSampleRow::core_clock_mhz, kMega));
  add("gpu-held", "GPU clock held down", {.title = "1: power, heat or current holds the clock down", .from_zero = true},
      [](const GpuSampleRow& row, const GpuSampleRow*) {
        return row.throttled ? std::optional(static_cast<double>(*row.throttled)) : std::nullopt;
      });
  add("gpu-power", "GPU power", {.title = "of the board", .unit = "W", .from_zero = true},
      column(&GpuSampleRow::power_w));
  add("gpu-temperature", "GPU temperature", {.title = "of the chip", .unit = "C"},
      column(&GpuSampleRow::temperature_c));
  add("gpu-memory-temperature", "GPU memory temperature", {.title = "of the device memory", .unit = "C"},
      column(&GpuSampleRow::memory_temperature_c));
  add("gpu-use", "GPU use", {.title = "time in which anything ran", .unit = "%", .from_zero = true},
      column(&GpuSampleRow::busy_pct));
  add("gpu-tensor", "Tensor cores", {.title = "time in which they were used", .unit = "%", .from_zero = true},
      column(&GpuSampleRow::tensor_busy_pct));
  add("gpu-bandwidth", "GPU memory bandwidth", {.title = "of the possible", .unit = "%", .from_zero = true},
      column(&GpuSampleRow::memory_bandwidth_pct));
  add("gpu-memory", "GPU memory",
      {.title = "in use, by all processes", .quantity = plot::Quantity::kSi, .unit = "B", .from_zero = true},
      [](const GpuSampleRow& row, const GpuSampleRow*) {
        return row.memory_used_bytes ? std::optional(static_cast<double>(*row.memory_used_bytes)) : std::nullopt;
      });
  const plot::Axis traffic{
      .title = "bytes per second", .quantity = plot::Quantity::kSi, .unit = "B/s", .from_zero = true};
  add("gpu-link-receive", "NVLink or xGMI, received", traffic, rate(&GpuSampleRow::link_receive_bytes));
  add("gpu-link-send", "NVLink or xGMI, sent", traffic, rate(&GpuSampleRow::link_send_bytes));
  add("gpu-pcie-receive", "PCIe, received", traffic, column(&GpuSampleRow::pcie_receive_bytes_s));
  add("gpu-pcie-send", "PCIe, sent", traffic, column(&GpuSampleRow::pcie_send_bytes_s));
  if (!missing.empty()) {
    std::string list;
    for (const std::string& name : missing) {
      list += (list.empty() ? "" : ", ") + name;
    }
    section.blocks.push_back(
        Paragraph{"No data, because the driver does not tell: " + list + ". telemetry/planes.json has each reason."});
  }
}

void add_throttling(const Input& input, Section& section) {
  const std::vector<Throttling> devices =
      throttling(input.recording.collected.rows<GpuSampleRow>(), input.recording.collected.rows<SystemRow>(),
                 input.recording.iterations);
  if (devices.empty()) {
    return;
  }
  TableBlock table{.id = "throttling",
                   .columns = {{"device"},
                               {"held down", true},
                               {"by"},
                               {"below target", true},
                               {"at the power cap", true},
                               {"drops of the clock", true},
                               {"clock varies by", true},
                               {"median iteration, held", true},
                               {"not held", true},
                               {"samples", true}},
                   .note =
                       "Shares of the samples that were taken while the run measured and the device was busy. An "
                       "iteration counts where all samples around and within it agree."};
  for (const Throttling& device : devices) {
    std::string reasons;
    for (const auto& [reason, share] : device.reason_shares) {
      reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", reason, format_percent(share));
    }
    Cell held = percent_cell(device.held_share);
    held.tone = device.throttled() ? Tone::kWarning : Tone::kNeutral;
    table.rows.push_back(
        {text_cell(device.device), held, device.no_data.empty() ? text_cell(reasons) : missing_cell(device.no_data),
         percent_cell(device.below_target_share), percent_cell(device.at_cap_share),
         device.drops ? count_cell(*device.drops) : missing_cell("no data"), percent_cell(device.clock_variation),
         optional_cell(device.held_p50_ns, "ns"), optional_cell(device.free_p50_ns, "ns"), count_cell(device.samples)});
  }
  for (const Throttling& device : devices) {
    if (device.throttled()) {
      std::string text = "Throttled: " + throttling_words(device) + ".";
      if (device.held_p50_ns && device.free_p50_ns) {
        text += fmt::format(" The median iteration took {} then, and {} otherwise.",
                            format_duration_ns(*device.held_p50_ns), format_duration_ns(*device.free_p50_ns));
      }
      section.blocks.push_back(Paragraph{text, Tone::kWarning});
    }
  }
  section.blocks.push_back(std::move(table));
}

}  // namespace aaco::report
