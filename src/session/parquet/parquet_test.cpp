// SPDX-License-Identifier: MIT
#include "session/parquet/parquet.h"

#include <cmath>
#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

#include "base/files/file.h"
#include "base/test_folder.h"
#include "base/test_skip.h"
#include "record/rows.h"
#include "session/parquet/duckdb_library.h"

namespace aaco {

struct AllTypesRow {
  int64_t number = 0;
  double real = 0;
  std::string text;
  std::optional<int64_t> maybe_number;
  std::optional<double> maybe_real;
  std::optional<std::string> maybe_text;
};

template <>
struct RowSchema<AllTypesRow> {
  static constexpr const char* kName = "all_types";
  [[maybe_unused]] static constexpr const char* kMeaning = "one column of each type";
  static auto columns() {
    using R = AllTypesRow;
    return std::tuple{row_column("number", &R::number, "1", "it's a \"number\""),
                      row_column("real", &R::real, "ms", ""),
                      row_column("text", &R::text, "", ""),
                      row_column("maybe_number", &R::maybe_number, "1", ""),
                      row_column("maybe_real", &R::maybe_real, "1", ""),
                      row_column("maybe_text", &R::maybe_text, "", "")};
  }
};

namespace {

AllTypesRow numbered_row(int64_t i) {
  AllTypesRow row{i, static_cast<double>(i) / 4, "name " + std::to_string(i % 100), {}, {}, {}};
  if (i % 3 != 0) {
    row.maybe_number = -i;
    row.maybe_real = static_cast<double>(i) * 1e10;
    row.maybe_text = std::string(static_cast<size_t>(i % 40), 'x');
  }
  return row;
}

std::vector<AllTypesRow> numbered_rows(int64_t count) {
  std::vector<AllTypesRow> rows;
  for (int64_t i = 0; i < count; ++i) {
    rows.push_back(numbered_row(i));
  }
  return rows;
}

Result<void> write_whole(const std::filesystem::path& path, const Table& table) {
  std::vector<ColumnInfo> columns;
  for (const TableColumn& column : table.columns) {
    columns.push_back(column.info);
  }
  bool given = false;
  return write_parquet_pieces(path, table.name, columns,
                              [&]() -> const Table* { return std::exchange(given, true) ? nullptr : &table; });
}

Result<std::vector<AllTypesRow>> read_rows(const std::filesystem::path& path) {
  uint64_t left_bytes = kMaxUnpackedBytes;
  return read_parquet_rows<AllTypesRow>(path, left_bytes);
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void expect_same(const AllTypesRow& a, const AllTypesRow& b) {
  EXPECT_EQ(a.number, b.number);
  EXPECT_TRUE(same(a.real, b.real)) << a.real << " and " << b.real;
  EXPECT_EQ(a.text, b.text);
  EXPECT_EQ(a.maybe_number, b.maybe_number);
  ASSERT_EQ(a.maybe_real.has_value(), b.maybe_real.has_value());
  EXPECT_TRUE(same(a.maybe_real.value_or(0), b.maybe_real.value_or(0)));
  EXPECT_EQ(a.maybe_text, b.maybe_text);
}

void expect_round_trip(const std::filesystem::path& path, const std::vector<AllTypesRow>& rows) {
  const Result<void> written = write_parquet_rows<AllTypesRow>(path, rows);
  ASSERT_TRUE(written) << written.error().message;
  const Result<std::vector<AllTypesRow>> read = read_rows(path);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    expect_same((*read)[i], rows[i]);
  }
}

size_t files_in(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator files(folder);
  return static_cast<size_t>(std::distance(begin(files), end(files)));
}

TEST(Parquet, values_at_the_edges_come_back) {
  const TestFolder folder;
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<AllTypesRow> rows(7);
  rows[0] = {INT64_MIN, std::nan(""), "", INT64_MAX, -infinity, ""};
  rows[1] = {INT64_MAX, infinity, "Grüße, 世界 \U0001F680", {}, std::nan(""), "a\nb\t\"c\" 'd'"};
  rows[2] = {0, -0.0, std::string("nul\0inside", 10), INT64_MIN, 5e-324, {}};
  rows[3] = {-1, 1.7976931348623157e308, std::string(100'000, 'y'), {}, {}, std::string(12, 'z')};
  rows[4].text = "thirteen chars";
  expect_round_trip(folder.path() / "edges.parquet", rows);
}

TEST(Parquet, an_empty_table_keeps_its_columns) {
  const TestFolder folder;
  expect_round_trip(folder.path() / "empty.parquet", {});
  const Result<Table> table = read_parquet(folder.path() / "empty.parquet", "all_types");
  ASSERT_TRUE(table);
  ASSERT_EQ(table->columns.size(), 6);
  EXPECT_EQ(table->columns[1].info.name, "real");
  EXPECT_EQ(table->columns[1].info.type, ColumnType::kDouble);
}

TEST(Parquet, a_million_rows_come_back) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / "many.parquet";
  constexpr int64_t kRows = 1'000'000;
  // In pieces whose ends do not fall on DuckDB's vectors.
  Table piece;
  int64_t next = 0;
  const Result<void> written =
      write_parquet_pieces(path, "all_types", column_infos<AllTypesRow>(), [&]() -> const Table* {
        std::vector<AllTypesRow> rows;
        for (; next < kRows && rows.size() < 33'333; ++next) {
          rows.push_back(numbered_row(next));
        }
        piece = to_table(rows);
        return rows.empty() ? nullptr : &piece;
      });
  ASSERT_TRUE(written) << written.error().message;
  int64_t read = 0;
  const Result<void> done = read_parquet_pieces(path, "all_types", [&](const Table& table) -> Result<void> {
    AACO_ASSIGN(const std::vector<AllTypesRow> rows, from_table<AllTypesRow>(table));
    EXPECT_LE(rows.size(), kRowsPerPiece + 2048);
    for (const AllTypesRow& row : rows) {
      expect_same(row, numbered_row(read++));
    }
    return {};
  });
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(read, kRows);
}

TEST(Parquet, rows_count_with_all_their_columns_against_one_budget) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / "few_columns.parquet";
  constexpr size_t kRows = 200'000;
  // Nullable columns may be absent, and take their room in memory all the same.
  Table table = to_table(std::vector<AllTypesRow>(kRows));
  table.columns.resize(3);
  std::get<std::vector<std::string>>(table.columns[2].values)[0] = std::string(1000, 'x');
  ASSERT_TRUE(write_whole(path, table));
  const uint64_t needed = kRows * sizeof(AllTypesRow) + 1000;
  uint64_t left_bytes = needed + 1;
  const Result<std::vector<AllTypesRow>> rows = read_parquet_rows<AllTypesRow>(path, left_bytes);
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(rows->size(), kRows);
  EXPECT_LE(rows->capacity() * sizeof(AllTypesRow), needed + 1);
  EXPECT_EQ(left_bytes, 1);
  // The next file of the bundle finds what is left; so does one that needs a byte too much.
  for (const uint64_t left : {left_bytes, needed - 1}) {
    left_bytes = left;
    const Result<std::vector<AllTypesRow>> refused = read_parquet_rows<AllTypesRow>(path, left_bytes);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
    EXPECT_NE(refused.error().message.find(path.string()), std::string::npos) << refused.error().message;
  }
}

TEST(Parquet, whole_tables_come_back) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / "table.parquet";
  const Table table = to_table(numbered_rows(5'000));
  ASSERT_TRUE(write_whole(path, table));
  const Result<Table> read = read_parquet(path, "all_types");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->row_count, 5'000);
  for (size_t c = 0; c < table.columns.size(); ++c) {
    EXPECT_EQ(read->columns[c].values, table.columns[c].values) << c;
    EXPECT_EQ(read->columns[c].valid, table.columns[c].valid) << c;
  }
}

TEST(Parquet, bytes_that_are_not_utf8_are_replaced) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / "bytes.parquet";
  std::vector<AllTypesRow> rows(4);
  rows[0].text =
      "a\xFF"
      "b";
  rows[1].text = "\xC3";              // cut off
  rows[2].text = "\xED\xA0\x80";      // a surrogate
  rows[3].text = "\xF4\x8F\xBF\xBF";  // U+10FFFF, the last character
  ASSERT_TRUE(write_parquet_rows<AllTypesRow>(path, rows));
  const Result<std::vector<AllTypesRow>> read = read_rows(path);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ((*read)[0].text, "a\uFFFDffb");
  EXPECT_EQ((*read)[1].text, "\uFFFDc3");
  EXPECT_EQ((*read)[2].text, "\uFFFDed\uFFFDa0\uFFFD80");
  EXPECT_EQ((*read)[3].text, rows[3].text);
}

TEST(Parquet, any_file_name_will_do) {
  const TestFolder folder;
  for (const char* name : {"it's.parquet", "a*b?.parquet", "[x].parquet", "\"; DROP TABLE x; --.parquet",
                           "a b\n.parquet", "http:", "~", "\xFF\xFE.parquet", "k=v", "{a,b}", "no_suffix", "x.csv"}) {
    expect_round_trip(folder.path() / name, numbered_rows(3));
  }
}

TEST(Parquet, the_file_says_what_it_holds) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / "a.parquet";
  ASSERT_TRUE(write_parquet_rows<AllTypesRow>(path, numbered_rows(1)));
  // Key-value metadata stays readable in the footer.
  const std::string bytes = *read_file(path);
  for (const char* text :
       {"aaco_table", "all_types", "aaco_schema_version", "aaco_columns", R"("unit":"ms")", "it's a"}) {
    EXPECT_NE(bytes.find(text), std::string::npos) << text;
  }
}

TEST(Parquet, what_is_no_parquet_is_named) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / "it's.parquet";
  const auto expect_usage = [&] {
    const Result<Table> read = read_parquet(path, "t");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind, ErrorKind::kUsage);
    EXPECT_NE(read.error().message.find(path.string()), std::string::npos) << read.error().message;
    EXPECT_EQ(read.error().message.find('\n'), std::string::npos);
    EXPECT_NE(read.error().hint, "");
  };
  expect_usage();  // missing
  std::ofstream(path).flush();
  expect_usage();  // empty
  std::ofstream(path) << "PAR1 but not for long PAR1";
  expect_usage();
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  expect_usage();
}

