// SPDX-License-Identifier: MIT
// The record room in a library that a foreign program opens: what it journals is read here, and what it brings along is
// looked at as the loader sees it.
#include "journal_library.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <link.h>
#include <memory>
#include <string>
#include <vector>

#include "base/files/temporary_folder.h"
#include "record/journal/event_journal.h"

namespace aaco {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Unload {
  void operator()(void* library) const { dlclose(library); }
};
using Library = std::unique_ptr<void, Unload>;

Library load() {
  Library library(dlopen(INJECTED_JOURNAL, RTLD_NOW | RTLD_LOCAL));
  EXPECT_NE(library, nullptr) << dlerror();
  return library;
}

template <class Function>
Function* find(const Library& library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library.get(), name));
}

// Half of the events are on stream 1, half on stream 2.
void expect_events(const EventTable& events, size_t count) {
  ASSERT_EQ(events.size(), count);
  ASSERT_EQ(events.tracks.size(), 2U);
  EXPECT_EQ(events.recordings.front().name, "foreign");
  for (size_t i = 0; i < count; ++i) {
    const auto at = static_cast<int64_t>(i);
    ASSERT_EQ(events.start_ns[i], 100 * at);
    ASSERT_EQ(events.duration_ns[i], 10);
    ASSERT_EQ(events.kind[i], EventKind::kKernel);
    ASSERT_EQ(events.tracks[events.track[i]].stream, 1 + at % 2);
    ASSERT_EQ(events.strings[events.name[i]], i % 2 == 0 ? "gemm" : "softmax");
  }
}

TEST(InjectedJournal, IsReadWhileItIsWrittenAndAfterItsEnd) {
  const Library library = load();
  ASSERT_TRUE(library);
  const auto open = find<decltype(aaco_journal_open)>(library, "aaco_journal_open");
  const auto name = find<decltype(aaco_journal_name)>(library, "aaco_journal_name");
  const auto kernel = find<decltype(aaco_journal_kernel)>(library, "aaco_journal_kernel");
  const auto close = find<decltype(aaco_journal_close)>(library, "aaco_journal_close");
  ASSERT_TRUE(open && name && kernel && close);
  const TemporaryFolder folder = TemporaryFolder::create().value();
  const std::filesystem::path path = folder.path() / "events.jrn";
  AacoJournal* const journal = open(path.c_str(), "foreign");
  ASSERT_NE(journal, nullptr);
  const std::array<uint32_t, 2> names{name(journal, "gemm"), name(journal, "softmax")};
  const auto store = [&](int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) {
      EXPECT_EQ(
          kernel(journal, names[static_cast<size_t>(i % 2)], static_cast<uint64_t>(1 + i % 2), 100 * i, 100 * i + 10),
          0);
    }
  };
  store(0, 1'000);
  EventTable events;
  auto reader = EventJournalReader::open(path);
  ASSERT_TRUE(reader) << reader.error().message;
  ASSERT_TRUE(reader->read(events));
  expect_events(events, 1'000);
  store(1'000, 50'000);  // more than one piece of the file
  EXPECT_EQ(close(journal), 0);
  ASSERT_TRUE(reader->read(events));
  expect_events(events, 50'000);
  EXPECT_FALSE(*reader->torn());
}

TEST(InjectedJournal, AFailureIsAValue) {
  const Library library = load();
  ASSERT_TRUE(library);
  EXPECT_EQ(find<decltype(aaco_journal_open)>(library, "aaco_journal_open")("/nowhere/at/all.jrn", ""), nullptr);
}

// Its needs, as the loader reads them.
std::vector<std::string> needs_of(const Library& library) {
  link_map* map = nullptr;
  EXPECT_EQ(dlinfo(library.get(), RTLD_DI_LINKMAP, &map), 0);
  const char* texts = nullptr;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) {
      texts = reinterpret_cast<const char*>(entry->d_un.d_ptr);
    }
  }
  std::vector<std::string> needs;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_NEEDED) {
      needs.emplace_back(texts + entry->d_un.d_val);
    }
  }
  return needs;
}

TEST(InjectedJournal, BringsNoDatabaseNoModelAndNoNamesOfOurs) {
  const Library library = load();
  ASSERT_TRUE(library);
  const std::vector<std::string> needs = needs_of(library);
  EXPECT_FALSE(needs.empty());
  std::ifstream file(INJECTED_JOURNAL, std::ios::binary);
  std::string code{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::transform(code.begin(), code.end(), code.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char* stranger : {"duckdb", "parquet", "onnx", "sqlite"}) {
    for (const std::string& need : needs) {
      EXPECT_THAT(need, Not(HasSubstr(stranger)));
    }
    EXPECT_EQ(code.find(stranger), std::string::npos) << stranger << " is within";
  }
  EXPECT_EQ(dlsym(library.get(), "_ZN4aaco18EventJournalWriter6internESt17basic_string_viewIcSt11char_traitsIcEE"),
            nullptr)
      << "what it has of aaco is its own";
}

}  // namespace
}  // namespace aaco
