// SPDX-License-Identifier: MIT
#include "kind/model_run/request/run_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"

namespace aaco {
namespace {

TEST(ParseProcessors, GivesEachOnceInOrder) {
  EXPECT_THAT(*parse_processors("8,0-2,1"), testing::ElementsAre(0, 1, 2, 8));
}

TEST(ParseProcessors, RefusesWhatIsNoList) {
  for (const char* text : {"", ",", "0,", "a", "-1", "3-1", "0-", "99999", "0 1"}) {
    const auto processors = parse_processors(text);
    ASSERT_FALSE(processors) << text;
    EXPECT_EQ(processors.error().kind, ErrorKind::kUsage);
  }
}

// aaco diff --rerun runs what request.json says.
TEST(RunRequest, KeepsTheShapesInItsDocument) {
  RunRequest request;
  request.shapes = {{"x", {1, 3, 48, 192}}};
  EXPECT_EQ(Json(request).get<RunRequest>().shapes, request.shapes);
}

}  // namespace
}  // namespace aaco
