// SPDX-License-Identifier: MIT
// A statement of DuckDB whose rows come as tables of our column types, in pieces.
#pragma once

#include <duckdb.h>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/table.h"
#include "session/parquet/duckdb_library.h"
#include "session/parquet/parquet.h"

namespace aaco {

class StatementReader {
 public:
  using MakeError = std::function<Error(std::string_view reason)>;

  // `failed` makes the error of what DuckDB refuses, from its text; all errors below are its.
  StatementReader(const DuckDbDatabase& database, MakeError failed);
  ~StatementReader();
  StatementReader(const StatementReader&) = delete;
  StatementReader& operator=(const StatementReader&) = delete;

  Result<void> start(const std::string& statement);
  // Rows in pieces of about `rows_per_piece`, at least one (of no rows if there is none); an error of `take` ends it,
  // and so does its word that it has enough. Errors: a column of another type than BIGINT, DOUBLE or VARCHAR; a piece
  // of more than kMaxUnpackedBytes.
  Result<void> read(const std::string& table_name, size_t rows_per_piece,
                    const std::function<Result<MoreRows>(Table)>& take);

 private:
  Result<Table> header(const std::string& table_name);
  Result<bool> append(Table& piece);  // the next rows; false at the end
  Result<void> append_chunk(duckdb_data_chunk chunk, Table& piece);
  void append_column(duckdb_vector vector, size_t rows, size_t before, TableColumn& column);

  const DuckDb& api_;
  MakeError failed_;
  duckdb_connection connection_ = nullptr;
  duckdb_prepared_statement prepared_ = nullptr;
  duckdb_pending_result pending_ = nullptr;
  duckdb_result result_{};
  uint64_t unpacked_bytes_ = 0;
};

}  // namespace aaco
