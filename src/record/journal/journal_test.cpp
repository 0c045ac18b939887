// SPDX-License-Identifier: MIT
#include "record/journal/journal.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <new>
#include <random>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/test_folder.h"
#include "base/test_skip.h"

namespace aaco {
namespace {

struct CounterRow {
  uint64_t count;
  uint64_t twice;
};

Result<JournalWriter> new_journal(const std::filesystem::path& path) {
  return JournalWriter::create(path, sizeof(CounterRow), Json{{"rows", "counters"}});
}

void write_counters(const std::filesystem::path& path, uint64_t rows) {
  Result<JournalWriter> writer = new_journal(path);
  ASSERT_TRUE(writer) << writer.error().message;
  for (uint64_t i = 0; i < rows; ++i) {
    ASSERT_TRUE(writer->append(CounterRow{i, 2 * i}));
  }
  ASSERT_TRUE(writer->close());
}

// How many rows were read, each being the counter that belongs there.
uint64_t expect_prefix(const JournalContent& content) {
  for (uint64_t i = 0; i < content.row_count; ++i) {
    const auto row = content.row<CounterRow>(i);
    EXPECT_EQ(row.count, i);
    EXPECT_EQ(row.twice, 2 * i);
  }
  return content.row_count;
}

TEST(Journal, rows_come_back) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / "a.jrn";
  // 100,000 rows of 24 bytes are 2.4 MB: three pieces, with rows that straddle their borders.
  write_counters(path, 100'000);
  EXPECT_EQ(std::filesystem::file_size(path), 4096 + 100'000 * 24);
  const Result<JournalContent> content = read_journal(path);
  ASSERT_TRUE(content) << content.error().message;
  EXPECT_EQ(*content->description, (Json{{"rows", "counters"}}));
  EXPECT_EQ(expect_prefix(*content), 100'000);
  EXPECT_FALSE(content->torn);
}

TEST(Journal, an_open_journal_reads_as_far_as_it_is) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / "a.jrn";
  Result<JournalWriter> writer = new_journal(path);
  ASSERT_TRUE(writer);
  EXPECT_EQ(read_journal(path)->row_count, 0);
  for (uint64_t i = 0; i < 5; ++i) {
    ASSERT_TRUE(writer->append(CounterRow{i, 2 * i}));
  }
  const Result<JournalContent> content = read_journal(path);
  ASSERT_TRUE(content);
  EXPECT_EQ(expect_prefix(*content), 5);
  EXPECT_FALSE(content->torn);
}

// What a killed writer leaves: behind its rows the rest of one piece and, from the second on, a whole one. 44,000 rows
// of 24 bytes are a little more than 1 MiB.
TEST(Journal, pieces_allocated_ahead_are_not_torn) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / "a.jrn";
  Result<JournalWriter> writer = new_journal(path);
  ASSERT_TRUE(writer);
  for (uint64_t i = 0; i < 44'000; ++i) {
    ASSERT_TRUE(writer->append(CounterRow{i, 2 * i}));
  }
  for (int wait = 0; wait < 1'000 && std::filesystem::file_size(path) <= size_t{2} << 20; ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_GT(std::filesystem::file_size(path), size_t{2} << 20) << "the third piece is there before it is needed";
  const Result<JournalContent> content = read_journal(path);
  ASSERT_TRUE(content);
  EXPECT_EQ(expect_prefix(*content), 44'000);
  EXPECT_FALSE(content->torn);
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(std::filesystem::file_size(path), 4096 + 44'000 * 24);
}

TEST(Journal, a_row_of_zeros_is_a_row) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / "a.jrn";
  Result<JournalWriter> writer = new_journal(path);
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->append(CounterRow{0, 0}));
  ASSERT_TRUE(writer->append(CounterRow{0, 0}));
  ASSERT_TRUE(writer->close());
  EXPECT_EQ(read_journal(path)->row_count, 2);
}

TEST(Journal, a_moved_writer_goes_on) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / "a.jrn";
  Result<JournalWriter> journal = new_journal(path);
  ASSERT_TRUE(journal);
  ASSERT_TRUE(journal->append(CounterRow{0, 0}));
  JournalWriter moved = std::move(journal).value();
  ASSERT_TRUE(moved.append(CounterRow{1, 2}));
  {
    Result<JournalWriter> other = new_journal(folder.path() / "b.jrn");
    ASSERT_TRUE(other);
    *other = std::move(moved);
    ASSERT_TRUE(other->append(CounterRow{2, 4}));
  }
  EXPECT_EQ(expect_prefix(*read_journal(path)), 3);
  EXPECT_EQ(read_journal(folder.path() / "b.jrn")->row_count, 0);
}

TEST(Journal, every_truncation_yields_a_prefix) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / "a.jrn";
  const std::filesystem::path cut_path = folder.path() / "cut.jrn";
  write_counters(path, 20);
  const std::string whole = *read_file(path);
  for (size_t size = 0; size < whole.size(); ++size) {
    std::ofstream(cut_path, std::ios::binary) << whole.substr(0, size);
    const Result<JournalContent> content = read_journal(cut_path);
    if (content) {
      const size_t rows = size < 4096 ? 0 : (size - 4096) / 24;
      const size_t rest = size < 4096 ? 0 : (size - 4096) % 24;
      EXPECT_EQ(expect_prefix(*content), rows);
      // The 16 zeros of the first row cannot be told from space not yet written.
      EXPECT_EQ(content->torn, rest > (rows == 0 ? 16 : 0)) << size;
    } else {
      EXPECT_EQ(content.error().kind, ErrorKind::kUsage);
      EXPECT_NE(content.error().message.find(cut_path.string()), std::string::npos);
      EXPECT_LT(size, 4096);
    }
  }
}

TEST(Journal, every_bit_flip_yields_a_prefix) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / "a.jrn";
  write_counters(path, 20);
  const std::string whole = *read_file(path);
  for (size_t at = 0; at < whole.size(); ++at) {
    // The padding of the header page means nothing; one bit in sixteen of its bytes is enough.
    for (int bit = 0; bit < 8; bit += at > 100 && at < 4096 ? 8 : 1) {
      const char flipped = static_cast<char>(whole[at] ^ (1 << bit));
      std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
      file.seekp(static_cast<std::streamoff>(at)).put(flipped).flush();
      const Result<JournalContent> content = read_journal(path);
      if (at >= 4096) {
        ASSERT_TRUE(content);
        EXPECT_EQ(expect_prefix(*content), (at - 4096) / 24) << "byte " << at << " bit " << bit;
        EXPECT_TRUE(content->torn);
      } else if (content) {
        EXPECT_EQ(expect_prefix(*content), 20);
        EXPECT_EQ(*content->description, (Json{{"rows", "counters"}}));
      }
      file.seekp(static_cast<std::streamoff>(at)).put(whole[at]).flush();
    }
  }
}

