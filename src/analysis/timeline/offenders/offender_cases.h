// SPDX-License-Identifier: MIT
// What offenders of a trace are gathered in.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/model_run/conclusions/rules.h"

namespace aaco {

inline constexpr size_t kLongestOffender = 60;  // characters of a name

// "rank 0 device 1"; "" where neither is known.
std::string place_text(int64_t rank, int64_t device);

// Cases by subject; of equal ones that with the largest stake, and how many there are. None without a stake, and none
// with more than its window.
class OffenderCases {
 public:
  void add(OffenderCase offender_case, const std::string& place);
  std::vector<OffenderCase> finish();

 private:
  struct OffenderGroup {
    OffenderCase largest;
    std::string place;
    size_t count = 0;
  };
  std::map<std::string, OffenderGroup> found_;
};

// Of overhead, until the caller says otherwise.
OffenderCase make_case(OffenderCause cause, std::string subject, int64_t time_ns, int64_t stake_ns, int64_t window_ns,
                       const char* basis);

}  // namespace aaco
