// SPDX-License-Identifier: MIT
// How the CPU quota of control groups held a process up during its steady phase.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"

namespace aaco {

// A control group with a quota. All processes of the group share what is counted.
struct QuotaGroup {
  std::string group;              // its folder, as this process sees it
  std::string limit;              // as the kernel writes it: "cpu.max is 50000 100000"
  double processors = 0;          // quota over period
  int64_t periods = 0;            // in which the group ran
  int64_t throttled_periods = 0;  // of them, in which it was stopped
  int64_t throttled_ns = 0;       // summed over processors
  int64_t burst_periods = 0;      // of them, in which it used what earlier periods had saved
};

struct QuotaFacts {
  std::vector<QuotaGroup> groups;  // of the process and above it, its own first; without a quota a group is not here
  // Time in which the process's own group was stopped, by a quota of its own or of any group above, seen or not; summed
  // over processors. None: the kernel does not tell (cpu.stat.local, from Linux 6.6 on).
  std::optional<int64_t> held_ns;
  int64_t processors = 0;  // that the process may run on (affinity)
  // "": it was read.
  std::string unavailable = "cpu.stat was not read: an older session, or a kind of run that does not";
};

void to_json(Json& json, const QuotaGroup& value);
void from_json(const Json& json, QuotaGroup& value);
void to_json(Json& json, const QuotaFacts& value);
void from_json(const Json& json, QuotaFacts& value);

}  // namespace aaco
