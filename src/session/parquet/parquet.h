// SPDX-License-Identifier: MIT
// Parquet through DuckDB, which is opened on first need (see duckdb_library.h). Tables larger than memory should be are
// written and read in pieces. Text that is not UTF-8 is stored with U+FFFD and its two digits in place of each bad
// byte.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "record/table.h"

namespace aaco {

inline constexpr size_t kRowsPerPiece = 8192;

// Whether whoever takes rows wants more of them.
enum class MoreRows { kWanted, kEnough };

// What a file may unpack to, and what the rows of all files of a bundle may take in memory together.
inline constexpr uint64_t kMaxUnpackedBytes = uint64_t{4} << 30;

// Atomic: writes beside the target and renames. `next` gives pieces in order, with exactly these columns, and null at
// the end; a piece is used until the next call. The table's name, units and schema version go into the file's
// key-value metadata. Errors: kUnavailable without DuckDB, kResource on a full disk (naming the file).
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

// Rows 0 to `count` as `make(i)` gives them, in pieces, so that they are never all in memory.
template <class Row, class Make>
Result<void> write_parquet_made(const std::filesystem::path& path, size_t count, const Make& make) {
  size_t next = 0;
  Table piece;
  return write_parquet_pieces(path, RowSchema<Row>::kName, column_infos<Row>(), [&]() -> const Table* {
    if (next == count) {
      return nullptr;
    }
    std::vector<Row> rows;
    rows.reserve(std::min(count - next, kRowsPerPiece));
    while (next < count && rows.size() < kRowsPerPiece) {
      rows.push_back(make(next++));
    }
    piece = to_table(rows);
    return &piece;
  });
}

template <class Row>
Result<void> write_parquet_rows(const std::filesystem::path& path, std::span<const Row> rows) {
  return write_parquet_made<Row>(path, rows.size(), [&](size_t i) { return rows[i]; });
}

// Rows of a file, from its footer. Errors: as read_parquet.
Result<uint64_t> parquet_row_count(const std::filesystem::path& path);

// Takes what the rows of `piece` need as structs of `row_bytes` off `left_bytes`; kUsage where it is more.
Result<void> take_memory(const std::filesystem::path& path, const Table& piece, size_t row_bytes, uint64_t& left_bytes);

// `left_bytes`: of kMaxUnpackedBytes; what the rows take is taken off. Errors: as read_parquet; kUsage where that is
// not enough.
template <class Row>
Result<std::vector<Row>> read_parquet_rows(const std::filesystem::path& path, uint64_t& left_bytes) {
  std::vector<Row> rows;
  AACO_TRY(read_parquet_pieces(path, RowSchema<Row>::kName, [&](const Table& piece) -> Result<void> {
    AACO_TRY(take_memory(path, piece, sizeof(Row), left_bytes));
    Result<std::vector<Row>> some = from_table<Row>(piece);
    if (!some) {
      Error error = some.error();
      error.message = path.string() + ": " + error.message;
      return error;
    }
    const size_t needed = rows.size() + some->size();
    if (needed > rows.capacity()) {
      rows.reserve(std::max(needed, std::min(2 * rows.capacity(), needed + left_bytes / sizeof(Row))));
    }
    rows.insert(rows.end(), std::move_iterator(some->begin()), std::move_iterator(some->end()));
    return {};
  }));
  return rows;
}

// "v1.5.6" and where the library was found, for doctor.
Result<std::string> duckdb_version();

}  // namespace aaco
