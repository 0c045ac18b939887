// SPDX-License-Identifier: MIT
#include "ingest/table/csv_table.h"

#include <fmt/format.h>
#include <optional>
#include <vector>

#include "ingest/table/csv_reader.h"
#include "ingest/table/table_rows.h"

namespace aaco {

namespace {

// Texts of the header's cells, which may look like numbers.
std::vector<std::string> texts_of(const std::vector<Cell>& cells) {
  std::vector<std::string> texts;
  for (const Cell& cell : cells) {
    texts.emplace_back(cell.text);
  }
  return texts;
}

}  // namespace

bool is_csv_table(std::string_view head, std::span<const TableKind> kinds) {
  const auto source = bytes_of(head);
  LossTable ignored;
  CsvReader reader(*source, "", ignored);
  std::vector<Cell> cells;
  const auto row = reader.next(cells);
  if (!row || !*row) {
    return false;
  }
  const std::vector<std::string> texts = texts_of(cells);
  return find_table_kind(kinds, std::vector<std::string_view>(texts.begin(), texts.end())) != nullptr;
}

Result<void> read_csv_table(ByteSource& source, const std::string& name, uint32_t recording,
                            std::span<const TableKind> kinds, EventTable& into) {
  CsvReader reader(source, name, into.losses);
  std::vector<Cell> cells;
  AACO_ASSIGN(const bool has_header, reader.next(cells));
  const std::vector<std::string> header = has_header ? texts_of(cells) : std::vector<std::string>();
  const std::vector<std::string_view> columns(header.begin(), header.end());
  const TableKind* kind = find_table_kind(kinds, columns);
  if (kind == nullptr) {
    return Error{ErrorKind::kUsage, fmt::format("{}: has no header of a known table", name),
                 "name a file as its profiler wrote it, with the line of column names"};
  }
  TrackIndex tracks(into);
  TableRows rows(*kind, columns, name, recording, tracks, into);
  std::optional<uint64_t> short_line;  // a row of another length: cut, if it is the last
  for (;;) {
    AACO_ASSIGN(const bool more, reader.next(cells));
    if (short_line) {
      into.losses.add(more ? Loss::kMalformedEvent : Loss::kTruncated,
                      [&] { return fmt::format("{}: line {}", name, *short_line); });
      short_line.reset();
    }
    if (!more) {
      return {};
    }
    if (cells.size() == columns.size()) {
      rows.add(cells, reader.line());
    } else {
      short_line = reader.line();
    }
  }
}

}  // namespace aaco
