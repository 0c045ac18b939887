// SPDX-License-Identifier: MIT
#include "ingest/telemetry/telemetry_csv.h"

#include <string>

#include "ingest/test_reading.h"

namespace aaco {
namespace {

TEST(TelemetryCsv, NvidiaSmi) {
  const EventTable table =
      read_text(read_nvidia_smi_csv,
                "timestamp, index, power.draw [W], temperature.gpu, utilization.gpu [%], clocks_event_reasons.active\n"
                "2026/11/20 07:45:08.672, 0, 372.66 W, 40, 21 %, 0x0000000000000000\n"
                "2026/11/20 07:45:08.676, 1, [N/A], 33, [Not Supported], 0x0000000000000001\n");
  ASSERT_EQ(table.size(), 2);
  EXPECT_EQ(table.shape[0], EventShape::kCounter);
  EXPECT_EQ(table.start_ns[0], 1795160708672000000);
  EXPECT_EQ(track_at(table, 1).device, 1);
  EXPECT_EQ(argument_at(table, 0, "power.draw [W]"), "372.66");
  EXPECT_EQ(argument_at(table, 0, "utilization.gpu [%]"), "21");
  EXPECT_EQ(argument_at(table, 0, "temperature.gpu"), "40");
  EXPECT_EQ(argument_at(table, 1, "power.draw [W]"), "none");
  EXPECT_EQ(argument_at(table, 1, "utilization.gpu [%]"), "none");
  EXPECT_EQ(argument_at(table, 1, "clocks_event_reasons.active"), "\"0x0000000000000001\"");
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(TelemetryCsv, NvidiaSmiWithoutUnits) {
  const EventTable table = read_text(
      read_nvidia_smi_csv, "timestamp, index, memory.used [MiB]\n2026/11/20 07:45:08.672, 0, 3\nsoon, 1, 4 MiB\n");
  EXPECT_EQ(argument_at(table, 0, "memory.used [MiB]"), "3");
  EXPECT_EQ(table.shape[1], EventShape::kUntimed);
  EXPECT_EQ(argument_at(table, 1, "timestamp"), "\"soon\"");
  EXPECT_EQ(table.losses.count(Loss::kNoTime), 1);
}

TEST(TelemetryCsv, NvidiaSmiOfOneMomentIsUntimed) {
  const std::string text =
      "name, uuid, memory.used [MiB], power.draw [W]\n"
      "Card A, GPU-aa, 103 MiB, [N/A]\nCard A, GPU-bb, 7 MiB, 28.16 W\n";
  EXPECT_TRUE(is_nvidia_smi_csv(text));
  const EventTable table = read_text(read_nvidia_smi_csv, text);
  ASSERT_EQ(table.size(), 2);
  EXPECT_EQ(table.shape[1], EventShape::kUntimed);
  EXPECT_EQ(argument_at(table, 0, "memory.used [MiB]"), "103");
  EXPECT_EQ(argument_at(table, 0, "power.draw [W]"), "none");
  EXPECT_EQ(argument_at(table, 1, "power.draw [W]"), "28.16");
  EXPECT_EQ(argument_at(table, 1, "name"), "\"Card A\"");
  EXPECT_TRUE(table.losses.entries().empty());
}

TEST(TelemetryCsv, NvidiaSmiDevicesWithoutAnIndexHaveTheirNames) {
  const struct {
    std::string columns, values, name;
    int64_t device;
  } cases[] = {
      {"name, pci.bus_id, uuid", "Card A, 0000:01:00.0, GPU-aa", "GPU-aa", kNoId},
      {"name, pci.bus_id", "Card A, 0000:01:00.0", "0000:01:00.0", kNoId},
      {"name, driver_version", "Card A, 535.1", "Card A", kNoId},
      {"pstate", "P0", "", kNoId},
      {"uuid, index", "GPU-aa, 3", "", 3},
  };
  for (const auto& [columns, values, name, device] : cases) {
    const EventTable table = read_text(
        read_nvidia_smi_csv, fmt::format("{}, utilization.gpu [%], temperature.gpu\n{}, 4 %, 41\n", columns, values));
    ASSERT_EQ(table.size(), 1);
    EXPECT_EQ(table.strings[track_at(table, 0).process], name) << columns;
    EXPECT_EQ(track_at(table, 0).device, device) << columns;
  }
}

TEST(TelemetryCsv, NvidiaSmiIsKnownByItsColumns) {
  for (const char* header : {"name, memory.total [MiB]", "uuid, temperature.gpu", "index, temperature.gpu, pstate",
                             "timestamp, power.draw.average [W]", "utilization.gpu [%]"}) {
    EXPECT_TRUE(is_nvidia_smi_csv(std::string(header) + "\n1, 2\n")) << header;
  }
  for (const char* header :
       {"name, value", "uuid, index, name", "temperature.gpu", "run, temperature.gpu", "power.draw, name",
        "timestamp, memory", "ID, Kernel Name, dram__bytes.sum [byte]", "index,memory [MiB]"}) {
    EXPECT_FALSE(is_nvidia_smi_csv(std::string(header) + "\n1, 2\n")) << header;
  }
}

TEST(TelemetryCsv, NvidiaSmiHeadersThatComeAgainAreNoRows) {
  const EventTable table = read_text(read_nvidia_smi_csv,
                                     "uuid, power.draw [W]\nGPU-a, 3 W\nuuid, power.draw [W]\nGPU-a, 4 W\n"
                                     "timestamp, index, power.draw [W]\n2026/11/20 07:45:08.672, 0, 5 W\n");
  ASSERT_EQ(table.size(), 3);
  EXPECT_EQ(argument_at(table, 1, "power.draw [W]"), "4");
  EXPECT_EQ(track_at(table, 0).process, track_at(table, 1).process);
  EXPECT_EQ(table.shape[2], EventShape::kCounter);
}

TEST(TelemetryCsv, NvidiaSmiTimestampsAreDates) {
  const EventTable table = read_text(read_nvidia_smi_csv,
                                     "timestamp, index, power.draw [W]\n1700000000.5, 0, 3 W\n1700000000, 0, 4 W\n"
                                     "[N/A], 0, 5 W\n2025-09-08T17:26:50+08:00, 0, 6 W\n");
  ASSERT_EQ(table.size(), 4);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(table.shape[i], EventShape::kUntimed) << i;
  }
  EXPECT_EQ(argument_at(table, 0, "timestamp"), "\"1700000000.5\"");
  EXPECT_EQ(argument_at(table, 1, "timestamp"), "\"1700000000\"");
  EXPECT_EQ(table.losses.count(Loss::kNoTime), 3);
  EXPECT_EQ(table.start_ns[3], 1'757'323'610'000'000'000);
}

// As a script writes it that forgets a column and samples a device without a name.
TEST(TelemetryCsv, RocmSmiRowsWithoutTheirLastColumn) {
  const EventTable table = read_text(read_rocm_smi_csv,
                                     "timestamp,device,power_watts,power_cap_watts\n1754586056,card0,154.0\n"
                                     "1754586056,card1,146.0\n1754586056,\n1754586061,card0,155.0,750\n");
  ASSERT_EQ(table.size(), 3);
  EXPECT_EQ(table.start_ns[0], 1754586056000000000);
  EXPECT_EQ(track_at(table, 1).device, 1);
  EXPECT_EQ(argument_at(table, 1, "power_watts"), "146");
  EXPECT_EQ(argument_at(table, 1, "power_cap_watts"), "none");
  EXPECT_EQ(argument_at(table, 2, "power_cap_watts"), "750");
  EXPECT_EQ(table.losses.count(Loss::kShortRow), 2);
  EXPECT_EQ(table.losses.count(Loss::kMalformedEvent), 1);
}

TEST(TelemetryCsv, TheHostsOwnHaveNoDevice) {
  const EventTable table = read_text(
      read_rocm_smi_csv, "timestamp,cpu_user_percent,cpu_system_percent,cpu_idle_percent\n1754586056,0.9,0.8,98.3\n");
  EXPECT_EQ(track_at(table, 0).device, kNoId);
  EXPECT_EQ(argument_at(table, 0, "cpu_idle_percent"), "98.3");
}

}  // namespace
}  // namespace aaco
