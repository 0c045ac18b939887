// SPDX-License-Identifier: MIT
// A piece of work of a CPU stream or of a node of a captured graph, small enough to lie in the queue itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <variant>

#include "base/result.h"
#include "device/cpu/commands/activity_log.h"
#include "device/ops/op_list.h"

namespace aaco {

// What the scheduler asks about operations: op_work.h's, or those of a test.
struct OpFunctions {
  size_t (*size_of_args)(OpId op) = nullptr;
  const char* (*name_of)(OpId op) = nullptr;
  void (*run)(OpId op, const void* args) = nullptr;
  const char* gemm_library = "";
};

inline constexpr size_t kMaxArgBytes = 208;
#define AACO_ARGS_FIT(Name, text)                                                                    \
  static_assert(sizeof(Name##Args) <= kMaxArgBytes && alignof(Name##Args) <= 16, text " arguments"); \
  static_assert(std::is_trivially_copyable_v<Name##Args>, text " arguments");
AACO_OPS(AACO_ARGS_FIT)
#undef AACO_ARGS_FIT

struct OpTask {
  OpTask(OpId id, const void* from, size_t bytes) : op(id) { std::memcpy(args.data(), from, bytes); }

  OpId op;
  alignas(16) std::array<std::byte, kMaxArgBytes> args;  // only the first bytes are ever written and read
};

struct CopyTask {
  void* to = nullptr;
  const void* from = nullptr;
  size_t bytes = 0;
};

struct SetTask {
  void* to = nullptr;
  int value = 0;
  size_t bytes = 0;
};

// Work that is no operation of the list: a rank's part of a collective.
class StreamCall {
 public:
  virtual ~StreamCall() = default;
  virtual const char* name() const = 0;
  virtual Result<void> run() = 0;
  // In place of run() where the stream has failed: nobody must wait for this one.
  virtual void abandon(const Error& failure) = 0;
};

struct CallTask {
  std::shared_ptr<StreamCall> call;
};

using Task = std::variant<OpTask, CopyTask, SetTask, CallTask>;

// Where a task runs.
struct TaskContext {
  OpFunctions ops;
  ActivityLog* log = nullptr;
  uint64_t stream = 0;
  uint32_t device = 0;
};

// Runs it here and now, and tells the collector where one is attached. Errors: what the work threw, the call's.
Result<void> run_task(const Task& task, const TaskContext& context, uint64_t correlation, uint32_t graph_node);
const char* name_of(const Task& task, const OpFunctions& ops);

}  // namespace aaco
