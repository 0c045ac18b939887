// SPDX-License-Identifier: MIT
#include "ingest/bytes/decimal.h"

#include <gtest/gtest.h>
#include <random>
#include <string>

namespace aaco {
namespace {

void expect(const std::string& text, int64_t value, DecimalState state) {
  const Nanoseconds got = nanoseconds_of_microseconds(text);
  EXPECT_EQ(got.state, state) << text;
  EXPECT_EQ(got.value, value) << text;
}

TEST(Decimal, MicrosecondsAreNanosecondsToTheDigit) {
  using enum DecimalState;
  expect("0", 0, kExact);
  expect("1", 1000, kExact);
  expect("2211714296495.653", 2211714296495653, kExact);
  expect("1712195495505582.988", 1712195495505582988, kExact);  // beyond what a double holds
  expect("-1.5", -1500, kExact);
  expect("0.1", 100, kExact);
  expect("0.12", 120, kExact);
  expect("0.1230000", 123, kExact);
  expect("0.1234", 123, kCut);
  expect("1e3", 1'000'000, kExact);
  expect("1.5E-3", 1, kCut);  // 1.5 ns
  expect("12e-3", 12, kExact);
  expect("5e-4", 0, kCut);
  expect("0e999999999999", 0, kExact);
  expect("9223372036854775.807", 9223372036854775807, kExact);
}

TEST(Decimal, WhatIsNoTimeSaysSo) {
  using enum DecimalState;
  expect("9223372036854775.808", 0, kOutOfRange);
  expect("1e18", 0, kOutOfRange);
  expect("1e999999999999", 0, kOutOfRange);
  expect("", 0, kNoNumber);
  expect("-", 0, kNoNumber);
  expect(".5", 0, kNoNumber);
  expect("1.2.3", 0, kNoNumber);
  expect("12us", 0, kNoNumber);
  expect("1e", 0, kNoNumber);
  expect("nan", 0, kNoNumber);
}

// Any count of nanoseconds, written as microseconds in each way, comes back.
TEST(Decimal, RoundTrips) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100'000; ++i) {
    const auto ns = static_cast<int64_t>(random() >> (1 + random() % 62));
    const std::string fraction = std::to_string(1000 + ns % 1000).substr(1);
    expect(std::to_string(ns / 1000) + "." + fraction, ns, DecimalState::kExact);
    expect("-" + std::to_string(ns / 1000) + "." + fraction + "000", -ns, DecimalState::kExact);
    expect(std::to_string(ns) + "e-3", ns, DecimalState::kExact);
  }
}

}  // namespace
}  // namespace aaco
