// SPDX-License-Identifier: MIT
// From NVML, which a double stands in for, to joules.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "base/files/temporary_folder.h"
#include "engine/gpu_sampling.h"
#include "kind/training/analysis/training_process.h"

namespace aaco {
namespace {

constexpr const char* kDevice = "0000:1b:00.0";

class NvmlPower : public testing::Test {
 protected:
  void SetUp() override {
    library_ = ::dlopen(AACO_NVML_DOUBLE, RTLD_NOW);
    ASSERT_NE(library_, nullptr) << ::dlerror();
    function<void()>("nvml_double_reset")();
    set("count", 2);
  }
  void TearDown() override { ::dlclose(library_); }

  template <class Signature>
  Signature* function(const char* name) const {
    return reinterpret_cast<Signature*>(::dlsym(library_, name));
  }
  void set(const char* what, unsigned value) const {
    function<void(const char*, unsigned)>("nvml_double_set")(what, value);
  }

  // Power of a window that began two seconds before the last sample, so that each of them is of it.
  TrainingPower sampled() const {
    const auto folder = TemporaryFolder::create();
    CollectorOptions options;
    options.nvml_library = AACO_NVML_DOUBLE;
    options.gpus = {kDevice};
    auto telemetry = Telemetry::start(folder->path(), *find_collector("nvml"), options);
    EXPECT_TRUE(telemetry) << telemetry.error().message;
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
    EXPECT_TRUE((*telemetry)->stop());
    CollectedRows rows;
    std::vector<std::string> warnings;
    EXPECT_TRUE(read_collected_journals(folder->path(), rows, warnings));
    const std::vector<GpuSampleRow>& samples = rows.rows<GpuSampleRow>();
    EXPECT_FALSE(samples.empty());
    return samples.empty()
               ? TrainingPower()
               : power_of_samples(kDevice, samples, samples.back().t_ns - 2'000'000'000, samples.back().t_ns);
  }

 private:
  void* library_ = nullptr;
};

TEST_F(NvmlPower, BecomesJoulesOfAStep) {
  set("power", 700'000);
  TrainingProcess process;
  process.steps = 100;
  process.wall_ns = 2'000'000'000;
  process.power = sampled();
  EXPECT_EQ(process.power->mean_w, 700);
  EXPECT_EQ(process.power->source, "board, NVML");
  const TrainingEnergy energy = training_energy({process}, 1000);
  EXPECT_DOUBLE_EQ(energy.joules_per_step->value, 14) << "700 W for 20 ms";
  EXPECT_DOUBLE_EQ(energy.joules_per_token->value, 0.014);
}

TEST_F(NvmlPower, ThatIsNotToldIsUnknown) {
  set("power", 700'000);
  function<void(const char*, int)>("nvml_double_fail")("nvmlDeviceGetPowerUsage", 3);
  const TrainingPower power = sampled();
  EXPECT_FALSE(power.mean_w);
  EXPECT_EQ(power.unavailable, "the device does not tell its power");
}

TEST(MeasuredWindows, BeginWithTheFirstMeasuredIteration) {
  std::vector<IterationRow> rows(3);
  rows[0].process = 1;
  rows[0].phase = IterationPhase::kWarmup;
  rows[0].t_start_ns = 100;
  rows[1].process = 1;
  rows[1].phase = IterationPhase::kMeasure;
  rows[1].t_start_ns = 200;
  rows[2].process = 2;
  rows[2].phase = IterationPhase::kWarmup;
  const auto window = measured_window(rows, 1, 50);
  ASSERT_TRUE(window);
  EXPECT_EQ(window->start_ns, 200);
  EXPECT_EQ(window->end_ns, 250);
  EXPECT_FALSE(measured_window(rows, 2, 50)) << "it measured nothing";
}

}  // namespace
}  // namespace aaco
