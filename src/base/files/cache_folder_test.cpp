// SPDX-License-Identifier: MIT
#include "base/files/cache_folder.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "base/files/temporary_folder.h"

namespace aaco {
namespace {

// Sets an environment variable, or clears it for "", until the end of the scope.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) {
      before_ = before;
    }
    set(value);
  }
  ~Variable() { set(before_.value_or("")); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const std::string& value) const { value.empty() ? ::unsetenv(name_) : ::setenv(name_, value.c_str(), 1); }

  const char* name_;
  std::optional<std::string> before_;
};

class CacheFolder : public ::testing::Test {
 protected:
  TemporaryFolder folder_ = TemporaryFolder::create().value();
  std::string there_ = folder_.path();
  std::string missing_ = folder_.path() / "missing";
  Variable own_{"AACO_CACHE", ""};
  Variable xdg_{"XDG_CACHE_HOME", ""};
  Variable home_{"HOME", there_};
};

TEST_F(CacheFolder, IsTheFirstThatTheEnvironmentNames) {
  EXPECT_EQ(cache_folder(), there_ + "/.cache/aaco");
  const Variable xdg("XDG_CACHE_HOME", there_ + "/x");
  EXPECT_EQ(cache_folder(), there_ + "/x/aaco");
  const Variable own("AACO_CACHE", missing_ + "/a");
  EXPECT_EQ(cache_folder(), missing_ + "/a");
}

TEST_F(CacheFolder, AHomeThatIsNotThereIsNone) {
  const Variable home("HOME", missing_);
  EXPECT_EQ(cache_folder(), ".cache/aaco");
  EXPECT_FALSE(std::filesystem::exists(missing_));
}

TEST_F(CacheFolder, AFolderIsMadeInAHomeAndNoHomeForIt) {
  const Variable of_home("XDG_CACHE_HOME", there_ + "/.cache");
  EXPECT_EQ(cache_folder(), there_ + "/.cache/aaco");
  const Variable of_no_home("XDG_CACHE_HOME", missing_ + "/.cache");
  EXPECT_EQ(cache_folder(), there_ + "/.cache/aaco");
  const Variable home("HOME", missing_);
  EXPECT_EQ(cache_folder(), ".cache/aaco");
}

}  // namespace
}  // namespace aaco
