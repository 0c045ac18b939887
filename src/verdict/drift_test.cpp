// SPDX-License-Identifier: MIT
#include "verdict/drift.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/temporary_folder.h"
#include "base/json/json.h"

namespace aaco {
namespace {

using testing::HasSubstr;

class Drift : public testing::Test {
 protected:
  std::filesystem::path file_with(const std::string& text) const {
    const std::filesystem::path file = path() / "drift.json";
    std::ofstream(file) << text;
    return file;
  }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_ = TemporaryFolder::create().value();
};

TEST_F(Drift, NoFileIsNoDrift) {
  const auto drift = read_drift(path() / "drift.json");
  ASSERT_TRUE(drift);
  EXPECT_FALSE(drift->has_value());
}

TEST_F(Drift, IsRead) {
  const auto drift = read_drift(file_with(R"({"drift_pct": 1.5, "pairs": 300, "cpu_model": "A"})"));
  ASSERT_TRUE(drift);
  EXPECT_EQ(drift->value().drift_pct, 1.5);
  EXPECT_TRUE(drift_applies(**drift, {{"cpu", {{"model", "A"}}}}));
  EXPECT_FALSE(drift_applies(**drift, {{"cpu", {{"model", "B"}}}}));
  EXPECT_FALSE(drift_applies(**drift, Json::array()));
  EXPECT_FALSE(drift_applies(**drift, Json()));
}

TEST_F(Drift, ADamagedFileIsAnError) {
  for (const char* text : {"", "[]", "{}", R"({"drift_pct": -1, "pairs": 300})", R"({"drift_pct": "1", "pairs": 3})",
                           R"({"drift_pct": 1, "pairs": 0})"}) {
    const auto drift = read_drift(file_with(text));
    ASSERT_FALSE(drift) << text;
    EXPECT_EQ(drift.error().kind, ErrorKind::kUsage);
  }
  const auto negative = read_drift(file_with(R"({"drift_pct": -1, "pairs": 300})"));
  EXPECT_THAT(negative.error().hint, HasSubstr("bench/aa.py --output aa.json --save-drift " + path().string()));
}

}  // namespace
}  // namespace aaco
