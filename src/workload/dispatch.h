// SPDX-License-Identifier: MIT
// Ways to give a program to its streams.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "base/text/enum_words.h"
#include "device/backend.h"
#include "workload/program.h"

namespace aaco {

enum class DispatchMode : uint8_t {
  kSingle,   // one host thread enqueues everything, in the program's order
  kThreads,  // a host thread per stream enqueues that stream's commands
  kGraph,    // captured once, launched as one graph on the first stream
};
template <>
inline constexpr EnumWords<DispatchMode, 3> kWordsOf<DispatchMode>{{"single", "threads", "graph"}};

// "single", "threads" or "graph". Errors: kUsage naming them.
Result<DispatchMode> dispatch_mode_named(const std::string& name);

// The streams that a program runs on: number i of the program is streams[i]; devices[i] made it. Likewise its
// communicators, each of all ranks or of those that the program's commands say (CollectiveCommand::group_ranks).
struct ProgramTarget {
  std::vector<Stream*> streams;
  std::vector<Device*> devices;
  std::vector<Communicator*> communicators = {};  // NOLINT(readability-redundant-member-init): many have none
};

class CommandRanges;
class ProfilerRanges;

// Ranges around the commands while they are enqueued, for profilers. Both outlive the dispatcher.
struct DispatchRanges {
  const CommandRanges* commands = nullptr;
  const ProfilerRanges* ranges = nullptr;  // who listens
};

class Dispatcher {
 public:
  virtual ~Dispatcher() = default;
  // Enqueues one iteration; returns when all of it is enqueued. Errors: a host step's. What the streams fail at is
  // theirs to say.
  virtual Result<void> enqueue() = 0;
};

// `program` and `target` must outlive the dispatcher, which must outlive the work it enqueued. Errors: kUsage where the
// program cannot be dispatched so (a host step in a graph); the device's. A graph is replayed without ranges.
Result<std::unique_ptr<Dispatcher>> make_dispatcher(DispatchMode mode, const Program& program,
                                                    const ProgramTarget& target, DispatchRanges ranges = {});

// Waits for every stream; the first failure among them.
Result<void> synchronize(const ProgramTarget& target);

}  // namespace aaco
