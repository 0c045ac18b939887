// SPDX-License-Identifier: MIT
#include "device/observe_request.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(ObserveTask, IsReadAsItWasWritten) {
  const ObserveTask task{"/dev/shm/a folder", 4096, 30'000, false};
  EXPECT_EQ(observe_text(task), "4096 30000 /dev/shm/a folder");
  EXPECT_EQ(parse_observe_text(observe_text(task)), task);
}

TEST(ObserveTask, OfOtherTextsThereIsNone) {
  for (const char* text : {"", "4096", "4096 0", "4096 0 ", "many 0 /tmp", "4096 x /tmp", "-1 0 /tmp"}) {
    EXPECT_FALSE(parse_observe_text(text)) << text;
  }
}

}  // namespace
}  // namespace aaco
