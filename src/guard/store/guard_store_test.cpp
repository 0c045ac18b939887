// SPDX-License-Identifier: MIT
#include "guard/store/guard_store.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/test_folder.h"
#include "guard/store/compaction.h"
#include "guard/store/journal.h"
#include "guard/store/partition.h"
#include "guard/store/series.h"
#include "guard/store/slug.h"
#include "guard/store/store_lock.h"
#include "session/sql/sql.h"

namespace aaco {
namespace {

namespace fs = std::filesystem;
constexpr int64_t kNovember = 1'795'831'200'000'000'000;  // 2026-11-28T02:00:00Z
constexpr int64_t kDayNs = 86'400'000'000'000;

GuardEntry entry_of(const std::string& subject, int64_t recorded_ns, std::vector<double> values) {
  GuardEntry entry;
  entry.record.record_id = next_record_id(recorded_ns);
  entry.record.recorded_ns = recorded_ns;
  entry.record.place = {subject, "cpu", "m1"};
  entry.record.source = "value";
  entry.record.sample = R"({"a":"b|c\n"})";
  for (size_t i = 0; i < values.size(); ++i) {
    entry.values.push_back({.record_id = entry.record.record_id,
                            .recorded_ns = recorded_ns,
                            .place = entry.record.place,
                            .commit = "abc",
                            .valid = 1,
                            .name = "",
                            .figure = "value",
                            .unit = "ns",
                            .process = static_cast<int64_t>(i),
                            .value = values[i],
                            .clock_mhz = i == 0 ? std::optional<double>(2500) : std::nullopt});
  }
  return entry;
}

std::vector<double> numbers(const GuardStore& store, const SeriesPlace& place = {}) {
  std::vector<std::string> damaged;
  const auto values = store.values(place, damaged);
  EXPECT_TRUE(values) << values.error().message;
  std::vector<double> list;
  for (const GuardValue& value : values ? *values : std::vector<GuardValue>()) {
    list.push_back(value.value);
  }
  return list;
}

std::vector<fs::path> pending(const fs::path& store) {
  std::vector<Error> unreadable;
  std::vector<fs::path> entries = pending_entries(store, unreadable);
  EXPECT_TRUE(unreadable.empty());
  return entries;
}

size_t parquet_files(const fs::path& folder) {
  size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    count += entry.path().extension() == ".parquet" ? 1 : 0;
  }
  return count;
}

TEST(GuardStore, GivesBackWhatWasAppendedBeforeAndAfterCompaction) {
  const TestFolder folder;
  const auto store = GuardStore::open(folder.path() / "guard");
  ASSERT_TRUE(store);
  ASSERT_TRUE(store->append(entry_of("b", kNovember + 1, {3, 4})));
  ASSERT_TRUE(store->append(entry_of("a", kNovember, {1, 2})));
  for (const bool compacted : {false, true}) {
    if (compacted) {
      ASSERT_TRUE(store->compact());
      EXPECT_TRUE(pending(store->folder()).empty());
    }
    EXPECT_EQ(numbers(*store), (std::vector<double>{1, 2, 3, 4}));
    EXPECT_EQ(numbers(*store, {"a", "", ""}), (std::vector<double>{1, 2}));
    EXPECT_TRUE(numbers(*store, {"a", "gpu", ""}).empty());
    std::vector<std::string> damaged;
    const auto values = store->values({"a", "", ""}, damaged);
    EXPECT_EQ((*values)[0].place, (SeriesPlace{"a", "cpu", "m1"}));
    EXPECT_EQ((*values)[0].clock_mhz, 2500);
    EXPECT_EQ((*values)[1].clock_mhz, std::nullopt);
    const auto records = store->records({}, damaged);
    ASSERT_EQ(records->size(), 2U);
    EXPECT_EQ(records->front().sample, R"({"a":"b|c\n"})");
  }
  EXPECT_TRUE(fs::exists(store->folder() / "values/subject=a/backend=cpu/machine=m1/month=2026-11"));
}

TEST(GuardStore, PartitionsByMonth) {
  const TestFolder folder;
  const auto store = GuardStore::open(folder.path());
  ASSERT_TRUE(store->append(entry_of("a", kNovember, {1})));
  ASSERT_TRUE(store->append(entry_of("a", kNovember + 5 * kDayNs, {2})));
  ASSERT_TRUE(store->compact());
  EXPECT_EQ(parquet_files(folder.path() / "values"), 2U);
  EXPECT_EQ(numbers(*store), (std::vector<double>{1, 2}));
  EXPECT_EQ(month_of(kNovember + 5 * kDayNs), "2026-12");
}

TEST(GuardStore, ManyWritersLoseNothing) {
  const TestFolder folder;
  constexpr int kWriters = 4;
  constexpr int kEach = 10;
  std::vector<pid_t> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    const pid_t process = ::fork();
    if (process == 0) {
      const auto store = GuardStore::open(folder.path());
      bool good = store.has_value();
      for (int i = 0; good && i < kEach; ++i) {
        const int64_t number = int64_t{writer} * kEach + i;
        good = store->append(entry_of("a", kNovember + number, {static_cast<double>(number)})).has_value() &&
               (i % 4 != 3 || store->compact().has_value());
      }
      ::_exit(good ? 0 : 1);
    }
    writers.push_back(process);
  }
  for (const pid_t writer : writers) {
    int status = -1;
    EXPECT_EQ(::waitpid(writer, &status, 0), writer);
    EXPECT_EQ(status, 0);
  }
  const auto store = GuardStore::open(folder.path());
  ASSERT_TRUE(store->compact());
  std::vector<double> expected(kWriters * kEach);
  for (size_t i = 0; i < expected.size(); ++i) {
    expected[i] = static_cast<double>(i);
  }
  EXPECT_EQ(numbers(*store), expected);
}

