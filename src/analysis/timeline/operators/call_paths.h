// SPDX-License-Identifier: MIT
// Operators within operators, by name: a chain of names is one number, whichever trace it comes from.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "record/events/event_row.h"
#include "record/events/event_table.h"

namespace aaco {

class CallPaths {
 public:
  static constexpr uint32_t kNone = 0;  // no operator

  struct Step {
    uint32_t outer = kNone;
    StringId name = kEmptyString;
  };

  uint32_t within(uint32_t outer, StringId name);
  const Step& operator[](uint32_t path) const { return steps_[path]; }

 private:
  std::vector<Step> steps_ = {{}};
  std::unordered_map<uint64_t, uint32_t> known_;
};

// Of each of `operators` (rows in ascending order): itself within those that had not ended on its thread when it began.
// `name_of` gives a row's name in the strings of `paths`.
std::vector<uint32_t> operator_paths(const EventTable& events, std::span<const EventRow> operators,
                                     const std::function<StringId(EventRow)>& name_of, CallPaths& paths);

// "outer > inner", of a longer path its innermost `most` names after "...".
std::string path_text(const CallPaths& paths, uint32_t path, const StringTable& strings, size_t most);

}  // namespace aaco
