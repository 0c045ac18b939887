// SPDX-License-Identifier: MIT
// libduckdb.so, opened on first need, as a table of the C functions that we call; and one in-memory database of it. For
// parquet*.cpp only.
#pragma once

#include <duckdb.h>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace aaco {

// clang-format off
#define AACO_DUCKDB_FUNCTIONS(X)                                                                                     \
  X(library_version) X(create_config) X(set_config) X(destroy_config) X(open_ext) X(close) X(connect) X(disconnect)  \
  X(free) X(query) X(destroy_result) X(result_error) X(result_error_type) X(prepare) X(prepare_error) X(interrupt)   \
  X(extract_statements) X(extract_statements_error) X(prepare_extracted_statement) X(destroy_extracted)              \
  X(prepared_statement_type)                                                                                         \
  X(destroy_prepare) X(pending_prepared_streaming) X(pending_error) X(execute_pending) X(destroy_pending)            \
  X(fetch_chunk) X(column_count) X(column_name) X(column_type) X(data_chunk_get_size) X(data_chunk_set_size)         \
  X(data_chunk_get_vector) X(destroy_data_chunk) X(vector_size) X(vector_get_data) X(vector_get_validity)            \
  X(vector_ensure_validity_writable) X(validity_row_is_valid) X(validity_set_row_invalid)                            \
  X(vector_assign_string_element_len) X(string_t_data) X(string_t_length) X(create_logical_type)                     \
  X(destroy_logical_type) X(create_table_function) X(destroy_table_function) X(table_function_set_name)              \
  X(table_function_set_extra_info) X(table_function_set_bind) X(table_function_set_init)                             \
  X(table_function_set_function) X(register_table_function) X(bind_get_extra_info) X(bind_add_result_column)         \
  X(function_get_extra_info) X(function_set_error)
// clang-format on

struct DuckDb {
// A member that is declared cannot stand in parentheses.
#define AACO_DUCKDB_MEMBER(name) decltype(&duckdb_##name) name = nullptr;  // NOLINT(bugprone-macro-parentheses)
  AACO_DUCKDB_FUNCTIONS(AACO_DUCKDB_MEMBER)
#undef AACO_DUCKDB_MEMBER
  std::filesystem::path library;  // the file that was opened
};

// The library, loaded once a process: AACO_DUCKDB_LIBRARY if that is set (and nothing else then), else beside the
// program, in
// ../lib, in .deps/duckdb/lib of a source checkout, and where the loader looks. Error: kUnavailable with what was
// tried.
Result<const DuckDb*> load_duckdb();

// A database in memory with one connection: one thread, 512 MB, and no extension that is not built in.
class DuckDbDatabase {
 public:
  static Result<DuckDbDatabase> open();
  ~DuckDbDatabase();
  DuckDbDatabase(DuckDbDatabase&& other) noexcept;
  DuckDbDatabase(const DuckDbDatabase&) = delete;
  DuckDbDatabase& operator=(const DuckDbDatabase&) = delete;
  DuckDbDatabase& operator=(DuckDbDatabase&&) = delete;

  const DuckDb& api() const { return *api_; }
  duckdb_connection connection() const { return connection_; }

  // Takes the library's code and constants out of the process's memory. They stay in the page cache and come back as
  // they are used: opening a database leaves 27 MB of them, most of it used once.
  void give_back_code() const;

 private:
  explicit DuckDbDatabase(const DuckDb* api) : api_(api) {}

  const DuckDb* api_;
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

// DuckDB opens files by /proc/self/fd/N. Errors: kUnavailable where there is no /proc.
Result<void> expect_descriptor_paths();

// What a file system or a limit said, out of the words of an error: ENOSPC, EDQUOT, EFBIG, EIO, EMFILE, ENFILE, ENOMEM;
// 0 where it was none of these.
int errno_in(std::string_view text);

// 'it''s': a string literal of SQL. Nothing else is special inside one.
std::string sql_literal(std::string_view text);

}  // namespace aaco