// Killed at any moment: what append() returned for is there once.
TEST(GuardStore, SurvivesKills) {
  const TestFolder folder;
  std::array<int, 2> report{};
  ASSERT_EQ(::pipe(report.data()), 0);
  size_t appended = 0;
  for (int round = 0; round < 6; ++round) {
    const pid_t process = ::fork();
    if (process == 0) {
      const auto store = GuardStore::open(folder.path());
      for (int64_t i = 0;; ++i) {
        if (store->append(entry_of("a", kNovember + i, {1}))) {
          (void)!::write(report[1], "x", 1);
        }
        if (i % 5 == 4) {
          (void)store->compact();
        }
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(120 + 37 * round));
    EXPECT_EQ(::kill(process, SIGKILL), 0);
    EXPECT_EQ(::waitpid(process, nullptr, 0), process);
    std::string bytes(1 << 16, '\0');
    const ssize_t got = ::read(report[0], bytes.data(), bytes.size());
    appended += static_cast<size_t>(std::max<ssize_t>(got, 0));
    const auto store = GuardStore::open(folder.path());
    std::vector<std::string> damaged;
    const auto before = store->records({}, damaged);
    ASSERT_TRUE(before) << before.error().message;
    std::set<std::string> ids;
    for (const GuardRecord& record : *before) {
      EXPECT_TRUE(ids.insert(record.record_id).second) << record.record_id;
    }
    // At most one a round was appended and not told.
    EXPECT_GE(before->size(), appended);
    EXPECT_LE(before->size(), appended + static_cast<size_t>(round) + 1);
    EXPECT_EQ(numbers(*store).size(), before->size());
  }
  ::close(report[0]);
  ::close(report[1]);
}

TEST(GuardStore, ABatchThatWasStoredInPartIsStoredOnce) {
  const TestFolder folder;
  const auto store = GuardStore::open(folder.path());
  ASSERT_TRUE(store->append(entry_of("a", kNovember, {1})));
  const fs::path entry = pending(folder.path()).front();
  fs::copy(entry, folder.path() / "kept");
  ASSERT_TRUE(store->compact());
  // As if the compaction had been killed before it removed its folder.
  std::string id;
  for (const auto& file : fs::recursive_directory_iterator(folder.path() / "values")) {
    if (file.path().extension() == ".parquet") {
      id = file.path().stem().stem().string().substr(5);  // of part-ID.CHECKSUM
    }
  }
  const fs::path batch = folder.path() / kJournalFolder / ("batch-" + id);
  fs::create_directories(batch);
  fs::rename(folder.path() / "kept", batch / entry.filename());
  EXPECT_EQ(numbers(*store), (std::vector<double>{1}));
  ASSERT_TRUE(store->compact());
  EXPECT_EQ(numbers(*store), (std::vector<double>{1}));
  EXPECT_EQ(parquet_files(folder.path() / "values"), 1U);
}

TEST(GuardStore, WhereAnotherCompactsTheJournalKeepsTheEntry) {
  const TestFolder folder;
  const auto store = GuardStore::open(folder.path());
  {
    const StoreLock other = StoreLock::to_compact(folder.path());
    ASSERT_TRUE(other.held());
    ASSERT_TRUE(store->append(entry_of("a", kNovember, {1})));
    ASSERT_TRUE(store->compact());
    EXPECT_EQ(pending(folder.path()).size(), 1U);
    EXPECT_EQ(parquet_files(folder.path()), 0U);
  }
  ASSERT_TRUE(store->compact());
  EXPECT_EQ(numbers(*store), (std::vector<double>{1}));
  EXPECT_EQ(parquet_files(folder.path() / "values"), 1U);
}

TEST(GuardStore, MergesManyFilesOfAMonth) {
  const TestFolder folder;
  const auto store = GuardStore::open(folder.path());
  for (size_t i = 0; i < kMostPartFiles; ++i) {
    ASSERT_TRUE(store->append(entry_of("a", kNovember + static_cast<int64_t>(i), {1.0 * static_cast<double>(i)})));
    ASSERT_TRUE(store->compact());
  }
  EXPECT_EQ(parquet_files(folder.path() / "values"), 1U);
  EXPECT_EQ(parquet_files(folder.path() / "records"), 1U);
  EXPECT_EQ(numbers(*store).size(), kMostPartFiles);
}

TEST(GuardStore, ADamagedEntryIsNamedAndLeftOut) {
  const TestFolder folder;
  const auto store = GuardStore::open(folder.path());
  ASSERT_TRUE(store->append(entry_of("a", kNovember, {1})));
  ASSERT_TRUE(store->append(entry_of("a", kNovember + 1, {2})));
  const fs::path first = pending(folder.path()).front();
  fs::resize_file(first, fs::file_size(first) - 7);
  std::vector<std::string> damaged;
  const auto values = store->values({}, damaged);
  ASSERT_TRUE(values);
  EXPECT_EQ(values->size(), 1U);
  ASSERT_EQ(damaged.size(), 1U);
  EXPECT_NE(damaged.front().find("checksum"), std::string::npos);
  ASSERT_TRUE(store->compact());
  EXPECT_EQ(numbers(*store), (std::vector<double>{2}));
  EXPECT_TRUE(fs::exists(folder.path() / kJournalFolder / (first.filename().string() + ".damaged")));
}

TEST(GuardStore, DuckDbReadsThePartitions) {
  const TestFolder folder;
  const auto store = GuardStore::open(folder.path());
  ASSERT_TRUE(store->append(entry_of("a", kNovember, {1, 2})));
  ASSERT_TRUE(store->append(entry_of("b", kNovember + 5 * kDayNs, {3})));
  ASSERT_TRUE(store->compact());
  const std::string statement = fmt::format(
      "SELECT subject, month, typeof(recorded_ns) AS type, sum(value) AS total FROM "
      "read_parquet('{}/values/**/*.parquet', "
      "hive_partitioning = true) GROUP BY ALL ORDER BY subject",
      folder.path().string());
  std::vector<std::string> rows;
  const std::vector<fs::path> none{folder.path()};
  const auto queried = query_bundles(none, statement, {.other_files = true}, [&](const Table& table) {
    for (size_t row = 0; row < table.row_count; ++row) {
      const auto text = [&](const char* column) {
        return std::get<std::vector<std::string>>(table.find(column)->values)[row];
      };
      rows.push_back(fmt::format("{} {} {} {}", text("subject"), text("month"), text("type"),
                                 std::get<std::vector<double>>(table.find("total")->values)[row]));
    }
    return Result<MoreRows>(MoreRows::kWanted);
  });
  ASSERT_TRUE(queried) << queried.error().message;
  EXPECT_EQ(rows, (std::vector<std::string>{"a 2026-11 BIGINT 3", "b 2026-12 BIGINT 3"}));
}

TEST(Series, GroupsByPlaceNameAndFigure) {
  std::vector<GuardValue> values = entry_of("a", kNovember, {1, 2}).values;
  std::vector<GuardValue> later = entry_of("a", kNovember + 1, {3}).values;
  later.front().valid = 0;
  std::ranges::move(later, std::back_inserter(values));
  std::vector<GuardValue> other = entry_of("b", kNovember, {4}).values;
  std::ranges::move(other, std::back_inserter(values));
  const std::vector<Series> all = series_of(values);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].place.subject, "a");
  EXPECT_EQ(all[0].unit, "ns");
  ASSERT_EQ(all[0].points.size(), 2U);
  EXPECT_EQ(all[0].points[0].values, (std::vector<double>{1, 2}));
  EXPECT_FALSE(all[0].points[1].valid);
  values.back().unit = "";
  values.back().place.subject = "a";
  const std::vector<Series> by_unit = series_of(values);
  ASSERT_EQ(by_unit.size(), 2U) << "12 ms and 12 are no values of one series";
  EXPECT_EQ(by_unit[0].unit, "");
  EXPECT_EQ(by_unit[1].unit, "ns");
}

