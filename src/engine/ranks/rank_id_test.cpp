// SPDX-License-Identifier: MIT
#include "engine/ranks/rank_id.h"

#include <gtest/gtest.h>

#include "base/files/temporary_folder.h"

namespace aaco {
namespace {

Result<RankId> id_of(char letter) {
  RankId id;
  id.bytes.fill(letter);
  return id;
}

Result<RankId> not_asked_for() { return Error{ErrorKind::kBug, "another rank makes it", ""}; }

// Ranks 0 and 1, and 2 and 3, are two communicators of one number; 0 and 2 are one of another.
TEST(RankId, IsMadeByTheFirstRankOfEachCommunicator) {
  const auto folder = TemporaryFolder::create();
  const auto& path = folder->path();
  EXPECT_EQ(share_rank_id(path, 0, [] { return id_of('a'); }, {0, 0}).value(), id_of('a').value());
  EXPECT_EQ(share_rank_id(path, 2, [] { return id_of('b'); }, {0, 2}).value(), id_of('b').value());
  EXPECT_EQ(share_rank_id(path, 0, [] { return id_of('c'); }, {2, 0}).value(), id_of('c').value());
  EXPECT_EQ(share_rank_id(path, 1, not_asked_for, {0, 0}).value(), id_of('a').value());
  EXPECT_EQ(share_rank_id(path, 3, not_asked_for, {0, 2}).value(), id_of('b').value());
  EXPECT_EQ(share_rank_id(path, 2, not_asked_for, {2, 0}).value(), id_of('c').value());
  remove_rank_ids(path);
  EXPECT_TRUE(std::filesystem::is_empty(path));
}

}  // namespace
}  // namespace aaco
