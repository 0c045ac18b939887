// SPDX-License-Identifier: MIT
#include "ingest/sqlite/database/database.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/files/file.h"
#include "ingest/sqlite/database/read_only_vfs.h"
#include "ingest/sqlite/database/statement.h"
#include "ingest/table/table_kind.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr uint64_t kMostInflated = uint64_t{1} << 35;
constexpr size_t kPieceBytes = size_t{1} << 20;
constexpr uint64_t kFewestRows = 4096;
constexpr uint64_t kMostReadings = 16;  // of one table: for itself, and by joins that take different columns
constexpr uint64_t kShortestLimit = 1 << 16;
constexpr uint64_t kLongestLimit = 1'000'000'000;

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
  const uint64_t least = std::max(database->bytes_, kFewestRows);
  database->budget_.rows = static_cast<int64_t>(least);
  database->budget_.overflow_bytes = static_cast<int64_t>(kMostReadings * least);
  database->pages_ = PageFile::open(file);
  if (const uint64_t claimed = claimed_bytes(file); claimed > database->bytes_) {
    losses.add(Loss::kTruncated,
               [&] { return fmt::format("{}: {} of {} bytes", input.name, database->bytes_, claimed); });
  }
  AACO_TRY(database->connect(losses));
  return database;
}

int SqliteDatabase::list_tables() {
  tables_.clear();
  SqliteStatement listed(
      connection_.get(),
      "SELECT name, rootpage FROM sqlite_master WHERE type='table' AND rootpage>0 AND name IS NOT NULL");
  int step = SQLITE_ROW;
  while ((step = listed.step()) == SQLITE_ROW) {
    tables_.push_back(listed.text(0));
    roots_[tables_.back()] = listed.integer(1);
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
  const std::string why = opened == nullptr ? "no memory" : sqlite3_errmsg(opened);
  if (listed != SQLITE_DONE && opened != nullptr) {  // then as far as it goes
    sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
    try {
      list_tables();
    } catch (const std::bad_alloc&) {  // so SQLite says of some damaged lists when it is told to go on with them
      tables_.clear();
      roots_.clear();
    }
  }
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

// "ROWIDs and the INTEGER PRIMARY KEY": a primary key of that very type, and without an index of its own.
std::vector<SqliteDatabase::Column> SqliteDatabase::described(std::string_view table) const {
  bool has_key_index = false;
  SqliteStatement indices(connection_.get(), fmt::format("PRAGMA index_list({})", sql_name(table)));
  while (indices.step() == SQLITE_ROW) {
    has_key_index = has_key_index || indices.text(3) == "pk";
  }
  std::vector<Column> columns;
  SqliteStatement listed(connection_.get(), fmt::format("PRAGMA table_xinfo({})", sql_name(table)));
  while (listed.step() == SQLITE_ROW) {
    const std::string type = listed.text(2);
    const bool is_id = listed.integer(5) == 1 && !has_key_index && same_column(type, "INTEGER");
    columns.push_back({listed.text(1), type, listed.integer(6) == 0, is_id});
  }
  return columns;
}

std::vector<std::string> SqliteDatabase::columns_of(std::string_view table) const {
  std::vector<std::string> columns;
  for (Column& column : described(table)) {
    if (column.is_stored) {
      columns.push_back(std::move(column.name));
    }
  }
  return columns;
}

bool SqliteDatabase::has_rows(std::string_view table) const {
  SqliteStatement any(connection_.get(), fmt::format("SELECT 1 FROM {} NOT INDEXED LIMIT 1", sql_name(table)));
  return any.step() != SQLITE_DONE;
}

}  // namespace aaco
