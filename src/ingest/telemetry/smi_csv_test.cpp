// SPDX-License-Identifier: MIT
#include "ingest/telemetry/smi_csv.h"

#include <string>
#include <vector>

#include "ingest/telemetry/amd_smi.h"
#include "ingest/test_reading.h"

namespace aaco {
namespace {

EventTable read(std::string_view text) {
  EXPECT_TRUE(is_smi_csv(text)) << text;
  return read_text(read_smi_csv, text);
}

// "card0 (0) GPU use (%) = 7 %", with "@" and the nanoseconds before it where it has a time.
std::vector<std::string> readings_of(const EventTable& table) {
  std::vector<std::string> readings;
  for (size_t i = 0; i < table.size(); ++i) {
    const Track& track = track_at(table, i);
    const std::string time =
        table.shape[i] == EventShape::kCounter ? fmt::format("@{} ", table.start_ns[i]) : std::string();
    readings.push_back(fmt::format("{}{} ({}) {} = {} {}", time, table.strings[track.process], track.device,
                                   name_at(table, i), argument_at(table, i, "value"), argument_at(table, i, "unit")));
  }
  return readings;
}

TEST(SmiCsv, RocmSmiGivesTheReadingsOfItsJson) {
  const EventTable csv = read(
      "device,Temperature (Sensor edge) (C),Average Graphics Package Power (W),GPU use (%),sclk clock speed:,"
      "Card Vendor,VRAM Total Memory (B),Driver version\n"
      "card0,54.0,N/A,2,(1402Mhz),Advanced Micro Devices Inc. [AMD/ATI],536870912,N/A\n"
      "card11,40.0,100.0,97,(300Mhz),N/A,17163091968,N/A\n"
      "system,N/A,N/A,N/A,N/A,N/A,N/A,6.2.4\n");
  const EventTable json = read_text(read_amd_smi, R"json({
      "card0": {"Temperature (Sensor edge) (C)": "54.0",
                "GPU use (%)": "2", "sclk clock speed:": "(1402Mhz)",
                "Card Vendor": "Advanced Micro Devices Inc. [AMD/ATI]", "VRAM Total Memory (B)": "536870912"},
      "card11": {"Temperature (Sensor edge) (C)": "40.0", "Average Graphics Package Power (W)": "100.0",
                 "GPU use (%)": "97", "sclk clock speed:": "(300Mhz)", "VRAM Total Memory (B)": "17163091968"},
      "system": {"Driver version": "6.2.4"}})json");
  EXPECT_EQ(csv.size(), 11);
  EXPECT_EQ(readings_of(csv), readings_of(json));
  EXPECT_EQ(readings_of(csv)[0], "card0 (0) Temperature (Sensor edge) (C) = 54 \"C\"");
  EXPECT_EQ(readings_of(csv)[2], "card0 (0) sclk clock speed: = 1402 \"Mhz\"");
  EXPECT_EQ(readings_of(csv)[10], fmt::format("system ({}) Driver version = \"6.2.4\" none", kNoId));
  EXPECT_TRUE(csv.losses.entries().empty());
}

TEST(SmiCsv, TablesFollowEachOtherAndLogLinesStandAround) {
  const EventTable table = read(
      "WARNING: AMD GPU device(s) is/are in a low-power state. Check power, or not\n\n"
      "device,GPU use (%)\ncard0,42\n\nWARNING: again\ndevice,GPU memory use (%),Serial "
      "Number\ncard0,68,\ncard1,55,7\n");
  EXPECT_EQ(readings_of(table),
            (std::vector<std::string>{"card0 (0) GPU use (%) = 42 \"%\"", "card0 (0) GPU memory use (%) = 68 \"%\"",
                                      "card1 (1) GPU memory use (%) = 55 \"%\"", "card1 (1) Serial Number = 7 none"}));
  ASSERT_EQ(table.metadata.size(), 2);
  EXPECT_EQ(table.strings[table.metadata[0].key], "line 1");
  EXPECT_EQ(table.strings[table.metadata[1].value], "\"WARNING: again\"");
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(SmiCsv, AmdSmiGivesTheReadingsOfItsJson) {
  const EventTable csv = read(
      "gpu,gfx_activity,umc_activity,market_name,vcn_activity\n0,95,N/A,Card A,\"['N/A', 'N/A']\"\n1,0,12.5,,[0]\n");
  const EventTable json = read_text(read_amd_smi, R"([
      {"gpu": 0, "gfx_activity": 95, "market_name": "Card A",
       "vcn_activity": "['N/A', 'N/A']"},
      {"gpu": 1, "gfx_activity": 0, "umc_activity": 12.5, "vcn_activity": [0]}])");
  EXPECT_EQ(readings_of(csv), readings_of(json));
  EXPECT_EQ(readings_of(csv)[1], " (0) gfx_activity = 95 none");
  EXPECT_EQ(readings_of(csv).back(), " (1) vcn_activity = \"[0]\" none");
  EXPECT_EQ(csv.size(), 8);
}

TEST(SmiCsv, AmdSmiWatchesWithTimes) {
  const EventTable table = read(
      "timestamp,gpu,xcp,power_usage\n1789515524,0,0,288\n1789515525,0,0,N/A\n1789515525.25,1,0,290\n"
      "N/A,1,0,291\n99999999999,1,0,292\n");
  const std::vector<std::string> readings = readings_of(table);
  ASSERT_EQ(readings.size(), 18);
  EXPECT_EQ(readings[3], "@1789515524000000000  (0) power_usage = 288 none");
  EXPECT_EQ(readings[4], "@1789515525000000000  (0) timestamp = 1789515525 none");
  EXPECT_EQ(readings[10], "@1789515525250000000  (1) power_usage = 290 none");
  EXPECT_EQ(readings[13], " (1) power_usage = 291 none");
  EXPECT_EQ(readings[17], " (1) power_usage = 292 none");
  EXPECT_EQ(table.losses.count(Loss::kNoTime), 1);
  EXPECT_EQ(table.losses.count(Loss::kTimeRange), 1);
}

TEST(SmiCsv, RowsThatAreNoneAreCounted) {
  const EventTable table = read(
      "device,GPU use (%)\ncard0,1\ncard0,1,2\ncard,1\ncardx,1\ncard-1,1\nfan0,1\n\"card1\nx\",2\ncard3\nA log\ncard2");
  EXPECT_EQ(table.size(), 1);
  EXPECT_EQ(table.losses.count(Loss::kMalformedEvent), 7);
  EXPECT_EQ(table.losses.count(Loss::kTruncated), 1);
  EXPECT_EQ(table.metadata.size(), 1);  // a line of a log
  EXPECT_EQ(read("gpu,edge,mem\n0,1,2\n0,1").losses.count(Loss::kTruncated), 1);
  EXPECT_EQ(read("gpu,edge\n0,1\nx,1\n").losses.count(Loss::kMalformedEvent), 1);
}

TEST(SmiCsv, OtherTablesAreNotTaken) {
  for (const char* text :
       {"", "device,HBMBw,L2Bw\n0,1,2\n", "device,GPU use (%)\n", "device\ncard0\n", "gpu,loss,epoch\n0,1,2\n",
        "gpu,gfx_activity\nfast,1\n", "timestamp,gpu,index,memory.used\n2025-09-08T17:26:50+08:00,0,0,4\n",
        "timestamp,device,power_watts\n1754586056,card0,154.0\n", "WARNING: no table\n", "card0,1\ncard1,2\n",
        "device,use\n\nlog\ncard0,1\n"}) {
    EXPECT_FALSE(is_smi_csv(text)) << text;
  }
  const auto bytes = bytes_of(std::string_view("no,header\n"));
  EventTable table;
  const auto done = read_smi_csv({"file.csv", "file.csv", *bytes, 0}, table);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::kUsage);
  EXPECT_FALSE(done.error().hint.empty());
}

}  // namespace
}  // namespace aaco
