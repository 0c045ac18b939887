// SPDX-License-Identifier: MIT
#include "ingest/bytes/utf16_bytes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

#include "ingest/bytes/unread_container.h"

namespace aaco {
namespace {

using std::string_literals::operator""s;
using std::string_view_literals::operator""sv;

std::string utf16_of(std::u16string_view text, Utf16Order order) {
  std::string bytes;
  for (const char16_t unit : text) {
    const auto low = static_cast<char>(unit & 0xFF);
    const auto high = static_cast<char>(unit >> 8);
    bytes += order == Utf16Order::kLittleEndian ? std::string{low, high} : std::string{high, low};
  }
  return bytes;
}

std::string converted(const std::string& bytes, Utf16Order order, size_t piece = 100) {
  const auto source = utf8_of_utf16(bytes_of(bytes), order, "t");
  std::string text;
  for (std::string into(piece, '\0');;) {
    const Result<size_t> got = source->read(into);
    if (!got) {
      return text + "|" + got.error().message;
    }
    if (*got == 0) {
      return text;
    }
    text.append(into, 0, *got);
  }
}

TEST(Utf16Bytes, BothOrdersWithAMarkAndWithout) {
  for (const Utf16Order order : {Utf16Order::kLittleEndian, Utf16Order::kBigEndian}) {
    for (const bool marked : {true, false}) {
      const std::string bytes =
          utf16_of(marked ? u"\uFEFF{\"a\": 1, \"\u00b5\": \"\U0001F600\uFEFF\"}" : u"{\"a\": 1, \"b\"}", order);
      EXPECT_EQ(utf16_order(bytes), order);
      for (const size_t piece : {size_t{1}, size_t{3}, size_t{100}}) {
        EXPECT_EQ(converted(bytes, order, piece),
                  marked ? "{\"a\": 1, \"\u00b5\": \"\U0001F600\uFEFF\"}" : "{\"a\": 1, \"b\"}");
      }
    }
  }
}

TEST(Utf16Bytes, ATextLongerThanAPiece) {
  std::u16string text;
  std::string expected;
  for (int i = 0; i < 50'000; ++i) {
    text += u"\U0001F600x";
    expected += "\U0001F600x";
  }
  EXPECT_EQ(converted(utf16_of(text, Utf16Order::kLittleEndian), Utf16Order::kLittleEndian, 4096), expected);
}

TEST(Utf16Bytes, HalvesOfPairsStayApart) {
  const auto half = [](char16_t unit) {
    return converted(utf16_of(std::u16string(1, unit) + u"x", Utf16Order::kLittleEndian), Utf16Order::kLittleEndian);
  };
  EXPECT_EQ(half(0xD801), "\xED\xA0\x81x");
  EXPECT_NE(half(0xD801), half(0xD802));
  EXPECT_EQ(half(0xDC01), "\xED\xB0\x81x");
  EXPECT_EQ(converted(std::string("a\0b", 3), Utf16Order::kLittleEndian),
            "a|t: the UTF-16 text ends within a character");
}

TEST(Utf16Bytes, OtherBytesAreNot) {
  for (const std::string& head : {"{\"a\": 1}"s, "SQLite format 3\0\x10\0"s, "a\0b\0"s, "\xFF\xFE\0\0{\0\0\0"s, ""s,
                                  "\x0A\0\x0B\0\x01\0\x02\0\x03\0"s, "{\0\"\0a\0\"\0:\0\x01\x02"s}) {
    EXPECT_EQ(utf16_order(head), std::nullopt) << head;
  }
}

TEST(UnreadContainer, IsNamedWithWhatToDo) {
  const auto remedy = [](std::string_view head) {
    const auto container = unread_container(head);
    return container ? fmt::format("{}; {}", container->what, container->remedy) : "none";
  };
  EXPECT_EQ(remedy("\xFD\x37zXZ\0\0\4"sv), "compressed with xz; decompress it: xz -d FILE");
  EXPECT_EQ(remedy("PK\x03\x04\x14\0"sv), "a zip archive; unpack it: unzip FILE");
  EXPECT_EQ(remedy("BZh91AY"), "compressed with bzip2; decompress it: bzip2 -d FILE");
  EXPECT_EQ(remedy("\x04\x22\x4D\x18\x64"), "compressed with lz4; decompress it: lz4 -d FILE");
  EXPECT_EQ(remedy("7z\xBC\xAF\x27\x1C\0\4"sv), "a 7z archive; unpack it: 7z x FILE");
  EXPECT_EQ(remedy(std::string(257, '\0') + "ustar  "), "a tar archive; unpack it, then name the folder: tar -xf FILE");
  EXPECT_EQ(remedy("{}"), "none");
  EXPECT_EQ(remedy(""), "none");
}

}  // namespace
}  // namespace aaco
