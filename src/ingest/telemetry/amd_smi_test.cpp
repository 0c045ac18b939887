// SPDX-License-Identifier: MIT
#include "ingest/telemetry/amd_smi.h"

#include <bit>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

namespace aaco {
namespace {

Result<void> read_into(const std::string& text, EventTable& table) {
  const auto source = bytes_of(text);
  return read_amd_smi({"smi.json", "smi.json", *source}, table);
}

EventTable read(const std::string& text) {
  EXPECT_TRUE(is_amd_smi(text));
  EventTable table;
  const auto done = read_into(text, table);
  EXPECT_TRUE(done) << done.error().message;
  return table;
}

// "value unit" of an event; a text in quotes.
std::string reading(EventTable& table, size_t event) {
  const auto value = table.arguments.find(event, table.strings.intern("value"));
  const auto unit = table.arguments.find(event, table.strings.intern("unit"));
  const std::string of_unit = unit ? " " + std::string(table.text_of(*unit)) : "";
  switch (value->type) {
    case ArgumentType::kInteger:
      return std::to_string(static_cast<int64_t>(value->bits)) + of_unit;
    case ArgumentType::kReal:
      return std::to_string(std::bit_cast<double>(value->bits)).substr(0, 5) + of_unit;
    case ArgumentType::kText:
      return "'" + std::string(table.text_of(*value)) + "'" + of_unit;
    default:
      return "none";
  }
}

TEST(AmdSmi, ReadingsOfRocmSmiHaveTheirUnits) {
  struct {
    std::string name, text, expected;
  } const cases[] = {
      {"Average Graphics Package Power (W)", "39.0", "39.00 W"},
      {"Average Graphics Package Power (W)", "N/A (Secondary die)", "'N/A (Secondary die)'"},
      {"sclk clock speed:", "(300Mhz)", "300 Mhz"},
      {"GPU use (%)", "7", "7 %"},
      {"1", "495Mhz", "495 Mhz"},
      {"Fan", "12%", "12 %"},
      {"Card SKU", "67XA", "'67XA'"},
      {"0", "8.0GT/s x16 *", "'8.0GT/s x16 *'"},
      {"GPU ID", "0x738c", "'0x738c'"},
      {"VBIOS version", "113-D3430400-037", "'113-D3430400-037'"},
      {"SMC firmware version", "00.54.29.00", "'00.54.29.00'"},
      {"VRAM Total Memory (B)", "34342961152", "34342961152 B"},
      {"Serial Number", "0042", "'0042'"},
      {"PCI Bus", "0000:1E:00.0", "'0000:1E:00.0'"},
      {"Memory Activity", "", "''"},
  };
  for (const auto& [name, text, expected] : cases) {
    EventTable table = read(fmt::format(R"({{"card3": {{"{}": "{}"}}}})", name, text));
    ASSERT_EQ(table.size(), 1);
    EXPECT_EQ(reading(table, 0), expected) << name;
    EXPECT_EQ(table.shape[0], EventShape::kUntimed);
    EXPECT_EQ(table.tracks[table.track[0]].device, 3);
  }
}

TEST(AmdSmi, WhatIsTheHostsHasNoDevice) {
  EventTable table = read(R"({"card0": {"GPU use": "1"}, "system": {"Driver version": "6.2.4"}, "x": 3})");
  ASSERT_EQ(table.size(), 2);
  EXPECT_EQ(table.tracks[table.track[1]].device, kNoId);
  EXPECT_EQ(table.strings[table.name[1]], "Driver version");
  EXPECT_EQ(table.losses.count(Loss::kMalformedEvent), 1);
}

TEST(AmdSmi, AmdSmiWritesValuesWithUnits) {
  const std::string devices = R"([{"gpu": 1, "limit": {"max_power": {"value": 300, "unit": "W"}},
      "asic": {"oam_id": "N/A", "num_compute_units": 104}, "list": [1, 2]}, 5])";
  for (const std::string& text : {devices, "{\"gpu_data\": " + devices + "}"}) {
    EventTable table = read(text);
    ASSERT_EQ(table.size(), 5);
    EXPECT_EQ(table.strings[table.name[1]], "limit.max_power");
    EXPECT_EQ(reading(table, 1), "300 W");
    EXPECT_EQ(reading(table, 2), "'N/A'");
    EXPECT_EQ(reading(table, 3), "104");
    EXPECT_EQ(reading(table, 4), "'[1,2]'");
    EXPECT_EQ(table.tracks[table.track[1]].device, 1);
    EXPECT_EQ(table.losses.count(Loss::kMalformedEvent), 1);
  }
}

