// SPDX-License-Identifier: MIT
#include "record/journal/row_journal.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/test_folder.h"
#include "record/gpu_sample.h"
#include "record/host/off_cpu_row.h"
#include "record/rows.h"

namespace aaco {

struct ThingRow {
  int64_t t_ns = 0;
  std::string name;
  double value = 0;
  std::optional<int64_t> count;
  std::optional<std::string> note;
};
template <>
struct RowSchema<ThingRow> {
  static constexpr const char* kName = "things";
  static constexpr const char* kMeaning = "of this test";
  static auto columns() {
    using R = ThingRow;
    return std::tuple{row_column("t_ns", &R::t_ns, "ns", ""), row_column("name", &R::name, "", ""),
                      row_column("value", &R::value, "1", ""), row_column("count", &R::count, "1", ""),
                      row_column("note", &R::note, "", "")};
  }
};

// The same table with a column less, and one that the other has not.
struct LaterThingRow {
  int64_t t_ns = 0;
  std::optional<double> weight;
  std::optional<std::string> note;
};
template <>
struct RowSchema<LaterThingRow> {
  static constexpr const char* kName = "things";
  static constexpr const char* kMeaning = "of this test";
  static auto columns() {
    using R = LaterThingRow;
    return std::tuple{row_column("t_ns", &R::t_ns, "ns", ""), row_column("weight", &R::weight, "1", ""),
                      row_column("note", &R::note, "", "")};
  }
};

namespace {

template <class Row>
void write(const std::filesystem::path& path, const std::vector<Row>& rows) {
  auto writer = RowJournalWriter<Row>::create(path);
  ASSERT_TRUE(writer) << writer.error().message;
  for (const Row& row : rows) {
    EXPECT_TRUE(writer->append(row));
  }
  ASSERT_TRUE(writer->close());
}

const std::vector<ThingRow> kThings{{1, "loss", 0.5, 7, "a"},
                                    {2, "", std::nan(""), std::nullopt, std::nullopt},
                                    {3, std::string(100, 'x'), -0.0, 0, ""},
                                    {4, "loss", 2, -1, std::string("with \0 in it", 12)}};

TEST(RowJournal, rows_come_back_with_their_texts_and_nulls) {
  const TestFolder folder;
  const auto path = folder.path() / "a.jrn";
  write(path, kThings);
  bool torn = true;
  const auto rows = read_row_journal<ThingRow>(path, &torn);
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_FALSE(torn);
  ASSERT_EQ(rows->size(), kThings.size());
  for (size_t i = 0; i < kThings.size(); ++i) {
    EXPECT_EQ((*rows)[i].t_ns, kThings[i].t_ns);
    EXPECT_EQ((*rows)[i].name, kThings[i].name);
    EXPECT_EQ((*rows)[i].count, kThings[i].count);
    EXPECT_EQ((*rows)[i].note, kThings[i].note);
  }
  EXPECT_TRUE(std::isnan((*rows)[1].value));  // a measured one: only where a column may be null is NaN one
  EXPECT_TRUE(std::signbit((*rows)[2].value));
  // "loss" is stored once: 4 rows, and texts of 1, 1, 1, 3 and 1 records.
  EXPECT_EQ(read_journal(path)->row_count, 4 + 1 + 1 + 1 + 3 + 1);
}

TEST(RowJournal, another_version_is_read_by_the_names_of_columns) {
  const TestFolder folder;
  const auto path = folder.path() / "a.jrn";
  write(path, kThings);
  const auto rows = read_row_journal<LaterThingRow>(path);
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->size(), 4U);
  EXPECT_EQ((*rows)[0].note, "a");
  EXPECT_FALSE((*rows)[0].weight);
  write(path, std::vector<LaterThingRow>{{5, 1.5, std::nullopt}});
  const auto missing = read_row_journal<ThingRow>(path);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(missing.error().message, path.string() + ": table things: column name is missing");
}

TEST(RowJournal, every_truncation_yields_a_prefix) {
  const TestFolder folder;
  const auto path = folder.path() / "a.jrn", cut = folder.path() / "cut.jrn";
  write(path, kThings);
  const std::string whole = *read_file(path);
  size_t most = 0;
  for (size_t size = 4096; size <= whole.size(); ++size) {
    std::ofstream(cut, std::ios::binary) << whole.substr(0, size);
    const auto rows = read_row_journal<ThingRow>(cut);
    ASSERT_TRUE(rows) << rows.error().message;
    EXPECT_GE(rows->size(), most);
    most = rows->size();
    for (size_t i = 0; i < most; ++i) {
      EXPECT_EQ((*rows)[i].name, kThings[i].name);
      EXPECT_EQ((*rows)[i].note, kThings[i].note);
    }
  }
  EXPECT_EQ(most, kThings.size());
}

// Whole records whose content no writer of ours makes.
TEST(RowJournal, what_cannot_be_is_named) {
  using Record = std::array<uint64_t, 6>;
  const TestFolder folder;
  const auto path = folder.path() / "a.jrn";
  const auto message = [&](const Json& description, const Record& record) {
    auto writer = JournalWriter::create(path, sizeof(Record), description);
    EXPECT_TRUE(writer && writer->append(record) && writer->close());
    const auto rows = read_row_journal<ThingRow>(path);
    return rows ? "" : rows.error().message.substr(path.string().size() + 2);
  };
  const Json good = row_journal::description("things", column_infos<ThingRow>());
  EXPECT_EQ(message(good, {row_journal::kText | 40}), "");
  EXPECT_EQ(message(good, {row_journal::kText | 41}), "record 0 holds what cannot be");
  EXPECT_EQ(message(good, {1}), "record 0 holds what cannot be");
  EXPECT_EQ(message(good, {0, 5, 0, 0, 0, 0}), "record 0 holds what cannot be");  // no text 0 is there
  const Json other = row_journal::description("others", column_infos<ThingRow>());
  EXPECT_EQ(message(other, {}), "not a journal of things rows");
  for (const char* columns : {"null", "3", "[1]", R"([["a"]])", R"([["a", "int32"]])", R"([["a", "int64"]])",
                              R"([["t_ns", ""]])", R"([[1, "int64"]])"}) {
    EXPECT_EQ(message({{"rows", "things"}, {"columns", Json::parse(columns)}}, {}), "not a journal of things rows")
        << columns;
  }
  EXPECT_EQ(message(Json::array(), {}), "not a journal of things rows");
}

TEST(RowJournal, rows_of_telemetry_fit) {
  const TestFolder folder;
  GpuSampleRow full;
  full.t_ns = 5;
  full.device = "0000:1b:00.0";
  full.vendor = gpu_vendor::kNvidia;
  full.core_clock_mhz = 1'980;
  full.power_w = 0;
  set_clock_events(full, 0);
  GpuSampleRow nothing;
  nothing.device = "0000:43:00.0";
  nothing.vendor = gpu_vendor::kAmd;
  const auto path = folder.path() / "gpu.jrn";
  write<GpuSampleRow>(path, {full, nothing});
  const auto rows = read_row_journal<GpuSampleRow>(path);
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ((*rows)[0].device, "0000:1b:00.0");
  EXPECT_EQ((*rows)[0].vendor, "nvidia");
  EXPECT_EQ((*rows)[0].core_clock_mhz, 1'980);
  EXPECT_EQ((*rows)[0].power_w, 0);  // measured, and not null
  EXPECT_EQ((*rows)[0].clock_events, "");
  EXPECT_EQ((*rows)[0].throttled, 0);
  EXPECT_FALSE((*rows)[0].busy_pct);
  EXPECT_EQ((*rows)[1].vendor, "amd");
  EXPECT_FALSE((*rows)[1].power_w);
  EXPECT_FALSE((*rows)[1].clock_event_bits);
  EXPECT_FALSE((*rows)[1].throttled);
  EXPECT_EQ(read_row_journal<SystemRow>(path).error().kind, ErrorKind::kUsage);
}

TEST(RowJournal, a_word_of_an_enum_is_stored_as_its_text) {
  const TestFolder folder;
  OffCpuRow sleep;
  sleep.thread_id = 7;
  sleep.reason = OffCpuReason::kSleep;
  OffCpuRow unknown;
  const auto path = folder.path() / "off_cpu.jrn";
  write<OffCpuRow>(path, {sleep, unknown, sleep});
  const auto rows = read_row_journal<OffCpuRow>(path);
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->size(), 3U);
  EXPECT_EQ((*rows)[0].reason, OffCpuReason::kSleep);
  EXPECT_EQ((*rows)[0].thread_id, 7);
  EXPECT_EQ((*rows)[1].reason, OffCpuReason::kUnknown);
  EXPECT_EQ((*rows)[2].reason, OffCpuReason::kSleep);
  EXPECT_FALSE((*rows)[2].stack);
}

}  // namespace
}  // namespace aaco
