// SPDX-License-Identifier: MIT
// Which named ranges the commands of a program lie in, and what opens and closes them while they are enqueued.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "device/ranges/profiler_ranges.h"

namespace aaco {

// Ranges of two levels; names stay where they are.
class CommandRanges {
 public:
  struct Place {
    int32_t outer = -1;  // into names; -1: none
    int32_t inner = -1;
  };

  // For the next command. "" is none; an inner range needs an outer one.
  void add(const std::string& outer, const std::string& inner);

  size_t commands() const { return places_.size(); }
  // Of a command that was not added: none.
  Place place(size_t command) const { return command < places_.size() ? places_[command] : Place(); }
  const char* name(int32_t index) const { return names_[static_cast<size_t>(index)].c_str(); }

 private:
  int32_t number_of(const std::string& name);

  std::vector<std::string> names_;
  std::vector<Place> places_;
};

// Of one thread, which enqueues commands in their order, some or all of them.
class RangeWalker {
 public:
  RangeWalker(const CommandRanges& commands, const ProfilerRanges& ranges) : commands_(&commands), ranges_(&ranges) {}

  // Before a command is enqueued: closes what it is not in, opens what it is in.
  void at(size_t command);
  // Closes what is open.
  void end() { go(CommandRanges::Place()); }

 private:
  void go(CommandRanges::Place to);

  const CommandRanges* commands_;
  const ProfilerRanges* ranges_;
  CommandRanges::Place open_;
};

}  // namespace aaco
