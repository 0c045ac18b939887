// SPDX-License-Identifier: MIT
// The sampler of AMD GPUs on folders as the driver makes them.
#include "observe/telemetry/amdgpu/amdgpu_sampler.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "observe/telemetry/amdgpu/gpu_metrics.h"
#include "trace/gpu_sample.h"

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
  GpuSampleRow sample() {
    CollectorOptions options;
    options.root = root_;
    GpuSampleRow row;
    options.sinks.set<GpuSampleRow>([&](const GpuSampleRow& taken) { row = taken; });
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

TEST_F(AmdSampler, OtherTablesAreNotGuessedAt) {
  const auto message = [](const std::string& table) { return throttle_status_of(table).error().message; };
  EXPECT_EQ(message(metrics(1, 4, 264, 1)), "throttling of the AMD GPU: gpu_metrics is of version 1.4, known is 1.3");
  EXPECT_EQ(message(metrics(2, 3, 152, 1)), "throttling of the AMD GPU: gpu_metrics is of version 2.3, known is 1.3");
  EXPECT_EQ(message(metrics(1, 3, 112, 1)), "throttling of the AMD GPU: gpu_metrics 1.3 has 112 bytes instead of 120");
  EXPECT_EQ(message(metrics(1, 3, 120, ~uint64_t{0})),
            "throttling of the AMD GPU: the driver does not fill that field of gpu_metrics");
  EXPECT_EQ(message("\x02"), "throttling of the AMD GPU: gpu_metrics is too short");
  write("gpu_metrics", metrics(1, 4, 264, 1));
  EXPECT_FALSE(sample().throttled);
  EXPECT_EQ(unread("throttled"), "throttling of the AMD GPU: gpu_metrics is of version 1.4, known is 1.3");
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
