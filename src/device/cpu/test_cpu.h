// SPDX-License-Identifier: MIT
// For tests: a CPU device whose streams run any function, as the operation `fill`, beside the probes.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "device/cpu/cpu_device.h"
#include "device/cpu/cpu_stream.h"
#include "device/ops/op_work.h"

namespace aaco::test_cpu {

inline size_t size_of(OpId op) {
  switch (op) {
    case OpId::kSpin:
      return sizeof(SpinArgs);
    case OpId::kGate:
      return sizeof(GateArgs);
    case OpId::kNull:
      return sizeof(NullArgs);
    default:
      return sizeof(FillArgs);
  }
}

inline const char* name_of(OpId op) {
  switch (op) {
    case OpId::kSpin:
      return "spin";
    case OpId::kGate:
      return "gate";
    case OpId::kNull:
      return "null";
    default:
      return "function";
  }
}

inline void run(OpId op, const void* args) {
  switch (op) {
    case OpId::kSpin:
      return run_on_cpu(*static_cast<const SpinArgs*>(args));
    case OpId::kGate:
      return run_on_cpu(*static_cast<const GateArgs*>(args));
    case OpId::kNull:
      return run_on_cpu(*static_cast<const NullArgs*>(args));
    default:
      return (*static_cast<std::function<void()>*>(static_cast<const FillArgs*>(args)->out))();
  }
}

inline constexpr OpFunctions kFunctions{size_of, name_of, run, "none"};

template <class T>
std::unique_ptr<T> value_of(Result<std::unique_ptr<T>> result) {
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result ? std::move(result).value() : nullptr;
}

inline void expect_ok(const Result<void>& result) { EXPECT_TRUE(result) << (result ? "" : result.error().message); }

class CpuTest : public testing::Test {
 protected:
  std::unique_ptr<Stream> stream() { return value_of(device.make_stream(0)); }
  std::vector<std::unique_ptr<Stream>> streams(size_t count) {
    std::vector<std::unique_ptr<Stream>> result;
    for (size_t i = 0; i < count; ++i) {
      result.push_back(stream());
    }
    return result;
  }
  std::unique_ptr<Event> event(bool timing = false) { return value_of(device.make_event(timing)); }

  void launch(Stream& on, std::function<void()> function) {
    functions_.push_back(std::move(function));
    on.launch(FillArgs{&functions_.back(), 0, 0, Dtype::kF32});
  }
  // Work that waits until open() of the same gate.
  void launch_gate(Stream& on, const uint32_t& flag) { on.launch(GateArgs{&flag, nullptr, 1, 10'000'000'000}); }
  static void open(uint32_t& flag) { std::atomic_ref<uint32_t>(flag).store(1, std::memory_order_release); }

 private:
  std::deque<std::function<void()>> functions_;  // outlive the streams' work, that is: the streams of a test

 protected:
  CpuShared shared{kFunctions};
  CpuDevice device{shared, 0};
};

}  // namespace aaco::test_cpu
