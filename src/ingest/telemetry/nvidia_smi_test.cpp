// SPDX-License-Identifier: MIT
#include "ingest/telemetry/nvidia_smi.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace aaco {
namespace {

Result<void> read_into(const std::string& text, EventTable& table) {
  const auto source = bytes_of(text);
  return read_nvidia_smi({"smi.xml", "smi.xml", *source}, table);
}

const std::string kCapture = R"(<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
  <timestamp>Sun Mar 2 15:02:02 2025</timestamp>
  <attached_gpus>2</attached_gpus>
  <gpu id="00000000:0C:00.0">
    <product_name>NVIDIA A &amp; B</product_name>
    <mig_devices>
      None
    </mig_devices>
    <utilization><gpu_util>65 %</gpu_util></utilization>
  </gpu>
  <gpu id="00000000:0D:00.0"><temperature><gpu_temp>39 C</gpu_temp></temperature><row id="3"/></gpu>
</nvidia_smi_log>
)";

TEST(NvidiaSmi, LeavesAreReadings) {
  EXPECT_TRUE(is_nvidia_smi(kCapture));
  EventTable table;
  ASSERT_TRUE(read_into(kCapture, table));
  ASSERT_EQ(table.size(), 8);
  const auto text = [&](size_t i, const char* key) {
    return std::string(table.text_of(*table.arguments.find(i, table.strings.intern(key))));
  };
  EXPECT_EQ(table.strings[table.name[1]], "attached_gpus");
  EXPECT_EQ(table.tracks[table.track[1]].device, kNoId);
  EXPECT_EQ(text(2, "value"), "NVIDIA A & B");
  EXPECT_EQ(text(3, "value"), "None");
  EXPECT_EQ(table.strings[table.name[4]], "utilization.gpu_util");
  EXPECT_EQ(table.arguments.find(4, table.strings.intern("value"))->bits, 65);
  EXPECT_EQ(text(4, "unit"), "%");
  EXPECT_EQ(table.tracks[table.track[4]].device, 0);
  EXPECT_EQ(table.strings[table.tracks[table.track[5]].process], "00000000:0D:00.0");
  EXPECT_EQ(table.tracks[table.track[5]].device, 1);
  EXPECT_EQ(table.strings[table.name[6]], "row.id");
  EXPECT_EQ(table.shape[4], EventShape::kCounter);
  EXPECT_EQ(table.start_ns[4], 1'740'927'722'000'000'000);
  EXPECT_TRUE(table.losses.entries().empty());
}

// Of each reading its name and value, "name=value".
std::vector<std::string> readings_of(EventTable& table) {
  std::vector<std::string> readings;
  for (size_t i = 0; i < table.size(); ++i) {
    const auto value = table.arguments.find(i, table.strings.intern("value"));
    readings.push_back(std::string(table.strings[table.name[i]]) + "=" +
                       (value->type == ArgumentType::kInteger ? std::to_string(static_cast<int64_t>(value->bits))
                                                              : std::string(table.text_of(*value))));
  }
  return readings;
}

TEST(NvidiaSmi, EqualSiblingsAreNumbered) {
  EventTable table;
  ASSERT_TRUE(read_into(R"(<nvidia_smi_log><gpu id="a">
  <mig_devices>
    <mig_device><index>0</index><memory><used>14 MiB</used></memory></mig_device>
    <mig_device><index>1</index><memory><used>25 MiB</used></memory></mig_device>
  </mig_devices>
  <processes>
    <process_info><pid>7</pid></process_info><other/>
    <process_info><pid>8</pid></process_info>
  </processes></gpu>
  <gpu id="b"><processes><process_info><pid>9</pid></process_info></processes></gpu></nvidia_smi_log>)",
                        table));
  EXPECT_EQ(readings_of(table),
            (std::vector<std::string>{"mig_devices.mig_device[0].index=0", "mig_devices.mig_device[0].memory.used=14",
                                      "mig_devices.mig_device[1].index=1", "mig_devices.mig_device[1].memory.used=25",
                                      "processes.process_info[0].pid=7", "processes.other=",
                                      "processes.process_info[1].pid=8", "processes.process_info.pid=9"}));
}

