// SPDX-License-Identifier: MIT
// Reading pages directly against SQLite, on tables of every kind that it writes.
#include "ingest/sqlite/database/table_scan.h"

#include <cmath>
#include <fmt/format.h>
#include <random>

#include "ingest/sqlite/test_database.h"

namespace aaco {
namespace {

using Rows = std::vector<std::vector<std::string>>;  // the id, then the cells

std::string shown(const Cell& cell) {
  switch (cell.type) {
    case Cell::Type::kInteger:
      return fmt::format("integer {}", cell.integer);
    case Cell::Type::kReal:
      return fmt::format("real {}", cell.real);
    case Cell::Type::kText:
      return fmt::format("text {}", cell.text);
    case Cell::Type::kNull:
      break;
  }
  return "null";
}

class OpenDatabase {
 public:
  explicit OpenDatabase(std::string bytes) : bytes_(std::move(bytes)), source_(bytes_of(bytes_)) {
    auto opened = SqliteDatabase::open({"no/such/file", "t.db", *source_, 0}, losses);
    EXPECT_TRUE(opened) << opened.error().message;
    database = std::move(opened).value();
  }

  // All rows of a table, part by part.
  Rows read(const std::string& table, size_t* parts = nullptr) {
    const std::vector<std::string> columns = database->columns_of(table);
    SqliteTable rows(*database, table, columns);
    SqliteScan scan(rows, losses);
    std::vector<Cell> cells(columns.size());
    Rows all;
    for (size_t part = 0; part < rows.parts(); ++part) {
      scan.start(part);
      while (scan.next(cells)) {
        all.push_back({std::to_string(scan.row())});
        std::transform(cells.begin(), cells.end(), std::back_inserter(all.back()), shown);
      }
    }
    if (parts != nullptr) {
      *parts = rows.parts();
    }
    return all;
  }

 private:
  std::string bytes_;
  std::unique_ptr<ByteSource> source_;

