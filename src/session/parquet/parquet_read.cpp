// SPDX-License-Identifier: MIT
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/files/file.h"
#include "session/parquet/duckdb_library.h"
#include "session/parquet/parquet.h"
#include "session/parquet/statement_reader.h"

namespace aaco {

namespace {

Error damaged(const std::filesystem::path& path, std::string_view why) {
  return {ErrorKind::kUsage, fmt::format("{}: {}", path.string(), why),
          "the file is damaged, or was not written by aaco"};
}

// `reason` is ours, or in DuckDB's words, which are about statements that nobody typed.
Error unreadable(const std::filesystem::path& path, std::string_view reason) {
  if (reason.find(" Error: ") == std::string_view::npos) {
    return damaged(path, reason);
  }
  if (const int number = errno_in(reason)) {
    return file_error(path, "read", number);
  }
  if (reason.starts_with("Out of Memory")) {
    return {ErrorKind::kResource, fmt::format("{}: not enough memory to read it", path.string()),
            "close other programs, or use a machine with more memory"};
  }
  return damaged(
      path, reason.starts_with("Binder") ? "has not the columns of such a table" : "not a Parquet table, or cut short");
}

using TakeTable = std::function<Result<void>(Table)>;

// A database that no statement uses. To open one takes longer than to read a small file, and a session has dozens. Each
// statement has its own, whatever thread it runs in and within whatever other statement.
class IdleDatabase {
 public:
  Result<DuckDbDatabase> take() {
    {
      const std::lock_guard lock(mutex_);
      if (idle_) {
        DuckDbDatabase database = std::move(*idle_);
        idle_.reset();
        return database;
      }
    }
    return DuckDbDatabase::open();
  }

  // One is kept. What a failed statement left behind is not to be used again: that one is closed.
  void give_back(DuckDbDatabase database) {
    const std::lock_guard lock(mutex_);
    if (!idle_) {
      idle_.emplace(std::move(database));
    }
  }

 private:
  std::mutex mutex_;
  std::optional<DuckDbDatabase> idle_;
};

// Never destroyed: at the program's end DuckDB's own statics may be gone before.
IdleDatabase& idle_database() {
  static auto* const idle = new IdleDatabase;
  return *idle;
}

Result<void> read_statement(const DuckDbDatabase& database, const std::filesystem::path& path,
                            const std::string& statement, const std::string& table_name, size_t rows_per_piece,
                            const TakeTable& take) {
  StatementReader reader(database, [&](std::string_view reason) { return unreadable(path, reason); });
  AACO_TRY(reader.start(statement));
  return reader.read(table_name, rows_per_piece, [&](Table piece) -> Result<MoreRows> {
    AACO_TRY(take(std::move(piece)));
    return MoreRows::kWanted;
  });
}

// `columns` of the file, as in a SELECT.
Result<void> read_file_in_pieces(const std::filesystem::path& path, std::string_view columns,
                                 const std::string& table_name, size_t rows_per_piece, const TakeTable& take) {
  AACO_TRY(expect_descriptor_paths());
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return file_error(path, "open", errno);
  }
  struct stat info{};
  Result<void> outcome;
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    outcome = damaged(path, "not a file");
  } else if (Result<DuckDbDatabase> database = idle_database().take(); !database) {
    outcome = database.error();
  } else {
    // Through the descriptor, so that no character of the path means anything to DuckDB (quotes, globs, URLs).
    const std::string statement = fmt::format("SELECT {} FROM read_parquet('/proc/self/fd/{}')", columns, fd);
    outcome = read_statement(*database, path, statement, table_name, rows_per_piece, take);
    if (outcome) {
      idle_database().give_back(std::move(*database));
    }
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
  return read_file_in_pieces(path, "*", table_name, kRowsPerPiece, take);
}

Result<Table> read_parquet(const std::filesystem::path& path, const std::string& table_name) {
  Table whole;
  AACO_TRY(read_file_in_pieces(path, "*", table_name, SIZE_MAX, [&](Table table) -> Result<void> {
    whole = std::move(table);
    return {};
  }));
  return whole;
}

Result<uint64_t> parquet_row_count(const std::filesystem::path& path) {
  uint64_t count = 0;
  AACO_TRY(read_file_in_pieces(path, "count(*)", "count", SIZE_MAX, [&](const Table& table) -> Result<void> {
    count = static_cast<uint64_t>(std::get<std::vector<int64_t>>(table.columns.at(0).values).at(0));
    return {};
  }));
  return count;
}

Result<std::string> duckdb_version() {
  AACO_ASSIGN(const DuckDb* api, load_duckdb());
  return fmt::format("{} ({})", api->library_version(), api->library.string());
}

}  // namespace aaco
