// SPDX-License-Identifier: MIT
// What `aaco overlap copy` found: of each direction the four variants' times, what overlapping saved, and what the
// device's records say of the copies.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/statistics.h"
#include "experiment/copy_overlap/copy_programs.h"

namespace aaco {

// One process's medians over rounds, by CopyVariant.
using CopyTimes = std::array<double, kCopyVariants>;

// From the device's records of overlapped rounds.
struct CopyRecords {
  int64_t rounds = 0;
  int64_t copies = 0;       // records of copies of exactly the size that was asked for
  int64_t other_bytes = 0;  // of copies of another size
  double copy_ns = 0;       // of one copy, median
  double hidden = 0;        // of the copies' time, the share beside products
  std::string engine;       // "unknown: ..." where the records do not tell
};

void to_json(Json& json, const CopyRecords& records);
void from_json(const Json& json, CopyRecords& records);

struct CopyFigures {
  CopyDirection direction = CopyDirection::kDeviceToHost;
  std::vector<CopyTimes> processes;
  std::array<std::optional<Estimate>, kCopyVariants> times_ns;
  // Serial less overlapped, mean over processes, with Student's interval (95 %) of three or more.
  std::optional<Estimate> saved_ns;
  std::optional<double> saved_share;  // of the serial time
  std::optional<double> ideal_ns;     // the longer of products and copy, each alone
  std::optional<double> ideal_share;  // saved / (serial - ideal): of what could be saved, how much was
  // What could not be: more saved than the shorter of both takes, its interval considered. "": nothing.
  std::string implausible;
  std::optional<CopyRecords> records;
};

struct CopyDocument {
  CopyRequest request;
  std::string device_name;
  std::vector<CopyFigures> directions;
};

// Of the processes' medians: everything but records.
CopyFigures copy_figures(CopyDirection direction, std::vector<CopyTimes> processes);

Json copy_json(const CopyDocument& document);
std::string copy_text(const CopyDocument& document);

}  // namespace aaco