 public:
  LossTable losses;
  std::unique_ptr<SqliteDatabase> database;
};

Rows read_by_sqlite(std::string bytes, const std::string& table) {
  sqlite3* connection = nullptr;
  sqlite3_open(":memory:", &connection);
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  sqlite3_deserialize(connection, "main", reinterpret_cast<unsigned char*>(bytes.data()), size, size,
                      SQLITE_DESERIALIZE_READONLY);
  Rows all;
  {
    SqliteStatement statement(connection, fmt::format("SELECT _rowid_, * FROM {} NOT INDEXED", table));
    sqlite3_stmt* counted = nullptr;
    sqlite3_prepare_v2(connection, fmt::format("SELECT * FROM {}", table).c_str(), -1, &counted, nullptr);
    const int columns = sqlite3_column_count(counted);
    sqlite3_finalize(counted);
    while (statement.step() == SQLITE_ROW) {
      all.push_back({std::to_string(statement.integer(0))});
      for (int column = 1; column <= columns; ++column) {
        all.back().push_back(shown(statement.cell(column)));
      }
    }
  }
  sqlite3_close(connection);
  return all;
}

// What `sql` makes of table t is the same either way. How many parts it has.
size_t expect_same(const std::string& sql) {
  const std::string bytes = database_bytes(sql);
  OpenDatabase opened(bytes);
  size_t parts = 0;
  const Rows rows = opened.read("t", &parts);
  const Rows expected = read_by_sqlite(bytes, "t");
  EXPECT_EQ(rows.size(), expected.size()) << sql.substr(0, 300);
  for (size_t i = 0; i < std::min(rows.size(), expected.size()); ++i) {
    EXPECT_EQ(rows[i], expected[i]) << sql.substr(0, 300);
  }
  EXPECT_TRUE(opened.losses.entries().empty()) << sql.substr(0, 300);
  return parts;
}

std::string random_value(std::mt19937_64& random) {
  switch (random() % 9) {
    case 0:
      return "NULL";
    case 1:
      return std::to_string(static_cast<int64_t>(random()));
    case 2:
      return std::to_string(static_cast<int64_t>(random()) >> (random() % 64));
    case 3:
      return random() % 2 == 0 ? "0" : "1";
    case 4:
      return fmt::format("{:.17g}", std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 100));
    case 5:
      return fmt::format("{}.0", random() % 1000);
    case 6:
      return fmt::format("'{}'", std::string(random() % 60, static_cast<char>('a' + random() % 26)));
    case 7:
      return random() % 8 == 0 ? fmt::format("'{}'", std::string(random() % 20'000, 'x')) : "''";
    default:
      return fmt::format("x'{:016x}'", random());
  }
}

std::string random_rows(std::mt19937_64& random, size_t columns, size_t rows, bool gives_ids) {
  std::string sql;
  for (size_t row = 0; row < rows; ++row) {
    sql += "INSERT INTO t VALUES (";
    for (size_t column = 0; column < columns; ++column) {
      const bool is_id = column == 1 && gives_ids;
      sql += (column == 0 ? "" : ", ") + (is_id ? std::to_string(row * 3 + 1) : random_value(random));
    }
    sql += ");";
  }
  return sql;
}

TEST(TableScan, ReadsWhatSqliteReads) {
  std::mt19937_64 random(20261123);
  constexpr const char* kTables[] = {
      "CREATE TABLE t (a INTEGER, id INTEGER PRIMARY KEY, b REAL, c TEXT, d BLOB, e);",
      "CREATE TABLE t (a DOUBLE PRECISION, id integer primary key autoincrement, b FLOAT, c VARCHAR(9), d, e);",
      "CREATE TABLE t (a INT, id INTEGER PRIMARY KEY DESC, b, c, d, e CHARREAL);",
      "CREATE TABLE t (rowid TEXT, \"I \"\" d\" INT, oid, c, d, e REAL);",
      "CREATE TABLE t (a, id INT PRIMARY KEY, b, c, d, e);",
  };
  for (const int page_bytes : {512, 1024, 4096, 65536}) {
    for (const char* table : kTables) {
      for (const char* vacuum : {"", "PRAGMA auto_vacuum=FULL;"}) {
        expect_same(fmt::format("PRAGMA page_size={};{}{}", page_bytes, vacuum, table) +
                    random_rows(random, 6, random() % 300, true));
      }
    }
  }
}

TEST(TableScan, ReadsTablesThatHaveChanged) {
  std::mt19937_64 random(7);
  const std::string rows = random_rows(random, 4, 400, true);
  const std::string table = "CREATE TABLE t (a, id INTEGER PRIMARY KEY, b REAL, c);";
  expect_same(table + rows +
              "DELETE FROM t WHERE id % 7 < 3; UPDATE t SET c = 'longer than it was before' WHERE id % 5 = 0;");
  expect_same(table + rows + "DELETE FROM t;");
  expect_same(table + rows +
              "ALTER TABLE t ADD COLUMN d; ALTER TABLE t ADD COLUMN e TEXT DEFAULT 'it''s'; ALTER TABLE t ADD COLUMN f "
              "INT DEFAULT '5'; ALTER TABLE t ADD COLUMN g REAL DEFAULT 2; INSERT INTO t (a, g) VALUES (1, 3);");
  expect_same(table + rows + "ALTER TABLE t DROP COLUMN a;");
}

TEST(TableScan, LeavesToSqliteWhatIsUnusual) {
  EXPECT_EQ(expect_same(
                "PRAGMA encoding='UTF-16'; CREATE TABLE t (a TEXT, b INT); INSERT INTO t VALUES ('\u00e9t\u00e9', 1);"),
            1);
  const std::string computed = database_bytes(
      "CREATE TABLE t (a INT, b AS (a + 1), c AS (a + 2) STORED, d INT); INSERT INTO t (a, d) VALUES (1, 4), (2, 5);");
  OpenDatabase opened(computed);
  EXPECT_EQ(opened.read("t"), (Rows{{"1", "integer 1", "integer 4"}, {"2", "integer 2", "integer 5"}}));
}

TEST(TableScan, ReadsTablesWithoutRowIds) {
  OpenDatabase opened(database_bytes(
      "CREATE TABLE t (a TEXT PRIMARY KEY, b INT) WITHOUT ROWID; INSERT INTO t VALUES ('x', 1), ('y', 2);"));
  const Rows rows = opened.read("t");
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[1][1], "text y");
  EXPECT_EQ(rows[1][2], "integer 2");
  EXPECT_TRUE(opened.losses.entries().empty());
}

// A writer may leave nulls at the end of a record out, and an id is one.
TEST(TableScan, AnIdThatIsNotInTheRecordIsTheRows) {
  const std::string bytes = database_bytes(
      "CREATE TABLE t (a INT); INSERT INTO t VALUES (5), (6), (7); PRAGMA writable_schema=ON; UPDATE sqlite_master SET "
      "sql='CREATE TABLE t (a INT, id INTEGER PRIMARY KEY)' WHERE name='t';");
  OpenDatabase opened(bytes);
  const Rows rows = opened.read("t");
  EXPECT_EQ(rows, read_by_sqlite(bytes, "t"));
  ASSERT_EQ(rows.size(), 3);
  EXPECT_EQ(rows[2][2], "integer 3");
}

TEST(TableScan, LargeTablesHavePartsThatTogetherAreTheTable) {
  const std::string bytes =
      "CREATE TABLE t (a INT, b TEXT); INSERT INTO t SELECT i * i, 'row ' || i FROM (WITH RECURSIVE n(i) AS (SELECT 1 "
      "UNION ALL SELECT i + 1 FROM n WHERE i < 60000) SELECT i FROM n);";
  EXPECT_GE(expect_same(bytes), 2);
}

TEST(TableScan, AColumnMayBeReadTwice) {
  OpenDatabase opened(database_bytes("CREATE TABLE t (a INTEGER PRIMARY KEY, b REAL); INSERT INTO t VALUES (7, 2);"));
  const std::vector<std::string> columns = {"b", "a", "A", "b"};
  SqliteTable table(*opened.database, "t", columns);
  SqliteScan scan(table, opened.losses);
  std::vector<Cell> cells(4);
  ASSERT_TRUE(scan.next(cells));
  EXPECT_EQ(shown(cells[0]), "real 2");
  EXPECT_EQ(shown(cells[1]), "integer 7");
  EXPECT_EQ(shown(cells[2]), "integer 7");
  EXPECT_EQ(shown(cells[3]), "real 2");
  EXPECT_FALSE(scan.next(cells));
}

// What a row claims to hold is not believed.
TEST(TableScan, ARowLongerThanTheFileIsDamage) {
  std::string bytes =
      database_bytes("PRAGMA page_size=512; CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(2000));");
  const size_t leaf = 512;
  const size_t cell =
      leaf + static_cast<unsigned char>(bytes[leaf + 8]) * size_t{256} + static_cast<unsigned char>(bytes[leaf + 9]);
  ASSERT_EQ(static_cast<unsigned char>(bytes[cell]), 0x8f);  // 2003 in two bytes
  bytes[cell] = '\xff';
  bytes[cell + 1] = '\x7f';  // 16,383, more than the file holds
  OpenDatabase opened(bytes);
  EXPECT_TRUE(opened.read("t").empty());
  EXPECT_EQ(opened.losses.count(Loss::kTruncated), 1);
}

// Each byte of a small database broken in turn: it ends, and gives no more rows than the file can hold.
TEST(TableScan, DamageAnywhereEndsInALossAtMost) {
  const std::string whole = database_bytes(
      "PRAGMA page_size=512; CREATE TABLE t (a INT, b TEXT); INSERT INTO t SELECT i, "
      "substr('aaaaaaaaaaaaaaaaaaaaaaaa', "
      "1 + i % 20) || CASE i WHEN 9 THEN hex(zeroblob(900)) ELSE '' END FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION "
      "ALL "
      "SELECT i + 1 FROM n WHERE i < 60) SELECT i FROM n);");
  for (size_t at = 100; at < whole.size(); at += at < 1200 ? 1 : 7) {
    for (const int value : {0, 5, 128, 255}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(value);
      const auto source = bytes_of(bytes);
      LossTable losses;
      const auto opened = SqliteDatabase::open({"no/such/file", "t.db", *source, 0}, losses);
      if (!opened || !(*opened)->has("t")) {
        continue;
      }
      const std::vector<std::string> columns = (*opened)->columns_of("t");
      SqliteTable table(**opened, "t", columns);
      SqliteScan scan(table, losses);
      std::vector<Cell> cells(columns.size());
      size_t rows = 0;
      while (scan.next(cells)) {
        ++rows;
      }
      EXPECT_LE(rows, bytes.size() / 4);
    }
  }
}

}  // namespace
}  // namespace aaco
