// SPDX-License-Identifier: MIT
// Small tables of counters for tests.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "record/events/event_table.h"

namespace aaco {

class CounterTrace {
 public:
  CounterTrace() { table.tracks.push_back({.device = 0}); }

  // "a=1; b c=2.5; d=text" as arguments: integers, real numbers, texts.
  std::vector<Argument> arguments(std::string_view list) {
    std::vector<Argument> all;
    while (!list.empty()) {
      const std::string_view pair = list.substr(0, list.find(';'));
      list.remove_prefix(std::min(pair.size() + 2, list.size()));
      const size_t equal = pair.rfind('=');
      const StringId key = table.strings.intern(pair.substr(0, equal));
      const std::string text(pair.substr(equal + 1));
      char* end = nullptr;
      const double number = std::strtod(text.c_str(), &end);
      if (*end != '\0') {
        all.push_back({key, ArgumentType::kText, table.strings.intern(text)});
      } else if (text.find_first_of(".e") == std::string::npos) {
        all.push_back({key, ArgumentType::kInteger, static_cast<uint64_t>(static_cast<int64_t>(number))});
      } else {
        all.push_back({key, ArgumentType::kReal, std::bit_cast<uint64_t>(number)});
      }
    }
    return all;
  }

  void kernel(std::string_view name, int64_t duration_ns, std::string_view list,
              EventShape shape = EventShape::kUntimed) {
    table.add({0, duration_ns, kNoId, kNoId, table.strings.intern(name), kEmptyString, 0, EventKind::kKernel, shape},
              arguments(list));
  }
  // A row of sysinfo.csv ("system"), of roofline.csv ("roof") or of agent_info.csv ("AGENT").
  void machine(std::string_view category, std::string_view name, std::string_view list) {
    table.add({0, 0, kNoId, kNoId, table.strings.intern(name), table.strings.intern(category), 0, EventKind::kOther,
               EventShape::kUntimed},
              arguments(list));
  }

  EventTable table;
};

}  // namespace aaco
