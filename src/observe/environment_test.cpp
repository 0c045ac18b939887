// SPDX-License-Identifier: MIT
#include "observe/environment.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/temporary_folder.h"
#include "base/json/json.h"
#include "base/version.h"
#include "observe/cgroup.h"

namespace aaco {

namespace {

using testing::HasSubstr;
using testing::StartsWith;

EnvironmentOptions fake_options() {
  EnvironmentOptions options;
  options.host = HostFiles(std::filesystem::path(AACO_SOURCE_DIR) / "tests/roots/lockbox");
  options.run_tools = false;
  return options;
}

}  // namespace

TEST(Environment, ReadsTheProcessor) {
  const Json cpu = capture_environment(fake_options())["cpu"];
  EXPECT_EQ(cpu["model"], "AMD EPYC 9534 64-Core Processor");
  EXPECT_EQ(cpu["microcode"], "0xa101144");
  EXPECT_EQ(cpu["topology"], (Json{{"sockets", 1}, {"cores", 2}, {"processors", 2}}));
  EXPECT_EQ(cpu["caches"]["L1 Data"], (Json{{"size", "32K"}, {"instances", 2}}));
  EXPECT_EQ(cpu["caches"]["L3 Unified"], (Json{{"size", "32768K"}, {"instances", 1}}));
  EXPECT_EQ(cpu["flags"].dump(),
            R"(["sse4_2","avx","avx2","fma","avx512f","avx512_bf16","constant_tsc","nonstop_tsc"])");
  EXPECT_EQ(cpu["governor"], "powersave");
  EXPECT_EQ(cpu["turbo"], "on");
  EXPECT_EQ(capture_environment(fake_options())["memory"]["total"], "15.6 GiB");  // 16,384,000 / 1,048,576 = 15.625
  EXPECT_THAT(cpu["max_khz"].get<std::string>(), StartsWith("not available: "));
}

TEST(Environment, ReadsGpusOfBothVendors) {
  const Json json = capture_environment(fake_options());
  ASSERT_EQ(json["gpus"].size(), 2u);
  const Json& nvidia = json["gpus"][0];
  EXPECT_EQ(nvidia["model"], "NVIDIA H200");
  EXPECT_EQ(nvidia["driver"], "570.86.15");
  EXPECT_EQ(nvidia["vbios"], "96.00.bc.00.01");
  EXPECT_EQ(nvidia["firmware"], "570.86.15");
  EXPECT_EQ(nvidia["power_cap"], "not available: nvidia-smi was not asked");
  const Json& amd = json["gpus"][1];
  EXPECT_EQ(amd["model"], "AMD Instinct MI300X");
  EXPECT_EQ(amd["driver"], "6.8.5");
  EXPECT_EQ(amd["power_cap_uw"], "750000000");
  EXPECT_EQ(amd["clock_policy"], "auto");
  EXPECT_EQ(amd["clocks_gpu"], "0: 132Mhz;1: 2100Mhz *");
  EXPECT_EQ(amd["firmware"]["mec_fw_version"], "0x000000b4");
  EXPECT_THAT(amd["clocks_memory"].get<std::string>(), StartsWith("not available: "));
  EXPECT_EQ(json["gpu_drivers"], (Json{{"nvidia", "570.86.15"}, {"amdgpu", "6.8.5"}}));
}

// Version 1: 350000/100000 = 3.5 processors, no memory limit; version 2: the parent's 2 processors and 4 GiB are
// tighter than the group's own "max".
TEST(Environment, TakesTheTightestControlGroupLimit) {
  const CgroupLimits limits = cgroup_limits(fake_options().host);
  EXPECT_EQ(limits.version, "v1 and v2");
  EXPECT_DOUBLE_EQ(limits.processors.value(), 2.0);
  EXPECT_EQ(limits.memory_bytes, int64_t{4} << 30);
  EXPECT_EQ(limits.processor_set, "0-1");
}

TEST(Environment, NoControlGroupsAreNoLimit) {
  const TemporaryFolder empty = TemporaryFolder::create().value();
  const CgroupLimits limits = cgroup_limits(HostFiles(empty.path()));
  EXPECT_EQ(limits.version, "none");
  EXPECT_FALSE(limits.processors);
  EXPECT_FALSE(limits.memory_bytes);
}

// The two processors of the groups above, or the one of a machine that has no more.
TEST(Environment, UsableProcessorsAreTheAffinityCutByTheQuota) {
  const auto allowed = static_cast<int64_t>(allowed_processors().size());
  EXPECT_EQ(usable_processors(fake_options().host), std::min<int64_t>(allowed, 2));
  const TemporaryFolder empty = TemporaryFolder::create().value();
  EXPECT_EQ(usable_processors(HostFiles(empty.path())), allowed);
}

// 150000/100000 = 1.5 processors are the time of two.
TEST(Environment, AQuotaIsRoundedUp) {
  const TemporaryFolder folder = TemporaryFolder::create().value();
  const std::filesystem::path& root = folder.path();
  std::filesystem::create_directories(root / "proc/self");
  std::filesystem::create_directories(root / "cg");
  std::ofstream(root / "proc/self/mountinfo") << "36 25 0:31 / /cg rw - cgroup2 cgroup2 rw\n";
  std::ofstream(root / "proc/self/cgroup") << "0::/\n";
  const auto with_quota = [&](const char* quota) {
    std::ofstream(root / "cg/cpu.max") << quota << "\n";
    return usable_processors(HostFiles(root));
  };
  const auto allowed = static_cast<int64_t>(allowed_processors().size());
  EXPECT_EQ(with_quota("150000 100000"), std::min<int64_t>(allowed, 2));
  EXPECT_EQ(with_quota("1000 100000"), 1);
  EXPECT_EQ(with_quota("max 100000"), allowed);
}

TEST(Environment, SaysWhyOnAnEmptyMachine) {
  EnvironmentOptions options = fake_options();
  const TemporaryFolder empty = TemporaryFolder::create().value();
  options.host = HostFiles(empty.path());
  const Json json = capture_environment(options);
  for (const char* key : {"model", "microcode", "topology", "caches", "flags", "governor", "turbo"}) {
    EXPECT_THAT(json["cpu"][key].get<std::string>(), StartsWith("not available: ")) << key;
  }
  EXPECT_EQ(json["gpus"], Json::array());
  EXPECT_THAT(json["memory"]["total"].get<std::string>(), StartsWith("not available: "));
  EXPECT_THAT(json["kernel"]["release"].get<std::string>(),
              HasSubstr(empty.path().string() + "/proc/sys/kernel/osrelease"));
}

TEST(Environment, KeepsListedVariablesAndHidesSecrets) {
  ::setenv("OMP_NUM_THREADS", "3", 1);
  ::setenv("AACO_API_TOKEN", "very secret", 1);
  ::setenv("UNRELATED_THING", "x", 1);
  const Json json = capture_environment(fake_options());
  EXPECT_EQ(json["variables"]["OMP_NUM_THREADS"], "3");
  EXPECT_EQ(json["variables"]["AACO_API_TOKEN"], "redacted");
  EXPECT_FALSE(json["variables"].contains("UNRELATED_THING"));
  EXPECT_EQ(json.dump().find("very secret"), std::string::npos);
  EXPECT_TRUE(variable_is_kept("NVIDIA_TF32_OVERRIDE"));
  EXPECT_TRUE(variable_is_kept("LD_PRELOAD"));
  EXPECT_FALSE(variable_is_kept("PATH"));
  EXPECT_TRUE(variable_is_secret("NCCL_passwd"));
  EXPECT_FALSE(variable_is_secret("OMP_NUM_THREADS"));
}

TEST(Environment, CarriesWhatTheCallerKnows) {
  EnvironmentOptions options = fake_options();
  options.model_path = "m.onnx";
  options.model_sha256 = "abc";
  options.libraries = {{"onnxruntime", "1.31.0"}};
  const Json json = capture_environment(options);
  EXPECT_EQ(json["model"], (Json{{"path", "m.onnx"}, {"sha256", "abc"}}));
  EXPECT_EQ(json["libraries"]["onnxruntime"], "1.31.0");
  EXPECT_EQ(capture_environment(fake_options())["model"]["path"], "not available: no model");
}

// The real machine: whatever it is, it has these.
TEST(Environment, DescribesThisMachine) {
  const Json json = capture_environment({});
  EXPECT_THAT(json["captured_at"].get<std::string>(), testing::MatchesRegex("[0-9-]+T[0-9:]+Z"));
  EXPECT_EQ(json["limits"]["affinity_count"], allowed_processors().size());
  EXPECT_THAT(json["memory"]["total"].get<std::string>(), HasSubstr(" GiB"));
  EXPECT_EQ(json["software"]["aaco"], program_version());
  EXPECT_TRUE(json["git"].is_object() || json["git"].is_string());
}

}  // namespace aaco
