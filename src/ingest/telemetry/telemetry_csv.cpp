// SPDX-License-Identifier: MIT
#include "ingest/telemetry/telemetry_csv.h"

#include <array>
#include <iterator>

#include "ingest/table/csv_table.h"

namespace aaco {

namespace {

using enum ColumnRole;
using Names = std::string_view[];

constexpr int64_t kSecond = 1'000'000'000;

constexpr ColumnMapping kColumns[] = {{"timestamp", kStart}, {"index", kDevice}, {"device", kDevice}};
// Without an index, a device is known by what is most its own.
constexpr ColumnMapping kNamedColumns[] = {
    {"timestamp", kStart}, {"uuid", kProcess}, {"pci.bus_id", kProcess}, {"name", kProcess}};

// Queries differ: one of these is in any that is worth making, and in no other program's tables.
constexpr Names kQuantities = {
    "power.draw [W]",      "power.draw.average [W]",        "power.draw.instant [W]",     "power.limit [W]",
    "utilization.gpu [%]", "utilization.memory [%]",        "memory.total [MiB]",         "memory.used [MiB]",
    "memory.free [MiB]",   "memory.reserved [MiB]",         "clocks.current.sm [MHz]",    "clocks.current.memory [MHz]",
    "fan.speed [%]",       "clocks.current.graphics [MHz]", "clocks.current.video [MHz]", "enforced.power.limit [W]"};
// A temperature has no unit in its name: the table has to be of devices or of times as well.
constexpr std::string_view kTemperature = "temperature.gpu";
constexpr Names kBesideTemperature = {"timestamp", "uuid", "pci.bus_id", "name"};

constexpr size_t kCountOfQuantities = std::size(kQuantities);
using Pair = std::array<std::string_view, 2>;

constexpr auto kNumberedNeeds = [] {
  std::array<Pair, kCountOfQuantities + 1> needs;
  for (size_t i = 0; i < kCountOfQuantities; ++i) {
    needs[i] = {"index", kQuantities[i]};
  }
  needs.back() = {"index", kTemperature};
  return needs;
}();
constexpr auto kTemperatureNeeds = [] {
  std::array<Pair, std::size(kBesideTemperature)> needs;
  for (size_t i = 0; i < needs.size(); ++i) {
    needs[i] = {kBesideTemperature[i], kTemperature};
  }
  return needs;
}();

constexpr TableKind nvidia_smi(std::span<const std::string_view> needs, std::span<const ColumnMapping> columns) {
  return {.id = "nvidia-smi",
          .needs = needs,
          .columns = columns,
          .shape = EventShape::kCounter,
          .name = "nvidia-smi",
          .category = "telemetry"};
}

// The numbered ones come first: they are found where both are there.
constexpr auto kNvidiaKinds = [] {
  std::array<TableKind, kNumberedNeeds.size() + kCountOfQuantities + kTemperatureNeeds.size()> kinds;
  size_t count = 0;
  for (const Pair& needs : kNumberedNeeds) {
    kinds[count++] = nvidia_smi(needs, kColumns);
  }
  for (size_t i = 0; i < kCountOfQuantities; ++i) {
    kinds[count++] = nvidia_smi(std::span(kQuantities).subspan(i, 1), kNamedColumns);
  }
  for (const Pair& needs : kTemperatureNeeds) {
    kinds[count++] = nvidia_smi(needs, kNamedColumns);
  }
  return kinds;
}();

// "372.66 W" in the column "power.draw [W]" is 372.66.
Cell nvidia_meaning(const Cell& written, std::string_view column) {
  std::string_view text = written.text;
  const size_t first = text.find_first_not_of(' ');
  text = first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
  if (text.empty() || text.starts_with('[') || text == "N/A") {
    return {};
  }
  if (same_column(column, "timestamp")) {  // a date: a bare number is no time, and of no unit
    return cell_of(text, true);
  }
  const size_t bracket = column.find('[');
  if (bracket != std::string_view::npos && column.ends_with(']')) {
    const std::string_view unit = column.substr(bracket + 1, column.size() - bracket - 2);
    if (!unit.empty() && text.size() > unit.size() + 1 && text.ends_with(unit) &&
        text[text.size() - unit.size() - 1] == ' ') {
      text.remove_suffix(unit.size() + 1);
    }
  }
  return cell_of(text, false);
}

constexpr Names kRocmPowerNeeds = {"timestamp", "device", "power_watts"};
constexpr Names kRocmTemperatureNeeds = {"timestamp", "device", "temp_junction_celsius"};
constexpr Names kRocmUseNeeds = {"timestamp", "device", "gpu_use_percent"};
constexpr Names kProcessorNeeds = {"timestamp", "cpu_user_percent", "cpu_idle_percent"};
constexpr Names kHostMemoryNeeds = {"timestamp", "total_gb", "used_gb", "available_gb"};

constexpr TableKind rocm_smi(std::span<const std::string_view> needs, std::string_view name) {
  return {.id = name,
          .needs = needs,
          .columns = kColumns,
          .shape = EventShape::kCounter,
          .name = name,
          .category = "telemetry",
          .ns_per_unit = kSecond};
}

constexpr TableKind kRocmKinds[] = {rocm_smi(kRocmPowerNeeds, "GPU power"),
                                    rocm_smi(kRocmTemperatureNeeds, "GPU temperature"),
                                    rocm_smi(kRocmUseNeeds, "GPU use"), rocm_smi(kProcessorNeeds, "processors"),
                                    rocm_smi(kHostMemoryNeeds, "host memory")};

constexpr CsvFormat kNvidiaFormat{.kinds = kNvidiaKinds, .meaning = nvidia_meaning, .tables = true};
constexpr CsvFormat kRocmFormat{.kinds = kRocmKinds, .short_rows = true};

}  // namespace

bool is_nvidia_smi_csv(std::string_view head) { return is_csv_table(head, kNvidiaFormat); }

Result<void> read_nvidia_smi_csv(const TraceInput& input, EventTable& into) {
  return read_csv_table(input.bytes, input.name, input.recording, kNvidiaFormat, into);
}

bool is_rocm_smi_csv(std::string_view head) { return is_csv_table(head, kRocmFormat); }

Result<void> read_rocm_smi_csv(const TraceInput& input, EventTable& into) {
  return read_csv_table(input.bytes, input.name, input.recording, kRocmFormat, into);
}

}  // namespace aaco
