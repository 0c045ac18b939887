// SPDX-License-Identifier: MIT
#include "workload/checks/memory_accesses.h"

#include <algorithm>

namespace aaco {

namespace {

MemoryAccess plain(const void* data, int64_t bytes, int32_t stream, bool writes) {
  const auto start = reinterpret_cast<uintptr_t>(data);
  return {start, start + static_cast<uintptr_t>(bytes), 0, 0, stream, writes};
}

struct CollectiveBytes {
  int64_t sent = 0;
  int64_t received = 0;
};

CollectiveBytes bytes_of(const CollectiveCommand& command, int32_t world) {
  const int64_t count = command.count * size_of(command.dtype);
  switch (command.collective) {
    case Collective::kReduceScatter:
      return {count * world, count};
    case Collective::kAllGather:
      return {count, count * world};
    case Collective::kAllToAll:
      return {count * world, count * world};
    case Collective::kAllReduce:
    case Collective::kBroadcast:
    case Collective::kSendNext:
      break;
  }
  return {count, count};
}

}  // namespace

std::vector<MemoryAccess> accesses_of(const Program& program, const Command& command, int32_t world) {
  std::vector<MemoryAccess> accesses;
  switch (command.kind) {
    case CommandKind::kOp:
      for (const OpArray& array : work_of(command.op, command.to).arrays) {
        accesses.push_back(plain(array.pointer, array.bytes, command.stream, array.access != Access::kRead));
        accesses.back().pitch_bytes = array.pitch_bytes;
        accesses.back().row_bytes = array.row_bytes;
      }
      break;
    case CommandKind::kCopy:
      accesses.push_back(plain(command.from, static_cast<int64_t>(command.bytes), command.stream, false));
      accesses.push_back(plain(command.to, static_cast<int64_t>(command.bytes), command.stream, true));
      break;
    case CommandKind::kSet:
      accesses.push_back(plain(command.to, static_cast<int64_t>(command.bytes), command.stream, true));
      break;
    case CommandKind::kCollective: {
      const CollectiveCommand& collective = program.collectives()[static_cast<size_t>(command.index)];
      const CollectiveBytes bytes = bytes_of(collective, collective.group_ranks > 0 ? collective.group_ranks : world);
      for (const CollectiveRank& rank : collective.ranks) {
        accesses.push_back(plain(rank.send, bytes.sent, rank.stream, false));
        accesses.push_back(plain(rank.receive, bytes.received, rank.stream, true));
      }
      break;
    }
    case CommandKind::kRecord:
    case CommandKind::kWait:
    case CommandKind::kHostStep:
      break;
  }
  std::erase_if(accesses, [](const MemoryAccess& access) { return access.start == access.end; });
  return accesses;
}

bool overlap(const MemoryAccess& a, const MemoryAccess& b) {
  if (a.end <= b.start || b.end <= a.start) {
    return false;
  }
  if (a.pitch_bytes <= 0 || a.pitch_bytes != b.pitch_bytes) {
    return true;
  }
  // Both touch row_bytes of every pitch: apart where b's column begins behind a's, and ends before a's next.
  const auto pitch = static_cast<uintptr_t>(a.pitch_bytes);
  const uintptr_t behind = (b.start % pitch + pitch - a.start % pitch) % pitch;
  return behind < static_cast<uintptr_t>(a.row_bytes) || behind + static_cast<uintptr_t>(b.row_bytes) > pitch;
}

const char* name_of(const Program& program, const Command& command) {
  switch (command.kind) {
    case CommandKind::kOp:
      return name_of(command.op);
    case CommandKind::kCopy:
      return "copy";
    case CommandKind::kSet:
      return "set";
    case CommandKind::kCollective:
      return name_of(program.collectives()[static_cast<size_t>(command.index)].collective);
    case CommandKind::kRecord:
      return "record";
    case CommandKind::kWait:
      return "wait";
    case CommandKind::kHostStep:
      return "host step";
  }
  return "command";
}

}  // namespace aaco
