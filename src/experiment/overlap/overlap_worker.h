// SPDX-License-Identifier: MIT
// The roles of the processes of a sharded training, one process per rank. The plan of each is an OverlapRequest.
#pragma once

#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"

namespace aaco {

namespace role {
inline constexpr const char* kOverlapCheck = "overlap_check";      // OverlapInspection
inline constexpr const char* kOverlapMeasure = "overlap_measure";  // OverlapRank
inline constexpr const char* kOverlapRecord = "overlap_record";    // RankRecords
}  // namespace role

// What a rank finds out before anything is measured.
struct OverlapInspection {
  int64_t rank = 0;
  int64_t parameters = 0;
  int64_t tokens = 0;  // of a step, of this rank
  int64_t communicators = 0;
  std::string race;            // the first between streams; "": none
  std::string not_registered;  // why no memory is registered where that was asked for
  // Of a small model that is trained the same way: this rank's losses, and on rank 0 those of the whole batch alone.
  std::vector<double> small_losses;
  std::vector<double> small_losses_alone;
  // Where gradients are cast for the link, this rank's losses with that; small_losses are without.
  std::vector<double> small_losses_cast;
};

void to_json(Json& json, const OverlapInspection& inspection);
void from_json(const Json& json, OverlapInspection& inspection);

struct WorkerTask;
Result<Json> overlap_check_role(const WorkerTask& task);
Result<Json> overlap_measure_role(const WorkerTask& task);
Result<Json> overlap_record_role(const WorkerTask& task);

}  // namespace aaco
