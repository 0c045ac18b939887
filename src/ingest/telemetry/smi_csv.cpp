// SPDX-License-Identifier: MIT
#include "ingest/telemetry/smi_csv.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

#include "ingest/event_time.h"
#include "ingest/table/csv_reader.h"
#include "ingest/telemetry/log_lines.h"
#include "ingest/telemetry/readings.h"

namespace aaco {

namespace {

constexpr size_t kHeadWindow = size_t{1} << 17;
constexpr size_t kMostLogLines = 1000;  // before the first header

// Columns of which amd-smi's tables have one: of its metric, monitor, static and list.
constexpr std::string_view kAmdColumns[] = {
    "gfx_activity", "umc_activity", "mm_activity", "socket_power", "power_usage", "hotspot",
    "edge",         "gfx_0_clk",    "gfx_clk",     "gfx_clock",    "used_vram",   "total_vram",
    "vram_used",    "vram_total",   "gpu_bdf",     "gpu_uuid",     "market_name", "hotspot_temperature"};

struct Device {
  int64_t id = kNoId;
  std::string_view name;
};

struct SmiTable {
  std::vector<std::string> columns;
  bool is_rocm = false;  // its devices are "card0" and "system", and no readings; else numbers, which are
  size_t device_at = 0;
  std::optional<size_t> time_at;

  std::optional<Device> device_of(const std::vector<Cell>& row) const;
};

std::optional<Device> SmiTable::device_of(const std::vector<Cell>& row) const {
  if (row.size() <= device_at) {
    return std::nullopt;
  }
  const Cell& cell = row[device_at];
  if (!is_rocm) {
    return cell.type == Cell::Type::kInteger ? std::optional(Device{cell.integer, ""}) : std::nullopt;
  }
  constexpr std::string_view kCard = "card";
  if (cell.text == "system") {
    return Device{kNoId, cell.text};
  }
  if (!cell.text.starts_with(kCard)) {
    return std::nullopt;
  }
  const Cell number = cell_of(cell.text.substr(kCard.size()), false);
  return number.type == Cell::Type::kInteger && number.integer >= 0 ? std::optional(Device{number.integer, cell.text})
                                                                    : std::nullopt;
}

// What a row is the header of; none where it is no header.
std::optional<SmiTable> table_of(const std::vector<Cell>& row) {
  SmiTable table;
  if (row.size() < 2) {
    return std::nullopt;
  }
  table.is_rocm = row[0].text == "device";
  if (row[0].text == "timestamp" && row[1].text == "gpu") {
    table.time_at = 0;
    table.device_at = 1;
  } else if (!table.is_rocm && row[0].text != "gpu") {
    return std::nullopt;
  }
  for (const Cell& cell : row) {
    table.columns.emplace_back(cell.text);
  }
  return table;
}

bool has_amd_column(const SmiTable& table) {
  return std::any_of(table.columns.begin(), table.columns.end(), [](const std::string& column) {
    return std::find(std::begin(kAmdColumns), std::end(kAmdColumns), column) != std::end(kAmdColumns);
  });
}

class TablesReader {
 public:
  TablesReader(const TraceInput& input, EventTable& into)
      : input_(input), events_(into), reader_(input.bytes, input.name, into.losses), readings_(into, input.recording) {}

  Result<void> read() {
    std::optional<SmiTable> table;
    for (std::vector<Cell> row;;) {
      AACO_ASSIGN(const bool more, reader_.next(row));
      if (!more) {
        break;
      }
      if (std::optional<SmiTable> next = table_of(row)) {
        table = std::move(next);
      } else if (!table || (row.size() == 1 && row[0].type == Cell::Type::kText && !table->device_of(row))) {
        keep_log_line(line_of(row), reader_.line(), input_.recording, events_);
      } else {
        add_row(*table, row);
      }
    }
    if (!table) {
      return Error{ErrorKind::kUsage, fmt::format("{}: no header of rocm-smi or amd-smi", input_.name),
                   "name what rocm-smi --csv or amd-smi --csv printed, with the line of column names"};
    }
    return {};
  }

 private:
  std::string place() const { return fmt::format("{}: line {}", input_.name, reader_.line()); }

  static std::string line_of(const std::vector<Cell>& row) {
    std::string line;
    for (const Cell& cell : row) {
      line += (line.empty() ? "" : ",") + std::string(cell.text);
    }
    return line;
  }

  void add_row(const SmiTable& table, const std::vector<Cell>& row) {
    const auto device = table.device_of(row);
    if (!device || row.size() != table.columns.size()) {
      const Loss loss = reader_.row_ended() ? Loss::kMalformedEvent : Loss::kTruncated;
      events_.losses.add(loss, [&] {
        return device ? fmt::format("{}: {} of {} cells", place(), row.size(), table.columns.size())
                      : fmt::format("{}: no device", place());
      });
      return;
    }
    readings_.set_device(device->id, device->name);
    readings_.set_time(table.time_at ? time_of(row[*table.time_at]) : std::nullopt);
    for (size_t i = table.is_rocm ? 1 : 0; i < row.size(); ++i) {
      if (!row[i].text.empty() && row[i].text != "N/A") {
        readings_.add(table.columns[i], row[i].text);
      }
    }
  }

  // Of seconds since 1970.
  std::optional<int64_t> time_of(const Cell& cell) {
    const bool is_number = cell.type == Cell::Type::kInteger || cell.type == Cell::Type::kReal;
    const Nanoseconds time = is_number ? nanoseconds_of_microseconds(fmt::format("{}e6", cell.text)) : Nanoseconds{};
    return time_or_loss(time, events_.losses, [&] { return place(); });
  }

  const TraceInput& input_;
  EventTable& events_;
  CsvReader reader_;
  Readings readings_;
};

}  // namespace

bool is_smi_csv(std::string_view head) {
  const auto source = bytes_of(head);
  LossTable ignored;
  CsvReader reader(*source, "", ignored, kHeadWindow);
  std::optional<SmiTable> table;
  std::vector<Cell> row;
  for (size_t line = 0; line < kMostLogLines; ++line) {
    const auto more = reader.next(row);
    if (!more || !*more) {
      return false;
    }
    if (table && table->device_of(row)) {
      return table->is_rocm || has_amd_column(*table);
    }
    table = table_of(row);
  }
  return false;
}

Result<void> read_smi_csv(const TraceInput& input, EventTable& into) { return TablesReader(input, into).read(); }

}  // namespace aaco
