// SPDX-License-Identifier: MIT
#include "base/yaml/yaml_document.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace aaco {
namespace {

// "LINE: what", or nothing where the text is read.
std::string fault_in(const std::string& text) {
  const auto document =
      parse_yaml_document(text, [](const YAML::Mark& where, const std::string& what, const std::string&) {
        return Error{ErrorKind::kUsage, fmt::format("{}: {}", where.line + 1, what), "hint"};
      });
  return document ? "" : document.error().message;
}

TEST(YamlDocument, ASecondOneIsRefused) {
  EXPECT_EQ(fault_in("a: 1\n---\nb: 2\n"), "2: a second document begins here, and only one is read");
  EXPECT_EQ(fault_in("--- 1\n--- 2\n"), "2: a second document begins here, and only one is read");
  EXPECT_EQ(fault_in("---\n---\na: 1\n"), "2: a second document begins here, and only one is read");
  EXPECT_EQ(fault_in("a: 1\n...\nb: 2\n"), "3: a second document begins here, and only one is read");
  EXPECT_NE(fault_in("a: 1\n---\n[\n"), "") << "what follows the first is looked at too";
}

TEST(YamlDocument, OneIsRead) {
  for (const char* text : {"", "# nothing\n", "a: 1\n", "---\na: 1\n", "%YAML 1.2\n---\na: 1\n...\n", "a: 1\n---\n",
                           "a: &x [1, 2]\nb: *x\nc: *x\n", "- {a: 1}\n- {a: 1}\n", "a: {b: 1}\nc: {b: 1}\n"}) {
    EXPECT_EQ(fault_in(text), "") << text;
  }
}

TEST(YamlDocument, AKeyStandsOnce) {
  EXPECT_EQ(fault_in("a: 1\nb: {c: 1, c: 2}\n"), "2: the key c is given twice");
  EXPECT_EQ(fault_in("a: 1\nb: 2\n\"a\": 3\n"), "3: the key a is given twice");
  EXPECT_EQ(fault_in("a: {x: 1}\na: {y: 1}\n"), "2: the key a is given twice");
}

TEST(YamlDocument, AliasesAndDepthAreBounded) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    bomb +=
        fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i, i - 1);
  }
  EXPECT_EQ(fault_in(bomb), "5: has more than 100000 values, with those that aliases stand for");
  EXPECT_EQ(fault_in("a: &a [1, *a]\n"), "1: an alias stands within what it stands for");
  EXPECT_EQ(fault_in(std::string(50, '[') + std::string(50, ']')), "");
  EXPECT_EQ(fault_in(std::string(51, '[') + std::string(51, ']')), "1: nested deeper than 50 levels");
  EXPECT_NE(fault_in(std::string(1'000'000, '[')), "");
  EXPECT_NE(fault_in(std::string(100'000, '{')), "");
  EXPECT_NE(fault_in([] {
              std::string text;
              for (int i = 0; i < 20'000; ++i) {
                text += "- ";
              }
              return text;
            }()),
            "");
}

// The library finds one document after the other at the same place.
TEST(YamlDocument, MarksOutsideOfAListEnd) {
  for (const char* text : {",true", "&m,rocm", "]", "}", "a: 1\n---\n,", "- a\n---\n]"}) {
    EXPECT_NE(fault_in(text), "") << text;
  }
}

TEST(YamlDocument, MayBeUtf16) {
  EXPECT_EQ(fault_in(std::string("\xFF\xFE"
                                 "a\0:\0 \0001\0\n\0",
                                 12)),
            "");
}

TEST(YamlDocument, BytesThatAreNoYamlHaveAPlace) {
  EXPECT_EQ(fault_in(std::string("a: 1\nb: \0", 9)), "2: holds a NUL byte");
  EXPECT_NE(fault_in("a:\n\tb: 1\n"), "");
  EXPECT_NE(fault_in("a: [1\n"), "");
  EXPECT_NE(fault_in("a: *nobody\n"), "");
}

}  // namespace
}  // namespace aaco
