// SPDX-License-Identifier: MIT
// Weak scaling of a sharded training: the same work for each rank, on more and more of them. What ran is measured; what
// did not is predicted from the measured parts of the largest run that was recorded, and is called so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "kind/sharded/analysis/sharded_document.h"

namespace aaco {

struct RankScaling {
  int64_t ranks = 0;
  bool predicted = false;
  std::vector<std::string> sessions;  // that it was measured by, or is predicted from
  // Median step of the slowest rank: over sessions, or from all further communication hidden to all of it exposed.
  std::optional<double> step_ns;  // measured
  Interval step_between_ns;  // predicted; of a measured one its interval over three sessions or more, else twice it
  double transfer_ns = 0;    // of a step, all collectives
  std::optional<Interval> efficiency;    // step of one rank over this step; none where one rank was not measured
  std::optional<Interval> tokens_per_s;  // of all ranks, at that step: pauses between steps are not in it
};

struct WeakScaling {
  static constexpr const char* kKind = "overlap_scaling";
  std::vector<RankScaling> rows;  // by ranks
  std::string assumption;         // of the predicted rows; "": there are none
  std::string not_predicted;      // why there are none; "": there are
};

// Of runs that differ in the number of ranks alone; several of one number are runs of one thing. Predicts each of
// `ranks` that is above the largest number measured.
//
//   transfer(N) = sum of transfer(M) bus_factor(N) / bus_factor(M) over collectives: the bandwidth of the links stays
//   step(N)     is between max(step(M), transfer of the busiest communicator) and step(M) + transfer(N) - transfer(M)
//
// M is the largest number with a recorded session, the newest of which it is.
//
// Errors: kUsage where there is none, one was not measured to its end, or two differ in more than their ranks, as in
// the kind of device.
Result<WeakScaling> weak_scaling(const std::vector<ShardedDocument>& runs, const std::vector<int64_t>& ranks);

void to_json(Json& json, const WeakScaling& scaling);

}  // namespace aaco
