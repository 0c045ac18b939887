// SPDX-License-Identifier: MIT
// What formulas know besides counters: of the machine, of its measured roofs, of a launch. Their names begin with $.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/text/enum_words.h"

namespace aaco {

enum class CounterArchitecture : uint8_t { kUnknown, kMi100, kMi200, kMi300, kMi350, kNvidia };
template <>
inline constexpr EnumWords<CounterArchitecture, 6> kWordsOf<CounterArchitecture>{
    {"unknown", "MI100 (gfx908)", "MI200 (gfx90a)", "MI300 (gfx940 to gfx942)", "MI350 (gfx950)", "NVIDIA"}};
inline constexpr size_t kCounterArchitectures = 6;

struct MachineQuantity {
  std::string_view name;      // "$cu"
  std::string_view meaning;   // with its unit
  std::string_view sysinfo;   // column of rocprof-compute's sysinfo.csv; empty where it has none
  std::string_view omniperf;  // of omniperf's sysinfo.csv
  std::string_view agent;     // of rocprofv3's agent_info.csv
  std::string_view roof;      // of rocprof-compute's roofline.csv: the quantity is a roof that was measured
  double scale = 1;           // from the agent's unit
};
std::span<const MachineQuantity> machine_quantities();

// How profilers call what a kernel was launched with.
struct LaunchQuantity {
  std::string_view name;                      // "$vgprs"
  std::string_view meaning;                   // with its unit
  std::span<const std::string_view> columns;  // arguments of its event, without their unit
};
std::span<const LaunchQuantity> launch_quantities();

inline constexpr std::string_view kDurationQuantity = "$duration";  // of the dispatches, in nanoseconds

}  // namespace aaco
