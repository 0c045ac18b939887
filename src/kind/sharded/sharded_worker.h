// SPDX-License-Identifier: MIT
// The roles of the processes of a sharded training, one process per rank. The plan of each is a ShardedRequest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "kind/sharded/own_size_gate.h"

namespace aaco {

namespace role {
inline constexpr const char* kShardedCheck = "overlap_check";      // ShardedInspection
inline constexpr const char* kShardedMeasure = "overlap_measure";  // ShardedRank
inline constexpr const char* kShardedRecord = "overlap_record";    // RankRecords
}  // namespace role

// What a rank finds out before anything is measured.
struct ShardedInspection {
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
  std::optional<std::vector<std::string>> small_kernels;  // that the device executed for these
  std::optional<OwnSizeResult> own_size;                  // where gates were asked for
  std::string kernels_unavailable;                        // why it is not known which kernels they executed
};

void to_json(Json& json, const ShardedInspection& inspection);
void from_json(const Json& json, ShardedInspection& inspection);

struct WorkerTask;
Result<Json> sharded_check_role(const WorkerTask& task);
Result<Json> sharded_measure_role(const WorkerTask& task);
Result<Json> sharded_record_role(const WorkerTask& task);

}  // namespace aaco
