// SPDX-License-Identifier: MIT
#include "workload/program.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

namespace aaco {

void* Program::add_op(int32_t stream, OpId op, const void* args, size_t bytes) {
  arguments_.push_back(std::make_unique<std::byte[]>(bytes));
  std::memcpy(arguments_.back().get(), args, bytes);
  commands_.push_back({.kind = CommandKind::kOp, .op = op, .stream = stream, .to = arguments_.back().get()});
  return arguments_.back().get();
}

void Program::copy(int32_t stream, void* to, const void* from, size_t bytes) {
  commands_.push_back({.kind = CommandKind::kCopy, .stream = stream, .to = to, .from = from, .bytes = bytes});
}

void Program::set(int32_t stream, void* to, int value, size_t bytes) {
  commands_.push_back({.kind = CommandKind::kSet, .stream = stream, .to = to, .bytes = bytes, .value = value});
}

int32_t Program::record(int32_t stream) {
  commands_.push_back({.kind = CommandKind::kRecord, .stream = stream, .index = events_});
  return events_++;
}

void Program::wait(int32_t stream, int32_t event) {
  commands_.push_back({.kind = CommandKind::kWait, .stream = stream, .index = event});
}

void Program::after(int32_t stream, std::span<const int32_t> others) {
  for (const int32_t other : others) {
    if (other != stream) {
      wait(stream, record(other));
    }
  }
}

void Program::collective(CollectiveCommand command) {
  commands_.push_back({.kind = CommandKind::kCollective,
                       .stream = command.ranks.front().stream,
                       .index = static_cast<int32_t>(collectives_.size())});
  collectives_.push_back(std::move(command));
}

void Program::host_step(int32_t stream, std::function<Result<void>()> step) {
  commands_.push_back(
      {.kind = CommandKind::kHostStep, .stream = stream, .index = static_cast<int32_t>(host_steps_.size())});
  host_steps_.push_back(std::move(step));
}

Program Program::selection(const std::function<bool(size_t command)>& keep) const {
  Program selected(1);
  for (size_t i = 0; i < commands_.size(); ++i) {
    const Command& command = commands_[i];
    if (command.kind == CommandKind::kOp && keep(i)) {
      selected.add_op(0, command.op, command.to, size_of_args(command.op));
    }
  }
  return selected;
}

Program Program::one_by_one() const {
  Program ordered(streams_);
  std::vector<int32_t> last;  // streams of the command before
  const auto begin = [&](const std::vector<int32_t>& streams) {
    for (const int32_t stream : streams) {
      ordered.after(stream, last);
    }
    last = streams;
  };
  for (const Command& command : commands_) {
    const auto number = static_cast<size_t>(command.index);
    switch (command.kind) {
      case CommandKind::kOp:
        begin({command.stream});
        ordered.add_op(command.stream, command.op, command.to, size_of_args(command.op));
        break;
      case CommandKind::kCopy:
        begin({command.stream});
        ordered.copy(command.stream, command.to, command.from, command.bytes);
        break;
      case CommandKind::kSet:
        begin({command.stream});
        ordered.set(command.stream, command.to, command.value, command.bytes);
        break;
      case CommandKind::kCollective: {
        std::vector<int32_t> streams;
        for (const CollectiveRank& rank : collectives_[number].ranks) {
          streams.push_back(rank.stream);
        }
        begin(streams);
        ordered.collective(collectives_[number]);
        break;
      }
      case CommandKind::kHostStep:
        begin({command.stream});
        ordered.host_step(command.stream, host_steps_[number]);
        break;
      case CommandKind::kRecord:
      case CommandKind::kWait:
        break;
    }
  }
  return ordered;
}

double Program::flops() const {
  double total = 0;
  for (const Command& command : commands_) {
    if (command.kind == CommandKind::kOp) {
      total += work_of(command.op, command.to).flops;
    }
  }
  return total;
}

double Program::ideal_bytes() const {
  double total = 0;
  for (const Command& command : commands_) {
    if (command.kind == CommandKind::kOp) {
      for (const OpArray& array : work_of(command.op, command.to).arrays) {
        total += static_cast<double>(array.bytes_used) * (array.access == Access::kReadWrite ? 2 : 1);
      }
    } else if (command.kind == CommandKind::kCopy) {
      total += 2 * static_cast<double>(command.bytes);
    } else if (command.kind == CommandKind::kSet) {
      total += static_cast<double>(command.bytes);
    }
  }
  return total;
}

int64_t Program::kernels() const {
  int64_t total = 0;
  for (const Command& command : commands_) {
    total += command.kind == CommandKind::kOp ? 1 : 0;
  }
  return total;
}

int32_t Program::communicators() const {
  int32_t count = 0;
  for (const CollectiveCommand& command : collectives_) {
    count = std::max(count, command.communicator + 1);
  }
  return count;
}

int32_t Program::used_streams() const {
  std::set<int32_t> used;
  for (const Command& command : commands_) {
    if (command.kind == CommandKind::kCollective) {
      for (const CollectiveRank& rank : collectives_[static_cast<size_t>(command.index)].ranks) {
        used.insert(rank.stream);
      }
    } else if (command.kind == CommandKind::kOp || command.kind == CommandKind::kCopy ||
               command.kind == CommandKind::kSet) {
      used.insert(command.stream);
    }
  }
  return static_cast<int32_t>(used.size());
}

bool Program::streams_have_same_work() const {
  using Piece = std::tuple<CommandKind, OpId, double, double>;  // FLOPs, bytes
  std::map<int32_t, std::vector<Piece>> work;
  for (const Command& command : commands_) {
    if (command.kind == CommandKind::kOp) {
      const OpWork done = work_of(command.op, command.to);
      double bytes = 0;
      for (const OpArray& array : done.arrays) {
        bytes += static_cast<double>(array.bytes_used);
      }
      work[command.stream].emplace_back(command.kind, command.op, done.flops, bytes);
    } else if (command.kind == CommandKind::kCopy || command.kind == CommandKind::kSet) {
      work[command.stream].emplace_back(command.kind, OpId::kNull, 0.0, static_cast<double>(command.bytes));
    } else if (command.kind == CommandKind::kCollective) {
      for (const CollectiveRank& rank : collectives_[static_cast<size_t>(command.index)].ranks) {
        work[rank.stream].emplace_back(command.kind, OpId::kNull, 0.0, static_cast<double>(command.index));
      }
    }
  }
  return work.size() > 1 && std::all_of(work.begin(), work.end(),
                                        [&](const auto& stream) { return stream.second == work.begin()->second; });
}

}  // namespace aaco