TEST(Parquet, a_column_of_a_foreign_type_is_named) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / "a.parquet";
  Result<DuckDbDatabase> database = DuckDbDatabase::open();
  ASSERT_TRUE(database);
  const std::string copy = "COPY (SELECT 1::INTEGER AS small) TO " + sql_literal(path.string()) + " (FORMAT parquet)";
  ASSERT_EQ(database->api().query(database->connection(), copy.c_str(), nullptr), DuckDBSuccess);
  const Result<Table> read = read_parquet(path, "t");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::kUsage);
  EXPECT_NE(read.error().message.find("small"), std::string::npos);
}

TEST(Parquet, every_truncation_is_an_error) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / "a.parquet";
  ASSERT_TRUE(write_parquet_rows<AllTypesRow>(path, numbered_rows(300)));
  const std::string whole = *read_file(path);
  for (size_t size = 0; size < whole.size(); size += 1 + size / 40) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, size);
    const Result<std::vector<AllTypesRow>> read = read_rows(path);
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.error().kind, ErrorKind::kUsage);
  }
}

// Parquet pages carry no checksum here, so a flip may change a value; it may not crash, hang or exhaust memory. What a
// closed session's files should be is known from its manifest (see session_test.cpp).
TEST(Parquet, bit_flips_do_not_crash) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / "a.parquet";
  ASSERT_TRUE(write_parquet_rows<AllTypesRow>(path, numbered_rows(300)));
  const std::string whole = *read_file(path);
  size_t errors = 0;
  size_t flips = 0;
  for (size_t at = 0; at < whole.size(); at += 7) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    std::ofstream(path, std::ios::binary) << flipped;
    const Result<std::vector<AllTypesRow>> read = read_rows(path);
    ++flips;
    if (!read) {
      ++errors;
      EXPECT_EQ(read.error().kind, ErrorKind::kUsage) << read.error().message;
      EXPECT_NE(read.error().message.find(path.string()), std::string::npos) << read.error().message;
    }
  }
  EXPECT_GT(errors, flips / 20);
}

