// SPDX-License-Identifier: MIT
// Recorded states of real cards (rocm-smi --json), put back into the files that rocm-smi read them from: the sampler
// gives the same figures, and null where rocm-smi printed "N/A". The recordings lie below $AACO_DATA, else shared/data
// beside the repository; where there are none the test is skipped.
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/files/temporary_folder.h"
#include "base/json/json.h"
#include "base/test_skip.h"
#include "observe/telemetry/amdgpu/amdgpu_sampler.h"
#include "record/gpu_sample.h"

namespace aaco {
namespace {

namespace fs = std::filesystem;

fs::path recordings() {
  const char* data = std::getenv("AACO_DATA");
  const fs::path folder = data != nullptr ? fs::path(data) : fs::path(AACO_SOURCE_DIR).parent_path() / "shared/data";
  return folder / "telegraf-smi/amd_rocm_smi";
}

// "39.0", "(300Mhz)"; none of "N/A" and of what is not there.
std::optional<double> printed(const Json& card, const char* key) {
  const auto value = card.find(key);
  if (value == card.end() || !value->is_string()) {
    return std::nullopt;
  }
  std::string text = value->get<std::string>();
  text.erase(0, text.find_first_not_of('('));
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return end == text.c_str() ? std::nullopt : std::optional(number);
}

struct Source {
  const char* key;
  const char* file;
  double factor;  // of the file's unit
  std::optional<double> GpuSampleRow::* column;
};
constexpr Source kSources[] = {
    {"sclk clock speed:", "hwmon/hwmon2/freq1_input", 1e6, &GpuSampleRow::core_clock_mhz},
    {"mclk clock speed:", "hwmon/hwmon2/freq2_input", 1e6, &GpuSampleRow::memory_clock_mhz},
    {"Average Graphics Package Power (W)", "hwmon/hwmon2/power1_average", 1e6, &GpuSampleRow::power_w},
    {"Max Graphics Package Power (W)", "hwmon/hwmon2/power1_cap", 1e6, &GpuSampleRow::power_cap_w},
    {"Temperature (Sensor edge) (C)", "hwmon/hwmon2/temp1_input", 1e3, &GpuSampleRow::temperature_c},
    {"Temperature (Sensor junction) (C)", "hwmon/hwmon2/temp2_input", 1e3, &GpuSampleRow::hotspot_c},
    {"Temperature (Sensor memory) (C)", "hwmon/hwmon2/temp3_input", 1e3, &GpuSampleRow::memory_temperature_c},
    {"GPU use (%)", "gpu_busy_percent", 1, &GpuSampleRow::busy_pct},
};

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text << '\n';
}

void expect_same(const Json& card) {
  const auto root = TemporaryFolder::create();
  ASSERT_TRUE(root);
  const fs::path device = root->path() / "sys/bus/pci/devices/0000:43:00.0";
  fs::create_directories(root->path() / "sys/bus/pci/drivers/amdgpu/0000:43:00.0");
  write(device / "hwmon/hwmon2/temp1_label", "edge");
  write(device / "hwmon/hwmon2/temp2_label", "junction");
  write(device / "hwmon/hwmon2/temp3_label", "mem");
  for (const Source& source : kSources) {
    if (const auto value = printed(card, source.key)) {
      write(device / source.file, fmt::format("{:.0f}", *value * source.factor));
    }
  }
  const auto used = printed(card, "VRAM Total Used Memory (B)");
  if (used) {
    write(device / "mem_info_vram_used", fmt::format("{:.0f}", *used));
  }
  CollectorOptions options;
  options.root = root->path();
  GpuSampleRow row;
  options.sinks.set<GpuSampleRow>([&](std::span<const GpuSampleRow> rows) { row = rows.back(); });
  const auto sampler = amdgpu_collector().make(options);
  ASSERT_TRUE(sampler) << sampler.error().message;
  (*sampler)->sample();
  for (const Source& source : kSources) {
    const auto expected = printed(card, source.key);
    const auto& actual = row.*source.column;
    ASSERT_EQ(actual.has_value(), expected.has_value()) << source.key;
    if (expected) {
      EXPECT_NEAR(*actual, *expected, 1e-6) << source.key;
    }
  }
  EXPECT_EQ(row.memory_used_bytes.has_value(), used.has_value());
  EXPECT_EQ(row.memory_used_bytes.value_or(0), static_cast<int64_t>(used.value_or(0)));
}

TEST(AmdCaptures, every_recorded_card) {
  if (!fs::is_directory(recordings())) {
    AACO_SKIP("data not here: " + recordings().string());
  }
  int cards = 0;
  for (const auto& entry : fs::directory_iterator(recordings())) {
    const Result<std::string> text = read_file(entry.path());
    ASSERT_TRUE(text);
    const auto json = parse_json(*text, entry.path().string());
    ASSERT_TRUE(json) << json.error().message;
    for (const auto& [name, card] : (*json).items()) {
      if (name.starts_with("card")) {
        SCOPED_TRACE(entry.path().filename().string() + " " + name);
        expect_same(card);
        ++cards;
      }
    }
  }
  EXPECT_GT(cards, 0);
}

}  // namespace
}  // namespace aaco
