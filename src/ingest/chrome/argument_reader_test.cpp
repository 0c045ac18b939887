// SPDX-License-Identifier: MIT
#include "ingest/chrome/argument_reader.h"

#include <bit>
#include <charconv>
#include <gtest/gtest.h>
#include <random>
#include <string>

#include "ingest/chrome/scan.h"

namespace aaco::chrome {
namespace {

// As the fast path reads it.
Argument argument_of(const std::string& number) {
  const std::string padded = number + "," + std::string(kPadding, '\0');
  RawArgument raw{"key", {}, kNoSlot};
  const Place start = padded.data();
  EXPECT_EQ(scan_value(start, start + number.size() + 1, raw.value), start + number.size()) << number;
  EventTable table;
  ArgumentReader reader(table, "file");
  Argument argument;
  EXPECT_TRUE(reader.read(raw, argument));
  return argument;
}

std::string digits(std::mt19937_64& random, int most) {
  std::string text;
  for (int left = 1 + static_cast<int>(random() % static_cast<uint64_t>(most)); left > 0; --left) {
    text += static_cast<char>('0' + random() % 10);
  }
  return text;
}

TEST(ArgumentReader, AnIntegerIsItself) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = digits(random, 19);
    text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
    text.insert(0, random() % 2 == 0 ? "-" : "");
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const Argument argument = argument_of(text);
    if (error == std::errc()) {
      EXPECT_EQ(argument.type, ArgumentType::kInteger) << text;
      EXPECT_EQ(static_cast<int64_t>(argument.bits), value) << text;
    } else {
      EXPECT_EQ(argument.type, ArgumentType::kText) << text;
    }
  }
}

// To the last bit, whatever way it is computed.
TEST(ArgumentReader, ARealNumberIsTheDoubleNearestToIt) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = digits(random, 12);
    text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
    text = (random() % 2 == 0 ? "-" : "") + text + "." + digits(random, 17);
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    const Argument argument = argument_of(text);
    EXPECT_EQ(argument.type, ArgumentType::kReal) << text;
    EXPECT_EQ(argument.bits, std::bit_cast<uint64_t>(value)) << text;
  }
  for (const char* const zero : {"0.0", "-0.0", "-0.000000000000000000"}) {
    EXPECT_EQ(argument_of(zero).bits, std::bit_cast<uint64_t>(*zero == '-' ? -0.0 : 0.0)) << zero;
  }
}

}  // namespace
}  // namespace aaco::chrome