void expect_full_disk(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "a.parquet";
  ASSERT_TRUE(write_parquet_rows<AllTypesRow>(path, numbered_rows(10)));
  Table piece;
  int64_t next = 0;
  // Texts that do not compress: about 30 MB.
  const Result<void> written =
      write_parquet_pieces(path, "all_types", column_infos<AllTypesRow>(), [&]() -> const Table* {
        std::vector<AllTypesRow> rows;
        for (int64_t i = 0; i < 50'000 && next < 500'000; ++i, ++next) {
          rows.push_back(numbered_row(next));
          rows.back().text = sha256_of(std::to_string(next));
        }
        piece = to_table(rows);
        return rows.empty() ? nullptr : &piece;
      });
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::kResource) << written.error().message;
  EXPECT_NE(written.error().message.find(path.string()), std::string::npos) << written.error().message;
  EXPECT_EQ(written.error().message.find("/proc/"), std::string::npos) << written.error().message;
  EXPECT_EQ(read_rows(path)->size(), 10);
  EXPECT_EQ(files_in(folder), 1);
}

TEST(Parquet, a_full_disk_keeps_the_old_file) {
  const TestFolder folder;
  const SmallDisk disk(folder.path() / "disk", "3m");
  if (!disk.mounted()) {
    AACO_SKIP("mounting a small disk needs root");
  }
  expect_full_disk(disk.path());
}

