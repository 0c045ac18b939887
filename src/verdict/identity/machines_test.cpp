// SPDX-License-Identifier: MIT
#include "verdict/identity/machines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"
#include "base/test_folder.h"
#include "session/bundle/layout.h"

namespace aaco::imports {
namespace {

namespace fs = std::filesystem;

TEST(Machines, AreToldByTheLockboxes) {
  TestFolder folder;
  const auto bundle = [&](const char* name, const char* processor, const char* gpu) {
    const fs::path path = folder.path() / name;
    fs::create_directories(path);
    EXPECT_TRUE(write_json(path / layout::kEnvironment,
                           {{"cpu", {{"model", processor}}}, {"gpus", Json::array({{{"model", gpu}}})}}));
    return path;
  };
  const fs::path a = bundle("a", "Xeon", "H100");
  const fs::path b = bundle("b", "EPYC", "H100");
  const fs::path c = bundle("c", "Xeon", "H200");
  EXPECT_EQ(machine_difference(a, b, false), "cpu.model Xeon / EPYC");
  EXPECT_EQ(machine_difference(a, c, false), "") << "GPUs beside a run on the CPU";
  EXPECT_EQ(machine_difference(a, c, true), "gpus H100 / H200");
  EXPECT_EQ(gpu_difference(a, b), "") << "another host of the same GPU";
  EXPECT_EQ(gpu_difference(a, c), "gpus H100 / H200");
  EXPECT_EQ(machine_difference(a, folder.path(), true), "") << "no lockbox there";
}

}  // namespace
}  // namespace aaco::imports