// A damaged Parquet file costs its own rows, in both tables alike, and neither a check nor a recording.
TEST(GuardStore, ADamagedParquetFileIsNamedAndLeftOut) {
  const TestFolder folder;
  const auto store = GuardStore::open(folder.path() / "guard");
  ASSERT_TRUE(store);
  for (const char* subject : {"a", "b"}) {
    ASSERT_TRUE(store->append(entry_of(subject, kNovember, {1, 2})));
  }
  ASSERT_TRUE(store->compact());
  for (const char* table : {"records", "values"}) {
    const fs::path month = folder.path() / "guard" / table / partition_folder({"a", "cpu", "m1"}, "2026-11");
    const fs::path file = fs::directory_iterator(month)->path();
    fs::resize_file(file, fs::file_size(file) / 2);
  }
  std::vector<std::string> damaged;
  const auto records = store->records({}, damaged);
  ASSERT_TRUE(records) << records.error().message;
  EXPECT_EQ(records->size(), 1U);
  EXPECT_EQ(numbers(*store), (std::vector<double>{1, 2}));
  ASSERT_EQ(damaged.size(), 2U) << "both tables, whichever is read";
  EXPECT_NE(damaged.front().find("/records/subject=a/"), std::string::npos) << damaged.front();
  EXPECT_NE(damaged.front().find("move it out of the history"), std::string::npos) << damaged.front();
  EXPECT_NE(damaged.back().find("/values/subject=a/"), std::string::npos) << damaged.back();
  for (size_t i = 0; i < kMostPartFiles + 1; ++i) {
    ASSERT_TRUE(store->append(entry_of("a", kNovember + kDayNs, {3})));
    ASSERT_TRUE(store->compact()) << "a month with a damaged file is not merged";
  }
  EXPECT_EQ(numbers(*store, {"a", "", ""}).size(), kMostPartFiles + 1);
}

