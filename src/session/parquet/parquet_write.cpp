// SPDX-License-Identifier: MIT
#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/files/new_file.h"
#include "base/json/json.h"
#include "base/process/limit_error.h"
#include "base/text/utf8.h"
#include "base/unfinished_path.h"
#include "session/bundle/layout.h"
#include "session/parquet/duckdb_library.h"
#include "session/parquet/parquet.h"

namespace aaco {

namespace {

constexpr size_t kRowGroupRows = 32'768;  // DuckDB holds a group until it is written; by default it takes 122,880 rows

duckdb_type duckdb_type_of(ColumnType type) {
  switch (type) {
    case ColumnType::kInt64:
      return DUCKDB_TYPE_BIGINT;
    case ColumnType::kDouble:
      return DUCKDB_TYPE_DOUBLE;
    case ColumnType::kString:
      break;
  }
  return DUCKDB_TYPE_VARCHAR;
}

// What DuckDB pulls rows from, as a table function: nothing is stored between a piece and the file.
struct RowSource {
  const DuckDb& api;
  const std::vector<ColumnInfo>& columns;
  const std::function<const Table*()>& next;
  std::string function;  // its name in SQL
  const Table* piece = nullptr;
  size_t offset = 0;            // in the piece
  size_t given = 0;             // rows of all pieces
  std::exception_ptr thrown{};  // of `next`

