// SPDX-License-Identifier: MIT
// The sampler of AMD's library on one that stands in for it (tests/amdsmi_double).
#include "observe/telemetry/amdsmi/amdsmi_sampler.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "record/gpu_sample.h"

namespace aaco {
namespace {

class AmdSmiSampler : public testing::Test {
 protected:
  void SetUp() override {
    double_ = ::dlopen(AACO_AMDSMI_DOUBLE, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(double_, nullptr) << ::dlerror();
    function<void()>("amdsmi_double_reset")();
    for (const auto& [what, value] : {std::pair{"format", 1UL},
                                      {"content", 3UL},
                                      {"edge", 51UL},
                                      {"hotspot", 62UL},
                                      {"memory temperature", 73UL},
                                      {"busy", 97UL},
                                      {"memory busy", 40UL},
                                      {"average power", 283UL},
                                      {"boot time", 400UL},
                                      {"core clock", 1'700UL},
                                      {"memory clock", 1'600UL},
                                      {"throttle status", 1UL | 1UL << 36},
                                      {"memory total", 64UL},
                                      {"memory used", 3UL},
                                      {"power cap", 300'000'000UL},
                                      {"energy", 1'000'000UL},
                                      {"corrected", 5UL},
                                      {"uncorrected", 0UL}}) {
      set(what, value);
    }
  }
  void TearDown() override {
    EXPECT_EQ(function<int()>("amdsmi_double_started")(), 0);  // every start was ended
    ::dlclose(double_);
  }
  void set(const char* what, uint64_t value) {
    function<void(const char*, uint64_t)>("amdsmi_double_set")(what, value);
  }
  void fail(const char* what, uint32_t status) {
    function<void(const char*, uint32_t)>("amdsmi_double_fail")(what, status);
  }
  Result<std::unique_ptr<Collector>> make(std::vector<std::string> gpus = {},
                                          const char* library = AACO_AMDSMI_DOUBLE) {
    CollectorOptions options;
    options.amdsmi_library = library;
    options.gpus = std::move(gpus);
    options.boot_ns = [] { return int64_t{1'000}; };
    options.sinks.set<GpuSampleRow>(
        [this](std::span<const GpuSampleRow> rows) { rows_.insert(rows_.end(), rows.begin(), rows.end()); });
    return amdsmi_collector().make(options);
  }
  static std::string unread(const Collector& sampler, const std::string& name) {
    for (const PlaneColumn& column : sampler.plane().columns) {
      if (column.name == name) {
        return column.unread;
      }
    }
    return "no such column";
  }
  template <class F>
  F* function(const char* name) {
    return reinterpret_cast<F*>(::dlsym(double_, name));
  }

  void* double_ = nullptr;
  std::vector<GpuSampleRow> rows_;
};

TEST_F(AmdSmiSampler, samples_every_device) {
  const auto sampler = make();
  ASSERT_TRUE(sampler) << sampler.error().message;
  (*sampler)->sample();
  ASSERT_EQ(rows_.size(), 2U);
  EXPECT_EQ(rows_[0].device, "0000:43:00.0");
  EXPECT_EQ(rows_[1].device, "0001:83:00.1");
  const GpuSampleRow& row = rows_[0];
  EXPECT_EQ(row.vendor, "amd");
  EXPECT_EQ(row.core_clock_mhz, 1'700);
  EXPECT_EQ(row.memory_clock_mhz, 1'600);
  EXPECT_EQ(row.power_w, 283);
  EXPECT_EQ(row.power_cap_w, 300);
  EXPECT_NEAR(*row.energy_j, 15.259, 1e-6);
  EXPECT_EQ(row.temperature_c, 51);
  EXPECT_EQ(row.hotspot_c, 62);
  EXPECT_EQ(row.memory_temperature_c, 73);
  EXPECT_EQ(row.busy_pct, 97);
  EXPECT_EQ(row.memory_busy_pct, 40);
  EXPECT_EQ(row.memory_used_bytes, 3 << 20);
  EXPECT_EQ(row.memory_total_bytes, 64 << 20);
  EXPECT_EQ(row.ecc_corrected, 5);
  EXPECT_EQ(row.ecc_uncorrected, 0);
  EXPECT_EQ(row.age_ns, 600);
  EXPECT_EQ(row.clock_events, "power_0;heat_hotspot");
  EXPECT_EQ(row.throttled, 1);
}

TEST_F(AmdSmiSampler, a_mark_of_no_value_is_null) {
  function<void()>("amdsmi_double_reset")();
  set("format", 1);
  set("content", 3);
  const auto sampler = make({"0000:43:00.0"});
  ASSERT_TRUE(sampler);
  (*sampler)->sample();
  const GpuSampleRow& row = rows_.back();
  for (const std::optional<double>& value : {row.core_clock_mhz, row.memory_clock_mhz, row.power_w, row.power_cap_w,
                                             row.energy_j, row.temperature_c, row.hotspot_c, row.busy_pct}) {
    EXPECT_FALSE(value);
  }
  EXPECT_FALSE(row.memory_used_bytes);
  EXPECT_FALSE(row.ecc_corrected);
  EXPECT_FALSE(row.age_ns);
  EXPECT_FALSE(row.throttled);
}

// MI300's table has no such status: 0 there would read as "nothing throttles".
TEST_F(AmdSmiSampler, a_status_that_the_table_does_not_have_is_no_data) {
  set("content", 6);
  set("throttle status", 0);
  set("current power", 650);
  const auto sampler = make({"0000:43:00.0"});
  (*sampler)->sample();
  EXPECT_FALSE(rows_.back().throttled);
  EXPECT_EQ(rows_.back().power_w, 650);
  EXPECT_EQ(unread(**sampler, "throttled"), "amd-smi gives no status that every chip shares for gpu_metrics 1.6");
}

// Busy for a while, then there again; a removed device does not stop the other.
TEST_F(AmdSmiSampler, states_and_failures) {
  const auto sampler = make();
  ASSERT_TRUE(sampler);
  fail("amdsmi_get_gpu_metrics_info", 30);
  (*sampler)->sample();
  EXPECT_FALSE(rows_[0].core_clock_mhz);
  EXPECT_EQ(rows_[0].memory_used_bytes, 3 << 20);
  fail("amdsmi_get_gpu_metrics_info", 0);
  (*sampler)->sample();
  EXPECT_EQ(rows_[2].core_clock_mhz, 1'700);
  EXPECT_EQ(unread(**sampler, "core_clock_mhz"), "at times: amdsmi_get_gpu_metrics_info failed: Device busy (30)");
  function<void()>("amdsmi_double_remove")();
  (*sampler)->sample();
  EXPECT_EQ(rows_[4].core_clock_mhz, 1'700);
  EXPECT_FALSE(rows_[5].core_clock_mhz);
  EXPECT_FALSE(rows_[5].memory_used_bytes);
  EXPECT_EQ(unread(**sampler, "power_cap_w"), "at times: amdsmi_get_power_cap_info failed: Device not found (31)");
}

TEST_F(AmdSmiSampler, each_failure_of_the_start_is_one_line) {
  EXPECT_EQ(make({}, "libaaco_no_such_amdsmi.so").error().message,
            "GPU telemetry: libaaco_no_such_amdsmi.so cannot be opened");
  EXPECT_EQ(make({}, "libc.so.6").error().message, "GPU telemetry: libc.so.6 has no amdsmi_init");
  EXPECT_EQ(make({"0000:99:00.0"}).error().message, "GPU telemetry: amd-smi sees no device 0000:99:00.0");
  fail("amdsmi_get_gpu_device_bdf", 10);
  EXPECT_EQ(make().error().message, "GPU telemetry: amdsmi_get_gpu_device_bdf failed: Permission denied (10)");
  fail("amdsmi_init", 34);
  EXPECT_EQ(make().error().message, "GPU telemetry: amdsmi_init failed: Driver not loaded (34)");
  fail("amdsmi_init", 77);
  EXPECT_EQ(make().error().message, "GPU telemetry: amdsmi_init failed: unknown (77)");
}

}  // namespace
}  // namespace aaco
