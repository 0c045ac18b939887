// SPDX-License-Identifier: MIT
#include "kind/sharded/watch/host_stack.h"

#include <atomic>
#include <chrono>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

#include "base/process/process.h"
#include "base/test_skip.h"
#include "kind/sharded/watch/hang_report.h"

namespace aaco {

// Calls that the stack must show, in this order.
[[gnu::noinline]] void wait_inside(const std::atomic<bool>& over, std::atomic<bool>& there) {
  there = true;
  while (!over) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  there = false;
}

[[gnu::noinline]] void wait_outside(const std::atomic<bool>& over, std::atomic<bool>& there) {
  wait_inside(over, there);
  there = over.load();
}

namespace {

using testing::HasSubstr;

constexpr int64_t kPatienceNs = 5'000'000'000;

TEST(HostStack, IsOfTheThreadAndLetsItGoOn) {
  prepare_host_stack();
  std::atomic<bool> over = false;
  std::atomic<bool> there = false;
  std::thread thread([&] { wait_outside(over, there); });
  while (!there) {
    std::this_thread::yield();
  }
  const auto frames = host_stack(thread.native_handle(), kPatienceNs);
  over = true;
  thread.join();
  ASSERT_TRUE(frames) << frames.error().message;
  std::string left;
  for (const StackFrame& frame : *frames) {
    left += fmt::format("{} {:#x} {}\n", frame.module, frame.offset, frame.symbol);
  }
  const std::vector<std::string> stack = readable_stacks({left}).front();
  ASSERT_GE(stack.size(), 3U);
  if (!first_line_of({"llvm-symbolizer", "--version"}) && !first_line_of({"addr2line", "--version"})) {
    AACO_SKIP("neither llvm-symbolizer nor addr2line: calls are places in a file");
  }
  const std::string text = fmt::format("{}", fmt::join(stack, "\n"));
  EXPECT_THAT(text, HasSubstr("wait_inside"));
  EXPECT_THAT(text, HasSubstr("host_stack_test.cpp:"));
  EXPECT_LT(text.find("wait_inside"), text.find("wait_outside"));
}

TEST(HostStack, WhatIsNoStackIsNoLine) {
  EXPECT_EQ(readable_stacks({"", "nonsense\n"}), std::vector<std::vector<std::string>>(2));
  EXPECT_EQ(readable_stacks({"/lib/x.so 0x10 \n/lib/x.so 0x20 f()\n"}),
            (std::vector<std::vector<std::string>>{{"x.so+0x10", "f() (x.so)"}}));
}

}  // namespace
}  // namespace aaco
