// SPDX-License-Identifier: MIT
// What the parent tells a worker process, and what the worker tells back: two JSON files in the run's working folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "kind/model_run/request/run_request.h"
#include "record/recording.h"

namespace aaco {

// The same for every process of a run.
struct WorkerPlan {
  std::string model;  // file
  std::string ort_library;
  std::string backend;
  std::map<std::string, std::string> provider_options;
  std::map<std::string, std::string> session_entries;
  std::vector<std::string> custom_ops;  // libraries
  int64_t intra_op_threads = 0;
  int64_t inter_op_threads = 0;
  std::optional<int64_t> batch;
  std::map<std::string, int64_t> dims;
  std::map<std::string, std::vector<int64_t>> shapes;             // --shape
  std::map<std::string, std::vector<int64_t>> registered_shapes;  // of the registry
  std::map<std::string, std::string> inputs;
  std::map<std::string, std::string> expected;
  double tolerance = 1e-3;
  std::map<std::string, int64_t> index_limits;
  std::string integer_dtype;
  std::vector<std::string> flipped_masks;  // inputs: made of ones (or zeros) they left nothing to look at
  uint64_t seed = 0;
  std::string iterations = "auto";
  int64_t warmup = 10;
  int64_t profile_iterations = 0;  // decided after inspection
  std::string calibration_model;   // of nodes that do nothing, for the profiler's cost
  int64_t calibration_nodes = 0;
  std::optional<TokenRequest> tokens;
  std::optional<LoadFacts> load;
  std::string folder;  // journals, profiles and results go here
  std::vector<std::string> command_line;
};

void to_json(Json& json, const WorkerPlan& plan);
void from_json(const Json& json, WorkerPlan& plan);

struct PortNote {
  std::string name;
  std::string dtype;
  std::vector<int64_t> dims;
  std::string values;
  std::string sha256;  // of type, dimensions and values; "" where they were not hashed
  std::string why;     // an input has these values; "given" where the user gave them
};

void to_json(Json& json, const PortNote& note);
void from_json(const Json& json, PortNote& note);

// What a worker found out.
struct WorkerResult {
  ProcessFacts facts;
  std::string runtime_version;
  std::string runtime_library;
  bool bound_on_device = false;
  int64_t intra_op_threads = 0;  // as the runtime made them; 0 when it cannot be told
  int64_t batch = 1;
  std::vector<PortNote> inputs;
  std::vector<PortNote> outputs;
  bool outputs_finite = true;
  std::vector<std::string> nonfinite_outputs;  // names
  std::vector<std::string> nonfinite_counts;   // of each: "12 of 64 elements are NaN"
  std::vector<std::string> suspects;           // made inputs without which the outputs are finite
  std::vector<std::string> flipped_masks;      // made masks without whose change they are not finite
  std::optional<bool> denormal_operands;       // an inference computed with a denormal number; none: cannot be told
  std::optional<double> as_zero_p50_ns;        // median latency with denormal numbers as zero
  int64_t as_zero_iterations = 0;
  bool allocates_outputs = false;       // they are not of the shapes that the model declares
  std::vector<std::string> mismatches;  // outputs that differ from what --expect says
  std::string profile_file;
  int64_t profile_zero_ns = 0;         // session time
  int64_t profile_clock_error_ns = 0;  // that profile_zero_ns may be off by
  std::string device_journal;          // what the device did meanwhile; "": not recorded
  std::string device_journal_missing;  // then why
  int64_t profile_skip_runs = 0;
  int64_t iterations = 0;  // steady ones
  std::optional<ProfilerCost> profiler_cost;
  std::optional<Roofs> device_roofs;
  bool interrupted = false;
};

void to_json(Json& json, const WorkerResult& result);
void from_json(const Json& json, WorkerResult& result);

// Roles of a worker process.
namespace role {
inline constexpr const char* kInspect =
    "inspect";  // loads, runs a few times under the profiler, tells what the model is
inline constexpr const char* kMeasure = "measure";
inline constexpr const char* kProfile = "profile";
inline constexpr const char* kAsZero = "as_zero";  // a short measurement in which denormal numbers count as zero
inline constexpr const char* kRoofs = "roofs";     // how fast the run's GPU goes at best
}  // namespace role

std::filesystem::path optimized_model_path(const std::filesystem::path& folder);

// What a process of each role does; the result is a WorkerResult.
struct WorkerTask;
Result<Json> inspect_role(const WorkerTask& task);
Result<Json> measure_role(const WorkerTask& task);
Result<Json> profile_role(const WorkerTask& task);
Result<Json> as_zero_role(const WorkerTask& task);
Result<Json> roofs_role(const WorkerTask& task);

}  // namespace aaco