void flip_a_bit(const fs::path& file) {
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  const auto middle = static_cast<std::streamoff>(fs::file_size(file) / 3);
  bytes.seekg(middle);
  const char flipped = static_cast<char>(bytes.get() ^ 1);
  bytes.seekp(middle);
  bytes.put(flipped);
}

TEST(GuardStore, AFlippedBitIsNoticedInEitherTable) {
  for (const char* table : {"records", "values"}) {
    const TestFolder folder;
    const auto store = GuardStore::open(folder.path());
    ASSERT_TRUE(store->append(entry_of("a", kNovember, {1, 2})));
    ASSERT_TRUE(store->compact());
    flip_a_bit(fs::directory_iterator(folder.path() / table / partition_folder({"a", "cpu", "m1"}, "2026-11"))->path());
    std::vector<std::string> of_records;
    std::vector<std::string> of_values;
    const auto records = store->records({}, of_records);
    const auto values = store->values({}, of_values);
    ASSERT_TRUE(records && values);
    EXPECT_EQ(records->empty(), std::string(table) == "records");
    EXPECT_TRUE(values->empty()) << "values of a recording whose record is damaged are of no recording";
    ASSERT_EQ(of_records.size(), 1U);
    EXPECT_EQ(of_records, of_values);
    EXPECT_NE(of_records.front().find("its checksum differs"), std::string::npos) << of_records.front();
  }
}

// The hint says to move a damaged file out: what it recorded stays left out, and other recordings stay.
TEST(GuardStore, ValuesWithoutTheirRecordAreLeftOut) {
  const TestFolder folder;
  const auto store = GuardStore::open(folder.path());
  ASSERT_TRUE(store->append(entry_of("a", kNovember, {1, 2})));
  ASSERT_TRUE(store->compact());
  const fs::path records = folder.path() / "records" / partition_folder({"a", "cpu", "m1"}, "2026-11");
  const fs::path moved = fs::directory_iterator(records)->path();
  ASSERT_TRUE(store->append(entry_of("a", kNovember + 1, {3})));
  ASSERT_TRUE(store->compact());
  ASSERT_TRUE(store->append(entry_of("a", kNovember + 2, {4})));
  EXPECT_EQ(numbers(*store), (std::vector<double>{1, 2, 3, 4}));
  fs::remove(moved);
  EXPECT_EQ(numbers(*store), (std::vector<double>{3, 4}));
}