TEST(Parquet, a_limit_on_file_size_keeps_the_old_file) {
  const TestFolder folder;
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit small{3 << 20, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  expect_full_disk(folder.path());
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, before);
}

TEST(Parquet, a_folder_that_is_not_there_is_an_error) {
  const TestFolder folder;
  const Result<void> written = write_parquet_rows<AllTypesRow>(folder.path() / "missing" / "a.parquet", {});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::kUsage);
}

TEST(Parquet, an_error_in_making_rows_leaves_nothing) {
  const TestFolder folder;
  const Result<void> written =
      write_parquet_pieces(folder.path() / "a.parquet", "all_types", column_infos<AllTypesRow>(),
                           []() -> const Table* { throw std::bad_alloc(); });
  ASSERT_FALSE(written);
  EXPECT_EQ(files_in(folder.path()), 0);
}

// Parquet is built in; what is not built in is neither fetched nor loaded.
TEST(DuckDb, has_parquet_and_reaches_for_nothing_else) {
  Result<DuckDbDatabase> database = DuckDbDatabase::open();
  ASSERT_TRUE(database) << database.error().message;
  const DuckDb& api = database->api();
  const auto succeeds = [&](const char* sql) {
    duckdb_result result{};
    const bool done = api.query(database->connection(), sql, &result) == DuckDBSuccess;
    duckdb_data_chunk chunk = done ? api.fetch_chunk(result) : nullptr;
    const bool has_rows = chunk != nullptr && api.data_chunk_get_size(chunk) > 0;
    api.destroy_data_chunk(&chunk);
    api.destroy_result(&result);
    return has_rows;
  };
  EXPECT_TRUE(succeeds("SELECT 1 FROM duckdb_extensions() WHERE extension_name = 'parquet' AND loaded"));
  EXPECT_TRUE(
      succeeds("SELECT 1 WHERE current_setting('autoinstall_known_extensions') = false AND "
               "current_setting('autoload_known_extensions') = false AND current_setting('threads') = 1"));
  EXPECT_FALSE(succeeds("SELECT * FROM read_parquet('https://127.0.0.1:1/x.parquet')"));
  EXPECT_EQ(duckdb_version()->find('v'), 0);
}

}  // namespace
}  // namespace aaco
