// SPDX-License-Identifier: MIT
#include "device/observe_request.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(ObserveTask, IsReadAsItWasWritten) {
  const ObserveTask task{"/dev/shm/a folder", 4096, 30'000, false};
  EXPECT_EQ(observe_text(task), "4096 30000 nodes /dev/shm/a folder");
  EXPECT_EQ(parse_observe_text(observe_text(task)), task);
  const ObserveTask of_graphs{"/tmp", 4096, 0, false, true};
  EXPECT_EQ(observe_text(of_graphs), "4096 0 whole /tmp");
  EXPECT_EQ(parse_observe_text(observe_text(of_graphs)), of_graphs);
}

TEST(ObserveTask, OfOtherTextsThereIsNone) {
  for (const char* text : {"", "4096", "4096 0", "4096 0 nodes", "4096 0 nodes ", "many 0 nodes /tmp",
                           "4096 x nodes /tmp", "-1 0 nodes /tmp", "4096 0 half /tmp", "4096 0 /tmp"}) {
    EXPECT_FALSE(parse_observe_text(text)) << text;
  }
}

}  // namespace
}  // namespace aaco
