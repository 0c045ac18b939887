// SPDX-License-Identifier: MIT
#include "analysis/metric/quality.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace aaco {
namespace {

TEST(Quality, every_kind_is_printed_and_read_back_with_and_without_a_note) {
  for (uint8_t i = 0; i <= static_cast<uint8_t>(QualityKind::kNoData); ++i) {
    for (const char* note : {"", "why", "why: because; and so"}) {
      const Quality quality{static_cast<QualityKind>(i), note};
      EXPECT_EQ(Json(quality).get<Quality>(), quality) << quality_text(quality);
    }
  }
  EXPECT_EQ(quality_text({QualityKind::kSuspect, "too fast"}), "suspect: too fast");
  EXPECT_EQ(quality_text({QualityKind::kMeasured, ""}), "measured");
  EXPECT_EQ(quality_text({}), "");
}

TEST(Quality, a_text_that_names_no_kind_is_kept) {
  for (const char* text : {"", "guessed", "guessed: by hand", ": x", "Measured", "measured:x"}) {
    const Quality quality = parse_quality(text);
    EXPECT_EQ(quality.kind, QualityKind::kUnknown) << text;
    EXPECT_EQ(quality_text(quality), text);
  }
}

TEST(Quality, notes_are_added_to_notes) {
  const Quality plain{QualityKind::kMeasured, ""};
  EXPECT_TRUE(is_plain(plain));
  const Quality noted = with_note(plain, "one");
  EXPECT_FALSE(is_plain(noted));
  EXPECT_EQ(quality_text(with_note(noted, "two")), "measured: one; two");
  EXPECT_FALSE(is_plain({QualityKind::kUpperBound, ""}));
}

}  // namespace
}  // namespace aaco
