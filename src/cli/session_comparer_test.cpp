// SPDX-License-Identifier: MIT
#include "cli/session_comparer.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(SessionComparer, EachKindHasOne) {
  for (const SessionKindTraits* kind : session_kinds()) {
    const auto comparers = session_comparers();
    EXPECT_EQ(std::count_if(comparers.begin(), comparers.end(),
                            [&](const SessionComparer& one) { return one.kind == kind && one.diff != nullptr; }),
              1)
        << kind->id;
    ASSERT_NE(session_comparer(*kind), nullptr) << kind->id;
    EXPECT_EQ(session_comparer(*kind)->kind, kind);
  }
}

TEST(SessionComparer, AKindOfANewerVersionHasNone) { EXPECT_EQ(session_comparer(SessionKind("train")), nullptr); }

}  // namespace
}  // namespace aaco
