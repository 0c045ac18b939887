// SPDX-License-Identifier: MIT
#include "kind/copy/copy_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/json.h"
#include "device/backend.h"
#include "kind/copy/copy_programs.h"

namespace aaco {
namespace {

using ::testing::HasSubstr;

CopyRequest small_request() {
  CopyRequest request;
  request.matrix_size = 16;
  request.copy_mb = 0.25;
  request.peer = "cpu:1";
  return *complete_copy_request(request, {"d2h", "h2d", "peer"});
}

TEST(CopyPrograms, CopiesArriveWholeAndAreOfTheSizeAskedFor) {
  const CopyRequest request = small_request();
  for (const CopyDirection direction : request.directions) {
    const auto prepared = prepare_copy(request, direction);
    ASSERT_TRUE(prepared) << prepared.error().message;
    EXPECT_EQ((*prepared)->source.bytes(), 256 * 1024);
    EXPECT_FALSE(check_copied(**prepared)) << "nothing was copied yet";
    for (const CopyVariant variant : {CopyVariant::kSerial, CopyVariant::kOverlapped, CopyVariant::kCopy}) {
      const Program& program = (*prepared)->programs[static_cast<size_t>(variant)];
      const auto dispatcher = make_dispatcher(DispatchMode::kSingle, program, (*prepared)->target);
      ASSERT_TRUE(dispatcher);
      ASSERT_TRUE((*dispatcher)->enqueue());
      ASSERT_TRUE(synchronize((*prepared)->target));
      EXPECT_TRUE(check_copied(**prepared));
    }
  }
}

TEST(CopyRequest, RefusesWhatCannotBe) {
  CopyRequest request;
  EXPECT_THAT(complete_copy_request(request, {"peer"}).error().hint, HasSubstr("--peer"));
  EXPECT_THAT(complete_copy_request(request, {"up"}).error().message, HasSubstr("--directions up"));
  request.copy_mb = 1e-9;
  EXPECT_THAT(complete_copy_request(request, {}).error().message, HasSubstr("--copy-mb"));
  request.copy_mb = -1;
  EXPECT_FALSE(complete_copy_request(request, {}));
  request.copy_mb = 1;
  request.processes = 0;
  EXPECT_THAT(complete_copy_request(request, {}).error().message, HasSubstr("--processes"));
}

TEST(CopyRequest, ComesBackFromJson) {
  const CopyRequest request = small_request();
  const Json json = request;
  EXPECT_EQ(Json(json.get<CopyRequest>()), json);
}

}  // namespace
}  // namespace aaco
