// SPDX-License-Identifier: MIT
// A driver that comes, goes and comes back, on a library that stands in for NVIDIA's (tests/nvml_double).
#include "monitor/collector_keeper.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "monitor/collector_watch.h"
#include "observe/telemetry/nvml/nvml_sampler.h"

namespace aaco {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int kLost = 15;  // NVML_ERROR_GPU_IS_LOST

class CollectorKeeperOnNvml : public testing::Test {
 protected:
  void SetUp() override {
    double_ = ::dlopen(AACO_NVML_DOUBLE, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(double_, nullptr) << ::dlerror();
    bring_back();
  }
  void TearDown() override {
    EXPECT_EQ(function<int()>("nvml_double_started")(), 0);
    ::dlclose(double_);
  }

  void bring_back() {
    const int started = function<int()>("nvml_double_started")();
    function<void()>("nvml_double_reset")();
    for (int i = 0; i < started; ++i) {
      function<int()>("nvmlInit_v2")();
    }
    for (const auto& [what, value] : {std::pair{"count", 2U}, {"sm", 1'980U}, {"power", 687'000U}}) {
      function<void(const char*, unsigned)>("nvml_double_set")(what, value);
    }
  }
  // Every function that reads a device.
  void lose_devices() {
    for (const char* call : {"sm clock", "memory clock", "nvmlDeviceGetPowerUsage", "nvmlDeviceGetTemperature",
                             "nvmlDeviceGetUtilizationRates", "nvmlDeviceGetCurrentClocksEventReasons"}) {
      fail(call, kLost);
    }
  }
  void fail(const char* call, int status) { function<void(const char*, int)>("nvml_double_fail")(call, status); }
  int started() { return function<int()>("nvml_double_started")(); }
  static CollectorOptions options() {
    CollectorOptions options;
    options.nvml_library = AACO_NVML_DOUBLE;
    return options;
  }
  template <class F>
  F* function(const char* name) {
    return reinterpret_cast<F*>(::dlsym(double_, name));
  }

  void* double_ = nullptr;
  const CollectorInfo info_ = nvml_collector();
};

TEST_F(CollectorKeeperOnNvml, WaitsForADriverThatIsNotThere) {
  fail("nvmlInit_v2", 9);
  CollectorKeeper keeper(info_, options(), kSecond);
  keeper.step(kSecond);
  EXPECT_EQ(keeper.reading().state, CollectorState::kAbsent);
  EXPECT_NE(keeper.reading().why.find("Driver Not Loaded"), std::string::npos) << keeper.reading().why;
  bring_back();
  keeper.step(kSecond + 1);  // not yet
  EXPECT_EQ(keeper.reading().state, CollectorState::kAbsent);
  keeper.step(2 * kSecond);
  EXPECT_EQ(keeper.reading().state, CollectorState::kUp);
  EXPECT_EQ(keeper.reading().rows.gpus.size(), 2U);
  EXPECT_EQ(keeper.reading().why, "");
}

TEST_F(CollectorKeeperOnNvml, LetsGoOfADriverThatIsLostAndOpensItAgain) {
  CollectorKeeper keeper(info_, options(), kSecond);
  keeper.step(kSecond);
  ASSERT_EQ(keeper.reading().state, CollectorState::kUp);
  EXPECT_EQ(started(), 1);
  lose_devices();
  keeper.step(2 * kSecond);
  EXPECT_EQ(keeper.reading().state, CollectorState::kLost);
  EXPECT_NE(keeper.reading().why.find("GPU is lost"), std::string::npos) << keeper.reading().why;
  EXPECT_TRUE(keeper.reading().rows.gpus.empty());
  EXPECT_EQ(started(), 0);  // else the driver could not be unloaded
  fail("nvmlInit_v2", 9);
  keeper.step(3 * kSecond);
  EXPECT_EQ(keeper.reading().state, CollectorState::kLost);
  bring_back();
  keeper.step(5 * kSecond);  // the second try came at 3 s, the third comes 2 s later
  EXPECT_EQ(keeper.reading().state, CollectorState::kUp);
  EXPECT_EQ(keeper.reading().rows.gpus.size(), 2U);
}

TEST_F(CollectorKeeperOnNvml, TriesEverMoreSeldomUpToOnceAMinute) {
  fail("nvmlInit_v2", 9);
  CollectorKeeper keeper(info_, options(), kSecond);
  for (int64_t second = 0; second < 3600; ++second) {
    keeper.step(second * kSecond);
  }
  // At 0, 1, 3, 7, 15, 31, 63 and each minute from then on: 7 + (3599 - 63) / 60 = 7 + 58.
  EXPECT_EQ(keeper.reading().openings, 65);
  bring_back();
}

TEST_F(CollectorKeeperOnNvml, AValueThatCannotBeReadDoesNotMakeADeviceLost) {
  fail("nvmlDeviceGetPowerUsage", 3);
  fail("nvmlDeviceGetTemperature", 3);
  CollectorKeeper keeper(info_, options(), kSecond);
  for (int64_t second = 1; second < 10; ++second) {
    keeper.step(second * kSecond);
  }
  EXPECT_EQ(keeper.reading().state, CollectorState::kUp);
  EXPECT_EQ(keeper.reading().samples, 9);
  EXPECT_EQ(keeper.reading().openings, 1);
  EXPECT_FALSE(keeper.reading().rows.gpus.front().power_w);
}

int64_t clock_of_test_ns = 0;

TEST_F(CollectorKeeperOnNvml, ThrottledTimeCountsAtAnIntervalOfHalfAMinute) {
  constexpr unsigned kPowerCap = 4;  // nvmlClocksEventReasonSwPowerCap
  function<void(const char*, unsigned)>("nvml_double_set")("events", kPowerCap);
  CollectorOptions throttled = options();
  throttled.now_ns = [] { return clock_of_test_ns; };
  CollectorKeeper keeper(info_, throttled, 30 * kSecond);
  for (clock_of_test_ns = 30 * kSecond; clock_of_test_ns <= 90 * kSecond; clock_of_test_ns += 30 * kSecond) {
    keeper.step(clock_of_test_ns);
  }
  ASSERT_EQ(keeper.reading().totals.gpus().size(), 2U);
  EXPECT_DOUBLE_EQ(keeper.reading().totals.gpus().begin()->second.throttled_seconds.value(), 60);
}

// A collector that sleeps in its second sample until it is told to go on.
class SlowCollector final : public Collector {
 public:
  SlowCollector(CollectorOptions options, std::atomic<bool>& go_on) : options_(std::move(options)), go_on_(go_on) {}
  void sample() override {
    while (++samples_ == 2 && !go_on_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      --samples_;
    }
    options_.sinks.push(SystemRow{});
  }
  CollectorPlane plane() const override { return {}; }

