// SPDX-License-Identifier: MIT
#include "ingest/table/csv_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "base/json/json_text.h"
#include "ingest/table/folded_rows.h"
#include "ingest/table/table_rows.h"

namespace aaco {

namespace {

constexpr size_t kMostRemarks = 1000;
constexpr size_t kHeadWindow = size_t{1} << 17;

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

std::vector<std::string> names_of(const std::vector<Cell>& cells) {
  std::vector<std::string> names;
  for (const Cell& cell : cells) {
    names.emplace_back(trimmed(cell.text));
  }
  return names;
}

// The kind whose header is the reader's next row, or one of the next where remarks may precede it.
template <typename TakeRemark>
Result<CsvHeader> find_header(CsvReader& reader, const CsvFormat& format, const TakeRemark& take_remark) {
  std::vector<Cell> cells;
  for (size_t row = 0; row < (format.remarks ? kMostRemarks : 1); ++row) {
    AACO_ASSIGN(const bool more, reader.next(cells));
    if (!more) {
      break;
    }
    CsvHeader header{nullptr, names_of(cells)};
    header.kind =
        find_table_kind(format.kinds, std::vector<std::string_view>(header.columns.begin(), header.columns.end()));
    if (header.kind != nullptr) {
      return header;
    }
    take_remark(cells);
  }
  return CsvHeader{};
}

bool says_anything(const TableKind& kind, const std::vector<std::string>& columns, const std::vector<Cell>& cells) {
  for (size_t i = 0; i < cells.size(); ++i) {
    const bool is_start = std::any_of(kind.columns.begin(), kind.columns.end(), [&](const ColumnMapping& column) {
      return column.role == ColumnRole::kStart && same_column(column.name, columns[i]);
    });
    if (!is_start && !cells[i].text.empty()) {
      return true;
    }
  }
  return false;
}

// A line that another program wrote, as metadata.
void keep_remark(const CsvReader& reader, std::span<const Cell> cells, uint32_t recording, EventTable& into) {
  std::string line;
  for (const Cell& cell : cells) {
    line += (line.empty() ? "" : ",") + std::string(cell.text);
  }
  const std::string json = json_string_text(line);
  into.metadata.push_back(
      {recording, into.strings.intern(fmt::format("line {}", reader.line())), into.strings.intern(json)});
}

// Whatever quotes are around it.
bool is_number(const Cell& cell) {
  const Cell::Type type = cell.type == Cell::Type::kText ? cell_of(cell.text, false).type : cell.type;
  return type == Cell::Type::kInteger || type == Cell::Type::kReal;
}

bool has_no_number(std::span<const Cell> row) { return std::none_of(row.begin(), row.end(), is_number); }

// A header of columns, which is no other program's remark with a comma or two.
bool names_a_table(std::span<const Cell> row) { return row.size() > 3 && has_no_number(row); }

// Whether a row shows that its writer quotes every cell, numbers too, as spreadsheets and libraries do that write a
// table back: quotes tell nothing then. None where it has no number.
std::optional<bool> quotes_numbers(std::span<const Cell> row) {
  if (std::any_of(row.begin(), row.end(), [](const Cell& cell) { return cell.type != Cell::Type::kText; })) {
    return false;
  }
  return has_no_number(row) ? std::nullopt : std::optional(true);
}

// A row whose first cell has commas that nothing quotes, made as long as the header; false where it is none.
bool close_name(std::string_view row, size_t columns, std::vector<Cell>& cells) {
  if (cells.size() <= columns || row.find('"') != std::string_view::npos) {
    return false;
  }
  const auto numbers = cells.end() - static_cast<ptrdiff_t>(columns - 1);
  if (!std::all_of(numbers, cells.end(), is_number)) {
    return false;
  }
  for (auto number = numbers; number != cells.end(); ++number) {
    row = row.substr(0, row.rfind(','));
  }
  cells.erase(cells.begin() + 1, numbers);
  cells[0] = cell_of(row, true);
  return true;
}

}  // namespace

bool is_csv_table(std::string_view head, const CsvFormat& format) {
  const auto has_header = [&](std::string_view text) {
    const auto source = bytes_of(text);
    LossTable ignored;
    CsvReader reader(*source, "", ignored, kHeadWindow);
    const auto header = find_header(reader, format, [](const std::vector<Cell>&) {});
    return header && header->kind != nullptr;
  };
  // The head may end within a cell of a header of thousands of columns.
  return has_header(head) || has_header(head.substr(0, head.rfind(',')));
}

Result<CsvHeader> read_csv_header(CsvReader& reader, const std::string& name, uint32_t recording,
                                  const CsvFormat& format, EventTable& into) {
  AACO_ASSIGN(CsvHeader header, find_header(reader, format, [&](const std::vector<Cell>& cells) {
                keep_remark(reader, cells, recording, into);
              }));
  if (header.kind == nullptr) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: line {}: no header of a known table up to here", name, reader.line()),
                 "name a file as its profiler wrote it, with the line of column names"};
  }
  return header;
}

