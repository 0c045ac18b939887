// SPDX-License-Identifier: MIT
// What a model run recorded, in memory: the input of every analysis. The experiment fills it while the run closes; the
// session reader rebuilds the same from the bundle.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/text/enum_words.h"
#include "record/collected_rows.h"
#include "record/plane_state.h"
#include "record/rows.h"

namespace aaco {

// Roofs that were measured on this machine (aaco doctor --measure), never data-sheet figures.
struct Roofs {
  std::map<std::string, double>
      flops_per_s;                    // by precision: "fp32", "fp64", "fp16", "bf16", "int8"; at `threads` threads
  std::optional<double> bytes_per_s;  // memory triad, out of cache, at `threads` threads
  std::optional<double> launch_ns;    // cost of the smallest dispatch of this backend
  std::string device;                 // what they were measured on
  int64_t threads = 0;
  std::string measured_at;                          // ISO 8601
  std::map<std::string, std::string> instructions;  // by precision, and "memory": what reached the roof
  std::map<std::string, std::string> unavailable;   // by precision, "memory" and "launch": why there is none
};

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

// How the CPU quota of control groups held a process up.
struct QuotaFacts {
  std::vector<QuotaGroup> groups;  // of the process and above it, its own first; without a quota a group is not here
  // Time in which the process's own group was stopped, by a quota of its own or of any group above, seen or not; summed
  // over processors. None: the kernel does not tell (cpu.stat.local, from Linux 6.6 on).
  std::optional<int64_t> held_ns;
  int64_t processors = 0;  // that the process may run on (affinity)
  // "": it was read.
  std::string unavailable = "cpu.stat was not read: an older session, or a kind of run that does not";
};

// What a process of the run is for. Latencies are those of measuring processes; node times, those of profiled ones.
enum class ProcessRole : uint8_t { kUnknown, kMeasure, kProfile, kInspect, kAsZero };
template <>
inline constexpr EnumWords<ProcessRole, 5> kWordsOf<ProcessRole>{{"", "measure", "profile", "inspect", "as_zero"}};

// One process of the run.
struct ProcessFacts {
  int64_t process = 0;
  ProcessRole role = ProcessRole::kUnknown;
  int64_t pid = 0;
  double load_ms = 0;       // model load, session creation included
  double first_run_ms = 0;  // the first inference
  int64_t warmup_iterations = 0;
  bool stationary = false;       // the warm-up's test was met before its limit
  int64_t t_start_ns = 0;        // first inference of the steady phase
  int64_t t_end_ns = 0;          // end of the last
  double harness_ns = 0;         // median time between the end of an iteration and the start of the next
  int64_t run_delay_ns = 0;      // steady phase: all threads runnable but not running (schedstat)
  bool run_delay_known = false;  // else run_delay_ns, cpu_time_ns and off_cpu_ns are no figures
  int64_t cpu_time_ns = 0;       // steady phase: processor time of all threads
  int64_t off_cpu_ns = 0;        // steady phase: the measuring thread neither running nor runnable
  // Steady phase, under load: the measuring thread asleep until a request was due, no part of off_cpu_ns. None without
  // a load, and in older sessions.
  std::optional<int64_t> awaited_ns;
  int64_t involuntary_switches = 0;
  int64_t voluntary_switches = 0;
  std::optional<double> others_share;  // steady phase: of all the machine's processors, busy with other programs
  QuotaFacts quota;                    // steady phase
};

// The profiler's own cost, calibrated on nodes that do nothing, in the profiled processes; and what it dropped.
struct ProfilerCost {
  double per_node_ns = 0;        // median cost that a node's recorded duration contains
  double bound_ns = 0;           // half-width: 95 % of calibrated nodes lie within per_node_ns plus or minus this
  double resolution_ns = 0;      // of the profiler's clock (1000 for ONNX Runtime: whole microseconds)
  int64_t events_lost = 0;       // at least, in all processes; the inferences that they are of were left out
  bool event_limit_hit = false;  // a process's profile holds fewer inferences than it ran
  int64_t iterations = 0;        // profiled iterations a process
  // Unprofiled latency of the calibration graph over its nodes: the smallest dispatch.
  std::optional<double> dispatch_ns = std::nullopt;
};

// Denormal numbers (too small for a full mantissa), with which many processors compute ten to a hundred times slower.
struct DenormalFacts {
  int64_t weights = 0;               // denormal elements of the file's floating-point initialisers
  int64_t weights_read = 0;          // elements that were looked at
  std::vector<std::string> tensors;  // initialisers that hold any, most first: "w: 4096 of 4096 (100 %)"
  bool operands = false;             // an inference computed with a denormal number, as the processor's flag tells
  // Median of one more process, in which they count as zero; none where it was not measured, and then why.
  std::optional<double> as_zero_p50_ns = std::nullopt;
  int64_t as_zero_iterations = 0;
  std::string as_zero_missing;
};

enum class DeviceKind : uint8_t { kUnknown, kCpu, kGpu };
template <>
inline constexpr EnumWords<DeviceKind, 3> kWordsOf<DeviceKind>{{"", "cpu", "gpu"}};

struct RunFacts {
  std::string model_name;
  std::string model_path;
  std::string model_sha256;
  std::string backend;
  std::string provider;
  DeviceKind device_kind = DeviceKind::kUnknown;
  int64_t batch = 1;
  std::map<std::string, int64_t> dims;
  std::map<std::string, std::vector<int64_t>> input_shapes;  // as the model was fed; empty: not recorded
  std::string precision_requested;                           // "fp32", ..., or "" for as the model is
  std::string precision_executed;                            // of the arithmetic: "fp32", "fp16", "tf32 allowed", ...
  int64_t intra_op_threads = 0;
  int64_t inter_op_threads = 0;
  int64_t processors = 0;  // that the run may use (affinity and cgroup)
  int64_t processes = 0;
  int64_t warmup_minimum = 0;
  std::string iterations;  // a number or "auto"
  int64_t seed = 0;
  int64_t prompt_tokens = 0;  // 0: no LLM plane
  int64_t generated_tokens = 0;
  int64_t nodes_original = 0;   // without constants and initialisers, function bodies not expanded
  int64_t nodes_optimized = 0;  // as the runtime executes; 0 when unknown
  std::map<std::string, int64_t> nodes_by_provider;
  bool outputs_finite = true;
  std::vector<std::string> nonfinite_outputs;  // "y (12 of 64 elements are NaN)"
  std::vector<std::string> made_suspects;      // inputs that aaco made and that may be the reason: "mask (ones)"
  std::optional<DenormalFacts> denormals;      // none: no inference computed with one, or it was not looked for
  std::string
      interleave_group;  // shared by sessions of which process i ran as a pair (ABBA); empty for a run of its own
  std::string runtime_version;
  std::vector<ProcessFacts> process_facts;
  std::optional<ProfilerCost> profiler_cost;
  std::optional<Roofs> roofs;
  std::string roofs_unavailable;   // why there are none
  double microkernel_ns = 10'000;  // a dispatch shorter than this is a microkernel
  std::optional<double>
      batch_exponent;  // of latency over batch (analysis/model_run/scaling.h): of a point of a sweep, once it is known
};

struct Recording {
  RunFacts facts;
  std::map<std::string, PlaneState> planes;
  std::vector<IterationRow> iterations;
  std::vector<KernelRow> kernels;
  std::vector<GraphNodeRow> nodes;
  std::vector<GraphEdgeRow> edges;
  CollectedRows collected;  // by collectors, while it ran
};

void to_json(Json& json, const QuotaGroup& value);
void from_json(const Json& json, QuotaGroup& value);
void to_json(Json& json, const QuotaFacts& value);
void from_json(const Json& json, QuotaFacts& value);
void to_json(Json& json, const ProcessFacts& value);
void from_json(const Json& json, ProcessFacts& value);
void to_json(Json& json, const ProfilerCost& value);
void from_json(const Json& json, ProfilerCost& value);
void to_json(Json& json, const DenormalFacts& facts);
void from_json(const Json& json, DenormalFacts& facts);
void to_json(Json& json, const RunFacts& facts);
void from_json(const Json& json, RunFacts& facts);
void to_json(Json& json, const Roofs& roofs);
void from_json(const Json& json, Roofs& roofs);

}  // namespace aaco
