// SPDX-License-Identifier: MIT
#include "base/confined/limited_child.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/test_sanitizer.h"
#include "base/test_skip.h"

namespace aaco {

namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr int kParent = 100;  // added to what the parent of the limited child ends with

// The end of a process that goes on in a limited child: what `work` gives there, or kParent and the error's code.
int end_of(uint64_t memory_bytes, const std::function<int()>& work, pid_t* started = nullptr,
           std::optional<int64_t> time_ns = std::nullopt) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!catch_interrupts()) {
      ::_exit(98);
    }
    const auto end = continue_in_limited_child(memory_bytes, time_ns);
    if (!end) {
      ::_exit(kParent + end.error().exit_code());
    }
    ::_exit(*end ? **end : work());
  }
  if (started != nullptr) {
    *started = child;
    ::usleep(300'000);
    EXPECT_EQ(::kill(child, SIGTERM), 0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Touched, so that it is held.
bool can_hold(uint64_t bytes) {
  const std::unique_ptr<char[]> memory(new (std::nothrow) char[bytes]);
  if (memory == nullptr) {
    return false;
  }
  std::memset(memory.get(), 1, bytes);
  return memory[bytes / 2] == 1;
}

class LimitedChild : public testing::Test {
 protected:
  void SetUp() override {
    if (kAddressSanitizer || kThreadSanitizer) {
      AACO_SKIP("the shadow of a sanitizer is more data than the limit");
    }
  }
};

}  // namespace

TEST_F(LimitedChild, GivesItsExitCode) {
  EXPECT_EQ(end_of(512 * kMiB, [] { return 7; }), 7);
}

TEST_F(LimitedChild, CannotAllocateMoreThanItsLimit) {
  EXPECT_EQ(end_of(128 * kMiB, [] { return can_hold(16 * kMiB) ? 0 : 1; }), 0);
  EXPECT_EQ(end_of(128 * kMiB, [] { return can_hold(512 * kMiB) ? 1 : 0; }), 0);
}

TEST_F(LimitedChild, SaysThatASignalEndedIt) {
  EXPECT_EQ(end_of(512 * kMiB, [] { return ::raise(SIGKILL); }), kParent + 6);
}

TEST_F(LimitedChild, EndsWhenItsTimeIsOver) {
  const auto sleep_a_minute = [] { return ::sleep(60) == 0 ? 0 : 1; };
  EXPECT_EQ(end_of(512 * kMiB, sleep_a_minute, nullptr, 50'000'000), kParent + 6);
  constexpr int64_t kMinuteNs = 60'000'000'000;
  EXPECT_EQ(end_of(512 * kMiB, [] { return 3; }, nullptr, kMinuteNs), 3);
}

// The child looks at nothing.
TEST_F(LimitedChild, EndsWithAnInterruptOfTheParent) {
  pid_t started = 0;
  EXPECT_EQ(end_of(
                512 * kMiB,
                []() -> int {
                  for (volatile uint64_t turns = 0;; turns = turns + 1) {
                  }
                },
                &started),
            kParent + 130);
}

}  // namespace aaco
