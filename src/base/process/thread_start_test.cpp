// SPDX-License-Identifier: MIT
#include "base/process/thread_start.h"

#include <atomic>
#include <barrier>
#include <cerrno>
#include <functional>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/process/limit_error.h"
#include "base/test_sanitizer.h"
#include "base/test_skip.h"

namespace aaco {

namespace {

constexpr uid_t kOtherUser = 61235;  // with no processes but ours

// What `work` gives in a process of another user that may have `processes` threads; nothing where that is not allowed.
int result_with(rlim_t processes, const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{processes, processes};
    ::_exit(::setresuid(kOtherUser, kOtherUser, kOtherUser) == 0 && ::setrlimit(RLIMIT_NPROC, &limit) == 0 ? work()
                                                                                                           : 99);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST(StartThread, NamesTheLimit) {
  if (::geteuid() != 0) {
    AACO_SKIP("the limit of processes does not hold root, and only root can be another user");
  }
  if (kThreadSanitizer) {
    AACO_SKIP("the thread sanitizer ends a program that cannot start a thread");
  }
  EXPECT_EQ(result_with(1,
                        [] {
                          const auto thread = start_thread([] {});
                          const bool is_right = !thread && thread.error().kind == ErrorKind::kResource &&
                                                thread.error().message.find("(RLIMIT_NPROC is 1)") != std::string::npos;
                          return is_right ? 0 : 1;
                        }),
            0);
}

// Threads that wait for each other would wait for ever for the one that is not to be had.
TEST(RunThreads, AllWorkOrNone) {
  if (::geteuid() != 0) {
    AACO_SKIP("the limit of processes does not hold root, and only root can be another user");
  }
  if (kThreadSanitizer) {
    AACO_SKIP("the thread sanitizer ends a program that cannot start a thread");
  }
  EXPECT_EQ(result_with(3,
                        [] {
                          std::barrier<> together(4);
                          std::atomic<int> worked = 0;
                          const auto done = run_threads(4, [&](size_t) {
                            ++worked;
                            together.arrive_and_wait();
                          });
                          return !done && done.error().kind == ErrorKind::kResource && worked == 0 ? 0 : 1;
                        }),
            0);
}

TEST(RunThreads, EachHasItsNumber) {
  std::atomic<size_t> sum = 0;
  ASSERT_TRUE(run_threads(4, [&](size_t index) { sum += index; }));
  EXPECT_EQ(sum, 0U + 1 + 2 + 3);
}

TEST(ErrorOf, TellsWantFromBugs) {
  EXPECT_EQ(error_of(std::bad_alloc()).kind, ErrorKind::kResource);
  EXPECT_EQ(error_of(Interruption()).kind, ErrorKind::kInterrupted);
  EXPECT_EQ(error_of(std::system_error(EAGAIN, std::generic_category())).kind, ErrorKind::kResource);
  EXPECT_EQ(error_of(std::runtime_error("odd")).kind, ErrorKind::kBug);
}

TEST(LimitError, NamesTheLimitOfDescriptors) {
  rlimit files{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  const Error error = limit_error("make a pipe", EMFILE);
  EXPECT_EQ(error.kind, ErrorKind::kResource);
  EXPECT_EQ(error.message,
            "cannot make a pipe: Too many open files (RLIMIT_NOFILE is " + std::to_string(files.rlim_cur) + ")");
}

}  // namespace aaco
