// SPDX-License-Identifier: MIT
// The NVML sampler on a library that stands in for NVIDIA's (tests/nvml_double).
#include "observe/telemetry/nvml/nvml_sampler.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <map>

#include "trace/gpu_sample.h"

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
    ::dlclose(double_);
  }

  void fail(const char* what, int status) { function<void(const char*, int)>("nvml_double_fail")(what, status); }
  Result<std::unique_ptr<Collector>> make(std::vector<std::string> gpus = {}, const char* library = AACO_NVML_DOUBLE) {
    CollectorOptions options;
    options.nvml_library = library;
    options.gpus = std::move(gpus);
    options.sinks.set<GpuSampleRow>([this](const GpuSampleRow& row) { rows_.push_back(row); });
    return nvml_collector().make(options);
  }
  template <class F>
  F* function(const char* name) {
    return reinterpret_cast<F*>(::dlsym(double_, name));
  }

  void* double_ = nullptr;
  std::vector<GpuSampleRow> rows_;
};

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
  std::map<std::string, std::string> unread;
  for (const PlaneColumn& column : plane.columns) {
    unread[column.name] = column.unread;
  }
  EXPECT_EQ(unread["t_ns"], "");
  EXPECT_EQ(unread["power_w"], "at times: nvmlDeviceGetPowerUsage failed: Insufficient Permissions (4)");
  EXPECT_EQ(unread["throttled"], "at times: nvmlDeviceGetCurrentClocksEventReasons failed: Not Supported (3)");
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
