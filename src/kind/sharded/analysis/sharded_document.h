// SPDX-License-Identifier: MIT
// metrics/overlap.json of a sharded training, which `aaco overlap run --json` gives too: one type, which one function
// writes and one reads.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_value.h"
#include "kind/sharded/analysis/overlap_causes.h"
#include "kind/sharded/analysis/overlap_figures.h"
#include "kind/sharded/analysis/sharded_hang.h"
#include "kind/training/document/training_run_document.h"

namespace aaco {

// What a rank's process found out.
struct ShardedRank {
  int64_t rank = 0;
  int64_t pid = 0;
  std::string device;
  std::string library;         // of collectives; "" of one rank
  std::vector<double> losses;  // of every step, of its part of the batch
  std::optional<double> step_p50_ns;
  std::optional<double> step_mean_ns;  // their sum over their number; none: not recorded
  std::optional<double> dispatch_p50_ns;
  int64_t allocated_bytes = 0;
  int64_t peak_bytes = 0;
  bool interrupted = false;
  std::vector<int64_t> priority_range;               // of the device's streams: lowest, highest; equal: it has none
  std::map<std::string, int64_t> stream_priorities;  // that the streams have
};

// One thing that a stream did, of the step that the page shows.
struct TimelineSlice {
  int64_t rank = 0;
  std::string stream;  // "compute"
  std::string name;
  std::string work;      // "computation", "communication", "copy"
  int64_t start_ns = 0;  // from the step's begin on the first rank
  int64_t end_ns = 0;
};

// How many of a collective, of all ranks' recorded steps, the records show to have gone which way.
struct CollectivePathTaken {
  std::string collective;  // "all_gather"
  std::string path;        // "kernel", "symmetric", "copy_engine"
  int64_t count = 0;
};

struct ShardedDocument {
  static constexpr const char* kKind = "overlap_run";

  std::string version;  // of the program
  std::string created_utc;
  std::string bundle;
  JsonValue config;   // as it was read, complete
  std::string model;  // "llama"
  std::string mode;   // "fsdp", "ddp"
  std::string dispatch;
  ShardedSetting setting;
  int64_t parameters = 0;
  int64_t tokens = 0;  // of a step, all ranks
  int64_t steps = 0;
  int64_t warmup = 0;  // of these, not measured
  std::vector<TrainingGate> gates;
  std::vector<std::string> notes;
  std::vector<ShardedRank> ranks;
  std::vector<CollectivePathTaken> collective_paths;
  std::vector<double> losses;          // of the batch: the mean over ranks
  std::optional<double> tokens_per_s;  // tokens over the mean step of the slowest rank
  std::optional<OverlapFigures> figures;
  std::vector<OverlapCause> causes;
  std::vector<TimelineSlice> timeline;
  std::optional<ShardedHang> hang;  // what ended the training, where that was one
};

void to_json(Json& json, const ShardedRank& rank);
void from_json(const Json& json, ShardedRank& rank);
void to_json(Json& json, const CollectivePathTaken& taken);
void from_json(const Json& json, CollectivePathTaken& taken);
void to_json(Json& json, const TimelineSlice& slice);
void from_json(const Json& json, TimelineSlice& slice);
void to_json(Json& json, const ShardedDocument& document);
void from_json(const Json& json, ShardedDocument& document);

// Errors: kUsage naming `source` for what is no such document.
Result<ShardedDocument> read_sharded_document(const Json& json, std::string_view source);

}  // namespace aaco
