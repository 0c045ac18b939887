// SPDX-License-Identifier: MIT
// Parquet through DuckDB, which is opened on first need (see duckdb_library.h). Tables larger than memory should be are
// written and read in pieces. Text that is not UTF-8 is stored with U+FFFD in place of each bad byte.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "trace/table.h"

namespace aaco {

inline constexpr size_t kRowsPerPiece = 65'536;

// Atomic: writes beside the target and renames. The table's name, units and schema version go into the file's
// key-value metadata. Errors: kUnavailable without DuckDB, kResource on a full disk (naming the file).
Result<void> write_parquet(const std::filesystem::path& path, const Table& table);

// The same from pieces: `next` gives them in order, with exactly these columns, and null at the end; a piece is used
// until the next call.
Result<void> write_parquet_pieces(const std::filesystem::path& path, const std::string& table_name,
                                  const std::vector<ColumnInfo>& columns, const std::function<const Table*()>& next);

// All columns; `unit` and `meaning` stay empty, `nullable` says whether a null is there. Errors: kUsage for a missing
// or damaged file, one with columns of other types than ColumnType's, or one that unpacks to over 4 GiB; each names the
// file.
Result<Table> read_parquet(const std::filesystem::path& path, const std::string& table_name);

// The same in pieces of about kRowsPerPiece rows, at least one (of no rows if the file has none); an error of `take`
// ends the reading.
Result<void> read_parquet_pieces(const std::filesystem::path& path, const std::string& table_name,
                                 const std::function<Result<void>(Table)>& take);

// Rows in pieces, so that they are never in memory twice.
template <class Row>
Result<void> write_parquet_rows(const std::filesystem::path& path, std::span<const Row> rows) {
  Table piece;
  return write_parquet_pieces(path, RowSchema<Row>::kName, column_infos<Row>(), [&]() -> const Table* {
    if (rows.empty()) {
      return nullptr;
    }
    const std::span<const Row> some = rows.first(std::min(rows.size(), kRowsPerPiece));
    rows = rows.subspan(some.size());
    piece = to_table(std::vector<Row>(some.begin(), some.end()));
    return &piece;
  });
}

template <class Row>
Result<std::vector<Row>> read_parquet_rows(const std::filesystem::path& path) {
  std::vector<Row> rows;
  AACO_TRY(read_parquet_pieces(path, RowSchema<Row>::kName, [&](const Table& piece) -> Result<void> {
    Result<std::vector<Row>> some = from_table<Row>(piece);
    if (!some) {
      Error error = some.error();
      error.message = path.string() + ": " + error.message;
      return error;
    }
    rows.insert(rows.end(), std::move_iterator(some->begin()), std::move_iterator(some->end()));
    return {};
  }));
  return rows;
}

// "v1.5.6" and where the library was found, for doctor.
Result<std::string> duckdb_version();

}  // namespace aaco
