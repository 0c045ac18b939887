// SPDX-License-Identifier: MIT
#include "record/journal/old_journals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "base/json/json.h"
#include "record/gpu_sample.h"
#include "record/rows.h"

namespace aaco {

namespace {

constexpr std::string_view kSystem = RowSchema<SystemRow>::kName;
constexpr std::string_view kGpu = RowSchema<GpuSampleRow>::kName;

// 8 bytes a column; NaN or the smallest integer is null.
constexpr std::array kSystemColumns{
    std::pair{"t_ns", ColumnType::kInt64},
    std::pair{"interval_ns", ColumnType::kInt64},
    std::pair{"pid", ColumnType::kInt64},
    std::pair{"cpu_pct", ColumnType::kDouble},
    std::pair{"process_cpu_pct", ColumnType::kDouble},
    std::pair{"process_rss_bytes", ColumnType::kInt64},
    std::pair{"memory_available_bytes", ColumnType::kInt64},
    std::pair{"cpu_frequency_mhz", ColumnType::kDouble},
    std::pair{"context_switches", ColumnType::kInt64},
    std::pair{"process_voluntary_switches", ColumnType::kInt64},
    std::pair{"process_involuntary_switches", ColumnType::kInt64},
    std::pair{"process_minor_faults", ColumnType::kInt64},
    std::pair{"process_major_faults", ColumnType::kInt64},
    std::pair{"process_run_delay_ns", ColumnType::kInt64},
    std::pair{"process_threads", ColumnType::kInt64},
    std::pair{"runnable_tasks", ColumnType::kInt64},
    std::pair{"load_1m", ColumnType::kDouble},
    std::pair{"psi_cpu_some_pct", ColumnType::kDouble},
    std::pair{"psi_memory_some_pct", ColumnType::kDouble},
    std::pair{"psi_io_some_pct", ColumnType::kDouble},
};

Table system_table(const JournalContent& content) {
  Table table{std::string(kSystem), {}, content.row_count};
  for (size_t at = 0; at < kSystemColumns.size(); ++at) {
    const auto [name, type] = kSystemColumns[at];
    TableColumn column{{name, type, "", "", true}, std::vector<int64_t>(), {}};
    std::vector<int64_t> integers;
    std::vector<double> reals;
    for (uint64_t i = 0; i < content.row_count; ++i) {
      const auto words = content.row<std::array<int64_t, kSystemColumns.size()>>(i);
      integers.push_back(words[at]);
      reals.push_back(std::bit_cast<double>(words[at]));
      const bool is_null = type == ColumnType::kDouble ? std::isnan(reals.back()) : words[at] == INT64_MIN;
      column.valid.push_back(is_null ? 0 : 1);
    }
    if (type == ColumnType::kDouble) {
      column.values = std::move(reals);
    } else {
      column.values = std::move(integers);
    }
    table.columns.push_back(std::move(column));
  }
  return table;
}

// NaN is null; so is every bit of clock_event_bits. Texts end with zeros.
struct GpuRecord {
  int64_t t_ns;
  double core_clock_mhz;
  double memory_clock_mhz;
  double power_w;
  double temperature_c;
  double busy_pct;
  uint64_t clock_event_bits;
  std::array<char, 24> device;
  std::array<char, 8> vendor;
};

std::optional<double> unless_nan(double value) { return std::isnan(value) ? std::nullopt : std::optional(value); }

std::string text_of(std::span<const char> padded) {
  return {padded.begin(), std::find(padded.begin(), padded.end(), '\0')};
}

Table gpu_table(const JournalContent& content) {
  std::vector<GpuSampleRow> rows;
  for (uint64_t i = 0; i < content.row_count; ++i) {
    const auto from = content.row<GpuRecord>(i);
    GpuSampleRow row;
    row.t_ns = from.t_ns;
    row.device = text_of(from.device);
    row.vendor = text_of(from.vendor);
    row.core_clock_mhz = unless_nan(from.core_clock_mhz);
    row.memory_clock_mhz = unless_nan(from.memory_clock_mhz);
    row.power_w = unless_nan(from.power_w);
    row.temperature_c = unless_nan(from.temperature_c);
    row.busy_pct = unless_nan(from.busy_pct);
    if (from.clock_event_bits != ~uint64_t{0}) {
      set_clock_events(row, from.clock_event_bits);
    }
    rows.push_back(std::move(row));
  }
  return to_table(rows);
}

}  // namespace

std::string old_journal_path(std::string_view table) {
  return table == kSystem ? "journal/system.jrn" : table == kGpu ? "journal/gpu.jrn" : "";
}

std::optional<Table> old_journal_table(const JournalContent& content, std::string_view table) {
  const Json rows = content.description->is_object() ? content.description->value("rows", Json()) : Json();
  if (rows == "system" && table == kSystem && content.row_bytes == 8 * kSystemColumns.size()) {
    return system_table(content);
  }
  if (rows == "gpu" && table == kGpu && content.row_bytes == sizeof(GpuRecord)) {
    return gpu_table(content);
  }
  return std::nullopt;
}

}  // namespace aaco