TEST(AmdSmi, ProcessesAreNumbered) {
  EventTable table = read(R"([{"gpu": 3, "process_list": [
      {"process_info": {"name": "a.out", "pid": 17, "mem": {"value": 5, "unit": "B"}}},
      {"process_info": {"name": "b.out", "pid": 18}}], "none": [], "mixed": [{"x": 1}, 2], "xgmi": {"links": [{"gpu": 1}], "links": [{"gpu": 2}]}}])");
  ASSERT_EQ(table.size(), 10);
  const auto event = [&](size_t i) { return std::string(table.strings[table.name[i]]) + " " + reading(table, i); };
  EXPECT_EQ(event(0), "gpu 3");
  EXPECT_EQ(event(1), "none '[]'");
  EXPECT_EQ(event(2), "mixed '[{\"x\":1},2]'");
  EXPECT_EQ(event(3), "process_list[0].process_info.name 'a.out'");
  EXPECT_EQ(event(4), "process_list[0].process_info.pid 17");
  EXPECT_EQ(event(5), "process_list[0].process_info.mem 5 B");
  EXPECT_EQ(event(7), "process_list[1].process_info.pid 18");
  EXPECT_EQ(event(8), "xgmi.links[0].gpu 1");
  EXPECT_EQ(event(9), "xgmi.links[0].gpu 2");
  EXPECT_EQ(table.tracks[table.track[7]].device, 3);
}

TEST(AmdSmi, LongNamesOfListsAreNotRepeated) {
  const EventTable table =
      read(fmt::format(R"([{{"gpu": 0, "{}": [{{"x": 1}}, {{"y": 2}}]}}])", std::string(2000, 'a')));
  EXPECT_EQ(table.size(), 2);
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(AmdSmi, LinesOfALogMayPrecede) {
  EventTable table = read(
      "WARNING: device(s) is/are in a low-power state, \"card9\"\n\n"
      "Another line\r\n{\"card4\": {\"GPU use (%)\": \"7\"}}\n");
  ASSERT_EQ(table.size(), 1);
  EXPECT_EQ(reading(table, 0), "7 %");
  ASSERT_EQ(table.metadata.size(), 2);
  EXPECT_EQ(table.strings[table.metadata[0].value],
            "\"WARNING: device(s) is/are in a low-power state, \\\"card9\\\"\"");
  EXPECT_EQ(table.strings[table.metadata[1].key], "line 3");
  EXPECT_EQ(table.strings[table.metadata[1].value], "\"Another line\"");
  EXPECT_FALSE(is_amd_smi("WARNING: nothing follows\n"));
  EXPECT_FALSE(is_amd_smi("WARNING: other JSON\n{\"traceEvents\": [\n{\"card0\": 1}]}"));
  EXPECT_FALSE(is_amd_smi("[\nWARNING\n{\"card0\": 1}]"));
}

TEST(AmdSmi, ATimestampIsTheTime) {
  const EventTable table = read(R"([{"timestamp": 1700000000, "gpu": 0}])");
  EXPECT_EQ(table.shape[0], EventShape::kCounter);
  EXPECT_EQ(table.start_ns[0], 1'700'000'000'000'000'000);
}

TEST(AmdSmi, WhatIsNoWholeJsonIsRefused) {
  for (const std::string text : {"{\"card0\": {\"a\": ", "", "[", "{\"gpu_data\": 3", "7"}) {
    EventTable table;
    const auto done = read_into(text, table);
    ASSERT_FALSE(done) << text;
    EXPECT_EQ(done.error().kind, ErrorKind::kUsage);
    EXPECT_FALSE(done.error().hint.empty());
  }
  EXPECT_FALSE(is_amd_smi("{\"cards\": 1}"));
  EXPECT_FALSE(is_amd_smi("[{\"name\": 1}]"));
}

}  // namespace
}  // namespace aaco
