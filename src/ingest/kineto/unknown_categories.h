// SPDX-License-Identifier: MIT
// Events whose category says nothing, until the names of their lanes are known, which a file may hold behind them.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "record/events/event_table.h"

namespace aaco {

class UnknownCategories {
 public:
  // An event of that track; where it is, is made only the first time.
  template <std::invocable MakePlace>
  void add(uint32_t track, MakePlace&& place) {
    tracks_.resize(std::max<size_t>(tracks_.size(), size_t{track} + 1));
    if (tracks_[track].count++ == 0) {
      tracks_[track].first = place();
    }
  }

  // Of the file `name`, whose events and tracks begin there: what the names of lanes tell becomes what it is, the rest
  // a loss.
  void settle(const std::string& name, EventTable& table, size_t first_event, size_t first_track) const;

 private:
  struct OfTrack {
    uint64_t count = 0;
    std::string first;
  };

  std::vector<OfTrack> tracks_;
};

}  // namespace aaco
