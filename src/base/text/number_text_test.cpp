// SPDX-License-Identifier: MIT
#include "base/text/number_text.h"

#include <gtest/gtest.h>

#include "base/number_range.h"

namespace aaco {
namespace {

TEST(NumberText, ReadsWholeNumbers) {
  EXPECT_EQ(number_of_text<int64_t>("42"), 42);
  EXPECT_EQ(number_of_text<int64_t>("+42"), 42);
  EXPECT_EQ(number_of_text<int64_t>("-42"), -42);
  EXPECT_EQ(number_of_text<int64_t>("010"), 10);  // no octal
  EXPECT_EQ(number_of_text<int64_t>("0x1F"), 31);
  EXPECT_EQ(number_of_text<int64_t>("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(number_of_text<uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(number_of_text<int32_t>("2147483647"), INT32_MAX);
}

TEST(NumberText, RefusesWhatIsNoWholeNumber) {
  for (const char* text : {"",
                           " ",
                           "+",
                           "-",
                           "+-5",
                           "++5",
                           "  5",
                           "5 ",
                           "5abc",
                           "5.0",
                           "1e3",
                           "nan",
                           "inf",
                           "0x",
                           "0x-5",
                           "0xg",
                           "9223372036854775808",
                           "99999999999999999999",
                           "1_000",
                           "1'000",
                           "\xC2\xA0"
                           "5"}) {
    EXPECT_FALSE(number_of_text<int64_t>(text)) << text;
  }
  for (const char* text : {"-1", "-0x1", "18446744073709551616"}) {
    EXPECT_FALSE(number_of_text<uint64_t>(text)) << text;
  }
  EXPECT_FALSE(number_of_text<int32_t>("2147483648"));
}

TEST(NumberText, ReadsFiniteNumbers) {
  EXPECT_EQ(number_of_text<double>("0.25"), 0.25);
  EXPECT_EQ(number_of_text<double>(".25"), 0.25);
  EXPECT_EQ(number_of_text<double>("+2e3"), 2000);
  EXPECT_EQ(number_of_text<double>("-0"), 0);
  for (const char* text : {"", " 1", "1 ", "1abc", "nan", "-nan", "NaN", "nan(1)", "inf", "-inf", "infinity", "1e999",
                           "-1e999", ".inf", ".nan", "0x10", "1,5", "1e", "."}) {
    EXPECT_FALSE(number_of_text<double>(text)) << text;
  }
}

TEST(NumberText, ReadsSizes) {
  EXPECT_EQ(bytes_of_text("1048576"), 1048576);
  EXPECT_EQ(bytes_of_text("256MiB"), uint64_t{256} << 20);
  EXPECT_EQ(bytes_of_text("2 gb"), 2'000'000'000);
  EXPECT_EQ(bytes_of_text("3Gi"), uint64_t{3} << 30);
  EXPECT_EQ(bytes_of_text("4k"), 4000);
  EXPECT_EQ(bytes_of_text("7B"), 7);
  EXPECT_EQ(bytes_of_text("1.5GiB"), uint64_t{3} << 29);
  EXPECT_EQ(bytes_of_text("0.25 kB"), 250);
  EXPECT_EQ(bytes_of_text("1.0004k"), 1000);  // whole bytes
  EXPECT_EQ(bytes_of_text("15EiB"), uint64_t{15} << 60);
  for (const char* text : {"",
                           "MiB",
                           "-1",
                           "-1MiB",
                           "nan",
                           "1e9",
                           "1.5",
                           "1.5B",
                           "1.GiB",
                           ".5GiB",
                           "1.5.5GiB",
                           "16EiB",
                           "15.9999999999999999999EiB",
                           "99999999999999999999",
                           " 5",
                           "5 ",
                           "5 M B",
                           "5XB",
                           "5MiBs",
                           "5ibs"}) {
    EXPECT_FALSE(bytes_of_text(text)) << text;
  }
}

TEST(NumberText, SaysSizesInWords) {
  EXPECT_EQ(size_words(uint64_t{3} << 30), "3GiB");
  EXPECT_EQ(size_words(1536), "1536 bytes");
  EXPECT_EQ(size_words(0), "0 bytes");
  EXPECT_EQ(size_range_words({uint64_t{1} << 20}), "from 1MiB on");
  EXPECT_EQ(size_range_words({4096, uint64_t{1} << 30}), "from 4KiB to 1GiB");
}

TEST(NumberText, RefusalsNameTheFlagTheTextAndTheRange) {
  const NumberRange<int64_t> steps{1, 1000};
  EXPECT_EQ(*number_within<int64_t>("--steps", "1000", steps), 1000);
  EXPECT_EQ(number_within<int64_t>("--steps", "0", steps).error().message, "--steps 0: not from 1 to 1000");
  EXPECT_EQ(number_within<int64_t>("--steps", "nan", steps).error().message,
            "--steps nan: not a whole number from 1 to 1000");
  EXPECT_EQ(number_within<int64_t>("--steps", "", steps).error().message,
            "--steps '': not a whole number from 1 to 1000");
  EXPECT_EQ(number_within<uint64_t>("--seed", "-1", {}).error().message,
            "--seed -1: not a whole number from 0 to 18446744073709551615");
  EXPECT_EQ(number_within<double>("--ratio", "inf", {0, 1}).error().message, "--ratio inf: not a number from 0 to 1");
  EXPECT_EQ(number_within<double>("--us", "0", {kLeastAboveZero}).error().message, "--us 0: not above 0");
  EXPECT_EQ(number_within<double>("--us", "-1", {0}).error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace aaco
