// SPDX-License-Identifier: MIT
#include "ingest/sqlite/database.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <optional>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/file.h"
#include "ingest/sqlite/read_only_vfs.h"
#include "ingest/table/table_kind.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr uint64_t kMostInflated = uint64_t{1} << 35;
constexpr size_t kPieceBytes = size_t{1} << 20;
constexpr uint64_t kFewestRows = 4096;
constexpr uint64_t kShortestLimit = 1 << 16;
constexpr uint64_t kLongestLimit = 1'000'000'000;

// Names in SQL are written with all quotes doubled: nothing in them ends the name.
std::string sql_name(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    text += c == '"' ? "\"\"" : std::string(1, c);
  }
  return text + '"';
}

Result<void> write_all(int file, std::span<const char> bytes, const fs::path& folder) {
  while (!bytes.empty()) {
    const ssize_t done = write(file, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) {
      continue;
    }
    if (done < 0) {
      return file_error(folder, "write a temporary file to", errno);
    }
    bytes = bytes.subspan(static_cast<size_t>(done));
  }
  return {};
}

// A file that is gone as soon as it is closed.
Result<int> nameless_file(fs::path& folder) {
  std::error_code error;
  folder = fs::temp_directory_path(error);
  std::string name = (folder / "aaco-XXXXXX").string();
  const int file = error ? -1 : mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) {
    return file_error(folder, "make a temporary file in", error ? error.value() : errno);
  }
  unlink(name.c_str());
  return file;
}

Result<void> fill(int file, const fs::path& folder, const TraceInput& input, LossTable& losses) {
  std::vector<char> piece(kPieceBytes);
  for (uint64_t done = 0;;) {
    const Result<size_t> count = input.bytes.read(piece);
    if (!count) {
      losses.add(Loss::kTruncated, [&] { return count.error().message; });
      return {};
    }
    if (*count == 0) {
      return {};
    }
    done += *count;
    if (done > kMostInflated) {
      return Error{ErrorKind::kUsage, fmt::format("{}: holds more than {} bytes inflated", input.name, kMostInflated),
                   "inflate it yourself and name the plain file"};
    }
    AACO_TRY(write_all(file, std::span(piece).first(*count), folder));
  }
}

bool is_plain_database(int file) {
  std::array<char, kMagic.size()> head{};
  return pread(file, head.data(), head.size(), 0) == static_cast<ssize_t>(head.size()) &&
         std::string_view(head.data(), head.size()) == kMagic;
}