TEST(NvidiaSmi, ADeviceHasItsPlacesNumberWhereAllAreThere) {
  const auto device_of_last = [](const std::string& attached, const std::string& gpus) {
    EventTable table;
    EXPECT_TRUE(read_into("<nvidia_smi_log>" + attached + gpus + "</nvidia_smi_log>", table));
    const Track& track = table.tracks[table.track[table.size() - 1]];
    EXPECT_EQ(table.strings[track.process], "b");
    return track.device;
  };
  const auto attached = [](const std::string& count) { return "<attached_gpus>" + count + "</attached_gpus>"; };
  const auto gpu = [](const std::string& id, const std::string& minor) {
    return "<gpu id=\"" + id + "\"><minor_number>" + minor + "</minor_number></gpu>";
  };
  EXPECT_EQ(device_of_last(attached("2"), gpu("a", "1") + gpu("b", "0")), 1);
  EXPECT_EQ(device_of_last(attached("8"), gpu("a", "0") + gpu("b", "1")), kNoId);  // two were chosen
  EXPECT_EQ(device_of_last(attached("4"), gpu("b", "3")), kNoId);
  EXPECT_EQ(device_of_last(attached("1"), gpu("b", "3")), kNoId);
  EXPECT_EQ(device_of_last(attached("1"), gpu("b", "N/A")), kNoId);
  EXPECT_EQ(device_of_last(attached("1"), gpu("b", "0")), 0);
  EXPECT_EQ(device_of_last("", gpu("b", "0")), kNoId);
}

// They look like numbers with a unit.
TEST(NvidiaSmi, HexadecimalNumbersStayTexts) {
  EventTable table;
  ASSERT_TRUE(read_into(R"(<nvidia_smi_log><gpu id="a"><pci_bus>1B</pci_bus><pci_bus>0C</pci_bus>
  <pci_device_id>233010DE</pci_device_id><max_link_width>16x</max_link_width><used>0 B</used></gpu></nvidia_smi_log>)",
                        table));
  EXPECT_EQ(readings_of(table), (std::vector<std::string>{"pci_bus[0]=1B", "pci_bus[1]=0C", "pci_device_id=233010DE",
                                                          "max_link_width=16", "used=0"}));
}

// Else the names of a small file's leaves would fill memory.
TEST(NvidiaSmi, LongPathsEnd) {
  const std::string name(2000, 'a');
  EventTable table;
  ASSERT_TRUE(
      read_into("<nvidia_smi_log><gpu><" + name + "><x/><y/></" + name + "><z/></gpu></nvidia_smi_log>", table));
  EXPECT_EQ(readings_of(table), std::vector<std::string>{"z="});
  EXPECT_EQ(table.losses.count(Loss::kTooDeep), 1);
}

TEST(NvidiaSmi, WithoutATimeReadingsAreUntimed) {
  for (const std::string time : {"", "<timestamp>now</timestamp>", "<timestamp>Sun Mar 2 15:02:02 4050</timestamp>"}) {
    EventTable table;
    ASSERT_TRUE(read_into("<nvidia_smi_log>" + time + "<gpu><fan_speed>3 %</fan_speed></gpu></nvidia_smi_log>", table));
    EXPECT_EQ(table.shape[table.size() - 1], EventShape::kUntimed);
  }
}

TEST(NvidiaSmi, ACutOneIsReadAsFarAsItGoes) {
  EventTable table;
  ASSERT_TRUE(read_into(kCapture.substr(0, kCapture.find("<utilization>")), table));
  EXPECT_EQ(table.losses.count(Loss::kTruncated), 1);
  EXPECT_GE(table.size(), 4);
}

TEST(NvidiaSmi, EntitiesDoNotExpand) {
  EventTable table;
  const std::string bomb = R"(<!DOCTYPE nvidia_smi_log [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>
<nvidia_smi_log><gpu><x>&b;</x></gpu></nvidia_smi_log>)";
  ASSERT_TRUE(read_into(bomb, table));
  EXPECT_EQ(table.text_of(*table.arguments.find(0, table.strings.intern("value"))), "&b;");
}

TEST(NvidiaSmi, DeepNestingEnds) {
  std::string deep = "<nvidia_smi_log><gpu>";
  for (int i = 0; i < 100'000; ++i) {
    deep += "<a>";
  }
  EventTable table;
  ASSERT_TRUE(read_into(deep, table));
  EXPECT_EQ(table.losses.count(Loss::kTooDeep), 1);
}

TEST(NvidiaSmi, WhatIsNoCaptureIsRefused) {
  for (const std::string text : {"", "<html></html>", "<nvidia_smi_log/>", "no xml"}) {
    EventTable table;
    const auto done = read_into(text, table);
    ASSERT_FALSE(done) << text;
    EXPECT_NE(done.error().message.find("byte"), std::string::npos);
  }
  EXPECT_FALSE(is_nvidia_smi("<html>"));
  EXPECT_FALSE(is_nvidia_smi("nvidia_smi_log"));
}

}  // namespace
}  // namespace aaco