 private:
  CollectorOptions options_;
  std::atomic<bool>& go_on_;
  int samples_ = 0;
};

std::atomic<bool> slow_may_go_on{false};

TEST(CollectorWatch, ADriverThatDoesNotAnswerIsStalledAndItsRowsAreGone) {
  CollectorInfo info{};
  info.id = "slow";
  info.make = [](CollectorOptions options) -> Result<std::unique_ptr<Collector>> {
    return std::unique_ptr<Collector>(std::make_unique<SlowCollector>(std::move(options), slow_may_go_on));
  };
  auto watch = CollectorWatch::start(info, {}, kSecond / 100);
  ASSERT_TRUE(watch) << watch.error().message;
  ASSERT_TRUE((*watch)->wait_for_steps(1, monotonic_ns() + 10 * kSecond));
  EXPECT_EQ((*watch)->reading(monotonic_ns()).state, CollectorState::kUp);
  const CollectorReading later = (*watch)->reading(monotonic_ns() + 6 * kSecond);
  EXPECT_EQ(later.state, CollectorState::kStalled);
  EXPECT_TRUE(later.rows.host.empty());
  slow_may_go_on = true;
  EXPECT_TRUE((*watch)->wait_for_steps(3, monotonic_ns() + 10 * kSecond));
  (*watch)->stop();
}

}  // namespace
}  // namespace aaco
