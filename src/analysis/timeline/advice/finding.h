// SPDX-License-Identifier: MIT
// What an expert would say about a trace: a pattern that it shows, the figures that show it, and what to do.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "record/events/event_table.h"

namespace aaco {

struct FindingFigure {
  std::string name;
  double value = 0;
  std::string unit;  // "ns", "B", "FLOP", "1"
};

// What the general causes of a trace's offenders need not say again.
struct ExplainedTime {
  int64_t late_ns = 0;                       // idle of the device while the host launched nothing; no two have the same
  int64_t late_in_calls_ns = 0;              // likewise; other findings, but not of calls, may have the same
  int64_t late_in_decode_ns = 0;             // likewise; any other finding may have the same
  int64_t waiting_ns = 0;                    // idle of the device while the host waited for it
  int64_t exposed_copy_ns = 0;               // of its budget
  int64_t exposed_communication_ns = 0;      // of its budget
  std::map<StringId, int64_t> operators_ns;  // device time by operator
};

// Of one rank of a recording, or of one of its devices.
struct TraceFinding {
  std::string pattern;  // id: "input-preparation"
  uint32_t recording = 0;
  int64_t rank = kNoId;
  int64_t device = kNoId;
  std::string subject;                 // equal ones of several devices are one offender
  std::vector<FindingFigure> figures;  // measured, or worked out of what was
  std::vector<std::string> where;      // ranges, operators, kernels; the most costly first
  std::string evidence;                // the same in words
  int64_t window_ns = 0;
  int64_t cost_ns = 0;
  double saves_ns = 0;  // at most
  std::string basis;    // of that
  std::string bound;    // what limits it: "memory", "compute", "overhead"
  std::string remedy;
  std::string source;  // where the advice is from
  ExplainedTime explains;
};

}  // namespace aaco
