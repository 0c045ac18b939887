// SPDX-License-Identifier: MIT
#include "session/parquet/statement_reader.h"

#include <fmt/format.h>
#include <utility>

#include "session/parquet/parquet.h"

namespace aaco {

StatementReader::StatementReader(const DuckDbDatabase& database, MakeError failed)
    : api_(database.api()), failed_(std::move(failed)), connection_(database.connection()) {}

StatementReader::~StatementReader() {
  api_.destroy_result(&result_);
  api_.destroy_pending(&pending_);
  api_.destroy_prepare(&prepared_);
}

Result<void> StatementReader::start(const std::string& statement) {
  if (api_.prepare(connection_, statement.c_str(), &prepared_) != DuckDBSuccess) {
    return failed_(api_.prepare_error(prepared_));
  }
  if (api_.pending_prepared_streaming(prepared_, &pending_) != DuckDBSuccess) {
    return failed_(api_.pending_error(pending_));
  }
  if (api_.execute_pending(pending_, &result_) != DuckDBSuccess) {
    return failed_(api_.result_error(&result_));
  }
  return {};
}

Result<Table> StatementReader::header(const std::string& table_name) {
  Table table{table_name, {}, 0};
  for (idx_t c = 0; c < api_.column_count(&result_); ++c) {
    TableColumn column;
    column.info.name = api_.column_name(&result_, c);
    switch (api_.column_type(&result_, c)) {
      case DUCKDB_TYPE_BIGINT:
        column.info.type = ColumnType::kInt64;
        column.values = std::vector<int64_t>();
        break;
      case DUCKDB_TYPE_DOUBLE:
        column.info.type = ColumnType::kDouble;
        column.values = std::vector<double>();
        break;
      case DUCKDB_TYPE_VARCHAR:
        column.info.type = ColumnType::kString;
        column.values = std::vector<std::string>();
        break;
      default:
        return failed_(fmt::format("column {} has another type than aaco's tables", column.info.name));
    }
    table.columns.push_back(std::move(column));
  }
  return table;
}

void StatementReader::append_column(duckdb_vector vector, size_t rows, size_t before, TableColumn& column) {
  uint64_t* validity = api_.vector_get_validity(vector);
  const auto is_valid = [&](size_t i) { return validity == nullptr || api_.validity_row_is_valid(validity, i); };
  void* data = api_.vector_get_data(vector);
  std::visit(
      [&]<class T>(std::vector<T>& values) {
        if constexpr (std::is_same_v<T, std::string>) {
          auto* texts = static_cast<duckdb_string_t*>(data);
          for (size_t i = 0; i < rows && unpacked_bytes_ <= kMaxUnpackedBytes; ++i) {
            const uint32_t bytes = is_valid(i) ? api_.string_t_length(texts[i]) : 0;
            unpacked_bytes_ += sizeof(std::string) + bytes;
            values.emplace_back(bytes > 0 ? api_.string_t_data(&texts[i]) : "", bytes);
          }
        } else {
          const auto* numbers = static_cast<const T*>(data);
          unpacked_bytes_ += rows * sizeof(T);
          for (size_t i = 0; i < rows; ++i) {
            values.push_back(is_valid(i) ? numbers[i] : T{});
          }
        }
      },
      column.values);
  for (size_t i = 0; i < rows; ++i) {
    if (!is_valid(i) && !column.info.nullable) {
      column.info.nullable = true;
      column.valid.assign(before + i, 1);
    }
    if (column.info.nullable) {
      column.valid.push_back(is_valid(i));
    }
  }
  unpacked_bytes_ += column.info.nullable ? rows : 0;
}

Result<void> StatementReader::append_chunk(duckdb_data_chunk chunk, Table& piece) {
  const size_t rows = api_.data_chunk_get_size(chunk);
  for (size_t c = 0; c < piece.columns.size(); ++c) {
    append_column(api_.data_chunk_get_vector(chunk, c), rows, piece.row_count, piece.columns[c]);
  }
  piece.row_count += rows;
  if (unpacked_bytes_ > kMaxUnpackedBytes) {
    return failed_("unpacks to more than 4 GiB");
  }
  return {};
}

Result<bool> StatementReader::append(Table& piece) {
  duckdb_data_chunk chunk = api_.fetch_chunk(result_);
  if (chunk == nullptr) {
    const char* failed = api_.result_error(&result_);
    return failed != nullptr && *failed != '\0' ? Result<bool>(failed_(failed)) : Result<bool>(false);
  }
  const Result<void> appended = append_chunk(chunk, piece);
  api_.destroy_data_chunk(&chunk);
  return appended ? Result<bool>(true) : Result<bool>(appended.error());
}

Result<void> StatementReader::read(const std::string& table_name, size_t rows_per_piece,
                                   const std::function<Result<MoreRows>(Table)>& take) {
  AACO_ASSIGN(const Table empty, header(table_name));
  Table piece = empty;
  bool consumed = false;
  for (bool more = true; more;) {
    AACO_ASSIGN(more, append(piece));
    if (more ? piece.row_count >= rows_per_piece : piece.row_count > 0 || !consumed) {
      AACO_ASSIGN(const MoreRows wanted, take(std::exchange(piece, empty)));
      more = more && wanted == MoreRows::kWanted;
      unpacked_bytes_ = 0;
      consumed = true;
    }
  }
  return {};
}

}  // namespace aaco
