// SPDX-License-Identifier: MIT
// Tables of gpu_metrics, filled through structs as the kernel's kgd_pp_interface.h has them: the compiler lays these
// out, and the reader's offsets are held against that.
#include "observe/telemetry/amdgpu/gpu_metrics.h"

#include <cstring>
#include <gtest/gtest.h>

namespace aaco {
namespace {

struct Header {
  uint16_t bytes;
  uint8_t format, content;
};

struct MetricsV10 {
  Header header;
  uint64_t system_clock_counter;
  uint16_t edge, hotspot, mem, vrgfx, vrsoc, vrmem;
  uint16_t gfx, umc, mm;
  uint16_t power;
  uint32_t energy;
  uint16_t average_clocks[7];
  uint16_t current_gfxclk, current_socclk, current_uclk, other_clocks[4];
  uint32_t throttle_status;
  uint16_t fan;
  uint8_t width, speed;
};
struct MetricsV11 {
  Header header;
  uint16_t edge, hotspot, mem, vrgfx, vrsoc, vrmem;
  uint16_t gfx, umc, mm;
  uint16_t power;
  uint64_t energy;
  uint64_t system_clock_counter;
  uint16_t average_clocks[7];
  uint16_t current_gfxclk, current_socclk, current_uclk, other_clocks[4];
  uint32_t throttle_status;
  uint16_t fan, width, speed, padding;
  uint32_t gfx_acc, mem_acc;
  uint16_t hbm[4];
};
struct MetricsV12 : MetricsV11 {
  uint64_t firmware_timestamp;
};
struct MetricsV13 : MetricsV12 {
  uint16_t voltages[3], padding1;
  uint64_t indep_throttle_status;
};
struct MetricsV14 {
  Header header;
  uint16_t hotspot, mem, vrsoc, power, gfx, umc, vcn[4];
  uint64_t energy;
  uint64_t system_clock_counter;
  uint32_t throttle_status, lock;
  uint16_t pcie_width, pcie_speed, xgmi_width, xgmi_speed;
  uint32_t gfx_acc, mem_acc;
  uint64_t pcie[5];
  uint64_t xgmi_read[8], xgmi_written[8];
  uint64_t firmware_timestamp;
  uint16_t gfxclk[8], socclk[4], vclk[4], dclk[4], current_uclk, padding;
};
struct MetricsV15 {
  Header header;
  uint16_t hotspot, mem, vrsoc, power, gfx, umc, vcn[4], jpeg[32];
  uint64_t energy;
  uint64_t system_clock_counter;
  uint32_t throttle_status, lock;
  uint16_t pcie_width, pcie_speed, xgmi_width, xgmi_speed;
  uint32_t gfx_acc, mem_acc;
  uint64_t pcie[5];
  uint32_t naks[2];
  uint64_t xgmi_read[8], xgmi_written[8];
  uint64_t firmware_timestamp;
  uint16_t gfxclk[8], socclk[4], vclk[4], dclk[4], current_uclk, padding;
};
struct PartitionV10 {
  uint32_t gfx_busy[8];
  uint16_t jpeg[32], vcn[4];
  uint64_t gfx_acc[8];
};
struct PartitionV11 : PartitionV10 {
  uint64_t below_limit[8];
};
struct PartitionV12 {
  uint32_t gfx_busy[8];
  uint16_t jpeg[40], vcn[4];
  uint64_t gfx_acc[8], below_power[8], below_heat[8], low_use[8];
};
struct PartitionV12WithTotal : PartitionV12 {
  uint64_t below_total[8];
};
struct MetricsV16 {
  Header header;
  uint16_t hotspot, mem, vrsoc, power, gfx, umc;
  uint64_t energy;
  uint64_t system_clock_counter;
  uint32_t cycles, held[5], lock;
  uint16_t pcie_width, pcie_speed, xgmi_width, xgmi_speed;
  uint32_t gfx_acc, mem_acc;
  uint64_t pcie[5];
  uint32_t naks[2];
  uint64_t xgmi_read[8], xgmi_written[8];
  uint64_t firmware_timestamp;
  uint16_t gfxclk[8], socclk[4], vclk[4], dclk[4], current_uclk, num_partition;
  PartitionV10 partitions[8];
  uint32_t recovery;
};
template <class Partition>
struct MetricsV17 {
  Header header;
  uint16_t hotspot, mem, vrsoc, power, gfx, umc;
  uint64_t bandwidth;
  uint64_t energy;
  uint64_t system_clock_counter;
  uint32_t cycles, held[5], lock;
  uint16_t pcie_width, pcie_speed, xgmi_width, xgmi_speed;
  uint32_t gfx_acc, mem_acc;
  uint64_t pcie[5];
  uint32_t naks[2];
  uint64_t xgmi_read[8], xgmi_written[8];
  uint16_t link_status[8], padding;
  uint64_t firmware_timestamp;
  uint16_t gfxclk[8], socclk[4], vclk[4], dclk[4], current_uclk, num_partition;
  Partition partitions[8];
  uint32_t recovery;
};
struct MetricsV22 {
  Header header;
  uint16_t temperatures[12], gfx, mm;
  uint64_t system_clock_counter;
  uint16_t power[12], average_clocks[6], current_clocks[16];
  uint32_t throttle_status;
  uint16_t fan, padding[3];
  uint64_t indep_throttle_status;
};

// All unset, as the driver starts.
template <class Metrics>
Metrics unset(uint8_t format, uint8_t content) {
  Metrics metrics;
  std::memset(static_cast<void*>(&metrics), 0xff, sizeof(metrics));
  metrics.header = {static_cast<uint16_t>(sizeof(metrics)), format, content};
  return metrics;
}

template <class Metrics>
std::string bytes_of(const Metrics& metrics) {
  return {reinterpret_cast<const char*>(&metrics), sizeof(metrics)};
}

template <class Metrics>
GpuMetrics read(const Metrics& metrics) {
  const auto result = gpu_metrics_of(bytes_of(metrics));
  EXPECT_TRUE(result) << result.error().message;
  return result ? *result : GpuMetrics();
}

template <class Metrics>
void expect_edge_table(uint8_t content) {
  auto metrics = unset<Metrics>(1, content);
  metrics.edge = 51;
  metrics.hotspot = 62;
  metrics.mem = 73;
  metrics.gfx = 97;
  metrics.umc = 40;
  metrics.power = 283;
  metrics.current_gfxclk = 1'700;
  metrics.current_uclk = 1'600;
  metrics.system_clock_counter = 123'456'789;
  metrics.throttle_status = 0;
  const GpuMetrics figures = read(metrics);
  EXPECT_EQ(figures.content, content);
  EXPECT_EQ(figures.edge_c, 51);
  EXPECT_EQ(figures.hotspot_c, 62);
  EXPECT_EQ(figures.memory_c, 73);
  EXPECT_EQ(figures.busy_pct, 97);
  EXPECT_EQ(figures.memory_busy_pct, 40);
  EXPECT_EQ(figures.power_w, 283);
  EXPECT_EQ(figures.core_clock_mhz, 1'700);
  EXPECT_EQ(figures.memory_clock_mhz, 1'600);
  EXPECT_EQ(figures.boot_ns, 123'456'789);
  EXPECT_FALSE(figures.energy_j);  // its unit is not told
  EXPECT_FALSE(figures.residency);
}

TEST(GpuMetrics, tables_with_an_edge_sensor) {
  expect_edge_table<MetricsV10>(0);
  expect_edge_table<MetricsV11>(1);
  expect_edge_table<MetricsV12>(2);
  expect_edge_table<MetricsV13>(3);
}

// 0 in throttle_status is not "nothing throttles": the bits are the chip's own, and on MI300 always 0.
TEST(GpuMetrics, a_status_of_the_chips_own_bits_is_no_data) {
  auto metrics = unset<MetricsV12>(1, 2);
  metrics.throttle_status = 0;
  EXPECT_FALSE(read(metrics).throttle_bits);
  EXPECT_EQ(read(metrics).no_throttling, "gpu_metrics 1.2 tells it in bits whose meaning depends on the chip");
  auto newer = unset<MetricsV14>(1, 4);
  newer.throttle_status = 0;
  EXPECT_FALSE(read(newer).throttle_bits);
  EXPECT_FALSE(read(newer).residency);
  auto independent = unset<MetricsV13>(1, 3);
  EXPECT_FALSE(read(independent).throttle_bits);
  EXPECT_EQ(read(independent).no_throttling, "the driver does not fill that field of gpu_metrics");
  independent.indep_throttle_status = 0;
  EXPECT_EQ(read(independent).throttle_bits, 0U);
  auto apu = unset<MetricsV22>(2, 2);
  apu.indep_throttle_status = uint64_t{1} << 46;
  apu.system_clock_counter = 9;
  EXPECT_EQ(read(apu).throttle_bits, uint64_t{1} << 46);
  EXPECT_EQ(read(apu).boot_ns, 9);
  EXPECT_FALSE(read(apu).power_w);
}

template <class Metrics>
Metrics instinct(uint8_t content) {
  auto metrics = unset<Metrics>(1, content);
  metrics.hotspot = 62;
  metrics.mem = 55;
  metrics.power = 650;
  metrics.gfx = 99;
  metrics.umc = 31;
  metrics.energy = 65'536 * 5;  // counts of 2^-16 J
  metrics.system_clock_counter = 77;
  metrics.gfxclk[0] = 2'100;
  metrics.gfxclk[3] = 1'900;
  metrics.current_uclk = 900;
  metrics.xgmi_read[1] = 3;
  metrics.xgmi_read[7] = 4;
  metrics.xgmi_written[0] = 5;
  return metrics;
}

void expect_instinct(const GpuMetrics& figures) {
  EXPECT_FALSE(figures.edge_c);
  EXPECT_EQ(figures.hotspot_c, 62);
  EXPECT_EQ(figures.memory_c, 55);
  EXPECT_EQ(figures.power_w, 650);
  EXPECT_EQ(figures.busy_pct, 99);
  EXPECT_EQ(figures.memory_busy_pct, 31);
  EXPECT_EQ(figures.energy_j, 5);
  EXPECT_EQ(figures.boot_ns, 77);
  EXPECT_EQ(figures.core_clock_mhz, 2'000);  // of the two chiplets that tell one
  EXPECT_EQ(figures.memory_clock_mhz, 900);
  EXPECT_EQ(figures.link_read_bytes, 7 * 1'024);
  EXPECT_EQ(figures.link_written_bytes, 5 * 1'024);
}

TEST(GpuMetrics, tables_of_instinct) {
  expect_instinct(read(instinct<MetricsV14>(4)));
  expect_instinct(read(instinct<MetricsV15>(5)));
  expect_instinct(read(instinct<MetricsV16>(6)));
  expect_instinct(read(instinct<MetricsV17<PartitionV11>>(7)));
  expect_instinct(read(instinct<MetricsV17<PartitionV12>>(8)));
  expect_instinct(read(instinct<MetricsV17<PartitionV12WithTotal>>(8)));
}

template <class Metrics>
void expect_partitions(uint8_t content) {
  auto metrics = instinct<Metrics>(content);
  metrics.num_partition = 2;
  metrics.partitions[0].gfx_busy[0] = 10;
  metrics.partitions[0].gfx_busy[1] = 30;
  EXPECT_EQ(read(metrics).partition_busy_pct, (std::vector<std::optional<double>>{20, std::nullopt}));
  metrics.partitions[1].gfx_busy[5] = 80;
  EXPECT_EQ(read(metrics).partition_busy_pct, (std::vector<std::optional<double>>{20, 80}));
  metrics.num_partition = 1;
  EXPECT_TRUE(read(metrics).partition_busy_pct.empty());
  metrics.num_partition = 9;  // more than a table has
  EXPECT_TRUE(read(metrics).partition_busy_pct.empty());
}

TEST(GpuMetrics, partitions) {
  expect_partitions<MetricsV16>(6);
  expect_partitions<MetricsV17<PartitionV11>>(7);
  expect_partitions<MetricsV17<PartitionV12>>(8);
  expect_partitions<MetricsV17<PartitionV12WithTotal>>(8);
}

template <class Metrics>
void expect_residency(uint8_t content) {
  auto metrics = instinct<Metrics>(content);
  metrics.cycles = 1'000;
  std::memset(metrics.held, 0, sizeof(metrics.held));
  const auto before = read(metrics).residency;
  ASSERT_TRUE(before);
  metrics.cycles = 2'000;
  const auto quiet = read(metrics).residency;
  EXPECT_EQ(held_between(*before, *quiet), std::vector<std::string>());
  metrics.cycles = 3'000;
  metrics.held[1] = 7;
  metrics.held[4] = 1;
  EXPECT_EQ(held_between(*quiet, *read(metrics).residency), (std::vector<std::string>{"power", "heat_hbm"}));
  EXPECT_FALSE(held_between(*before, *before));  // nothing went by between them
  metrics.cycles = ~0U;
  EXPECT_FALSE(read(metrics).residency);
}

TEST(GpuMetrics, residencies_tell_what_held_the_clocks_down) {
  expect_residency<MetricsV16>(6);
  expect_residency<MetricsV17<PartitionV11>>(7);
  expect_residency<MetricsV17<PartitionV12>>(8);
}

TEST(GpuMetrics, other_tables_are_not_guessed_at) {
  const auto message = [](const std::string& table) { return gpu_metrics_of(table).error().message; };
  EXPECT_EQ(message(bytes_of(unset<MetricsV13>(1, 9))),
            "gpu_metrics of the AMD GPU: version 1.9 is not known (known: 1.0 to 1.8, 2.2 to 2.4)");
  EXPECT_EQ(message(bytes_of(unset<MetricsV22>(3, 0))),
            "gpu_metrics of the AMD GPU: version 3.0 is not known (known: 1.0 to 1.8, 2.2 to 2.4)");
  EXPECT_EQ(message(bytes_of(unset<MetricsV12>(1, 3))),
            "gpu_metrics of the AMD GPU: a table of version 1.3 has 104 bytes, read were 104: another layout than the "
            "known");
  EXPECT_EQ(message(bytes_of(unset<MetricsV13>(1, 3)).substr(0, 100)),
            "gpu_metrics of the AMD GPU: a table of version 1.3 has 120 bytes, read were 100: another layout than the "
            "known");
  EXPECT_EQ(message("\x02"), "gpu_metrics of the AMD GPU: the table is too short");
}

}  // namespace
}  // namespace aaco