TEST(Journal, foreign_and_missing_files_are_named) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / "a.jrn";
  EXPECT_EQ(read_journal(path).error().kind, ErrorKind::kUsage);
  std::ofstream(path) << std::string(10'000, 'x');
  const Result<JournalContent> content = read_journal(path);
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().kind, ErrorKind::kUsage);
  EXPECT_NE(content.error().message.find(path.string()), std::string::npos);
  EXPECT_FALSE(read_journal(folder.path()));
}

TEST(Journal, a_folder_that_is_not_there_is_an_error) {
  const TestFolder folder;
  const Result<JournalWriter> writer = new_journal(folder.path() / "missing" / "a.jrn");
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().kind, ErrorKind::kUsage);
}

// Appends until the disk is full; what was stored before is still there.
void expect_full_disk(const std::filesystem::path& path) {
  Result<JournalWriter> writer = new_journal(path);
  ASSERT_TRUE(writer) << writer.error().message;
  uint64_t stored = 0;
  while (stored < 10'000'000 && writer->append(CounterRow{stored, 2 * stored})) {
    ++stored;
  }
  ASSERT_LT(stored, 10'000'000);
  EXPECT_GT(stored, 0);
  EXPECT_FALSE(writer->append(CounterRow{}));
  EXPECT_EQ(writer->error().kind, ErrorKind::kResource);
  EXPECT_NE(writer->error().message.find(path.string()), std::string::npos);
  const Result<void> closed = writer->close();
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().kind, ErrorKind::kResource);
  EXPECT_EQ(expect_prefix(*read_journal(path)), stored);
}

TEST(Journal, a_limit_on_file_size_is_a_full_disk) {
  const TestFolder folder;
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit small{3 << 20, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  expect_full_disk(folder.path() / "a.jrn");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, before);
}

TEST(Journal, a_full_disk_is_an_error) {
  const TestFolder folder;
  const SmallDisk disk(folder.path() / "disk", "3m");
  if (!disk.mounted()) {
    AACO_SKIP("mounting a small disk needs root");
  }
  expect_full_disk(disk.path() / "a.jrn");
}

// A child appends as fast as it can and says after each row how many there are.
TEST(Journal, a_kill_loses_no_row) {
  const TestFolder folder;
  void* shared = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto* appended = new (shared) std::atomic<uint64_t>(0);
  std::mt19937 random(7);
  uint64_t seen_rows = 0;
  for (int round = 0; round < 50; ++round) {
    const std::filesystem::path path = folder.path() / "a.jrn";
    appended->store(0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Result<JournalWriter> writer = new_journal(path);
      // At most 1.6 million rows (38 MB): the parent is late at times.
      for (uint64_t i = 0; writer && i < 1'600'000 && writer->append(CounterRow{i, 2 * i}); ++i) {
        appended->store(i + 1, std::memory_order_release);
      }
      ::pause();
      ::_exit(0);
    }
    while (appended->load() == 0) {
      ::usleep(100);
    }
    ::usleep(static_cast<useconds_t>(random() % 20'000));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    const uint64_t told = appended->load();
    const Result<JournalContent> content = read_journal(path);
    ASSERT_TRUE(content) << content.error().message;
    EXPECT_GE(expect_prefix(*content), told);
    EXPECT_LE(content->row_count, told + 1);
    seen_rows += told;
  }
  EXPECT_GT(seen_rows, 0);
  ::munmap(shared, 4096);
}

}  // namespace
}  // namespace aaco
