// SPDX-License-Identifier: MIT
#include "ingest/nvidia/ncu_csv.h"

#include <fmt/format.h>
#include <initializer_list>
#include <string>

#include "ingest/test_reading.h"

namespace aaco {
namespace {

const std::string kLongHeader =
    R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device",)"
    R"("CC","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description",)"
    R"("Estimated Speedup Type","Estimated Speedup")"
    "\n";

TEST(NcuCsv, TheRawPageHasAKernelInEachRow) {
  const EventTable table =
      read_text(read_ncu_csv,
                "==PROF== Connected to process 1896 (/bin/k)\nok, fine\n"
                "\"ID\",\"Process ID\",\"Kernel Name\",\"Stream\",\"Block "
                "Size\",\"Device\",\"dram__bytes.sum\",\"gpu__time_duration.sum\"\n"
                "\"\",\"\",\"\",\"\",\"\",\"\",\"byte\",\"us\"\n"
                "\"0\",\"1896\",\"axpy(float *, int)\",\"7\",\"(256, 1, 1)\",\"1\",\"1,234,567.5\",\"233.824\"\n"
                "==PROF== Disconnected from process 1896\n");
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table.kind[0], EventKind::kKernel);
  EXPECT_EQ(table.shape[0], EventShape::kUntimed);
  EXPECT_EQ(name_at(table, 0), "axpy(float *, int)");
  EXPECT_EQ(table.duration_ns[0], 233'824);
  EXPECT_EQ(track_at(table, 0).device, 1);
  EXPECT_EQ(track_at(table, 0).stream, 7);
  EXPECT_EQ(argument_at(table, 0, "dram__bytes.sum [byte]"), "1234567.5");
  EXPECT_EQ(argument_at(table, 0, "Block Size"), "\"(256, 1, 1)\"");
  EXPECT_EQ(table.metadata.size(), 3);
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(NcuCsv, TheRawPageMayLackUnitsAndTimes) {
  const EventTable table =
      read_text(read_ncu_csv,
                "\"ID\",\"Process ID\",\"Kernel "
                "Name\",\"gpu__time_duration.sum\"\n\"0\",\"1\",\"a\",\"1,000.0\"\n\"1\",\"1\",\"b\",\"\"\n");
  ASSERT_EQ(table.size(), 2);
  EXPECT_EQ(table.duration_ns[0], 1000);
  EXPECT_EQ(table.duration_ns[1], 0);
}

TEST(NcuCsv, AnUnknownUnitOfTimeStaysWithTheMetric) {
  const EventTable table =
      read_text(read_ncu_csv,
                "\"ID\",\"Process ID\",\"Kernel "
                "Name\",\"gpu__time_duration.sum\"\n\"\",\"\",\"\",\"fortnight\"\n\"0\",\"1\",\"a\",\"2\"\n");
  EXPECT_EQ(table.duration_ns[0], 0);
  EXPECT_EQ(argument_at(table, 0, "gpu__time_duration.sum [fortnight]"), "2");
}

TEST(NcuCsv, TheDetailsPageIsFolded) {
  const std::string launch = R"-("0","1896","k","127.0.0.1","axpy","1","7","(256, 1, 1)","(64, 1, 1)","0","9.0",)-";
  const EventTable table = read_text(
      read_ncu_csv, kLongHeader + launch + R"("Speed Of Light","Duration","usecond","233.82","","","","","")" + "\n" +
                        launch + R"("Speed Of Light","DRAM Frequency","hz","1,215,000,000.00","","","","","")" + "\n" +
                        launch + R"("Occupancy","","","","Theory","OPT","Too few, ""warps""","global","12.5")" + "\n" +
                        R"-("1","1896","k","127.0.0.1","other","1","8","(1, 1, 1)","(1, 1, 1)","0","9.0",)-" +
                        R"("Speed Of Light","DRAM Frequency","hz","7","","","","","")" + "\n");
  ASSERT_EQ(table.size(), 2);
  EXPECT_EQ(name_at(table, 0), "axpy");
  EXPECT_EQ(table.duration_ns[0], 233'820);
  EXPECT_EQ(argument_at(table, 0, "Speed Of Light: Duration [usecond]"), "233.82");
  EXPECT_EQ(argument_at(table, 0, "Speed Of Light: DRAM Frequency [hz]"), "1215000000");
  EXPECT_EQ(argument_at(table, 0, "Occupancy: Theory [OPT]"), "\"Too few, \"warps\"\"");
  EXPECT_EQ(argument_at(table, 0, "Occupancy: Theory [OPT] estimated speedup [global]"), "12.5");
  EXPECT_EQ(track_at(table, 1).stream, 8);
  EXPECT_EQ(table.duration_ns[1], 0);
  EXPECT_TRUE(table.losses.entries().empty());
}

// As 2025.3 writes them: no cells of a rule, but the comma before them.
TEST(NcuCsv, RowsOfMetricsEndBehindTheirValue) {
  const std::string launch = R"-("0","1896","k","127.0.0.1","axpy","1","7","(256, 1, 1)","(64, 1, 1)","0","9.0",)-";
  const std::string metric = launch + R"("Speed Of Light","DRAM Frequency","hz","3,129,084,967.32",)";
  const EventTable table = read_text(
      read_ncu_csv, kLongHeader + metric + "\n" + launch + R"("Speed Of Light","Duration","us","2.5",)" + "\n" +
                        launch + R"("Speed Of Light","","","","Theory","OPT","Too few","global","12.5")" + "\n" +
                        launch + R"("Speed Of Light","","","","Theory","OPT","Too many","","")" + "\n");
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table.duration_ns[0], 2500);
  EXPECT_EQ(argument_at(table, 0, "Speed Of Light: DRAM Frequency [hz]"), "3129084967.32");
  EXPECT_EQ(argument_at(table, 0, "Speed Of Light: Theory [OPT]"), "\"Too few\"");
  EXPECT_EQ(argument_at(table, 0, "Speed Of Light: Theory [OPT] 2"), "\"Too many\"");
  EXPECT_TRUE(table.losses.entries().empty());
  const EventTable cut = read_text(read_ncu_csv, kLongHeader + metric + "\n" + metric);  // within its last row
  EXPECT_EQ(cut.losses.count(Loss::kTruncated), 1);
  const EventTable lacking = read_text(read_ncu_csv, kLongHeader + launch + "\"Speed Of Light\",\"DRAM Frequency\"\n");
  EXPECT_EQ(lacking.losses.count(Loss::kMalformedEvent), 1);
  const EventTable no_finding =
      read_text(read_ncu_csv, kLongHeader + launch + R"("Light","","","","Theory","OPT")" + "\n");
  EXPECT_EQ(no_finding.losses.count(Loss::kMalformedEvent), 1);
}

TEST(NcuCsv, MetricsThatWereAskedForHaveTheirOwnNames) {  // ncu --csv --metrics
  const std::string row = R"("0","1","h","k","1","7","Command line profiler metrics",)";
  const EventTable table = read_text(
      read_ncu_csv,
      R"("ID","Process ID","Host Name","Kernel Name","Context","Stream","Section Name","Metric Name","Metric Unit",)"
      R"("Metric Value")"
      "\n" +
          row + R"("dram__bytes.sum","byte","47,719,168")" + "\n" + row + R"("gpu__time_duration.sum","us","71.5")" +
          "\n");
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(table.duration_ns[0], 71'500);
  EXPECT_EQ(argument_at(table, 0, "dram__bytes.sum [byte]"), "47719168");
  EXPECT_EQ(argument_at(table, 0, "gpu__time_duration.sum [us]"), "71.5");
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(NcuCsv, MetricsOfATableWithinASection) {  // --print-details all
  const EventTable table =
      read_text(read_ncu_csv, R"("ID","Process ID","Host Name","Kernel Name","Section Name","Body Item Label",)"
                              R"("Metric Name","Metric Unit","Metric Value")"
                              "\n"
                              R"("0","1","h","k","Instructions","","Executed","inst","5")"
                              "\n"
                              R"-("0","1","h","k","Instructions","By Opcode","Executed","inst","2 (1; 1)")-"
                              "\n");
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(argument_at(table, 0, "Instructions: Executed [inst]"), "5");
  EXPECT_EQ(argument_at(table, 0, "Instructions: By Opcode: Executed [inst]"), "\"2 (1; 1)\"");
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(NcuCsv, NumbersAreUngroupedOnlyWhereTheyAreGrouped) {
  const EventTable table = read_text(read_ncu_csv,
                                     "\"ID\",\"Process ID\",\"Kernel Name\",\"a\",\"b\",\"c\",\"d\"\n"
                                     "\"1,000\",\"1\",\"k\",\"1,23\",\"12,345,678\",\"1234,567\",\"-1,000.25\"\n");
  EXPECT_EQ(argument_at(table, 0, "ID"), "1000");
  EXPECT_EQ(argument_at(table, 0, "a"), "\"1,23\"");
  EXPECT_EQ(argument_at(table, 0, "b"), "12345678");
  EXPECT_EQ(argument_at(table, 0, "c"), "\"1234,567\"");
  EXPECT_EQ(argument_at(table, 0, "d"), "-1000.25");
}

// Metric values of one kernel each.
EventTable read_values(std::initializer_list<const char*> values) {
  std::string text = kLongHeader;
  int id = 0;
  for (const char* value : values) {
    text += fmt::format(R"-("{}","42","app","k","k{}","1","7","(256, 1, 1)","(64, 1, 1)","0","8.0",)-", id, id) +
            fmt::format(R"("Speed Of Light","Duration","us","{}","","","","","")", value) + "\n";
    ++id;
  }
  return read_text(read_ncu_csv, text);
}

TEST(NcuCsv, DecimalCommasAreToldByTheirFirstSign) {
  const EventTable table = read_values({"3,456", "12,50", "1.234,50", "7", "1.234"});
  ASSERT_EQ(table.size(), 5);
  EXPECT_EQ(table.duration_ns[0], 3'456);
  EXPECT_EQ(table.duration_ns[1], 12'500);
  EXPECT_EQ(table.duration_ns[2], 1'234'500);
  EXPECT_EQ(table.duration_ns[3], 7'000);
  EXPECT_EQ(table.duration_ns[4], 1'234'000);
  EXPECT_EQ(argument_at(table, 0, "Speed Of Light: Duration [us]"), "3.456");
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(NcuCsv, GroupsOfThousandsAreToldByADecimalPointOrTwoCommas) {
  EXPECT_EQ(read_values({"3,456", "12.50"}).duration_ns[0], 3'456'000);
  EXPECT_EQ(read_values({"3,456", "1,234,567"}).duration_ns[0], 3'456'000);
}

TEST(NcuCsv, AnAmbiguousNumberIsALossAndNoFigure) {
  const EventTable table = read_values({"3,456", "7", "1,234", "1.234"});
  ASSERT_EQ(table.size(), 4);
  EXPECT_EQ(table.duration_ns[0], 0);
  EXPECT_EQ(argument_at(table, 0, "Speed Of Light: Duration [us]"), "none");
  EXPECT_EQ(table.duration_ns[1], 7'000);
  EXPECT_EQ(table.duration_ns[3], 1'234);
  EXPECT_EQ(table.losses.count(Loss::kAmbiguousNumber), 2);
  EXPECT_EQ(table.losses.entries()[0].example, "file.csv: line 2: \"3,456\" in \"Metric Value\"");
  EXPECT_TRUE(table.losses.in_part());
  EXPECT_EQ(read_values({"12.50", "3,5"}).losses.count(Loss::kAmbiguousNumber), 1);
}

TEST(NcuCsv, MicrosecondsMayHaveTheirSign) {
  for (const char* unit : {"\u00B5s", "\u03BCs", "\xB5s"}) {
    const EventTable table = read_text(
        read_ncu_csv, fmt::format("\"ID\",\"Process ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric "
                                  "Value\"\n\"0\",\"1\",\"k\",\"Duration\",\"{}\",\"12.50\"\n",
                                  unit));
    ASSERT_EQ(table.size(), 1);
    EXPECT_EQ(table.duration_ns[0], 12'500) << unit;
  }
}

}  // namespace
}  // namespace aaco
