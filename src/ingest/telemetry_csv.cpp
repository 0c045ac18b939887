// SPDX-License-Identifier: MIT
#include "ingest/telemetry_csv.h"

#include "ingest/table/csv_table.h"

namespace aaco {

namespace {

using enum ColumnRole;
using Names = std::string_view[];

constexpr int64_t kSecond = 1'000'000'000;

constexpr TableColumn kColumns[] = {{"timestamp", kStart}, {"index", kDevice}, {"device", kDevice}};

// Queries differ: one of these is in any that is worth making.
constexpr Names kPowerNeeds = {"timestamp", "power.draw [W]"};
constexpr Names kInstantPowerNeeds = {"timestamp", "power.draw.instant [W]"};
constexpr Names kTemperatureNeeds = {"timestamp", "temperature.gpu"};
constexpr Names kUseNeeds = {"timestamp", "utilization.gpu [%]"};
constexpr Names kMemoryNeeds = {"timestamp", "memory.used [MiB]"};
constexpr Names kClockNeeds = {"timestamp", "clocks.current.sm [MHz]"};

constexpr TableKind nvidia_smi(std::span<const std::string_view> needs) {
  return {.id = "nvidia-smi",
          .needs = needs,
          .columns = kColumns,
          .shape = EventShape::kCounter,
          .name = "nvidia-smi",
          .category = "telemetry"};
}

constexpr TableKind kNvidiaKinds[] = {nvidia_smi(kPowerNeeds),       nvidia_smi(kInstantPowerNeeds),
                                      nvidia_smi(kTemperatureNeeds), nvidia_smi(kUseNeeds),
                                      nvidia_smi(kMemoryNeeds),      nvidia_smi(kClockNeeds)};

// "372.66 W" in the column "power.draw [W]" is 372.66.
Cell nvidia_meaning(const Cell& written, std::string_view column) {
  std::string_view text = written.text;
  const size_t first = text.find_first_not_of(' ');
  text = first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
  if (text.starts_with('[') || text == "N/A") {
    return {};
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

constexpr CsvFormat kNvidiaFormat{.kinds = kNvidiaKinds, .meaning = nvidia_meaning};
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
