// SPDX-License-Identifier: MIT
#include "workload/checks/hazards.h"

#include <algorithm>
#include <fmt/format.h>

#include "workload/checks/memory_accesses.h"

namespace aaco {

namespace {

// What each stream knows of the others: clock[s] commands of stream s come before.
using Clock = std::vector<int32_t>;

void join(Clock& into, const Clock& other) {
  for (size_t i = 0; i < into.size(); ++i) {
    into[i] = std::max(into[i], other[i]);
  }
}

// An access that later ones have to be ordered after.
struct PendingAccess {
  MemoryAccess access;
  size_t command = 0;
  int32_t tick = 0;  // of its stream
};

class RaceSearch {
 public:
  RaceSearch(const Program& program, int32_t world, size_t most)
      : program_(program),
        world_(world),
        most_(most),
        clocks_(static_cast<size_t>(program.streams()), Clock(static_cast<size_t>(program.streams()))),
        events_(static_cast<size_t>(program.events())) {
    cut_memory();
  }

  std::vector<Hazard> run() {
    const std::vector<Command>& commands = program_.commands();
    for (size_t i = 0; i < 2 * commands.size() && hazards_.size() < most_; ++i) {
      step(commands[i % commands.size()], i);
    }
    return std::move(hazards_);
  }

 private:
  // The ends of all accesses cut memory into pieces that each access either contains or does not touch.
  void cut_memory() {
    for (const Command& command : program_.commands()) {
      for (const MemoryAccess& access : accesses_of(program_, command, world_)) {
        cuts_.push_back(access.start);
        cuts_.push_back(access.end);
      }
    }
    std::sort(cuts_.begin(), cuts_.end());
    cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
    pieces_.resize(cuts_.size());
  }

  void step(const Command& command, size_t number) {
    Clock& own = clocks_[static_cast<size_t>(command.stream)];
    if (command.kind == CommandKind::kRecord) {
      events_[static_cast<size_t>(command.index)] = own;
    } else if (command.kind == CommandKind::kWait) {
      if (const Clock& event = events_[static_cast<size_t>(command.index)]; !event.empty()) {
        join(own, event);
      }
    } else if (command.kind == CommandKind::kHostStep) {
      const Clock reached = own;
      for (Clock& clock : clocks_) {
        join(clock, reached);
      }
    } else {
      touch(command, number);
    }
  }

  void touch(const Command& command, size_t number) {
    const std::vector<MemoryAccess> accesses = accesses_of(program_, command, world_);
    for (const MemoryAccess& access : accesses) {
      Clock& own = clocks_[static_cast<size_t>(access.stream)];
      const auto first = std::lower_bound(cuts_.begin(), cuts_.end(), access.start) - cuts_.begin();
      for (auto piece = static_cast<size_t>(first); piece < cuts_.size() && cuts_[piece] < access.end; ++piece) {
        visit(pieces_[piece], access, number, own);
      }
    }
    for (const MemoryAccess& access : accesses) {
      const auto stream = static_cast<size_t>(access.stream);
      clocks_[stream][stream] = tick_ + 1;
    }
    ++tick_;
  }

  void visit(std::vector<PendingAccess>& piece, const MemoryAccess& access, size_t number, const Clock& own) {
    for (const PendingAccess& before : piece) {
      const bool ordered = own[static_cast<size_t>(before.access.stream)] >= before.tick || before.command == number;
      if (!ordered && (before.access.writes || access.writes) && overlap(before.access, access)) {
        report(before, access, number);
      }
    }
    // What is ordered before this access need not be kept where this one stands for it: everything that must come after
    // that must come after this.
    std::erase_if(piece, [&](const PendingAccess& before) {
      const bool ordered = own[static_cast<size_t>(before.access.stream)] >= before.tick;
      const bool covers = access.pitch_bytes == 0 ||
                          (access.pitch_bytes == before.access.pitch_bytes && access.start == before.access.start &&
                           access.row_bytes == before.access.row_bytes);
      return ordered && covers && (access.writes || (!before.access.writes && before.access.stream == access.stream));
    });
    piece.push_back({access, number, tick_ + 1});
  }

  void report(const PendingAccess& before, const MemoryAccess& access, size_t number) {
    const bool known = std::any_of(hazards_.begin(), hazards_.end(), [&](const Hazard& hazard) {
      return hazard.first == before.command && hazard.second == number;
    });
    if (known || hazards_.size() >= most_) {
      return;
    }
    const auto describe = [&](size_t command, int32_t stream) {
      const size_t count = program_.commands().size();
      return fmt::format("{} (command {}{}, stream {})", name_of(program_, program_.commands()[command % count]),
                         command % count, command >= count ? " of the next iteration" : "", stream);
    };
    hazards_.push_back(
        {before.command, number,
         fmt::format("{} {} what {} {}, and nothing orders them", describe(before.command, before.access.stream),
                     before.access.writes ? "writes" : "reads", describe(number, access.stream),
                     access.writes ? "writes" : "reads")});
  }

  const Program& program_;
  int32_t world_;
  size_t most_;
  std::vector<Clock> clocks_;
  std::vector<Clock> events_;  // at the latest record; empty: none yet
  std::vector<uintptr_t> cuts_;
  std::vector<std::vector<PendingAccess>> pieces_;  // from cut i to cut i + 1
  int32_t tick_ = 0;                                // of all streams together, so that a tick names one command
  std::vector<Hazard> hazards_;
};

}  // namespace

std::vector<Hazard> find_hazards(const Program& program, int32_t world, size_t most) {
  return RaceSearch(program, world, most).run();
}

}  // namespace aaco
