// SPDX-License-Identifier: MIT
#include "base/interrupt.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/unfinished_path.h"

namespace aaco {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

// The exit code of a process that does this, or -1 where a signal ended it.
int exit_code_of(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (catch_interrupts()) {
      work();
    }
    ::_exit(99);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// A library that looks at nothing. It sleeps now and then, since the thread sanitizer delivers signals only in such
// calls.
void spin_for_ever() {
  for (uint64_t turns = 1;; ++turns) {
    asm volatile("" ::: "memory");
    if (turns % 10'000'000 == 0) {
      ::usleep(1);
    }
  }
}

}  // namespace

TEST(Interrupt, EndsWorkThatDoesNotLook) {
  const int64_t began = monotonic_ns();
  EXPECT_EQ(exit_code_of([] {
              EXPECT_EQ(::kill(::getpid(), SIGHUP), 0);
              spin_for_ever();
            }),
            130);
  EXPECT_GE(monotonic_ns() - began, kSecondNs);  // time to end in order
}

// 1.5 s of processor time, however busy the machine is.
TEST(Interrupt, EndsACloseThatTakesTooLong) {
  EXPECT_EQ(exit_code_of([] {
              await_close();
              EXPECT_EQ(::kill(::getpid(), SIGTERM), 0);
              spin_for_ever();
            }),
            130);
}

TEST(Interrupt, WaitsForAClose) {
  EXPECT_EQ(exit_code_of([] {
              await_close();
              EXPECT_EQ(::kill(::getpid(), SIGTERM), 0);
              for (int64_t end = monotonic_ns() + 2 * kSecondNs; monotonic_ns() < end;) {
                ::usleep(1000);  // as for a disk
              }
              ::_exit(7);
            }),
            7);
}

TEST(Interrupt, LeavesNothingUnfinished) {
  const fs::path folder = fs::temp_directory_path() / ("aaco_interrupt_" + std::to_string(::getpid()));
  const fs::path file = folder / "out.json.tmp1", finished = folder / "out.json", tables = folder / "tables.tmp2";
  fs::create_directories(tables / "trace");
  std::ofstream(tables / "trace" / "events.parquet") << "half";
  std::ofstream(tables / "x") << "half";
  std::ofstream(file) << "half";
  std::ofstream(finished) << "whole";
  fs::create_directory_symlink(folder, tables / "link");
  EXPECT_EQ(exit_code_of([&] {
              const UnfinishedPath first(file), second(tables);
              {
                const UnfinishedPath done(finished);
              }
              EXPECT_EQ(::kill(::getpid(), SIGTERM), 0);
              spin_for_ever();
            }),
            130);
  EXPECT_FALSE(fs::exists(file));
  EXPECT_FALSE(fs::exists(tables));
  EXPECT_TRUE(fs::exists(finished));
  fs::remove_all(folder);
}

TEST(Interrupt, LeavesAHangupThatNohupIgnores) {
  EXPECT_EQ(exit_code_of([] {
              ::signal(SIGHUP, SIG_IGN);
              const bool caught = catch_interrupts() && ::kill(::getpid(), SIGHUP) == 0;
              ::_exit(caught && !interrupted() ? 3 : 4);
            }),
            3);
}

// OpenBLAS does so where it gets no thread.
TEST(Interrupt, LeavesASignalThatALibraryRaises) {
  EXPECT_EQ(exit_code_of([] { ::_exit(std::raise(SIGINT) == 0 && !interrupted() ? 3 : 4); }), 3);
}

TEST(Interrupt, IsHeardWhereTheParentBlockedIt) {
  sigset_t all, before;
  sigfillset(&all);
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &all, &before), 0);
  EXPECT_EQ(exit_code_of([] {
              EXPECT_EQ(::kill(::getpid(), SIGTERM), 0);
              ::_exit(interrupted() ? 3 : 4);
            }),
            3);
  ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
}

}  // namespace aaco
