// SPDX-License-Identifier: MIT
// The NVML sampler on a library that stands in for NVIDIA's (tests/nvml_double).
#include "observe/telemetry/nvml/nvml_sampler.h"

#include <dlfcn.h>
#include <filesystem>
#include <gtest/gtest.h>

#include "base/files/temporary_folder.h"
#include "record/gpu_process.h"
#include "record/gpu_sample.h"

namespace aaco {
namespace {

class NvmlSampler : public testing::Test {
 protected:
  void SetUp() override {
    double_ = ::dlopen(AACO_NVML_DOUBLE, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(double_, nullptr) << ::dlerror();
    function<void()>("nvml_double_reset")();
    for (const auto& [what, value] : {std::pair{"count", 2U},
                                      {"sm", 1'980U},
                                      {"memory", 3'201U},
                                      {"power", 687'654U},
                                      {"temperature", 61U},
                                      {"busy", 100U},
                                      {"events", 0x44U}}) {
      function<void(const char*, unsigned)>("nvml_double_set")(what, value);
    }
  }
  void TearDown() override {
    EXPECT_EQ(function<int()>("nvml_double_started")(), 0);  // every start was ended
    EXPECT_EQ(function<int()>("nvml_double_gpm_samples")(), 0);
    ::dlclose(double_);
  }

  void field(unsigned id, int type, unsigned long long value, long long timestamp_us) {
    function<void(unsigned, int, unsigned long long, long long)>("nvml_double_field")(id, type, value, timestamp_us);
  }
  void process(const char* list, unsigned pid, unsigned long long memory) {
    function<void(const char*, unsigned, unsigned long long)>("nvml_double_process")(list, pid, memory);
  }
  static std::string unread(const Collector& sampler, const std::string& name) {
    for (const PlaneColumn& column : sampler.plane().columns) {
      if (column.name == name && column.table == RowSchema<GpuSampleRow>::kName) {
        return column.unread;
      }
    }
    return "no such column";
  }
  void fail(const char* what, int status) { function<void(const char*, int)>("nvml_double_fail")(what, status); }
  Result<std::unique_ptr<Collector>> make(std::vector<std::string> gpus = {}, const char* library = AACO_NVML_DOUBLE) {
    CollectorOptions options;
    options.nvml_library = library;
    options.gpus = std::move(gpus);
    options.sinks.set<GpuSampleRow>(
        [this](std::span<const GpuSampleRow> rows) { rows_.insert(rows_.end(), rows.begin(), rows.end()); });
    options.sinks.set<GpuProcessRow>(
        [this](std::span<const GpuProcessRow> rows) { processes_.insert(processes_.end(), rows.begin(), rows.end()); });
    options.now_ns = [] { return t_ns_; };
    options.wall_ns = [] { return int64_t{5'100'000'000}; };
    return nvml_collector().make(options);
  }
  template <class F>
  F* function(const char* name) {
    return reinterpret_cast<F*>(::dlsym(double_, name));
  }

  void* double_ = nullptr;
  std::vector<GpuSampleRow> rows_;
  std::vector<GpuProcessRow> processes_;
  inline static int64_t t_ns_ = 0;
};

// A copy, so that nobody else holds it. It has no device, so that it is closed at once.
TEST_F(NvmlSampler, LeavesTheLibraryMapped) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder) << folder.error().message;
  const std::string copy = (folder->path() / "libnvidia-ml.so.1").string();
  std::filesystem::copy_file(AACO_NVML_DOUBLE, copy);
  EXPECT_FALSE(make({}, copy.c_str()));
  void* const still_there = ::dlopen(copy.c_str(), RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(still_there, nullptr);
  ::dlclose(still_there);
}

TEST_F(NvmlSampler, SamplesEveryDevice) {
  const auto sampler = make();
  ASSERT_TRUE(sampler) << sampler.error().message;
  (*sampler)->sample();
  ASSERT_EQ(rows_.size(), 2U);
  EXPECT_EQ(rows_[0].device, "0000:1b:00.0");
  EXPECT_EQ(rows_[1].device, "0000:5d:00.0");
  EXPECT_EQ(rows_[0].vendor, "nvidia");
  EXPECT_EQ(rows_[0].core_clock_mhz, 1'980);
  EXPECT_EQ(rows_[0].memory_clock_mhz, 3'201);
  EXPECT_DOUBLE_EQ(*rows_[0].power_w, 687.654);
  EXPECT_EQ(rows_[0].temperature_c, 61);
  EXPECT_EQ(rows_[0].busy_pct, 100);
  EXPECT_EQ(rows_[0].clock_events, "sw_power_cap;hw_thermal_slowdown");
  EXPECT_EQ(rows_[0].throttled, 1);
}

TEST_F(NvmlSampler, OnlyTheDevicesThatAreNamed) {
  const auto sampler = make({"0000:5d:00.0"});
  ASSERT_TRUE(sampler);
  (*sampler)->sample();
  ASSERT_EQ(rows_.size(), 1U);
  EXPECT_EQ(rows_[0].device, "0000:5d:00.0");
  const auto missing = make({"0000:99:00.0"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            "GPU telemetry: nvmlDeviceGetHandleByPciBusId_v2 of 0000:99:00.0 failed: Not Found (6)");
}

// Each function that fails takes its own figures away and no others; 0 is what the double leaves in them.
TEST_F(NvmlSampler, WhatCannotBeReadIsNull) {
  const auto sampler = make({"0000:1b:00.0"});
  ASSERT_TRUE(sampler);
  (*sampler)->sample();
  const auto members = [](const GpuSampleRow& row) {
    return std::vector<bool>{row.core_clock_mhz.has_value(), row.memory_clock_mhz.has_value(),
                             row.power_w.has_value(),        row.temperature_c.has_value(),
                             row.busy_pct.has_value(),       row.clock_events.has_value()};
  };
  EXPECT_EQ(members(rows_.back()), std::vector<bool>(6, true));
  std::vector<bool> left(6, true);
  size_t next = 0;
  for (const auto& [what, status] : {std::pair{"sm clock", 3},
                                     {"memory clock", 15},
                                     {"nvmlDeviceGetPowerUsage", 4},
                                     {"nvmlDeviceGetTemperature", 999},
                                     {"nvmlDeviceGetUtilizationRates", 3},
                                     {"nvmlDeviceGetCurrentClocksEventReasons", 3}}) {
    fail(what, status);
    left[next++] = false;
    (*sampler)->sample();
    EXPECT_EQ(members(rows_.back()), left) << what;
  }
  EXPECT_FALSE(rows_.back().throttled);
  EXPECT_FALSE(rows_.back().clock_event_bits);
  const CollectorPlane plane = (*sampler)->plane();
  EXPECT_EQ(plane.name, "telemetry_gpu");
  EXPECT_EQ(unread(**sampler, "t_ns"), "");
  EXPECT_EQ(unread(**sampler, "power_w"), "at times: nvmlDeviceGetPowerUsage failed: Insufficient Permissions (4)");
  EXPECT_EQ(unread(**sampler, "throttled"),
            "at times: nvmlDeviceGetCurrentClocksEventReasons failed: Not Supported (3)");
}

TEST_F(NvmlSampler, ReadsAllThatTheDriverTells) {
  for (const auto& [what, value] : {std::pair{"sm max", 1'995U},
                                    {"memory max", 3'300U},
                                    {"target", 1'900U},
                                    {"power limit", 700'000U},
                                    {"energy", 123'456U},
                                    {"memory used", 4'096U},
                                    {"hotspot", 71U},
                                    {"corrected", 2U},
                                    {"uncorrected", 0U},
                                    {"gpm", 1U}}) {
    function<void(const char*, unsigned)>("nvml_double_set")(what, value);
  }
  // In 1970, 5.0 s after the epoch; the wall clock of the test stands at 5.1 s.
  field(82, 1, 83, 5'000'000);
  field(186, 1, 690'000, 5'000'000);
  field(138, 3, 3, 5'000'000);
  field(139, 3, 4, 5'000'000);
  field(197, 3, 1'000, 5'000'000);
  field(198, 3, 2'000, 5'000'000);
  process("nvmlDeviceGetMPSComputeRunningProcesses_v3", 4'000'002, 2'048);
  process("nvmlDeviceGetComputeRunningProcesses_v3", 4'000'001, 1'024);
  process("nvmlDeviceGetComputeRunningProcesses_v3", 4'000'002, 2'048);
  const auto sampler = make({"0000:1b:00.0"});
  ASSERT_TRUE(sampler);
  t_ns_ = 1'000'000'000;
  (*sampler)->sample();
  const GpuSampleRow first = rows_.back();
  EXPECT_EQ(first.core_clock_max_mhz, 1'995);
  EXPECT_EQ(first.memory_clock_max_mhz, 3'300);
  EXPECT_EQ(first.core_clock_target_mhz, 1'900);
  EXPECT_EQ(first.power_cap_w, 700);
  EXPECT_DOUBLE_EQ(*first.energy_j, 123.456);
  EXPECT_EQ(first.memory_used_bytes, 4'096);
  EXPECT_EQ(first.memory_total_bytes, 80'000);
  EXPECT_EQ(first.hotspot_c, 71);
  EXPECT_EQ(first.memory_temperature_c, 83);
  EXPECT_EQ(first.ecc_corrected, 2);
  EXPECT_EQ(first.ecc_uncorrected, 0);
  EXPECT_EQ(first.link_send_bytes, 3 * 1'024);
  EXPECT_EQ(first.link_receive_bytes, 4 * 1'024);
  EXPECT_EQ(first.age_ns, 100'000'000);
  EXPECT_EQ(first.processes, 2);
  EXPECT_FALSE(first.pcie_send_bytes_s);  // a rate needs two readings
  EXPECT_FALSE(first.sm_busy_pct);
  ASSERT_EQ(processes_.size(), 2U);
  EXPECT_EQ(processes_[0].kind, GpuProcessKind::kMps);
  EXPECT_EQ(processes_[0].process_id, 4'000'002);
  EXPECT_EQ(processes_[1].kind, GpuProcessKind::kCompute);
  EXPECT_EQ(processes_[1].memory_used_bytes, 1'024);
  EXPECT_FALSE(processes_[1].name);  // no system numbers a process so

  field(197, 3, 1'500, 5'000'000);
  field(198, 3, 1'999, 5'000'000);  // it went round
  t_ns_ += 500'000'000;
  (*sampler)->sample();
  EXPECT_EQ(rows_.back().pcie_send_bytes_s, 1'000);
  EXPECT_FALSE(rows_.back().pcie_receive_bytes_s);
  EXPECT_FALSE(rows_.back().processes);  // listed once a second
  EXPECT_EQ(rows_.back().sm_busy_pct, 2);
  EXPECT_EQ(rows_.back().sm_occupancy_pct, 3);
  EXPECT_EQ(rows_.back().tensor_busy_pct, 5);
  EXPECT_EQ(rows_.back().memory_bandwidth_pct, 10);
  function<void(const char*, unsigned)>("nvml_double_set")("gpm missing", 5);
  t_ns_ += 500'000'000;
  (*sampler)->sample();
  EXPECT_EQ(rows_.back().sm_busy_pct, 2);
  EXPECT_FALSE(rows_.back().tensor_busy_pct);
  EXPECT_EQ(rows_.back().processes, 2);
  EXPECT_EQ(rows_.back().core_clock_target_mhz, 1'900);
}

// The call works and yet has no value: ~0, which read as numbers would be 4.3 MW and 16 EiB.
TEST_F(NvmlSampler, AMarkOfNoValueIsNull) {
  constexpr unsigned kNone = ~0U;
  for (const char* what : {"sm", "memory", "power", "temperature", "busy", "sm max", "memory max", "target",
                           "power limit", "energy", "memory used", "corrected", "uncorrected"}) {
    function<void(const char*, unsigned)>("nvml_double_set")(what, kNone);
  }
  field(82, 1, kNone, 0);
  field(138, 3, ~0ULL, 0);
  field(139, 99, 7, 0);  // of a type that this version does not know
  process("nvmlDeviceGetComputeRunningProcesses_v3", 4'000'001, ~0ULL);
  const auto sampler = make({"0000:1b:00.0"});
  ASSERT_TRUE(sampler);
  (*sampler)->sample();
  const GpuSampleRow& row = rows_.back();
  for (const std::optional<double>& value :
       {row.core_clock_mhz, row.memory_clock_mhz, row.power_w, row.temperature_c, row.busy_pct, row.core_clock_max_mhz,
        row.memory_clock_max_mhz, row.core_clock_target_mhz, row.power_cap_w, row.energy_j, row.memory_temperature_c}) {
    EXPECT_FALSE(value);
  }
  EXPECT_FALSE(row.memory_used_bytes);
  EXPECT_EQ(row.memory_total_bytes, 80'000);
  EXPECT_FALSE(row.ecc_corrected);
  EXPECT_FALSE(row.link_send_bytes);
  EXPECT_FALSE(row.link_receive_bytes);
  EXPECT_EQ(row.memory_busy_pct, 0);
  EXPECT_EQ(row.throttled, 1);
  ASSERT_EQ(processes_.size(), 1U);
  EXPECT_FALSE(processes_[0].memory_used_bytes);
  EXPECT_EQ(unread(**sampler, "power_w"), "nvmlDeviceGetPowerUsage gave NVML's mark of no value");
  EXPECT_EQ(unread(**sampler, "link_send_bytes"), "field 138 has NVML's mark of no value");
}

TEST_F(NvmlSampler, BitsWithoutANameAreNumbersAndVoidNothing) {
  function<void(const char*, unsigned)>("nvml_double_set")("events", 0x80000A01U);
  const auto sampler = make({"0000:1b:00.0"});
  (*sampler)->sample();
  EXPECT_EQ(rows_.back().clock_events, "gpu_idle;board_limit;bit_11;bit_31");
  EXPECT_EQ(rows_.back().throttled, 1);
  EXPECT_EQ(rows_.back().core_clock_mhz, 1'980);
  function<void(const char*, unsigned)>("nvml_double_set")("events", 0x80000000U);
  (*sampler)->sample();
  EXPECT_EQ(rows_.back().clock_events, "bit_31");
  EXPECT_EQ(rows_.back().throttled, 0);  // what it means is not known
}

TEST_F(NvmlSampler, ADriverOfAnOlderStructIsAskedForThat) {
  function<void(const char*, unsigned)>("nvml_double_set")("memory used", 1U);
  function<void(const char*, unsigned)>("nvml_double_set")("memory used of v1", 8'192U);
  fail("nvmlDeviceGetMemoryInfo_v2", 25);
  const auto sampler = make({"0000:1b:00.0"});
  (*sampler)->sample();
  EXPECT_EQ(rows_.back().memory_used_bytes, 8'192);
  fail("nvmlDeviceGetMemoryInfo_v2", 15);  // lost, and not an older driver
  (*sampler)->sample();
  EXPECT_FALSE(rows_.back().memory_used_bytes);
}

TEST_F(NvmlSampler, EachMigSliceHasRowsOfItsOwn) {
  function<void(unsigned)>("nvml_double_slices")(2);
  function<void(const char*, unsigned)>("nvml_double_set")("memory used", 512U);
  fail("nvmlDeviceGetUtilizationRates", 3);
  const auto sampler = make();
  ASSERT_TRUE(sampler);
  (*sampler)->sample();
  ASSERT_EQ(rows_.size(), 4U);
  EXPECT_EQ(rows_[2].device, "0000:1b:00.0 mig 3/0");
  EXPECT_EQ(rows_[3].device, "0000:1b:00.0 mig 4/0");
  EXPECT_EQ(rows_[2].memory_used_bytes, 512);
  EXPECT_FALSE(rows_[2].busy_pct);
  EXPECT_EQ(unread(**sampler, "busy_pct"),
            "nvmlDeviceGetUtilizationRates failed: Not Supported (3); MIG slices: nvmlDeviceGetUtilizationRates "
            "failed: Not Supported (3)");
}

TEST_F(NvmlSampler, WithoutGpmItsColumnsSayWhy) {
  const auto sampler = make({"0000:1b:00.0"});
  (*sampler)->sample();
  (*sampler)->sample();
  EXPECT_FALSE(rows_.back().sm_busy_pct);
  EXPECT_EQ(unread(**sampler, "sm_busy_pct"), "the device has no GPM metrics (Hopper and newer have)");
}

TEST_F(NvmlSampler, EachFailureOfTheStartIsOneLine) {
  EXPECT_EQ(make({}, "libaaco_no_such_nvml.so").error().message,
            "GPU telemetry: libaaco_no_such_nvml.so cannot be opened");
  EXPECT_EQ(make({}, "libc.so.6").error().message, "GPU telemetry: libc.so.6 has no nvmlInit_v2");
  fail("nvmlInit_v2", 9);
  const auto without_driver = make();
  EXPECT_EQ(without_driver.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(without_driver.error().message, "GPU telemetry: nvmlInit_v2 failed: Driver Not Loaded (9)");
  fail("nvmlInit_v2", 0);
  fail("nvmlDeviceGetPciInfo_v3", 15);
  EXPECT_EQ(make().error().message, "GPU telemetry: nvmlDeviceGetPciInfo_v3 of 0 failed: GPU is lost (15)");
  fail("nvmlDeviceGetHandleByIndex_v2", 4);
  EXPECT_EQ(make().error().message,
            "GPU telemetry: nvmlDeviceGetHandleByIndex_v2 of 0 failed: Insufficient Permissions (4)");
  fail("nvmlDeviceGetCount_v2", 999);
  EXPECT_EQ(make().error().message, "GPU telemetry: nvmlDeviceGetCount_v2 failed: Unknown Error (999)");
  fail("nvmlDeviceGetCount_v2", 0);
  function<void(const char*, unsigned)>("nvml_double_set")("count", 0);
  EXPECT_EQ(make().error().message, "GPU telemetry: NVML sees no device");
}

}  // namespace
}  // namespace aaco
