// SPDX-License-Identifier: MIT
#include "guard/gates/guard_gates.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "guard/subject/given_value.h"
#include "guard/subject/guard_entry.h"

namespace aaco {
namespace {

GuardEntry entry_of(const std::string& subject) {
  return value_entry({*parse_given_value("t=13ms,13ms,13ms", false)}, Json::object(),
                     {.subject = subject, .commit = "c", .branch = "b"});
}

TEST(GuardGates, ASubjectIsMeantByItsNameAndByTheSlugThatIsPrinted) {
  const GuardEntry entry = entry_of("a/b");
  ASSERT_NE(entry.record.place.subject, "a/b");
  for (const auto& [subject, applies] :
       {std::pair{std::string("a/b"), true}, std::pair{entry.record.place.subject, true},
        std::pair{std::string("a-b"), false}}) {
    const auto gates =
        parse_gates(fmt::format("gates:\n- {{figure: value, at_most: 20ms, subject: {}}}\n", subject), "g.yaml");
    ASSERT_TRUE(gates) << gates.error().message;
    EXPECT_EQ(judge_gates(*gates, entry, {}).size(), applies ? 1U : 0U) << subject;
  }
}

TEST(GuardGates, WhatAnInvalidRecordingMissesIsOpen) {
  const auto gates = parse_gates(
      "gates:\n- {figure: value, at_most: 12ms}\n- {figure: value, at_most: 20ms}\n- {figure: p99, at_most: 20ms}\n",
      "g.yaml");
  ASSERT_TRUE(gates) << gates.error().message;
  GuardEntry entry = entry_of("s");
  for (const JudgedGate& gate : judge_gates(*gates, entry, {})) {
    EXPECT_FALSE(gate.is_open) << gate.words;
  }
  entry.record.valid = 0;
  entry.record.reason = "crowded: by others";
  const std::vector<JudgedGate> judged = judge_gates(*gates, entry, {});
  ASSERT_EQ(judged.size(), 3U);
  EXPECT_TRUE(judged[0].is_open && !judged[0].passed);
  EXPECT_EQ(judged[0].value_words, "13.00 ms in t; crowded: by others");
  EXPECT_TRUE(judged[1].passed && !judged[1].is_open) << judged[1].value_words;
  EXPECT_TRUE(judged[2].is_open);
  EXPECT_EQ(judged[2].value_words, "p99 was not recorded; crowded: by others");
}

}  // namespace
}  // namespace aaco
