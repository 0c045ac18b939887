// SPDX-License-Identifier: MIT
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/file.h"
#include "session/duckdb_library.h"
#include "session/parquet.h"

namespace aaco {

namespace {

Error damaged(const std::filesystem::path& path, std::string_view why) {
  return {ErrorKind::kUsage, fmt::format("{}: {}", path.string(), why.substr(0, why.find('\n'))),
          "the file is damaged, or was not written by aaco"};
}

// The statement that reads one file, row by row; what it holds is freed at its end.
class Reader {
 public:
  Reader(const DuckDbDatabase& database, const std::filesystem::path& path) : api_(database.api()), path_(path) {
    connection_ = database.connection();
  }
  ~Reader() {
    api_.destroy_result(&result_);
    api_.destroy_pending(&pending_);
    api_.destroy_prepare(&prepared_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Result<void> start(int fd);
  // An empty table with the file's columns.
  Result<Table> header(const std::string& table_name);
  // Appends the next rows to `piece`; false at the end.
  Result<bool> append(Table& piece);

 private:
  Result<void> append_chunk(duckdb_data_chunk chunk, Table& piece);
  void append_column(duckdb_vector vector, size_t rows, size_t before, TableColumn& column);

  const DuckDb& api_;
  const std::filesystem::path& path_;
  duckdb_connection connection_ = nullptr;
  duckdb_prepared_statement prepared_ = nullptr;
  duckdb_pending_result pending_ = nullptr;
  duckdb_result result_{};
  uint64_t unpacked_bytes_ = 0;
};

Result<void> Reader::start(int fd) {
  // Through the descriptor, so that no character of the path means anything to DuckDB (quotes, globs, URLs).
  const std::string statement = fmt::format("SELECT * FROM read_parquet('/proc/self/fd/{}')", fd);
  if (api_.prepare(connection_, statement.c_str(), &prepared_) != DuckDBSuccess) {
    return damaged(path_, api_.prepare_error(prepared_));
  }
  if (api_.pending_prepared_streaming(prepared_, &pending_) != DuckDBSuccess) {
    return damaged(path_, api_.pending_error(pending_));
  }
  if (api_.execute_pending(pending_, &result_) != DuckDBSuccess) {
    return damaged(path_, api_.result_error(&result_));
  }
  return {};
}

Result<Table> Reader::header(const std::string& table_name) {
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
        return damaged(path_, fmt::format("column {} has a type that aaco does not write", column.info.name));
    }
    table.columns.push_back(std::move(column));
  }
  return table;
}

void Reader::append_column(duckdb_vector vector, size_t rows, size_t before, TableColumn& column) {
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

Result<void> Reader::append_chunk(duckdb_data_chunk chunk, Table& piece) {
  const size_t rows = api_.data_chunk_get_size(chunk);
  for (size_t c = 0; c < piece.columns.size(); ++c) {
    append_column(api_.data_chunk_get_vector(chunk, c), rows, piece.row_count, piece.columns[c]);
  }
  piece.row_count += rows;
  if (unpacked_bytes_ > kMaxUnpackedBytes) {
    return damaged(path_, "unpacks to more than 4 GiB");
  }
  return {};
}

Result<bool> Reader::append(Table& piece) {
  duckdb_data_chunk chunk = api_.fetch_chunk(result_);
  if (chunk == nullptr) {
    const char* failed = api_.result_error(&result_);
    return failed != nullptr && *failed != '\0' ? Result<bool>(damaged(path_, failed)) : Result<bool>(false);
  }
  const Result<void> appended = append_chunk(chunk, piece);
  api_.destroy_data_chunk(&chunk);
  return appended ? Result<bool>(true) : Result<bool>(appended.error());
}

using TakeTable = std::function<Result<void>(Table)>;

Result<void> read_all(Reader& reader, int fd, const std::string& table_name, size_t rows_per_piece,
                      const TakeTable& take) {
  AACO_TRY(reader.start(fd));
  AACO_ASSIGN(const Table header, reader.header(table_name));
  Table piece = header;
  bool taken = false;
  for (bool more = true; more;) {
    AACO_ASSIGN(more, reader.append(piece));
    if (more ? piece.row_count >= rows_per_piece : piece.row_count > 0 || !taken) {
      AACO_TRY(take(std::exchange(piece, header)));
      taken = true;
    }
  }
  return {};
}

Result<void> read_file_in_pieces(const std::filesystem::path& path, const std::string& table_name,
                                 size_t rows_per_piece, const TakeTable& take) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return file_error(path, "open", errno);
  }
  struct stat info{};
  Result<void> outcome;
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    outcome = damaged(path, "not a file");
  } else if (Result<DuckDbDatabase> database = DuckDbDatabase::open(); !database) {
    outcome = database.error();
  } else {
    Reader reader(*database, path);
    outcome = read_all(reader, fd, table_name, rows_per_piece, take);
  }
  ::close(fd);
  return outcome;
}

}  // namespace

Result<void> take_memory(const std::filesystem::path& path, const Table& piece, size_t row_bytes,
                         uint64_t& left_bytes) {
  // By the row, since columns that are not in the file have their room in it too.
  uint64_t bytes = piece.row_count * row_bytes;
  for (const TableColumn& column : piece.columns) {
    if (const auto* texts = std::get_if<std::vector<std::string>>(&column.values)) {
      for (const std::string& text : *texts) {
        bytes += text.size();
      }
    }
  }
  if (bytes > left_bytes) {
    return damaged(path, "needs, with the session's other tables, more than 4 GiB of memory");
  }
  left_bytes -= bytes;
  return {};
}

Result<void> read_parquet_pieces(const std::filesystem::path& path, const std::string& table_name,
                                 const TakeTable& take) {
  return read_file_in_pieces(path, table_name, kRowsPerPiece, take);
}

Result<Table> read_parquet(const std::filesystem::path& path, const std::string& table_name) {
  Table whole;
  AACO_TRY(read_file_in_pieces(path, table_name, SIZE_MAX, [&](Table table) -> Result<void> {
    whole = std::move(table);
    return {};
  }));
  return whole;
}

Result<std::string> duckdb_version() {
  AACO_ASSIGN(const DuckDb* api, load_duckdb());
  return fmt::format("{} ({})", api->library_version(), api->library.string());
}

}  // namespace aaco
