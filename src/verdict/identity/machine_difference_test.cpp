// SPDX-License-Identifier: MIT
#include "verdict/identity/machine_difference.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"
#include "verdict/compare.h"
#include "verdict/diff.h"
#include "verdict/test_samples.h"

namespace aaco {
namespace {

using testing::HasSubstr;

RunSample run_on(DeviceKind device_kind = DeviceKind::kCpu) {
  RunSample sample = test::sample_of({1000, 1001, 1002});
  sample.device_kind = device_kind;
  sample.environment =
      Json{{"cpu",
            {{"model", "Xeon"},
             {"family_model_stepping", "6/85/7"},
             {"microcode", "0x1"},
             {"governor", "performance"},
             {"topology", {{"sockets", 1}, {"cores", 4}, {"processors", 8}}}}},
           {"memory", {{"total", "31.3 GiB"}}},
           {"kernel", {{"release", "6.1"}}},
           {"gpu_drivers", {{"nvidia", "570"}}},
           {"gpus", Json::array({{{"model", "H100"}, {"mig_mode", "Disabled"}, {"power_cap", "700 W"}}})}};
  return sample;
}

Comparison after(const std::function<void(Json&)>& change, DeviceKind device_kind = DeviceKind::kCpu) {
  RunSample test = run_on(device_kind);
  change(*test.environment);
  return compare(run_on(device_kind), test);
}

TEST(MachineDifference, AnotherMachineIsInvalidAndNamed) {
  const auto reason = [](const std::function<void(Json&)>& change) {
    const Comparison result = after(change);
    EXPECT_EQ(result.verdict, Verdict::kInvalid);
    EXPECT_EQ(exit_code_of(result.verdict, true), 4);
    EXPECT_THAT(result.remedy, HasSubstr("on one machine"));
    return result.reason;
  };
  EXPECT_THAT(reason([](Json& box) { box["cpu"]["model"] = "EPYC"; }),
              HasSubstr("were not measured on the same machine (baseline / test): cpu.model Xeon / EPYC"));
  EXPECT_THAT(reason([](Json& box) { box["cpu"]["family_model_stepping"] = "6/85/4"; }), HasSubstr("6/85/7 / 6/85/4"));
  EXPECT_THAT(reason([](Json& box) { box["cpu"]["topology"]["cores"] = 8; }), HasSubstr("cores 4 / 8"));
  EXPECT_THAT(reason([](Json& box) { box["memory"]["total"] = "62.7 GiB"; }), HasSubstr("memory.total"));
}

TEST(MachineDifference, TheSameMachineChangedIsNotInvalid) {
  for (const auto& change : std::vector<std::function<void(Json&)>>{
           [](Json& box) { box["kernel"]["release"] = "6.8"; }, [](Json& box) { box["cpu"]["microcode"] = "0x2"; },
           [](Json& box) { box["cpu"]["governor"] = "powersave"; },
           [](Json& box) { box["cpu"]["topology"]["processors"] = 4; },  // SMT off
           [](Json& box) { box["memory"]["total"] = "31.1 GiB"; },       // kept back by another kernel
           [](Json& box) { box["gpu_drivers"]["nvidia"] = "580"; },
           [](Json& box) { box["gpus"] = Json::array(); },  // beside a run on the CPU
           [](Json& box) { box["cpu"]["model"] = "not available: no \"model name\""; },
           [](Json& box) { box = Json(); }}) {
    EXPECT_NE(after(change).verdict, Verdict::kInvalid) << after(change).reason;
  }
}

TEST(MachineDifference, ARunOnAGpuIsOfItsKindOfGpu) {
  EXPECT_THAT(after([](Json& box) { box["gpus"][0]["model"] = "H200"; }, DeviceKind::kGpu).reason,
              HasSubstr("gpus H100, mig_mode Disabled / H200, mig_mode Disabled"));
  EXPECT_EQ(after([](Json& box) { box["gpus"][0]["mig_mode"] = "Enabled"; }, DeviceKind::kGpu).verdict,
            Verdict::kInvalid);
  EXPECT_NE(after([](Json& box) { box["gpus"][0]["power_cap"] = "500 W"; }, DeviceKind::kGpu).verdict,
            Verdict::kInvalid);
  EXPECT_NE(after([](Json& box) { box["gpus"].push_back(box["gpus"][0]); }, DeviceKind::kGpu).verdict,
            Verdict::kInvalid)
      << "more of the same beside it";
}

TEST(MachineDifference, ItIsComparedWhenAskedAndALackIsSaid) {
  RunSample test = run_on();
  (*test.environment)["cpu"]["model"] = "EPYC";
  CompareOptions options;
  options.allow_different = true;
  const Diff diff = diff_runs(run_on(), test, options);
  EXPECT_NE(diff.comparison.verdict, Verdict::kInvalid);
  EXPECT_THAT(diff.comparison.warnings, testing::Contains(HasSubstr("cpu.model Xeon / EPYC")));
  EXPECT_EQ(verdict_json(diff)["machine_differences"].size(), 1u);
  (*test.environment)["cpu"]["model"] = "not available: no \"model name\"";
  EXPECT_THAT(compare(run_on(), test).not_recorded, testing::Contains(HasSubstr("recorded by the test: processor")));
}

}  // namespace
}  // namespace aaco
