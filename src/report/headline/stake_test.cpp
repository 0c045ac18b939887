// SPDX-License-Identifier: MIT
#include "report/headline/stake.h"

#include <gtest/gtest.h>

namespace aaco::report {
namespace {

TEST(Stake, IsAShareOfTheWhole) {
  Offender offender;
  offender.time_ns = 4'000;
  offender.share = 0.25;
  offender.stake_ns = 1'000;
  EXPECT_DOUBLE_EQ(stake_share(offender), 0.0625);  // 1,000 of 16,000
  EXPECT_EQ(stake_words(offender, "the window"), "could save up to 1.000 us (6.2 % of the window)");
  EXPECT_TRUE(is_worth_a_line(offender));
  offender.stake_ns = 150;
  EXPECT_FALSE(is_worth_a_line(offender));
  EXPECT_EQ(stake_share({}), 0);
}

TEST(Stake, IsUnknownWithoutARoof) {
  Offender offender;
  offender.time_ns = 4'000;
  offender.share = 0.25;
  offender.stake_ns = 4'000;
  offender.stake_basis = "upper bound: the whole time, no roof to compare with";
  offender.rule = "count-its-work";
  EXPECT_EQ(stake_words(offender, "the latency"),
            "takes 4.000 us (25.0 % of the latency); what it could save is unknown without a roof");
  EXPECT_FALSE(names_a_remedy(offender));
}

TEST(Stake, IsUnknownForItsReason) {
  Offender offender;
  offender.kind = OffenderKind::kNode;
  offender.time_ns = 4'000;
  offender.share = 0.25;
  offender.stake_ns = 4'000;
  offender.stake_basis = "unknown: threads waited";
  EXPECT_EQ(stake_words(offender, "the latency"),
            "takes 4.000 us (25.0 % of the latency), what it could save is unknown: threads waited");
  offender.share = 4;
  EXPECT_EQ(stake_words(offender, "the latency"),
            "takes 4.000 us as profiled, what it could save is unknown: threads waited");
  offender.kind = OffenderKind::kOverhead;
  EXPECT_EQ(stake_words(offender, "the latency"), "what it could save is unknown: threads waited");
}

}  // namespace
}  // namespace aaco::report
