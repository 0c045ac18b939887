// SPDX-License-Identifier: MIT
// Bits: nvml.h (nvmlClocksEventReason*), and SMU_THROTTLER_* of the kernel's amdgpu_smu.h.
#include "record/gpu_sample.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>
#include <string_view>

namespace aaco {

namespace {

struct ClockEvent {
  int bit;
  const char* name;
  bool throttles;
};

constexpr ClockEvent kNvidiaEvents[] = {
    {0, "gpu_idle", false},           {1, "application_clocks", false}, {2, "sw_power_cap", true},
    {3, "hw_slowdown", true},         {4, "sync_boost", true},          {5, "sw_thermal_slowdown", true},
    {6, "hw_thermal_slowdown", true}, {7, "hw_power_brake", true},      {8, "display_clocks", false},
    {9, "board_limit", true},         {10, "reliability", true},
};

constexpr ClockEvent kAmdEvents[] = {
    {0, "power_0", true},
    {1, "power_1", true},
    {2, "power_2", true},
    {3, "power_3", true},
    {4, "power_system", true},
    {5, "power_fast", true},
    {6, "power_slow", true},
    {7, "power_slow_apu", true},
    {16, "current_gfx", true},
    {17, "current_soc", true},
    {18, "current_memory", true},
    {19, "current_vdd", true},
    {20, "current_cvip", true},
    {21, "peak_current_cpu", true},
    {22, "peak_current_gfx", true},
    {23, "current_control", true},
    {32, "heat_gpu", true},
    {33, "heat_core", true},
    {34, "heat_memory", true},
    {35, "heat_edge", true},
    {36, "heat_hotspot", true},
    {37, "heat_soc", true},
    {38, "heat_vr_gfx", true},
    {39, "heat_vr_soc", true},
    {40, "heat_vr_memory_0", true},
    {41, "heat_vr_memory_1", true},
    {42, "heat_liquid_0", true},
    {43, "heat_liquid_1", true},
    {44, "vr_hot_0", true},
    {45, "vr_hot_1", true},
    {46, "prochot_cpu", true},
    {47, "prochot_gfx", true},
    {56, "ppm", true},
    {57, "fit", true},
};

std::span<const ClockEvent> events_of(const std::string& vendor) {
  return vendor == gpu_vendor::kAmd ? std::span<const ClockEvent>(kAmdEvents)
                                    : std::span<const ClockEvent>(kNvidiaEvents);
}

// A bit that has no name here keeps its number, and is not taken for one that throttles.
std::vector<std::string> names(const std::string& vendor, uint64_t bits, bool only_throttling) {
  std::vector<std::string> problems;
  for (const ClockEvent& event : events_of(vendor)) {
    const uint64_t mask = uint64_t{1} << event.bit;
    if ((bits & mask) != 0 && (event.throttles || !only_throttling)) {
      problems.emplace_back(event.name);
    }
    bits &= ~mask;
  }
  for (int bit = 0; bit < 64 && !only_throttling; ++bit) {
    if ((bits >> bit & 1) != 0) {
      problems.push_back("bit_" + std::to_string(bit));
    }
  }
  return problems;
}

}  // namespace

std::vector<std::string> throttle_reasons(const std::string& vendor, uint64_t bits) {
  return names(vendor, bits, true);
}

void set_clock_events(GpuSampleRow& row, uint64_t bits) {
  row.clock_event_bits = static_cast<int64_t>(bits);
  std::string text;
  for (const std::string& name : names(row.vendor, bits, false)) {
    text += (text.empty() ? "" : ";") + name;
  }
  row.clock_events = text;
  row.throttled = throttle_reasons(row.vendor, bits).empty() ? 0 : 1;
}

void set_throttle_names(GpuSampleRow& row, const std::vector<std::string>& names) {
  row.clock_events = fmt::format("{}", fmt::join(names, ";"));
  row.throttled = names.empty() ? 0 : 1;
}

std::vector<std::string> throttle_reasons(const GpuSampleRow& row) {
  if (row.clock_event_bits) {
    return throttle_reasons(row.vendor, static_cast<uint64_t>(*row.clock_event_bits));
  }
  std::vector<std::string> reasons;
  std::string_view rest = row.clock_events ? std::string_view(*row.clock_events) : std::string_view();
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(';'), rest.size());
    reasons.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return reasons;
}

}  // namespace aaco
