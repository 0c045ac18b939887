// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "device/backend.h"
#include "experiment/copy_overlap/copy_document.h"

namespace aaco {
namespace {

using ::testing::HasSubstr;

TEST(CopyFigures, SavingsAgainstSerialAndIdeal) {
  // serial 15, overlapped 11, products 10, copy 5: 4 of 5 that could be saved.
  const CopyFigures figures =
      copy_figures(CopyDirection::kDeviceToHost, {{15, 11, 10, 5}, {15, 11, 10, 5}, {15, 11, 10, 5}});
  EXPECT_DOUBLE_EQ(figures.saved_ns->value, 4);
  ASSERT_TRUE(figures.saved_ns->interval);
  EXPECT_DOUBLE_EQ(figures.saved_ns->interval->low, 4);
  EXPECT_NEAR(*figures.saved_share, 4.0 / 15, 1e-12);
  EXPECT_NEAR(*figures.ideal_ns, 10, 1e-12);
  EXPECT_NEAR(*figures.ideal_share, 0.8, 1e-12);
  EXPECT_EQ(figures.implausible, "");
}

TEST(CopyFigures, MoreThanTheShorterIsImplausible) {
  EXPECT_THAT(copy_figures(CopyDirection::kPeer, {{20, 10, 9, 5}}).implausible, HasSubstr("more was saved"));
}

TEST(CopyFigures, TooFewProcessesHaveNoInterval) {
  const CopyFigures figures = copy_figures(CopyDirection::kPeer, {{15, 11, 10, 5}, {16, 11, 10, 5}});
  EXPECT_DOUBLE_EQ(figures.saved_ns->value, 4.5);
  EXPECT_FALSE(figures.saved_ns->interval);
}

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
