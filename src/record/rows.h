// SPDX-License-Identifier: MIT
// The rows of a session: what was recorded and what was derived per node. The column lists here are the schema of the
// bundle's Parquet files; docs/data_schema.md is printed from them. Times are session time (CLOCK_MONOTONIC, ns).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "record/table.h"

namespace aaco {

// Phases of the iterations. "warmup" and "measure" are unprofiled; "profile" iterations ran under a profiler and never
// enter latency figures; "prefill" and "decode" belong to the LLM plane; a "dispatch" is only the host's enqueueing of
// an iteration that nothing waited for.
enum class IterationPhase : uint8_t { kUnknown, kWarmup, kMeasure, kProfile, kPrefill, kDecode, kDispatch };
template <>
inline constexpr EnumWords<IterationPhase, 7> kWordsOf<IterationPhase>{
    {"", "warmup", "measure", "profile", "prefill", "decode", "dispatch"}};

// One inference.
struct IterationRow {
  int64_t process = 0;
  int64_t iter_idx = 0;
  IterationPhase phase = IterationPhase::kUnknown;
  int64_t t_start_ns = 0;
  int64_t t_end_ns = 0;
  double latency_ms = 0;
  std::optional<int64_t> token_idx;
};

template <>
struct RowSchema<IterationRow> {
  static constexpr const char* kName = "inference_iters";
  static constexpr const char* kMeaning = "one row per inference, warm-up and profiled ones included";
  template <class R = IterationRow>
  static auto columns() {
    return std::tuple{
        row_column("process", &R::process, "1", "index of the process that ran it"),
        row_column("iter_idx", &R::iter_idx, "1", "index within the process, from 0, over all phases"),
        row_column("phase", &R::phase, "", "warmup, measure, profile, prefill, decode or dispatch"),
        row_column("t_start_ns", &R::t_start_ns, "ns", "start, session time"),
        row_column("t_end_ns", &R::t_end_ns, "ns", "end, outputs synchronised, session time"),
        row_column("latency_ms", &R::latency_ms, "ms", "end minus start"),
        row_column("token_idx", &R::token_idx, "1", "decode: index of the generated token; null elsewhere")};
  }
};

// Who executed a kernel, and what of it was recorded: on a device, or the host's own computing, enqueueing, calls that
// start work of a device, and calls that wait for it.
enum class NodeActivity : uint8_t {
  kUnknown,
  kHostKernel,
  kHostEnqueue,
  kDeviceKernel,
  kDeviceCopy,
  kDeviceMemset,
  kHostLaunch,
  kHostWait,
};
template <>
inline constexpr EnumWords<NodeActivity, 8> kWordsOf<NodeActivity>{
    {"", "host_kernel", "host_enqueue", "device_kernel", "device_copy", "device_memset", "host_launch", "host_wait"}};

// How a row of a device's runtime came to its node: by the call that launched it, which lies within the node's time on
// one thread. Else why it has none: a guess is no link.
enum class KernelLink : uint8_t {
  kUnknown,
  kCorrelation,
  kNoLaunch,
  kManyLaunches,
  kOutside,
  kBorder,
};
template <>
inline constexpr EnumWords<KernelLink, 6> kWordsOf<KernelLink>{
    {"", "correlation", "no launch call", "several launch calls", "outside every node", "at a node's border"}};

// One execution of a kernel: on a CPU provider an operator kernel, on a GPU a dispatch, or the host's enqueueing of a
// node.
struct KernelRow {
  int64_t process = 0;
  int64_t iter_idx = 0;
  NodeActivity activity = NodeActivity::kUnknown;
  std::string kernel_name;
  std::string node_name;
  std::string op_type;
  std::string provider;
  int64_t t_start_ns = 0;
  int64_t t_end_ns = 0;
  int64_t dur_ns = 0;
  int64_t thread_id = 0;
  std::optional<int64_t> queue_id;
  std::string input_shapes;
  std::string output_shapes;
  std::optional<int64_t> device = std::nullopt;
  std::optional<int64_t> stream = std::nullopt;
  std::optional<int64_t> correlation = std::nullopt;
  std::optional<KernelLink> link = std::nullopt;  // none: the profiler of the host wrote the row, with its node
  std::optional<int64_t> blocks = std::nullopt;
  std::optional<int64_t> block_threads = std::nullopt;
  std::optional<int64_t> bytes = std::nullopt;
};

template <>
struct RowSchema<KernelRow> {
  static constexpr const char* kName = "kernels";
  static constexpr const char* kMeaning = "one row per kernel execution in the profiled processes";
  template <class R = KernelRow>
  static auto columns() {
    return std::tuple{
        row_column("process", &R::process, "1", "index of the profiled process"),
        row_column("iter_idx", &R::iter_idx, "1", "profiled iteration it belongs to"),
        row_column(
            "activity", &R::activity, "",
            "host_kernel (CPU provider), host_enqueue (never device time), device_kernel, device_copy, device_memset; "
            "host_launch and host_wait (calls of the device's runtime)"),
        row_column("kernel_name", &R::kernel_name, "", "kernel or call; of the host's own rows provider:op_type"),
        row_column("node_name", &R::node_name, "", "executed graph node"),
        row_column("op_type", &R::op_type, "", "operator of the node"),
        row_column("provider", &R::provider, "", "execution provider that took the node"),
        row_column("t_start_ns", &R::t_start_ns, "ns", "start, session time"),
        row_column("t_end_ns", &R::t_end_ns, "ns", "end, session time"),
        row_column(
            "dur_ns", &R::dur_ns, "ns",
            "duration as the profiler gave it, its own cost included; of If, Loop and Scan less the body's nodes"),
        row_column("thread_id", &R::thread_id, "1", "host thread"),
        row_column("queue_id", &R::queue_id, "1", "hardware queue, where known"),
        row_column("input_shapes", &R::input_shapes, "", "shapes of the inputs, as [1,3,224,224];[64,3,7,7]"),
        row_column("output_shapes", &R::output_shapes, "", "shapes of the outputs"),
        row_column("device", &R::device, "1", "index of the device; null where the host ran it, or it is not told"),
        row_column("stream", &R::stream, "1", "stream, as its runtime numbers it"),
        row_column("correlation", &R::correlation, "1",
                   "the same on the host's call and what it started on a device; null where it is not told"),
        row_column(
            "link", &R::link, "",
            "of rows of the device's runtime, how the node is known: correlation (of the launching call, which "
            "lies within the node's time on its thread); else why it is not: no launch call, several launch "
            "calls, outside every node, at a node's border (the profiler's clock tells microseconds); null in the "
            "host's own rows, which name their nodes"),
        row_column("blocks", &R::blocks, "1", "of the launch, where the device's runtime tells"),
        row_column("block_threads", &R::block_threads, "1", "threads of a block, likewise"),
        row_column("bytes", &R::bytes, "bytes", "of a copy or memset")};
  }
};

// One sample of the host. Deltas are since the previous sample; null where this machine does not tell.
struct SystemRow {
  int64_t t_ns = 0;
  int64_t interval_ns = 0;
  std::optional<int64_t> pid;
  std::optional<double> cpu_pct;
  std::optional<double> process_cpu_pct;
  std::optional<int64_t> process_rss_bytes;
  std::optional<int64_t> memory_available_bytes;
  std::optional<double> cpu_frequency_mhz;
  std::optional<int64_t> context_switches;
  std::optional<int64_t> process_voluntary_switches;
  std::optional<int64_t> process_involuntary_switches;
  std::optional<int64_t> process_minor_faults;
  std::optional<int64_t> process_major_faults;
  std::optional<int64_t> process_run_delay_ns;
  std::optional<int64_t> process_threads;
  std::optional<int64_t> runnable_tasks;
  std::optional<double> load_1m;
  std::optional<double> psi_cpu_some_pct;
  std::optional<double> psi_memory_some_pct;
  std::optional<double> psi_io_some_pct;
  std::optional<double> cpu_frequency_max_mhz;
  std::optional<int64_t> cpu_throttles;
  std::optional<double> package_energy_j;
  std::optional<double> package_temperature_c;
  std::optional<int64_t> read_ns;
};

template <>
struct RowSchema<SystemRow> {
  static constexpr const char* kName = "system_events";
  static constexpr const char* kMeaning = "host telemetry, one row per sample";
  template <class R = SystemRow>
  static auto columns() {
    return std::tuple{
        row_column("t_ns", &R::t_ns, "ns", "time of the sample, session time"),
        row_column("interval_ns", &R::interval_ns, "ns",
                   "time since the previous sample, over which deltas and percentages hold"),
        row_column("pid", &R::pid, "1", "measured process at that time; null between processes"),
        row_column("cpu_pct", &R::cpu_pct, "%", "busy time of all processors, 100 = all busy"),
        row_column("process_cpu_pct", &R::process_cpu_pct, "%",
                   "processor time of the measured process, 100 = one processor"),
        row_column("process_rss_bytes", &R::process_rss_bytes, "bytes", "resident memory of the measured process"),
        row_column("memory_available_bytes", &R::memory_available_bytes, "bytes", "MemAvailable of the machine"),
        row_column("cpu_frequency_mhz", &R::cpu_frequency_mhz, "MHz",
                   "mean frequency of the allowed processors; null where the kernel does not expose it"),
        row_column("context_switches", &R::context_switches, "1", "context switches of the whole machine"),
        row_column("process_voluntary_switches", &R::process_voluntary_switches, "1",
                   "voluntary switches of the process, all threads"),
        row_column("process_involuntary_switches", &R::process_involuntary_switches, "1",
                   "involuntary switches of the process, all threads"),
        row_column("process_minor_faults", &R::process_minor_faults, "1", "minor page faults of the process"),
        row_column("process_major_faults", &R::process_major_faults, "1", "major page faults of the process"),
        row_column("process_run_delay_ns", &R::process_run_delay_ns, "ns",
                   "time that the process's threads were runnable but not running"),
        row_column("process_threads", &R::process_threads, "1", "threads of the process"),
        row_column("runnable_tasks", &R::runnable_tasks, "1",
                   "tasks runnable or running on the machine (procs_running)"),
        row_column("load_1m", &R::load_1m, "1", "load average over one minute"),
        row_column("psi_cpu_some_pct", &R::psi_cpu_some_pct, "%",
                   "share of time in which some task waited for a processor"),
        row_column("psi_memory_some_pct", &R::psi_memory_some_pct, "%",
                   "share of time in which some task waited for memory"),
        row_column("psi_io_some_pct", &R::psi_io_some_pct, "%", "share of time in which some task waited for I/O"),
        row_column("cpu_frequency_max_mhz", &R::cpu_frequency_max_mhz, "MHz",
                   "mean of the highest frequency that the governor may set on the allowed processors"),
        row_column("cpu_throttles", &R::cpu_throttles, "1",
                   "times that heat lowered the clock of an allowed core or of a package, since the previous sample"),
        row_column("package_energy_j", &R::package_energy_j, "J",
                   "energy of the processor packages since sampling began (RAPL)"),
        row_column("package_temperature_c", &R::package_temperature_c, "C", "hottest package of the processors"),
        row_column("read_ns", &R::read_ns, "ns", "how long reading this row took, from t_ns on")};
  }
};

// The model as its file has it, or as the runtime executes it.
enum class GraphForm : uint8_t { kUnknown, kOriginal, kOptimized };
template <>
inline constexpr EnumWords<GraphForm, 3> kWordsOf<GraphForm>{{"", "original", "optimized"}};

// One node of the model's graph.
struct GraphNodeRow {
  int64_t node_id = 0;
  GraphForm graph = GraphForm::kUnknown;
  std::string scope;  // path of the enclosing control-flow nodes, "" at the top
  std::string name;
  std::string op_type;
  std::string domain;
  std::string inputs;   // JSON array of tensor names
  std::string outputs;  // JSON array of tensor names
  std::string input_shapes;
  std::string output_shapes;
  std::string dtype;  // element type of the first output, "" when unknown
  int64_t executes = 1;
  std::optional<double> executions;
  std::optional<double> flops;
  std::optional<double> bytes;
};

template <>
struct RowSchema<GraphNodeRow> {
  static constexpr const char* kName = "graph_nodes";
  static constexpr const char* kMeaning = "nodes of the model's graph";
  template <class R = GraphNodeRow>
  static auto columns() {
    return std::tuple{
        row_column("node_id", &R::node_id, "1", "index, unique within graph"),
        row_column("graph", &R::graph, "", "original (the file) or optimized (what the runtime executes)"),
        row_column("scope", &R::scope, "", "enclosing control-flow nodes, / between them; empty at the top"),
        row_column("name", &R::name, "", "node name"),
        row_column("op_type", &R::op_type, "", "operator"),
        row_column("domain", &R::domain, "", "operator domain, empty for ai.onnx"),
        row_column("inputs", &R::inputs, "", "tensor names, a JSON array"),
        row_column("outputs", &R::outputs, "", "tensor names, a JSON array"),
        row_column("input_shapes", &R::input_shapes, "", "[1,3,224,224];[64,3,7,7]; ? for unknown"),
        row_column("output_shapes", &R::output_shapes, "", "as input_shapes"),
        row_column("dtype", &R::dtype, "", "element type of the first output"),
        row_column("executes", &R::executes, "1", "0 for constants, which no inference executes; else 1"),
        row_column(
            "executions", &R::executions, "1",
            "per inference: 1 at the top, in a body of If, Loop or Scan as often as the profile shows or the file "
            "fixes; null where neither tells"),
        row_column("flops", &R::flops, "FLOP", "per execution; null where no formula or no shape is known"),
        row_column("bytes", &R::bytes, "bytes",
                   "compulsory traffic per execution: every input read once, every output written once; null where a "
                   "shape is unknown")};
  }
};

// One tensor between two nodes.
struct GraphEdgeRow {
  GraphForm graph = GraphForm::kUnknown;
  int64_t src_node_id = 0;
  int64_t dst_node_id = 0;
  std::string tensor_name;
  std::string tensor_shape;
  std::string tensor_dtype;
};

template <>
struct RowSchema<GraphEdgeRow> {
  static constexpr const char* kName = "graph_edges";
  static constexpr const char* kMeaning = "tensors between nodes";
  template <class R = GraphEdgeRow>
  static auto columns() {
    return std::tuple{row_column("graph", &R::graph, "", "original or optimized"),
                      row_column("src_node_id", &R::src_node_id, "1", "producer"),
                      row_column("dst_node_id", &R::dst_node_id, "1", "consumer"),
                      row_column("tensor_name", &R::tensor_name, "", "tensor"),
                      row_column("tensor_shape", &R::tensor_shape, "", "[1,64,56,56]; ? where unknown"),
                      row_column("tensor_dtype", &R::tensor_dtype, "", "element type; empty where unknown")};
  }
};

// What is known of a time per inference that has a bound.
enum class TimeQuality : uint8_t {
  kUnknown,
  kResolved,
  kBelowResolution,    // the profiler's own cost and resolution reach the time, whatever else is known
  kProcessesDisagree,  // above resolution, but the interval over the profiled processes reaches it: more would tell
  kEncloses,  // If, Loop, Scan: the profiler's work between the body's nodes is in the duration and is not calibrated
};
template <>
inline constexpr EnumWords<TimeQuality, 5> kWordsOf<TimeQuality>{
    {"", "resolved", "below resolution", "processes disagree", "encloses other nodes"}};

// True for operators whose duration spans that of the nodes in their bodies.
inline bool is_control_flow(std::string_view op_type) {
  return op_type == "If" || op_type == "Loop" || op_type == "Scan";
}

// How an executed kernel was tied to a node of the model.
struct OpKernelRow {
  int64_t node_id = 0;  // in the optimized graph; -1 where the kernel matches no node
  std::string node_name;
  std::string op_type;
  std::string kernel_name;
  std::string method;  // "exact", "fused", "unmatched", "not linked"
  double executions_per_inference = 0;
  double raw_ns = 0;
  std::optional<double> time_ns;
  double bound_ns = 0;
  TimeQuality quality = TimeQuality::kUnknown;
  std::optional<double> flops;
  std::optional<double> bytes;
  std::vector<double> process_ns;  // raw time per inference in each profiled process; not in the table
};

template <>
struct RowSchema<OpKernelRow> {
  static constexpr const char* kName = "op_to_kernel_map";
  static constexpr const char* kMeaning = "kernels of each executed node, with time per inference";
  template <class R = OpKernelRow>
  static auto columns() {
    return std::tuple{
        row_column("node_id", &R::node_id, "1", "node of the optimized graph; -1 where none matches"),
        row_column("node_name", &R::node_name, "", "executed node"),
        row_column("op_type", &R::op_type, "", "operator"),
        row_column("kernel_name", &R::kernel_name, "", "kernel"),
        row_column(
            "method", &R::method, "",
            "how the link was made: exact (the profiler named the node), fused (a node the runtime made), unmatched "
            "(no node of that name, or several), not linked (a kernel of a device whose node is not known)"),
        row_column("executions_per_inference", &R::executions_per_inference, "1", "mean over profiled inferences"),
        row_column("raw_ns", &R::raw_ns, "ns",
                   "time per inference as the profiler gave it: median over inferences and processes"),
        row_column("time_ns", &R::time_ns, "ns",
                   "raw time less the profiler's calibrated cost; null where quality is not resolved"),
        row_column("bound_ns", &R::bound_ns, "ns",
                   "the true time lies within time_ns plus or minus this; where that is null, under it"),
        row_column("quality", &R::quality, "",
                   "resolved; below resolution (of the profiler); processes disagree (by more than the time); encloses "
                   "other nodes (If, Loop, Scan: the time is its own and what the profiler added)"),
        row_column("flops", &R::flops, "FLOP", "per inference; null where no formula or no shape is known"),
        row_column("bytes", &R::bytes, "bytes", "compulsory traffic per inference")};
  }
};

// Kernels of one kind taken together.
struct KernelGroupRow {
  std::string group_name;
  int64_t nodes = 0;
  double executions_per_inference = 0;
  std::optional<double> time_ns;
  double bound_ns = 0;
  TimeQuality quality = TimeQuality::kUnknown;
  std::optional<double> share;
  double microkernel_fraction = 0;
  std::optional<double> flops;
  std::optional<double> bytes;
};

template <>
struct RowSchema<KernelGroupRow> {
  static constexpr const char* kName = "kernel_groups";
  static constexpr const char* kMeaning = "kernels grouped by provider and operator";
  template <class R = KernelGroupRow>
  static auto columns() {
    return std::tuple{
        row_column("group_name", &R::group_name, "", "provider:op_type"),
        row_column("nodes", &R::nodes, "1", "nodes in the group"),
        row_column("executions_per_inference", &R::executions_per_inference, "1", "kernel executions per inference"),
        row_column("time_ns", &R::time_ns, "ns", "de-biased time per inference; null where quality is not resolved"),
        row_column("bound_ns", &R::bound_ns, "ns",
                   "the true time lies within time_ns plus or minus this; where that is null, under it"),
        row_column("quality", &R::quality, "", "as in op_to_kernel_map"),
        row_column("share", &R::share, "1", "of the de-biased time of all groups"),
        row_column("microkernel_fraction", &R::microkernel_fraction, "1",
                   "share of executions shorter than the microkernel threshold"),
        row_column("flops", &R::flops, "FLOP", "per inference; null where any node's formula is unknown"),
        row_column("bytes", &R::bytes, "bytes", "compulsory traffic per inference; null where any node's is unknown")};
  }
};

}  // namespace aaco
