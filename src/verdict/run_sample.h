// SPDX-License-Identifier: MIT
// What a comparison needs of one run, and no more: made from a recording with its analysis, or read from a baseline
// file years after the session is gone. Times are nanoseconds of session time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/model_run/results.h"
#include "base/json/json_value.h"
#include "record/recording.h"
#include "record/session_status.h"
#include "verdict/change/process_sample.h"
#include "verdict/identity/work_facts.h"

namespace aaco {

// The highest floor of the measured roofs: what limits a node.
enum class NodeLimit : uint8_t { kUnknown, kCompute, kMemory, kOverhead };
template <>
inline constexpr EnumWords<NodeLimit, 4> kWordsOf<NodeLimit>{{"", "compute", "memory", "overhead"}};

// An executed node of the graph, from the profiled processes.
struct NodeSample {
  std::string name;
  std::string op_type;
  std::string shapes;             // of the inputs; "" where unknown
  double executions = 0;          // kernel executions per inference
  std::optional<double> time_ns;  // per execution, the profiler's cost taken off; none when not resolved
  // Half-width of the bound on time_ns, besides RunSample::profiler_bound_ns and the spread of process_ns; without a
  // time, it lies under the sum of bound_ns and profiler_bound_ns.
  double bound_ns = 0;
  NodeLimit limit = NodeLimit::kUnknown;
  // Raw time per inference in each profiled process. Old baselines lack it: their bound_ns contains the spread.
  std::vector<double> process_ns;
};

// Two runs measure the same thing when these are equal; configuration_differences() in compare.h says which of them
// count where others tell more.
struct SampleConfiguration {
  std::string model_name;
  std::string model_sha256;
  std::string backend;
  std::string provider;
  int64_t batch = 0;
  std::map<std::string, int64_t> dims;
  std::map<std::string, std::vector<int64_t>> input_shapes;  // empty: not recorded
  std::string precision;
  int64_t intra_op_threads = 0;
  int64_t inter_op_threads = 0;
  int64_t prompt_tokens = 0;
  int64_t generated_tokens = 0;
  WorkFacts work;  // of a run of a model; a group that is absent was not recorded
};

struct RunSample {
  std::string session_id;
  std::string created_utc;                         // when it was measured
  SessionStatus status = SessionStatus::kUnknown;  // of the session: only kComplete is compared
  std::string status_reason;
  SampleConfiguration configuration;
  std::string phase;                       // whose latencies these are: "measure", else "decode" or "prefill"
  std::vector<double> process_medians_ns;  // in the order of the processes
  std::vector<ProcessSample> processes;    // in the same order; empty: not recorded, as in old baselines
  int64_t stationary_processes = 0;        // whose warm-up met its test
  int64_t iterations = 0;                  // of that phase, all processes
  bool outputs_finite = true;
  std::string interleave_group;  // equal and not empty: process i of both sides ran as a pair
  std::vector<NodeSample> nodes;
  double profiler_bound_ns = 0;      // miscalibration of the profiler's cost, per execution: the same in every node
  std::string nodes_unavailable;     // why there are none
  std::optional<double> exposed_ns;  // time per inference in which no node ran
  std::optional<double> exposed_bound_ns;   // half-width, the latency's own included; old baselines lack it
  std::optional<double> cpu_frequency_mhz;  // mean while measuring; none where processors were idle
  std::optional<double> run_delay_ns;       // per inference, all threads: runnable, not running
  std::optional<double> quota_stopped_ns;   // per inference: stopped by a CPU quota; old baselines lack it
  std::optional<double> off_cpu_ns;         // per inference, measuring thread: neither running nor runnable
  std::optional<double> others_share;  // the most of any process: of the machine's processors, busy with other programs
  std::optional<double> throttled_share;  // of samples in which a clock was held down, of the device with the most
  std::string throttled_words;            // which, and by what; empty where no clock was held down for long
  BottleneckClass bottleneck_class = BottleneckClass::kUnknown;
  DeviceKind device_kind = DeviceKind::kUnknown;
  JsonValue environment;  // the lockbox
};

// Where the recording lies and how it ended.
struct SampleOrigin {
  std::string session_id;
  std::string created_utc;
  SessionStatus status = SessionStatus::kUnknown;
  std::string status_reason;
};

// Pure. A run without a measured phase gives a sample without process medians, which compare() calls invalid.
RunSample make_run_sample(const Recording& recording, const Analysis& analysis, const Json& environment,
                          const SampleOrigin& origin);

void to_json(Json& json, const NodeSample& value);
void from_json(const Json& json, NodeSample& value);
void to_json(Json& json, const SampleConfiguration& value);
void from_json(const Json& json, SampleConfiguration& value);
void to_json(Json& json, const RunSample& value);
void from_json(const Json& json, RunSample& value);

// As from_json, with the errors of a hostile file as values: kUsage naming `source` for a missing member, a wrong type,
// or a number that no run can give (a negative count, a bound that is not finite).
Result<RunSample> parse_run_sample(const Json& json, const std::string& source);

}  // namespace aaco