  void fill(duckdb_data_chunk output);
  void copy(const TableColumn& column, size_t rows, duckdb_vector vector) const;
};

void RowSource::copy(const TableColumn& column, size_t rows, duckdb_vector vector) const {
  std::visit(
      [&]<class T>(const std::vector<T>& values) {
        if constexpr (std::is_same_v<T, std::string>) {
          for (size_t i = 0; i < rows; ++i) {
            const std::string text = as_utf8(values[offset + i]);
            api.vector_assign_string_element_len(vector, i, text.data(), text.size());
          }
        } else {
          std::memcpy(api.vector_get_data(vector), values.data() + offset, rows * sizeof(T));
        }
      },
      column.values);
  if (!column.valid.empty()) {
    api.vector_ensure_validity_writable(vector);
    uint64_t* validity = api.vector_get_validity(vector);
    for (size_t i = 0; i < rows; ++i) {
      if (column.valid[offset + i] == 0) {
        api.validity_set_row_invalid(validity, i);
      }
    }
  }
}

void RowSource::fill(duckdb_data_chunk output) {
  while (piece == nullptr || offset == piece->row_count) {
    piece = next();
    offset = 0;
    if (piece == nullptr) {
      api.data_chunk_set_size(output, 0);
      return;
    }
  }
  const size_t rows = std::min<size_t>(piece->row_count - offset, api.vector_size());
  for (size_t c = 0; c < columns.size(); ++c) {
    copy(piece->columns.at(c), rows, api.data_chunk_get_vector(output, c));
  }
  api.data_chunk_set_size(output, rows);
  offset += rows;
  given += rows;
}

void bind_rows(duckdb_bind_info info) {
  // The source is found through the bind info before its function table is known, hence the second look-up.
  const DuckDb& api = **load_duckdb();
  const auto* source = static_cast<const RowSource*>(api.bind_get_extra_info(info));
  for (const ColumnInfo& column : source->columns) {
    duckdb_logical_type type = api.create_logical_type(duckdb_type_of(column.type));
    api.bind_add_result_column(info, column.name.c_str(), type);
    api.destroy_logical_type(&type);
  }
}

void init_rows(duckdb_init_info) {}

void next_rows(duckdb_function_info info, duckdb_data_chunk output) {
  const DuckDb& api = **load_duckdb();
  auto* const source = static_cast<RowSource*>(api.function_get_extra_info(info));
  try {
    source->fill(output);
  } catch (const std::exception& exception) {
    source->thrown = std::current_exception();
    api.function_set_error(info, exception.what());
  }
}

// Opened once, because that takes longer than writing a small file; and never closed, because at the program's end
// DuckDB's own statics may be gone before.
Result<const DuckDbDatabase*> writing_database() {
  static const auto* const database = new Result<DuckDbDatabase>(DuckDbDatabase::open());
  if (!*database) {
    return database->error();
  }
  return &**database;
}

// Each source has its own: DuckDB forgets none.
std::string next_function_name() {
  static std::atomic<uint64_t> count = 0;
  return fmt::format("aaco_rows_{}", count++);
}

bool register_source(const DuckDbDatabase& database, RowSource& source) {
  const DuckDb& api = database.api();
  duckdb_table_function function = api.create_table_function();
  api.table_function_set_name(function, source.function.c_str());
  api.table_function_set_extra_info(function, &source, nullptr);
  api.table_function_set_bind(function, bind_rows);
  api.table_function_set_init(function, init_rows);
  api.table_function_set_function(function, next_rows);
  const bool registered = api.register_table_function(database.connection(), function) == DuckDBSuccess;
  api.destroy_table_function(&function);
  return registered;
}

std::string copy_statement(const std::string& target, const std::string& table_name, const RowSource& source) {
  Json described = Json::array();
  for (const ColumnInfo& column : source.columns) {
    described.push_back({{"name", column.name}, {"unit", column.unit}, {"meaning", column.meaning}});
  }
  return fmt::format(
      "COPY (SELECT * FROM {}()) TO {} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {}, USE_TMP_FILE false, "
      "KV_METADATA {{aaco_table: {}, aaco_schema_version: {}, aaco_columns: {}}})",
      source.function, sql_literal(target), kRowGroupRows, sql_literal(table_name),
      sql_literal(std::to_string(layout::kSchemaVersion)), sql_literal(described.dump()));
}

// DuckDB gives the reason of a failed write as text.
Error write_error(const std::filesystem::path& path, duckdb_error_type type, const std::string& text) {
  if (const int number = errno_in(text)) {
    return file_error(path, "write", number);
  }
  const bool memory = type == DUCKDB_ERROR_OUT_OF_MEMORY;
  const bool resource = memory || type == DUCKDB_ERROR_IO;
  return {resource ? ErrorKind::kResource : ErrorKind::kBug,
          fmt::format("cannot write {}: {}", path.string(),
                      memory     ? "not enough memory"
                      : resource ? "the file system failed"
                                 : "the table could not be made"),
          resource ? "check the disk and the free memory" : ""};
}

Error error_of_thrown(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& exception) {
    return error_of(exception);
  }
}

Result<void> run_copy(const std::filesystem::path& path, int fd, const std::string& table_name, RowSource& source,
                      const DuckDbDatabase& database) {
  const DuckDb& api = database.api();
  if (!register_source(database, source)) {
    return Error{ErrorKind::kBug, fmt::format("cannot write {}: DuckDB refused our table function", path.string()), ""};
  }
  // Through the descriptor, so that no character of the path means anything to DuckDB (quotes, globs, URLs).
  const std::string statement = copy_statement(fmt::format("/proc/self/fd/{}", fd), table_name, source);
  duckdb_result result{};
  Result<void> outcome;
  if (api.query(database.connection(), statement.c_str(), &result) != DuckDBSuccess) {
    const char* text = api.result_error(&result);
    outcome = source.thrown ? error_of_thrown(source.thrown)
                            : write_error(path, api.result_error_type(&result), text != nullptr ? text : "unknown");
  } else if (::fsync(fd) != 0) {
    outcome = file_error(path, "write", errno);
  }
  api.destroy_result(&result);
  return outcome;
}

}  // namespace

Result<void> write_parquet_pieces(const std::filesystem::path& path, const std::string& table_name,
                                  const std::vector<ColumnInfo>& columns, const std::function<const Table*()>& next) {
  AACO_TRY(expect_descriptor_paths());
  AACO_ASSIGN(const DuckDbDatabase* const database, writing_database());
  AACO_ASSIGN(const NewFile temporary, make_file_beside(path, O_RDWR));
  const UnfinishedPath unfinished(temporary.path);
  RowSource source{database->api(), columns, next, next_function_name()};
  Result<void> outcome = run_copy(path, temporary.descriptor, table_name, source, *database);
  ::close(temporary.descriptor);
  // What follows a large table may need the memory; small ones come one upon another.
  if (source.given > kRowGroupRows) {
    database->give_back_code();
  }
  if (outcome && ::rename(temporary.path.c_str(), path.c_str()) != 0) {
    outcome = file_error(path, "write", errno);
  }
  if (!outcome) {
    ::unlink(temporary.path.c_str());
  }
  return outcome;
}

}  // namespace aaco
