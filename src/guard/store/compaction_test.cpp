// SPDX-License-Identifier: MIT
#include "guard/store/compaction.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/test_folder.h"
#include "guard/store/guard_store.h"
#include "guard/store/journal.h"
#include "guard/store/partition.h"
#include "record/table.h"
#include "session/parquet/parquet.h"

namespace aaco {
namespace {

namespace fs = std::filesystem;
constexpr int64_t kNovember = 1'795'831'200'000'000'000;  // 2026-11-28T02:00:00Z

GuardEntry entry_of(int64_t recorded_ns, double number) {
  GuardEntry entry;
  entry.record.record_id = next_record_id(recorded_ns);
  entry.record.recorded_ns = recorded_ns;
  entry.record.place = {"a", "cpu", "m1"};
  GuardValue& value = entry.values.emplace_back();
  value.record_id = entry.record.record_id;
  value.recorded_ns = recorded_ns;
  value.place = entry.record.place;
  value.figure = "value";
  value.value = number;
  return entry;
}

std::vector<double> numbers(const GuardStore& store, std::vector<std::string>& damaged) {
  const auto values = store.values({}, damaged);
  EXPECT_TRUE(values) << values.error().message;
  std::vector<double> list;
  for (const GuardValue& value : values ? *values : std::vector<GuardValue>()) {
    list.push_back(value.value);
  }
  return list;
}

std::vector<fs::path> pending(const fs::path& store) {
  std::vector<Error> unreadable;
  return pending_entries(store, unreadable);
}

// A folder in the place of an entry: root, as which tests may run, can read whatever file there is.
TEST(Compaction, AnEntryThatCannotBeReadIsNotDamaged) {
  const TestFolder folder;
  const auto store = GuardStore::open(folder.path());
  ASSERT_TRUE(store);
  ASSERT_TRUE(store->append(entry_of(kNovember, 1)));
  const fs::path other = folder.path() / kJournalFolder / "other.json";
  fs::create_directory(other);
  ASSERT_TRUE(store->compact());
  const std::vector<fs::path> left = pending(folder.path());
  ASSERT_EQ(left.size(), 1U) << "the others became Parquet";
  EXPECT_EQ(left.front().string(), other.string());
  EXPECT_TRUE(store->set_aside().empty());
  std::vector<std::string> damaged;
  EXPECT_EQ(numbers(*store, damaged), std::vector<double>{1});
  ASSERT_EQ(damaged.size(), 1U);
  EXPECT_NE(damaged.front().find("other.json: Is a directory; its recordings are left out"), std::string::npos)
      << damaged.front();
}

TEST(Compaction, ABatchThatCannotBeReadAsAWholeStays) {
  const TestFolder folder;
  const auto store = GuardStore::open(folder.path());
  ASSERT_TRUE(store);
  ASSERT_TRUE(store->append(entry_of(kNovember, 1)));
  const fs::path entry = pending(folder.path()).front();
  // As if the compaction of another user had been killed.
  const fs::path batch = folder.path() / kJournalFolder / "batch-1";
  fs::create_directories(batch / "other.json");
  fs::rename(entry, batch / entry.filename());
  ASSERT_TRUE(store->append(entry_of(kNovember + 1, 2)));
  ASSERT_TRUE(store->compact());
  EXPECT_TRUE(fs::exists(batch / entry.filename()));
  EXPECT_TRUE(fs::exists(batch / "other.json"));
  std::vector<std::string> damaged;
  EXPECT_EQ(numbers(*store, damaged), (std::vector<double>{1, 2}));
  EXPECT_EQ(damaged.size(), 1U);
  fs::remove(batch / "other.json");
  ASSERT_TRUE(store->compact());
  EXPECT_FALSE(fs::exists(batch));
  damaged.clear();
  EXPECT_EQ(numbers(*store, damaged), (std::vector<double>{1, 2}));
  EXPECT_TRUE(damaged.empty());
}

TEST(Compaction, ADamagedEntryIsNamedAsLongAsItIsThere) {
  const TestFolder folder;
  const auto store = GuardStore::open(folder.path());
  ASSERT_TRUE(store);
  ASSERT_TRUE(store->append(entry_of(kNovember, 1)));
  const fs::path entry = pending(folder.path()).front();
  fs::resize_file(entry, fs::file_size(entry) - 7);
  ASSERT_TRUE(store->compact());
  const std::vector<std::string> lines = store->set_aside();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines.front().find(entry.filename().string() + ".damaged: is a damaged recording"), std::string::npos)
      << lines.front();
  std::vector<std::string> damaged;
  EXPECT_TRUE(numbers(*store, damaged).empty());
  EXPECT_EQ(damaged, lines);
  fs::remove(entry.string() + ".damaged");
  damaged.clear();
  EXPECT_TRUE(numbers(*store, damaged).empty());
  EXPECT_TRUE(damaged.empty());
}

// Values as a later version of aaco may write them.
void write_with_later_column(const fs::path& file, const std::vector<GuardValue>& rows) {
  Table table = to_table(rows);
  table.columns.push_back({{"later", ColumnType::kInt64, "", "", false}, std::vector<int64_t>(rows.size(), 7), {}});
  std::vector<ColumnInfo> columns;
  for (const TableColumn& column : table.columns) {
    columns.push_back(column.info);
  }
  bool is_written = false;
  ASSERT_TRUE(write_parquet_pieces(
      file, table.name, columns, [&]() -> const Table* { return std::exchange(is_written, true) ? nullptr : &table; }));
}

TEST(Compaction, AMonthWithAColumnOfALaterVersionStaysAsItIs) {
  const TestFolder folder;
  const auto store = GuardStore::open(folder.path());
  ASSERT_TRUE(store);
  const GuardEntry first = entry_of(kNovember, 1);
  ASSERT_TRUE(store->append(first));
  ASSERT_TRUE(store->compact());
  const fs::path month = partition_folder(first.record.place, month_of(kNovember));
  const fs::path values = folder.path() / "values" / month;
  std::vector<GuardValue> later = first.values;
  later.front().process = 1;
  write_with_later_column(values / "part-later.parquet", later);
  for (size_t i = 1; i < kMostPartFiles; ++i) {
    ASSERT_TRUE(store->append(entry_of(kNovember + static_cast<int64_t>(i), 1)));
    ASSERT_TRUE(store->compact());
  }
  const auto kept = read_parquet(values / "part-later.parquet", "values");
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_NE(kept->find("later"), nullptr);
  EXPECT_EQ(static_cast<size_t>(std::distance(fs::directory_iterator(values), fs::directory_iterator())),
            kMostPartFiles + 1);
  const fs::path records = folder.path() / "records" / month;
  EXPECT_EQ(std::distance(fs::directory_iterator(records), fs::directory_iterator()), 1) << "these are merged";
  std::vector<std::string> damaged;
  EXPECT_EQ(numbers(*store, damaged), std::vector<double>(kMostPartFiles + 1, 1));
  EXPECT_TRUE(damaged.empty());
}

}  // namespace
}  // namespace aaco
