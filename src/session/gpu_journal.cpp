// SPDX-License-Identifier: MIT
#include "session/gpu_journal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "base/json.h"

namespace aaco {

namespace {

constexpr const char* kRows = "gpu";
constexpr uint64_t kNoBits = ~uint64_t{0};

double or_nan(const std::optional<double>& value) { return value.value_or(std::numeric_limits<double>::quiet_NaN()); }

std::optional<double> unless_nan(double value) { return std::isnan(value) ? std::nullopt : std::optional(value); }

template <size_t N>
std::array<char, N> padded(std::string_view text) {
  std::array<char, N> to{};
  std::copy_n(text.begin(), std::min(text.size(), N), to.begin());
  return to;
}

template <size_t N>
std::string text_of(const std::array<char, N>& from) {
  return {from.begin(), std::find(from.begin(), from.end(), '\0')};
}

}  // namespace

GpuJournalRow to_journal_row(const GpuSampleRow& row) {
  return {row.t_ns,
          or_nan(row.core_clock_mhz),
          or_nan(row.memory_clock_mhz),
          or_nan(row.power_w),
          or_nan(row.temperature_c),
          or_nan(row.busy_pct),
          row.clock_event_bits ? static_cast<uint64_t>(*row.clock_event_bits) : kNoBits,
          padded<24>(row.device),
          padded<8>(row.vendor)};
}

GpuSampleRow from_journal_row(const GpuJournalRow& row) {
  GpuSampleRow result;
  result.t_ns = row.t_ns;
  result.device = text_of(row.device);
  result.vendor = text_of(row.vendor);
  result.core_clock_mhz = unless_nan(row.core_clock_mhz);
  result.memory_clock_mhz = unless_nan(row.memory_clock_mhz);
  result.power_w = unless_nan(row.power_w);
  result.temperature_c = unless_nan(row.temperature_c);
  result.busy_pct = unless_nan(row.busy_pct);
  if (row.clock_event_bits != kNoBits) {
    set_clock_events(result, row.clock_event_bits);
  }
  return result;
}

Result<JournalWriter> create_gpu_journal(const std::filesystem::path& path) {
  return JournalWriter::create(path, sizeof(GpuJournalRow), {{"rows", kRows}});
}

Result<std::vector<GpuSampleRow>> read_gpu_journal(const std::filesystem::path& path) {
  AACO_ASSIGN(const JournalContent content, read_journal(path));
  if (!content.description.is_object() || content.description.value("rows", Json()) != kRows ||
      content.row_bytes != sizeof(GpuJournalRow)) {
    return Error{ErrorKind::kUsage, path.string() + ": not a journal of samples of GPUs",
                 "the file is damaged, or was not written by this version of aaco"};
  }
  std::vector<GpuSampleRow> rows;
  rows.reserve(content.row_count);
  for (uint64_t i = 0; i < content.row_count; ++i) {
    rows.push_back(from_journal_row(content.row<GpuJournalRow>(i)));
  }
  return rows;
}

}  // namespace aaco