// Another user's, or no folder at all: it must not look like a history without recordings.
TEST(GuardStore, AFolderThatCannotBeReadIsNamed) {
  const TestFolder folder;
  const auto store = GuardStore::open(folder.path());
  ASSERT_TRUE(store);
  ASSERT_TRUE(store->append(entry_of("a", kNovember, {1})));
  std::ofstream(folder.path() / "values") << "no folder";
  std::vector<std::string> damaged;
  const auto records = store->records({}, damaged);
  ASSERT_TRUE(records) << records.error().message;
  EXPECT_EQ(records->size(), 1U);
  ASSERT_EQ(damaged.size(), 1U);
  EXPECT_NE(damaged.front().find("values: Not a directory; its recordings are left out"), std::string::npos)
      << damaged.front();
}

TEST(GuardStore, ASubjectIsFoundByItsNameAndByTheSlugThatIsPrinted) {
  const TestFolder folder;
  const auto store = GuardStore::open(folder.path());
  ASSERT_TRUE(store);
  const std::string slug = subject_slug("a/b");
  ASSERT_TRUE(store->append(entry_of(slug, kNovember, {1})));
  ASSERT_TRUE(store->append(entry_of("other", kNovember, {2})));
  for (const std::string& text : {std::string("a/b"), slug}) {
    std::vector<std::string> damaged;
    const auto values = store->values_of(text, damaged);
    ASSERT_TRUE(values) << values.error().message;
    ASSERT_EQ(values->size(), 1U) << text;
    EXPECT_EQ(values->front().value, 1);
  }
  std::vector<std::string> damaged;
  EXPECT_TRUE(store->values_of("a-b", damaged)->empty()) << "another subject";
  EXPECT_EQ(store->values_of("", damaged)->size(), 2U);
}

// As an earlier version wrote it, or another program.
TEST(GuardStore, AFileWithoutAChecksumInItsNameIsRead) {
  const TestFolder folder;
  const auto store = GuardStore::open(folder.path());
  ASSERT_TRUE(store->append(entry_of("a", kNovember, {1, 2})));
  ASSERT_TRUE(store->compact());
  const fs::path month = folder.path() / "values" / partition_folder({"a", "cpu", "m1"}, "2026-11");
  const fs::path file = fs::directory_iterator(month)->path();
  fs::rename(file, month / (file.stem().stem().string() + ".parquet"));
  EXPECT_EQ(numbers(*store), (std::vector<double>{1, 2}));
}

TEST(Slug, IsAFolderAndDiffersWhereALongTextDoes) {
  EXPECT_EQ(slug_of("resnet50"), "resnet50");
  EXPECT_EQ(subject_slug("resnet50"), "resnet50");
  EXPECT_EQ(subject_slug("a-b"), "a-b");
  // Whatever looks alike once it is a folder, and a text that is another's folder.
  const std::string folder_of_other = subject_slug("a/b");
  std::set<std::string> folders;
  const std::vector<std::string> texts{"a-b",
                                       "a/b",
                                       "a b",
                                       "a:b",
                                       "a--b",
                                       "-a-b",
                                       "a-b-",
                                       ".a-b",
                                       "",
                                       "unknown",
                                       "/",
                                       folder_of_other,
                                       std::string(70, 'x'),
                                       std::string(71, 'x')};
  for (const std::string& subject : texts) {
    folders.insert(subject_slug(subject));
    EXPECT_EQ(slug_of(subject_slug(subject)), subject_slug(subject)) << "a folder";
  }
  EXPECT_EQ(folders.size(), texts.size());
  EXPECT_EQ(slug_of("./bench --size 3"), "bench-size-3");
  EXPECT_EQ(slug_of("cuda:0"), "cuda-0");
  EXPECT_EQ(slug_of("../.."), "unknown");
  EXPECT_EQ(slug_of(""), "unknown");
  const std::string text(100, 'a');
  EXPECT_EQ(slug_of(text).size(), 64U);
  EXPECT_NE(slug_of(text), slug_of(text + "b"));
}

}  // namespace
}  // namespace aaco
