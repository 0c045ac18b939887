// SPDX-License-Identifier: MIT
#include "verdict/identity/environment_diff.h"

#include <functional>
#include <gtest/gtest.h>

#include "base/json/json.h"

namespace aaco {

namespace {

Json lockbox() {
  return {{"captured_at", "2026-01-01T00:00:00Z"},
          {"host", {{"name", "one"}, {"boot_id", "b1"}}},
          {"cpu", {{"model", "X"}, {"governor", "performance"}, {"flags", {"avx2", "fma"}}}},
          {"memory", {{"total", "16384000 kB"}}},
          {"kernel", {{"release", "6.1"}, {"perf_event_paranoid", "2"}}},
          {"container", {{"processors", 2.0}}},
          {"gpu_drivers", {{"nvidia", "570.1"}}},
          {"gpus", Json::array({{{"model", "H200"}, {"driver", "570.1"}, {"power_cap", "700 W"}, {"bus", "3b"}}})},
          {"libraries", {{"onnxruntime", "1.31.0"}}},
          {"model", {{"path", "a.onnx"}, {"sha256", "aa"}}},
          {"git", {{"commit", "c1"}, {"dirty", false}}},
          {"variables", {{"OMP_NUM_THREADS", "4"}}},
          {"load", {{"load_average", "0.1"}}}};
}

// The one difference after `change` was made to the second lockbox.
LockboxDifference only_difference(const std::function<void(Json&)>& change) {
  Json b = lockbox();
  change(b);
  const auto differences = compare_environments(lockbox(), b);
  EXPECT_EQ(differences.size(), 1u);
  return differences.empty() ? LockboxDifference{} : differences.front();
}

void expect(const LockboxDifference& difference, const char* key, const char* category, bool relevant) {
  EXPECT_EQ(difference.key, key);
  EXPECT_EQ(difference.category, category) << key;
  EXPECT_EQ(difference.performance_relevant, relevant) << key;
}

}  // namespace

TEST(EnvironmentDiff, SameIsSame) {
  EXPECT_TRUE(compare_environments(lockbox(), lockbox()).empty());
  EXPECT_TRUE(compare_environments(Json(), Json::array()).empty());
}

TEST(EnvironmentDiff, NamesEachCategory) {
  const auto governor = only_difference([](Json& b) { b["cpu"]["governor"] = "powersave"; });
  expect(governor, "cpu.governor", "governor", true);
  EXPECT_EQ(governor.a, "performance");
  EXPECT_EQ(governor.b, "powersave");
  expect(only_difference([](Json& b) { b["gpu_drivers"]["nvidia"] = "580"; }), "gpu_drivers.nvidia", "driver", true);
  expect(only_difference([](Json& b) { b["gpus"][0]["driver"] = "580"; }), "gpus.0.driver", "driver", true);
  expect(only_difference([](Json& b) { b["gpus"][0]["power_cap"] = "500 W"; }), "gpus.0.power_cap", "gpu", true);
  expect(only_difference([](Json& b) { b["gpus"][0]["bus"] = "4c"; }), "gpus.0.bus", "gpu", false);
  expect(only_difference([](Json& b) { b["libraries"]["onnxruntime"] = "1.32.0"; }), "libraries.onnxruntime", "library",
         true);
  expect(only_difference([](Json& b) { b["model"]["sha256"] = "bb"; }), "model.sha256", "model", true);
  expect(only_difference([](Json& b) { b["model"]["path"] = "b.onnx"; }), "model.path", "model", false);
  expect(only_difference([](Json& b) { b["kernel"]["release"] = "6.2"; }), "kernel.release", "kernel", true);
  expect(only_difference([](Json& b) { b["cpu"]["model"] = "Y"; }), "cpu.model", "cpu", true);
  expect(only_difference([](Json& b) { b["memory"]["total"] = "1 kB"; }), "memory.total", "memory", true);
  expect(only_difference([](Json& b) { b["container"]["processors"] = 1.5; }), "container.processors", "container",
         true);
  expect(only_difference([](Json& b) { b["host"]["name"] = "two"; }), "host.name", "host", false);
  expect(only_difference([](Json& b) { b["git"]["commit"] = "c2"; }), "git.commit", "source", false);
}

TEST(EnvironmentDiff, ListsOfPlainValuesAreOneValue) {
  const auto flags = only_difference([](Json& b) { b["cpu"]["flags"] = {"avx2"}; });
  expect(flags, "cpu.flags", "cpu", true);
  EXPECT_EQ(flags.a, R"(["avx2","fma"])");
}

TEST(EnvironmentDiff, AbsentOnEitherSide) {
  const auto gone = only_difference([](Json& b) { b["variables"].erase("OMP_NUM_THREADS"); });
  expect(gone, "variables.OMP_NUM_THREADS", "variable", true);
  EXPECT_EQ(gone.b, "absent");
  const auto added = only_difference([](Json& b) { b["variables"]["LD_PRELOAD"] = "x.so"; });
  expect(added, "variables.LD_PRELOAD", "variable", true);
  EXPECT_EQ(added.a, "absent");
}

TEST(EnvironmentDiff, UnknownIsNoChange) {
  expect(only_difference([](Json& b) { b["cpu"]["governor"] = "not available: no such file"; }), "cpu.governor",
         "governor", false);
}

TEST(EnvironmentDiff, VolatileKeysAreLeftOut) {
  Json b = lockbox();
  b["captured_at"] = "2027";
  b["host"]["boot_id"] = "b2";
  b["load"]["load_average"] = "9";
  EXPECT_TRUE(compare_environments(lockbox(), b).empty());
}

TEST(EnvironmentDiff, TravelsAsJson) {
  const LockboxDifference difference{"cpu.governor", "a", "b", "governor", true};
  const auto back = Json(difference).get<LockboxDifference>();
  expect(back, "cpu.governor", "governor", true);
}

// An older lockbox does not have them: that is no difference of the machines.
TEST(EnvironmentDiff, KeysOfALaterVersionAreNotRecordedInAnOlderLockbox) {
  expect(only_difference([](Json& b) { b["libraries"]["onnxruntime_sha256"] = "aa"; }), "libraries.onnxruntime_sha256",
         "library", false);
  const LockboxDifference pin = only_difference([](Json& b) { b["run"]["pin"] = "0-1"; });
  expect(pin, "run.pin", "container", false);
  EXPECT_EQ(pin.a, "not recorded");
  const auto pinned = [](const char* processors) { return Json{{"run", {{"pin", processors}}}}; };
  const auto both = compare_environments(pinned("not pinned"), pinned("0-1"));
  ASSERT_EQ(both.size(), 1u);
  EXPECT_TRUE(both[0].performance_relevant);
}

}  // namespace aaco
