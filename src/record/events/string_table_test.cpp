// SPDX-License-Identifier: MIT
#include "record/events/string_table.h"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <unordered_map>

#include "base/files/temporary_folder.h"
#include "base/memory/test_spill_plan.h"

namespace aaco {
namespace {

TEST(StringTable, GivesNumbersInOrderOfAppearance) {
  StringTable table;
  EXPECT_EQ(table.intern(""), kEmptyString);
  EXPECT_EQ(table.intern("a"), 1);
  EXPECT_EQ(table.intern("b"), 2);
  EXPECT_EQ(table.intern("a"), 1);
  EXPECT_EQ(table[2], "b");
  EXPECT_EQ(table.size(), 3);
  EXPECT_EQ(table.bytes(), 2);
}

// Lengths on both sides of every step of the hash, texts that differ in one byte, and a byte 0 within.
TEST(StringTable, TellsAnyTwoTextsApart) {
  StringTable table;
  std::unordered_map<std::string, StringId> known{{"", kEmptyString}};
  std::mt19937 random(1);
  for (int i = 0; i < 100'000; ++i) {
    std::string text(random() % 70, 'x');
    if (!text.empty()) {
      text[random() % text.size()] = static_cast<char>(random() % 256);
    }
    const auto [entry, added] = known.try_emplace(text, static_cast<StringId>(known.size()));
    ASSERT_EQ(table.intern(text), entry->second);
  }
  for (const auto& [text, id] : known) {
    EXPECT_EQ(table[id], text);
  }
}

TEST(StringTable, ViewsStayValidWhileItGrows) {
  StringTable table;
  const StringId id = table.intern("first");
  const std::string_view view = table[id];
  table.intern(std::string(1 << 20, 'y'));  // longer than a block
  for (int i = 0; i < 10'000; ++i) {
    table.intern(std::to_string(i));
  }
  EXPECT_EQ(view, "first");
  EXPECT_EQ(table.intern("first"), id);
}

// The slots, the entries and the texts of a large table.
TEST(StringTable, LiesInFilesWhereMemoryIsLittle) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  StringTable plain;
  StringTable spilled;
  const ScopedSpillPlan plan({uint64_t{1} << 20, UINT64_MAX, folder->path()});
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 200'000; ++i) {
      const std::string text = "text " + std::to_string(i) + std::string(static_cast<size_t>(i % 40), '.');
      ASSERT_EQ(spilled.intern(text), i + 1);
    }
  }
  for (StringId id = 1; id <= 200'000; ++id) {
    plain.intern(spilled[id]);
    ASSERT_EQ(plain[id], spilled[id]);
  }
  EXPECT_EQ(plain.bytes(), spilled.bytes());
}

}  // namespace
}  // namespace aaco
