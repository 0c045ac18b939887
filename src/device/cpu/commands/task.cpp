// SPDX-License-Identifier: MIT
#include "device/cpu/commands/task.h"

#include <exception>
#include <fmt/format.h>
#include <new>

#include "base/clock.h"

namespace aaco {

namespace {

struct Runner {
  const OpFunctions& ops;

  Result<void> operator()(const OpTask& task) const {
    ops.run(task.op, task.args.data());
    return {};
  }
  Result<void> operator()(const CopyTask& task) const {
    if (task.bytes > 0 && task.to != task.from) {
      std::memcpy(task.to, task.from, task.bytes);
    }
    return {};
  }
  Result<void> operator()(const SetTask& task) const {
    if (task.bytes > 0) {
      std::memset(task.to, task.value, task.bytes);
    }
    return {};
  }
  Result<void> operator()(const CallTask& task) const { return task.call->run(); }
};

Result<void> run_guarded(const Task& task, const OpFunctions& ops) {
  try {
    return std::visit(Runner{ops}, task);
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::kResource, fmt::format("{}: out of memory on the CPU", name_of(task, ops)),
                 "use smaller sizes or fewer streams"};
  } catch (const std::exception& failure) {
    return Error{ErrorKind::kBug, fmt::format("{} on the CPU failed: {}", name_of(task, ops), failure.what()), ""};
  }
}

void describe(const Task& task, ActivityRecord& record) {
  if (const auto* copy = std::get_if<CopyTask>(&task)) {
    record.kind = ActivityKind::kCopy;
    record.bytes = copy->bytes;
  } else if (const auto* set = std::get_if<SetTask>(&task)) {
    record.kind = ActivityKind::kSet;
    record.bytes = set->bytes;
  }
}

}  // namespace

const char* name_of(const Task& task, const OpFunctions& ops) {
  if (const auto* op = std::get_if<OpTask>(&task)) {
    return ops.name_of(op->op);
  }
  if (const auto* call = std::get_if<CallTask>(&task)) {
    return call->call->name();
  }
  return std::holds_alternative<CopyTask>(task) ? "copy" : "set";
}

Result<void> run_task(const Task& task, const TaskContext& context, uint64_t correlation, uint32_t graph_node) {
  if (!context.log->wanted()) {
    return run_guarded(task, context.ops);
  }
  ActivityRecord record;
  describe(task, record);
  record.correlation = correlation;
  record.stream = context.stream;
  record.device = context.device;
  record.graph_node = graph_node;
  record.start_ns = monotonic_ns();
  Result<void> outcome = run_guarded(task, context.ops);
  record.end_ns = monotonic_ns();
  context.log->append(record, name_of(task, context.ops));
  return outcome;
}

}  // namespace aaco
