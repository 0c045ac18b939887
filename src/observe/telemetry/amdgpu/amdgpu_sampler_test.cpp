// SPDX-License-Identifier: MIT
// The sampler of AMD GPUs on folders as the driver makes them.
#include "observe/telemetry/amdgpu/amdgpu_sampler.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "record/gpu_process.h"
#include "record/gpu_sample.h"

namespace aaco {
namespace {

namespace fs = std::filesystem;

// gpu_metrics of a version, all fields unset but the throttle status of 1.3.
std::string metrics(uint8_t format, uint8_t content, uint16_t bytes, uint64_t throttle_status) {
  std::string table(bytes, '\xff');
  std::memcpy(table.data(), &bytes, sizeof(bytes));
  table[2] = static_cast<char>(format);
  table[3] = static_cast<char>(content);
  if (bytes >= 120) {
    std::memcpy(table.data() + 112, &throttle_status, sizeof(throttle_status));
  }
  return table;
}

class AmdSampler : public testing::Test {
 protected:
  AmdSampler() : root_(fs::temp_directory_path() / ("aaco_amdgpu_" + std::to_string(::getpid()))) {
    fs::remove_all(root_);
    fs::create_directories(root_ / "sys/bus/pci/drivers/amdgpu" / kAddress);
    write("pp_dpm_sclk", "0: 500Mhz\n1: 1700Mhz *\n");
    write("pp_dpm_mclk", "0: 400Mhz *\n1: 1600Mhz\n");
    write("gpu_busy_percent", "97\n");
    write("hwmon/hwmon5/temp1_input", "64000\n");
  }
  ~AmdSampler() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) {
    const fs::path path = root_ / "sys/bus/pci/devices" / kAddress / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  void write_below(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  GpuSampleRow sample() {
    CollectorOptions options;
    options.root = root_;
    options.boot_ns = [] { return int64_t{1'000}; };
    GpuSampleRow row;
    options.sinks.set<GpuSampleRow>([&](std::span<const GpuSampleRow> rows) { row = rows.back(); });
    options.sinks.set<GpuProcessRow>(
        [&](std::span<const GpuProcessRow> rows) { processes_.assign(rows.begin(), rows.end()); });
    auto sampler = amdgpu_collector().make(options);
    EXPECT_TRUE(sampler);
    (*sampler)->sample();
    plane_ = (*sampler)->plane();
    return row;
  }

  static constexpr const char* kAddress = "0000:43:00.0";
  std::string unread(const std::string& name) const {
    for (const PlaneColumn& column : plane_.columns) {
      if (column.name == name) {
        return column.unread;
      }
    }
    return "no such column";
  }

  fs::path root_;
  CollectorPlane plane_;  // of the last sample()
  std::vector<GpuProcessRow> processes_;
};

TEST_F(AmdSampler, ReadsWhatIsThereAndLeavesTheRestNull) {
  const GpuSampleRow row = sample();
  EXPECT_EQ(row.device, kAddress);
  EXPECT_EQ(row.vendor, "amd");
  EXPECT_EQ(row.core_clock_mhz, 1'700);
  EXPECT_EQ(row.memory_clock_mhz, 400);
  EXPECT_EQ(row.busy_pct, 97);
  EXPECT_EQ(row.temperature_c, 64);
  EXPECT_FALSE(row.power_w);
  EXPECT_FALSE(row.throttled);
  EXPECT_FALSE(row.clock_events);
  EXPECT_EQ(unread("power_w"), "the driver shows no power1_average or power1_input of 0000:43:00.0");
  EXPECT_EQ(unread("throttled"), "the driver shows no gpu_metrics of 0000:43:00.0");
  EXPECT_EQ(unread("busy_pct"), "");
}

TEST_F(AmdSampler, TheChipsOwnClockComesBeforeTheLevel) {
  write("hwmon/hwmon5/freq1_input", "1512000000\n");
  write("hwmon/hwmon5/power1_input", "90000000\n");
  EXPECT_EQ(sample().core_clock_mhz, 1'512);
  EXPECT_DOUBLE_EQ(*sample().power_w, 90);
  write("hwmon/hwmon5/power1_average", "283000000\n");
  EXPECT_DOUBLE_EQ(*sample().power_w, 283);
  write("pp_dpm_mclk", "0: 400Mhz\n1: 1600Mhz\n");  // no level is marked
  EXPECT_FALSE(sample().memory_clock_mhz);
}

TEST_F(AmdSampler, ThrottlingOfVersionOneThree) {
  write("gpu_metrics", metrics(1, 3, 120, 0));
  EXPECT_EQ(sample().throttled, 0);
  EXPECT_EQ(sample().clock_events, "");
  write("gpu_metrics", metrics(1, 3, 120, 1 | uint64_t{1} << 36));
  EXPECT_EQ(sample().throttled, 1);
  EXPECT_EQ(sample().clock_events, "power_0;heat_hotspot");
}

TEST_F(AmdSampler, AnUnknownTableTakesItsOwnFiguresAlone) {
  write("gpu_metrics", metrics(1, 9, 264, 1));
  EXPECT_FALSE(sample().throttled);
  EXPECT_EQ(sample().busy_pct, 97);
  EXPECT_EQ(unread("throttled"),
            "gpu_metrics of the AMD GPU: version 1.9 is not known (known: 1.0 to 1.8, 2.2 to 2.4)");
  write("gpu_metrics", metrics(1, 3, 120, ~uint64_t{0}));
  EXPECT_FALSE(sample().throttled);
  EXPECT_EQ(unread("throttled"), "the driver does not fill that field of gpu_metrics");
}

TEST_F(AmdSampler, ReadsAllThatTheDriverShows) {
  write("pp_dpm_sclk", "0: 132Mhz *\n1: 2100Mhz\n");
  write("hwmon/hwmon5/freq1_input", "1512000000\n");
  write("hwmon/hwmon5/power1_cap", "750000000\n");
  write("hwmon/hwmon5/temp1_label", "junction\n");
  write("hwmon/hwmon5/temp2_input", "58000\n");
  write("hwmon/hwmon5/temp2_label", "mem\n");
  write("mem_busy_percent", "12\n");
  write("mem_info_vram_used", "1000\n");
  write("mem_info_vram_total", "2000\n");
  write("ras/umc_err_count", "ue: 1\nce: 22\n");
  const GpuSampleRow row = sample();
  EXPECT_EQ(row.core_clock_mhz, 1'512);
  EXPECT_EQ(row.core_clock_max_mhz, 2'100);
  EXPECT_EQ(row.memory_clock_max_mhz, 1'600);
  EXPECT_EQ(row.power_cap_w, 750);
  EXPECT_EQ(row.hotspot_c, 64);
  EXPECT_EQ(row.temperature_c, 64);  // there is no edge sensor
  EXPECT_EQ(row.memory_temperature_c, 58);
  EXPECT_EQ(row.memory_busy_pct, 12);
  EXPECT_EQ(row.memory_used_bytes, 1'000);
  EXPECT_EQ(row.memory_total_bytes, 2'000);
  EXPECT_EQ(row.ecc_corrected, 22);
  EXPECT_EQ(row.ecc_uncorrected, 1);
  EXPECT_EQ(unread("pcie_send_bytes_s"), "the amdgpu driver tells it only by pcie_bw, which stands still for a second");
  EXPECT_EQ(unread("energy_j"), "the driver shows no gpu_metrics of 0000:43:00.0");
}

TEST_F(AmdSampler, TheAgeIsThatOfTheTable) {
  std::string table = metrics(1, 3, 120, 0);
  const uint64_t made_ns = 400;
  std::memcpy(table.data() + 32, &made_ns, sizeof(made_ns));
  write("gpu_metrics", table);
  EXPECT_EQ(sample().age_ns, 600);
  const uint64_t later_ns = 1'001;  // no age that is less than nothing
  std::memcpy(table.data() + 32, &later_ns, sizeof(later_ns));
  write("gpu_metrics", table);
  EXPECT_FALSE(sample().age_ns);
}

TEST_F(AmdSampler, ListsTheProcessesOfTheComputeDriver) {
  write_below("sys/class/kfd/kfd/topology/nodes/0/gpu_id", "0\n");
  write_below("sys/class/kfd/kfd/topology/nodes/0/properties", "location_id 0\ndomain 0\n");
  write_below("sys/class/kfd/kfd/topology/nodes/1/gpu_id", "5150\n");
  write_below("sys/class/kfd/kfd/topology/nodes/1/properties", "simd_count 304\nlocation_id 17152\ndomain 0\n");
  write_below("sys/class/kfd/kfd/proc/77/vram_5150", "4096\n");
  write_below("sys/class/kfd/kfd/proc/78/vram_9999", "1\n");  // of another device
  write_below("proc/77/comm", "trainer\n");
  EXPECT_EQ(sample().processes, 1);
  ASSERT_EQ(processes_.size(), 1U);
  EXPECT_EQ(processes_[0].process_id, 77);
  EXPECT_EQ(processes_[0].device, kAddress);
  EXPECT_EQ(processes_[0].memory_used_bytes, 4'096);
  EXPECT_EQ(processes_[0].name, "trainer");
}

// What a file of a removed device, or of one in a reset, answers: an error at each read. A folder does so too.
TEST_F(AmdSampler, AFileThatFailsAtReadingSaysWhy) {
  fs::remove(root_ / "sys/bus/pci/devices" / kAddress / "gpu_busy_percent");
  fs::create_directories(root_ / "sys/bus/pci/devices" / kAddress / "gpu_busy_percent");
  fs::create_directories(root_ / "sys/bus/pci/devices" / kAddress / "gpu_metrics");
  const GpuSampleRow row = sample();
  EXPECT_FALSE(row.busy_pct);
  EXPECT_FALSE(row.throttled);
  EXPECT_EQ(row.core_clock_mhz, 1'700);
  EXPECT_EQ(unread("busy_pct"), "reading gpu_busy_percent of 0000:43:00.0 failed: Is a directory");
  EXPECT_EQ(unread("throttled"), "reading gpu_metrics of 0000:43:00.0 failed: Is a directory");
}

TEST_F(AmdSampler, SaysWhatIsMissing) {
  CollectorOptions options;
  options.root = root_ / "nowhere";
  EXPECT_EQ(amdgpu_collector().make(options).error().message, "GPU telemetry: the amdgpu driver serves no device");
  options.root = root_;
  options.gpus = {"0000:99:00.0"};
  EXPECT_EQ(amdgpu_collector().make(options).error().kind, ErrorKind::kUnavailable);
}

}  // namespace
}  // namespace aaco
