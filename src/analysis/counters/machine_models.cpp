// SPDX-License-Identifier: MIT
#include "analysis/counters/machine_models.h"

namespace aaco {

namespace {

using enum CounterArchitecture;

constexpr std::string_view kMi100Sheet = "AMD Instinct MI100 data sheet";
constexpr std::string_view kMi210Sheet = "AMD Instinct MI210 data sheet";
constexpr std::string_view kMi250Sheet = "AMD Instinct MI250 data sheet, of one die";
constexpr std::string_view kMi250xSheet = "AMD Instinct MI250X data sheet, of one die";
constexpr std::string_view kMi300aSheet = "AMD Instinct MI300A data sheet";
constexpr std::string_view kMi300xSheet = "AMD Instinct MI300X data sheet";
constexpr std::string_view kMi325xSheet = "AMD Instinct MI325X data sheet";
constexpr std::string_view kMi350xSheet = "AMD Instinct MI350X data sheet";
constexpr std::string_view kMi355xSheet = "AMD Instinct MI355X data sheet";
constexpr std::string_view kCdna1 = "AMD CDNA white paper";
constexpr std::string_view kCdna2 = "AMD CDNA 2 white paper";
constexpr std::string_view kCdna3 = "AMD CDNA 3 white paper";
constexpr std::string_view kCdna4 = "AMD CDNA 4 white paper";

constexpr KnownQuantity kKnown[] = {
    {kMi100, "MI100", "$cu", 120, kMi100Sheet},
    {kMi100, "MI100", "$sclk", 1502, kMi100Sheet},
    {kMi100, "MI100", "$hbm_bw", 1228.8, kMi100Sheet},
    {kMi200, "MI210", "$cu", 104, kMi210Sheet},
    {kMi200, "MI210", "$sclk", 1700, kMi210Sheet},
    {kMi200, "MI210", "$hbm_bw", 1638.4, kMi210Sheet},
    {kMi200, "MI250X", "$cu", 110, kMi250xSheet},
    {kMi200, "MI250X", "$sclk", 1700, kMi250xSheet},
    {kMi200, "MI250X", "$hbm_bw", 1638.4, kMi250xSheet},
    {kMi200, "MI250", "$cu", 104, kMi250Sheet},
    {kMi200, "MI250", "$sclk", 1700, kMi250Sheet},
    {kMi200, "MI250", "$hbm_bw", 1638.4, kMi250Sheet},
    {kMi300, "MI300A", "$cu", 228, kMi300aSheet},
    {kMi300, "MI300A", "$sclk", 2100, kMi300aSheet},
    {kMi300, "MI300A", "$hbm_bw", 5300, kMi300aSheet},
    {kMi300, "MI300A", "$xcd", 6, kMi300aSheet},
    {kMi300, "MI300A", "$l2_channels", 96, kCdna3},
    {kMi300, "MI300X", "$cu", 304, kMi300xSheet},
    {kMi300, "MI300X", "$sclk", 2100, kMi300xSheet},
    {kMi300, "MI300X", "$hbm_bw", 5300, kMi300xSheet},
    {kMi300, "MI300X", "$xcd", 8, kMi300xSheet},
    {kMi300, "MI300X", "$l2_channels", 128, kCdna3},
    {kMi300, "MI325X", "$cu", 304, kMi325xSheet},
    {kMi300, "MI325X", "$sclk", 2100, kMi325xSheet},
    {kMi300, "MI325X", "$hbm_bw", 6000, kMi325xSheet},
    {kMi300, "MI325X", "$xcd", 8, kMi325xSheet},
    {kMi300, "MI325X", "$l2_channels", 128, kCdna3},
    {kMi350, "MI350X", "$cu", 256, kMi350xSheet},
    {kMi350, "MI350X", "$sclk", 2200, kMi350xSheet},
    {kMi350, "MI350X", "$hbm_bw", 8000, kMi350xSheet},
    {kMi350, "MI350X", "$xcd", 8, kMi350xSheet},
    {kMi350, "MI350X", "$l2_channels", 128, kCdna4},
    {kMi350, "MI355X", "$cu", 256, kMi355xSheet},
    {kMi350, "MI355X", "$sclk", 2400, kMi355xSheet},
    {kMi350, "MI355X", "$hbm_bw", 8000, kMi355xSheet},
    {kMi350, "MI355X", "$xcd", 8, kMi355xSheet},
    {kMi350, "MI355X", "$l2_channels", 128, kCdna4},

    {kMi100, "", "$xcd", 1, kCdna1},
    {kMi100, "", "$waves_per_cu", 40, kCdna1},
    {kMi100, "", "$wave_size", 64, kCdna1},
    {kMi100, "", "$l2_channels", 32, kCdna1},
    {kMi100, "", "$lds_banks", 32, kCdna1},
    {kMi100, "", "$lds_bytes", 65536, kCdna1},
    {kMi200, "", "$xcd", 1, kCdna2},
    {kMi200, "", "$waves_per_cu", 32, kCdna2},
    {kMi200, "", "$wave_size", 64, kCdna2},
    {kMi200, "", "$l2_channels", 32, kCdna2},
    {kMi200, "", "$lds_banks", 32, kCdna2},
    {kMi200, "", "$lds_bytes", 65536, kCdna2},
    {kMi300, "", "$waves_per_cu", 32, kCdna3},
    {kMi300, "", "$wave_size", 64, kCdna3},
    {kMi300, "", "$lds_banks", 32, kCdna3},
    {kMi300, "", "$lds_bytes", 65536, kCdna3},
    {kMi350, "", "$waves_per_cu", 32, kCdna4},
    {kMi350, "", "$wave_size", 64, kCdna4},
    {kMi350, "", "$lds_bytes", 163840, kCdna4},
};

}  // namespace

std::span<const KnownQuantity> known_quantities() { return kKnown; }

CounterArchitecture architecture_of_gfx(std::string_view gfx) {
  struct Gfx {
    std::string_view name;
    CounterArchitecture architecture;
  };
  static constexpr Gfx kAll[] = {{"gfx908", kMi100}, {"gfx90a", kMi200}, {"gfx940", kMi300},
                                 {"gfx941", kMi300}, {"gfx942", kMi300}, {"gfx950", kMi350}};
  for (const Gfx& known : kAll) {
    if (gfx.starts_with(known.name)) {
      return known.architecture;
    }
  }
  return kUnknown;
}

}  // namespace aaco
