// SPDX-License-Identifier: MIT
#include "ingest/table/csv_table.h"

#include "ingest/test_reading.h"

namespace aaco {
namespace {

using enum ColumnRole;

constexpr ColumnMapping kColumns[] = {{"start", kStart}, {"end", kEnd},           {"name", kName},
                                      {"gpu", kDevice},  {"counter", kValueName}, {"value", kValue}};
constexpr std::string_view kLongNeeds[] = {"id", "counter", "value"};
constexpr std::string_view kWideNeeds[] = {"start", "name"};
constexpr std::string_view kKey[] = {"id", "gpu"};
constexpr TableKind kKinds[] = {
    {.needs = kLongNeeds, .columns = kColumns, .kind = EventKind::kKernel, .event_of = kKey},
    {.needs = kWideNeeds, .columns = kColumns, .kind = EventKind::kKernel},
};
constexpr CsvFormat kStrict{.kinds = kKinds};
constexpr CsvFormat kLenient{.kinds = kKinds, .remarks = true, .short_rows = true};

Result<void> read_strict(const TraceInput& input, EventTable& into) {
  return read_csv_table(input.bytes, input.name, input.recording, kStrict, into);
}
Result<void> read_lenient(const TraceInput& input, EventTable& into) {
  return read_csv_table(input.bytes, input.name, input.recording, kLenient, into);
}

TEST(CsvTable, IsKnownByItsHeaderWhateverTheOrderAndCase) {
  EXPECT_TRUE(is_csv_table("Name, x, START\n", kStrict));
  EXPECT_TRUE(is_csv_table("name,start", kStrict));
  EXPECT_FALSE(is_csv_table("name,begin\n", kStrict));
  EXPECT_FALSE(is_csv_table("", kStrict));
  EXPECT_FALSE(is_csv_table("==PROF== hello\nname,start\n", kStrict));
  EXPECT_TRUE(is_csv_table("==PROF== hello\nname,start\n", kLenient));
}

TEST(CsvTable, IsKnownByTheBeginOfALongHeader) {
  EXPECT_TRUE(is_csv_table("\"name\",\"start\",\"a column of man", kStrict));
  EXPECT_TRUE(is_csv_table("==PROF== hello\n\"name\",\"start\",\"a column of man", kLenient));
  EXPECT_FALSE(is_csv_table("\"name\",\"begin\",\"a column of man", kStrict));
}

TEST(CsvTable, AnUnknownHeaderIsRefused) {
  EventTable table;
  const auto bytes = bytes_of(std::string_view("a,b\n1,2\n"));
  const auto done = read_csv_table(*bytes, "t.csv", 0, kStrict, table);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::kUsage);
  EXPECT_TRUE(done.error().message.starts_with("t.csv: line 1: ")) << done.error().message;
  EXPECT_FALSE(done.error().hint.empty());
}

TEST(CsvTable, RowsOfAnotherLengthAreLosses) {
  const EventTable table = read_text(read_strict, "start,end,name\n1,2,a\n1,2\n1,2,b,3\n3,4,c\n5,6");
  EXPECT_EQ(table.size(), 2);
  EXPECT_EQ(table.losses.count(Loss::kMalformedEvent), 2);
  EXPECT_EQ(table.losses.count(Loss::kTruncated), 1);
}

TEST(CsvTable, QuotesTellNothingWhereNumbersHaveThemToo) {
  EventTable table = read_text(
      read_strict, "start,end,name,extra,more\n\"1\",\"4\",\"a\",\"5\",\"\"\n\"5\",\"9\",\"7\",\"x\",\"0.5\"\n");
  EXPECT_TRUE(table.losses.entries().empty());
  EXPECT_EQ(table.start_ns[1], 5);
  EXPECT_EQ(table.duration_ns[1], 4);
  EXPECT_EQ(name_at(table, 1), "7");
  const auto find = [&](size_t event, const char* key) {
    return table.arguments.find(event, table.strings.intern(key));
  };
  EXPECT_EQ(find(0, "extra")->type, ArgumentType::kInteger);
  EXPECT_FALSE(find(0, "more"));
  EXPECT_EQ(find(1, "extra")->type, ArgumentType::kText);
  EXPECT_EQ(find(1, "more")->type, ArgumentType::kReal);
}

TEST(CsvTable, TheFirstRowWithANumberSaysWhatQuotesMean) {
  const EventTable table = read_text(read_lenient,
                                     "start,end,name,extra\n\"\",\"\",\"a\",\"x\"\n\"1.0\",\"4\",\"b\"\n"
                                     "\"5\",\"9\",\"c\",\"\"\n\"6\",\"\"\n");
  ASSERT_EQ(table.size(), 3);  // the last row says nothing but its time
  EXPECT_EQ(table.losses.count(Loss::kNoTime), 1);
  EXPECT_EQ(table.losses.count(Loss::kShortRow), 1);
  EXPECT_EQ(table.losses.count(Loss::kMalformedEvent), 1);
  EXPECT_EQ(table.duration_ns[1], 3);
  EXPECT_EQ(table.duration_ns[2], 4);
}

TEST(CsvTable, WhatIsQuotedBesideNumbersIsAText) {
  EventTable table = read_text(read_strict, "start,end,name,extra\n1,4,\"a\",\"5\"\n\"5\",\"9\",\"b\",\"6\"\n");
  EXPECT_EQ(table.arguments.find(0, table.strings.intern("extra"))->type, ArgumentType::kText);
  EXPECT_EQ(table.losses.count(Loss::kNoTime), 1);
}

TEST(CsvTable, ShortRowsAreKeptWhereTheyAreAllowedAndSayAnything) {
  EventTable table = read_text(read_lenient, "start,end,name,extra\n1,2,a,5\n3,4,b\n5,\n7,8,9");
  EXPECT_EQ(table.size(), 2);
  EXPECT_EQ(name_at(table, 1), "b");
  EXPECT_EQ(argument_at(table, 1, "extra"), "none");
  EXPECT_EQ(table.losses.count(Loss::kShortRow), 1);
  EXPECT_EQ(table.losses.count(Loss::kMalformedEvent), 1);
  EXPECT_EQ(table.losses.count(Loss::kTruncated), 1);  // its end may be cut within a value
}

TEST(CsvTable, RemarksBecomeMetadata) {
  const EventTable table =
      read_text(read_lenient, "==PROF== one, two\nhello\nstart,end,name\n1,2,a\n==PROF== \"end\"\n3,4,b\n");
  EXPECT_EQ(table.size(), 2);
  ASSERT_EQ(table.metadata.size(), 3);
  EXPECT_EQ(table.strings[table.metadata[0].key], "line 1");
  EXPECT_EQ(table.strings[table.metadata[0].value], "\"==PROF== one, two\"");
  EXPECT_EQ(table.strings[table.metadata[2].value], "\"==PROF== \\\"end\\\"\"");
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(FoldedRows, AnEventHasItsValuesAsArguments) {
  EventTable table =
      read_text(read_strict,
                "id,gpu,name,counter,value,start,end\n"
                "1,0,k,WAVES,64,10,20\n2,0,l,WAVES,8,30,40\n1,0,k,CYCLES,0.5,10,20\n1,1,k,WAVES,9,10,20\n");
  ASSERT_EQ(table.size(), 3);
  EXPECT_EQ(name_at(table, 0), "k");
  EXPECT_EQ(table.start_ns[0], 10);
  EXPECT_EQ(argument_at(table, 0, "WAVES"), "64");
  EXPECT_EQ(argument_at(table, 0, "CYCLES"), "0.5");
  EXPECT_EQ(argument_at(table, 0, "counter"), "none");
  EXPECT_EQ(argument_at(table, 1, "WAVES"), "8");
  EXPECT_EQ(track_at(table, 2).device, 1);
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(FoldedRows, WhatComesTwiceIsCounted) {
  EventTable table =
      read_text(read_strict, "id,gpu,name,counter,value\n1,0,k,WAVES,64\n1,0,k,WAVES,65\n2,0,k,A,1\n2,0,other,B,1\n");
  ASSERT_EQ(table.size(), 2);
  EXPECT_EQ(argument_at(table, 0, "WAVES"), "65");
  EXPECT_EQ(name_at(table, 1), "other");
  EXPECT_EQ(table.losses.count(Loss::kDuplicateKey), 2);
}

TEST(CsvTable, NamesThatDifferInBytesStayApart) {
  const EventTable table = read_text(read_strict, "start,end,name\n1,2,k\xFF\n2,3,k\xFE\n3,4,k\xFF\n");
  ASSERT_EQ(table.size(), 3);
  EXPECT_EQ(name_at(table, 0), "k\uFFFDff");
  EXPECT_EQ(name_at(table, 1), "k\uFFFDfe");
  EXPECT_EQ(table.name[2], table.name[0]);
  EXPECT_EQ(table.losses.count(Loss::kNotUtf8), 2);
}

}  // namespace
}  // namespace aaco