bool take_csv_row(const CsvReader& reader, const CsvHeader& header, const std::string& name, uint32_t recording,
                  const CsvFormat& format, std::vector<Cell>& cells, EventTable& into) {
  if (cells.size() == header.columns.size() ||
      (format.open_names && close_name(reader.row(), header.columns.size(), cells))) {
    return true;
  }
  if (format.remarks && (cells.size() == 1 || cells[0].text.starts_with("=="))) {
    keep_remark(reader, cells, recording, into);
    return false;
  }
  const auto whole = std::find_if(header.columns.begin(), header.columns.end(), [&](const std::string& each) {
    return !format.whole_with.empty() && same_column(each, format.whole_with);
  });
  const auto least = static_cast<size_t>(whole - header.columns.begin()) + 1;
  if (reader.row_ended() && cells.size() < header.columns.size() &&
      (cells.size() == least || cells.size() == least + 1)) {
    cells.resize(header.columns.size());
    return true;
  }
  const bool fills_up = format.short_rows && reader.row_ended() && cells.size() < header.columns.size() &&
                        says_anything(*header.kind, header.columns, cells);
  const Loss loss = fills_up ? Loss::kShortRow : reader.row_ended() ? Loss::kMalformedEvent : Loss::kTruncated;
  into.losses.add(loss, [&] {
    return fmt::format("{}: line {}: {} of {} cells", name, reader.line(), cells.size(), header.columns.size());
  });
  if (fills_up) {
    cells.resize(header.columns.size());
  }
  return fills_up;
}

namespace {

// The header of a further table, where the row is one.
CsvHeader header_of(const CsvFormat& format, const std::vector<Cell>& cells) {
  if (!format.tables || cells[0].type != Cell::Type::kText) {
    return {};
  }
  CsvHeader next{nullptr, names_of(cells)};
  next.kind = find_table_kind(format.kinds, std::vector<std::string_view>(next.columns.begin(), next.columns.end()));
  return next;
}

// The rows of a table; gives the header of the next one, whose kind is null at the end.
Result<CsvHeader> read_rows(CsvReader& reader, const CsvHeader& header, const std::string& name, uint32_t recording,
                            const CsvFormat& format, TrackIndex& tracks, EventTable& into) {
  const std::vector<std::string_view> columns(header.columns.begin(), header.columns.end());
  TableRows rows(*header.kind, columns, name, recording, tracks, into);
  std::optional<FoldedRows> folded;
  if (!header.kind->event_of.empty()) {
    folded.emplace(*header.kind, columns, name, rows, into);
  }
  std::vector<Cell> cells;
  std::optional<bool> all_quoted;
  bool remarked = false;  // the row before is a remark
  bool unknown = false;   // the table at hand
  CsvHeader next;
  for (;;) {
    AACO_ASSIGN(const bool more, reader.next(cells));
    next = more ? header_of(format, cells) : CsvHeader{};
    if (!more || next.kind != nullptr) {
      break;
    }
    const bool names_columns = format.tables && remarked && names_a_table(cells);
    unknown = unknown || names_columns;
    remarked = cells.size() == 1;
    if (unknown && !remarked) {
      if (!names_columns) {
        into.losses.add(Loss::kUnknownRecord,
                        [&] { return fmt::format("{}: line {}: of another table", name, reader.line()); });
      }
      continue;
    }
    const size_t written = cells.size();
    if (!take_csv_row(reader, header, name, recording, format, cells, into)) {
      continue;
    }
    if (!all_quoted) {
      all_quoted = quotes_numbers(std::span(cells).first(written));
    }
    for (size_t i = 0; all_quoted.value_or(false) && i < cells.size(); ++i) {
      cells[i] = cell_of(cells[i].text, false);
    }
    for (size_t i = 0; format.meaning != nullptr && i < cells.size(); ++i) {
      cells[i] = format.meaning(cells[i], columns[i]);
    }
    folded ? folded->add(cells, reader.line()) : rows.add(cells, reader.line());
  }
  if (folded) {
    folded->finish();
  }
  return next;
}

}  // namespace

Result<void> read_csv_table(ByteSource& source, const std::string& name, uint32_t recording, const CsvFormat& format,
                            EventTable& into) {
  CsvReader reader(source, name, into.losses);
  TrackIndex tracks(into);
  AACO_ASSIGN(CsvHeader header, read_csv_header(reader, name, recording, format, into));
  while (header.kind != nullptr) {
    AACO_ASSIGN(CsvHeader next, read_rows(reader, header, name, recording, format, tracks, into));
    header = std::move(next);
  }
  return {};
}

}  // namespace aaco
