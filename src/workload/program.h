// SPDX-License-Identifier: MIT
// One iteration of a workload as data: what each stream is given, in the order in which one host thread would enqueue
// it. The same program is dispatched by one thread, by a thread per stream or as a captured graph (dispatch.h), checked
// for races (hazards.h), checked against the CPU operation by operation (verify.h), and counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "device/communicator.h"
#include "device/ops/op_work.h"

namespace aaco {

enum class CommandKind : uint8_t { kOp, kCopy, kSet, kRecord, kWait, kCollective, kHostStep };

// Commands of a stream are done in order; across streams only record and wait order them.
struct Command {
  CommandKind kind = CommandKind::kOp;
  OpId op = OpId::kNull;
  int32_t stream = 0;
  int32_t index = 0;   // event of kRecord and kWait; else into collectives() or host_steps()
  void* to = nullptr;  // kOp: its arguments, owned by the program
  const void* from = nullptr;
  size_t bytes = 0;
  int value = 0;  // kSet
};

struct CollectiveRank {
  int32_t stream = 0;
  const void* send = nullptr;
  void* receive = nullptr;
};

// NCCL does those of one communicator one after the other, in the program's order, whatever streams they are on; those
// of different ones may be done at once.
struct CollectiveCommand {
  Collective collective = Collective::kAllReduce;
  std::vector<CollectiveRank> ranks;
  int64_t count = 0;
  Dtype dtype = Dtype::kF32;
  int32_t communicator = 0;  // of the target's
  int32_t group_ranks = 0;   // that it joins, where they are not all ranks; 0: all
};

class Program {
 public:
  explicit Program(int32_t streams) : streams_(streams) {}

  // The arguments may be changed until the program is dispatched, and by host steps: the pointer stays valid.
  template <class Args>
  Args* op(int32_t stream, const Args& args) {
    return static_cast<Args*>(add_op(stream, OpOf<Args>::kId, &args, sizeof(Args)));
  }
  void copy(int32_t stream, void* to, const void* from, size_t bytes);
  void set(int32_t stream, void* to, int value, size_t bytes);
  // An event, recorded once in an iteration.
  int32_t record(int32_t stream);
  void wait(int32_t stream, int32_t event);
  // What `stream` is given from here on begins after all that `others` were given so far.
  void after(int32_t stream, std::span<const int32_t> others);
  void after(int32_t stream, int32_t other) { after(stream, std::span<const int32_t>(&other, 1)); }
  void collective(CollectiveCommand command);
  // The host waits for `stream`, then calls `step`, then goes on enqueueing. Such a program cannot be captured.
  void host_step(int32_t stream, std::function<Result<void>()> step);

  // The operations among the commands whose number `keep` takes, all on stream 0, one behind the other.
  Program selection(const std::function<bool(size_t command)>& keep) const;

  // The same work on the same streams, each command beginning when the one before it is done: nothing runs beside
  // anything, of this rank.
  Program one_by_one() const;

  int32_t streams() const { return streams_; }
  int32_t events() const { return events_; }
  const std::vector<Command>& commands() const { return commands_; }
  const std::vector<CollectiveCommand>& collectives() const { return collectives_; }
  const std::vector<std::function<Result<void>()>>& host_steps() const { return host_steps_; }

  // As the arguments are now.
  double flops() const;
  double ideal_bytes() const;  // every array that an operation touches, read or written once
  int64_t kernels() const;
  int32_t communicators() const;  // that it names: 0 to one less than this
  int32_t used_streams() const;   // that are given a kernel or a copy
  // Two streams or more are used, and each is given the same kinds of work of the same size in the same order.
  bool streams_have_same_work() const;

 private:
  void* add_op(int32_t stream, OpId op, const void* args, size_t bytes);

  int32_t streams_;
  int32_t events_ = 0;
  std::vector<Command> commands_;
  std::vector<std::unique_ptr<std::byte[]>> arguments_;
  std::vector<CollectiveCommand> collectives_;
  std::vector<std::function<Result<void>()>> host_steps_;
};

}  // namespace aaco