Result<int> open_plain_or_copy(const TraceInput& input, LossTable& losses) {
  const int plain = ::open(input.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (plain >= 0 && is_plain_database(plain)) {
    std::error_code error;
    const fs::path log = input.path.string() + "-wal";
    if (fs::file_size(log, error) > 0 && !error) {
      losses.add(Loss::kTruncated, [&] { return fmt::format("{} was not read", log.string()); });
    }
    return plain;
  }
  if (plain >= 0) {
    close(plain);
  }
  fs::path folder;
  AACO_ASSIGN(const int copy, nameless_file(folder));
  const Result<void> filled = fill(copy, folder, input, losses);
  if (!filled) {
    close(copy);
    return filled.error();
  }
  return copy;
}

// What SQLite itself offers against a hostile file.
void restrict(sqlite3* connection, uint64_t bytes) {
  constexpr std::pair<int, int> kSwitches[] = {
      {SQLITE_DBCONFIG_DEFENSIVE, 1},       {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
      {SQLITE_DBCONFIG_ENABLE_VIEW, 0},     {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
      {SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0}, {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
      {SQLITE_DBCONFIG_DQS_DML, 0},
  };
  for (const auto& [option, value] : kSwitches) {
    sqlite3_db_config(connection, option, value, nullptr);
  }
  sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(connection, SQLITE_LIMIT_WORKER_THREADS, 0);
  // No value is longer than the file that holds it.
  sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, static_cast<int>(std::clamp(bytes, kShortestLimit, kLongestLimit)));
  sqlite3_exec(connection, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA temp_store=MEMORY", nullptr, nullptr,
               nullptr);
}

struct Statement {
  explicit Statement(sqlite3* connection, std::string_view sql) {
    sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  }
  ~Statement() { sqlite3_finalize(statement); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  std::string text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
    return bytes == nullptr ? std::string() : std::string(bytes);
  }

  sqlite3_stmt* statement = nullptr;
};

Cell cell_at(sqlite3_stmt* statement, int column) {
  Cell cell;
  // One call of those that look at the statement, not two; nobody else has the connection.
  sqlite3_value* const value = sqlite3_column_value(statement, column);
  const int cell_type = sqlite3_value_type(value);
  switch (cell_type) {
    case SQLITE_INTEGER:
      cell.type = Cell::Type::kInteger;
      cell.integer = sqlite3_value_int64(value);
      break;
    case SQLITE_FLOAT:
      cell.type = Cell::Type::kReal;
      cell.real = sqlite3_value_double(value);
      break;
    case SQLITE_TEXT:
    case SQLITE_BLOB: {
      const void* const bytes_of_it = cell_type == SQLITE_TEXT ? sqlite3_column_text(statement, column)  // as UTF-8
                                                               : sqlite3_column_blob(statement, column);
      const auto* bytes = static_cast<const char*>(bytes_of_it);
      cell.type = Cell::Type::kText;
      cell.text = bytes == nullptr
                      ? std::string_view()
                      : std::string_view(bytes, static_cast<size_t>(sqlite3_column_bytes(statement, column)));
      break;
    }
    default:
      break;
  }
  return cell;
}

}  // namespace

bool is_sqlite(std::string_view head) { return head.starts_with(kMagic); }

void SqliteDatabase::Closer::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

SqliteDatabase::SqliteDatabase(std::string name, int file) : name_(std::move(name)), file_(file) {}

SqliteDatabase::~SqliteDatabase() {
  connection_.reset();
  close(file_);
}

Result<std::unique_ptr<SqliteDatabase>> SqliteDatabase::open(const TraceInput& input, LossTable& losses) {
  AACO_ASSIGN(const int file, open_plain_or_copy(input, losses));
  std::unique_ptr<SqliteDatabase> database(new SqliteDatabase(input.name, file));
  struct stat status{};
  database->bytes_ = fstat(file, &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
  database->rows_left_ = std::max(database->bytes_, kFewestRows);
  if (const uint64_t claimed = claimed_bytes(file); claimed > database->bytes_) {
    losses.add(Loss::kTruncated,
               [&] { return fmt::format("{}: {} of {} bytes", input.name, database->bytes_, claimed); });
  }
  AACO_TRY(database->connect(losses));
  return database;
}

int SqliteDatabase::list_tables() {
  tables_.clear();
  const Statement listed(connection_.get(),
                         "SELECT name FROM sqlite_master WHERE type='table' AND rootpage>0 AND name IS NOT NULL");
  int step = SQLITE_ERROR;
  while (listed.statement != nullptr && (step = sqlite3_step(listed.statement)) == SQLITE_ROW) {
    tables_.push_back(listed.text(0));
  }
  return step;
}

Result<void> SqliteDatabase::connect(LossTable& losses) {
  sqlite3* opened = nullptr;
  const char* vfs = read_only_vfs();
  const int code = vfs == nullptr ? SQLITE_NOMEM
                                  : sqlite3_open_v2(name_for_vfs(file_).c_str(), &opened,
                                                    SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, vfs);
  connection_.reset(opened);
  if (code == SQLITE_NOMEM) {
    throw std::bad_alloc();
  }
  if (code == SQLITE_OK) {
    restrict(opened, bytes_);
  }
  const int listed = list_tables();
  if (listed != SQLITE_DONE && opened != nullptr) {  // then as far as it goes
    sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
    list_tables();
  }
  const std::string why = opened == nullptr ? "no memory" : sqlite3_errmsg(opened);
  if (listed != SQLITE_DONE && tables_.empty()) {
    return Error{ErrorKind::kUsage, fmt::format("{}: its list of tables cannot be read: {}", name_, why),
                 "name a SQLite database as its profiler wrote it"};
  }
  if (listed != SQLITE_DONE) {
    losses.add(Loss::kTruncated, [&] { return fmt::format("{}: its list of tables ends early: {}", name_, why); });
  }
  std::sort(tables_.begin(), tables_.end());
  return {};
}

bool SqliteDatabase::has(std::string_view table) const {
  return std::binary_search(tables_.begin(), tables_.end(), table);
}

std::vector<std::string> SqliteDatabase::columns_of(std::string_view table) const {
  std::vector<std::string> columns;
  const Statement listed(connection_.get(), fmt::format("PRAGMA table_xinfo({})", sql_name(table)));
  while (listed.statement != nullptr && sqlite3_step(listed.statement) == SQLITE_ROW) {
    if (sqlite3_column_int(listed.statement, 6) == 0) {  // else hidden, or computed
      columns.push_back(listed.text(1));
    }
  }
  return columns;
}

bool SqliteDatabase::has_rows(std::string_view table) const {
  const Statement any(connection_.get(), fmt::format("SELECT 1 FROM {} NOT INDEXED LIMIT 1", sql_name(table)));
  const int step = any.statement == nullptr ? SQLITE_ERROR : sqlite3_step(any.statement);
  return step != SQLITE_DONE;
}

void SqliteScan::Finaliser::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

SqliteScan::SqliteScan(SqliteDatabase& database, std::string_view table, std::span<const std::string> columns,
                       LossTable& losses)
    : database_(database), table_(table), columns_(columns.size()), losses_(losses) {
  const auto taken = [&](std::string_view name) {
    return std::any_of(columns.begin(), columns.end(),
                       [&](const std::string& each) { return same_column(each, name); });
  };
  constexpr std::array<std::string_view, 3> kIds = {"rowid", "_rowid_", "oid"};
  const auto* const id = std::find_if_not(kIds.begin(), kIds.end(), taken);
  std::string sql = fmt::format("SELECT {}", id == kIds.end() ? "NULL" : *id);
  for (const std::string& column : columns) {
    sql += ", " + sql_name(column);
  }
  sql += fmt::format(" FROM {} NOT INDEXED", sql_name(table));
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database.connection_.get(), sql.c_str(), -1, &statement, nullptr);
  statement_.reset(statement);
  if (statement == nullptr) {
    stop(sqlite3_errmsg(database.connection_.get()));
  }
}

void SqliteScan::stop(std::string_view why) {
  losses_.add(Loss::kTruncated,
              [&] { return fmt::format("{}: table {} behind row {}: {}", database_.name(), table_, row_, why); });
  statement_.reset();
}

bool SqliteScan::next(std::span<Cell> cells) {
  if (!statement_) {
    return false;
  }
  const int step = sqlite3_step(statement_.get());
  if (step == SQLITE_NOMEM) {
    throw std::bad_alloc();
  }
  if (step == SQLITE_DONE) {
    statement_.reset();
    return false;
  }
  if (step != SQLITE_ROW) {
    stop(sqlite3_errmsg(database_.connection_.get()));
    return false;
  }
  const int64_t row = sqlite3_column_int64(statement_.get(), 0);
  if ((began_ && row <= row_) || database_.rows_left_ == 0) {  // pages that several others name
    stop("its pages are in disorder");
    return false;
  }
  --database_.rows_left_;
  began_ = true;
  row_ = row;
  for (size_t i = 0; i < columns_; ++i) {
    cells[i] = cell_at(statement_.get(), static_cast<int>(i) + 1);
  }
  return true;
}

}  // namespace aaco
