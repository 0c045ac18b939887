// SPDX-License-Identifier: MIT
#include <array>

#include "analysis/metric/metric.h"

namespace aaco {

namespace {

constexpr const char* kIterations = "iterations";
constexpr const char* kProfile = "--profile";
constexpr const char* kTelemetry = "--telemetry";
constexpr const char* kTokens = "--tokens P,G";
constexpr const char* kTokenProfile = "--tokens P,G with --profile, device activity";
constexpr const char* kGraph = "FLOPs or bytes of the graph's nodes";
constexpr const char* kRoofs = "FLOPs or bytes of the graph's nodes; aaco doctor --measure";
constexpr const char* kCounters = "processor time and run delay of the measuring processes";
constexpr const char* kQuota = "cpu.stat of the process's control groups";
constexpr const char* kDevice = "device activity";

// id, title, unit, formula, needs, what it does not tell.
constexpr std::array kMetrics{
    MetricInfo{"latency_p50", "Latency, median", "ns",
               "median over processes of each process's median of t_end_ns - t_start_ns", kIterations,
               "the tail; how it differs on another machine or under load"},
    MetricInfo{"latency_mean", "Latency, mean", "ns", "mean over all iterations", kIterations,
               "a typical iteration: a few outliers move it"},
    MetricInfo{"latency_p90", "Latency, 90th percentile", "ns", "pooled over processes, from 29 iterations on",
               kIterations, "whether processes differ"},
    MetricInfo{"latency_p95", "Latency, 95th percentile", "ns", "pooled over processes, from 59 iterations on",
               kIterations, "whether processes differ"},
    MetricInfo{"latency_p99", "Latency, 99th percentile", "ns", "pooled over processes, from 299 iterations on",
               kIterations, "whether processes differ"},
    MetricInfo{"latency_cv_within", "Variation within a process", "1",
               "median over processes of standard deviation / mean", "two iterations in a process",
               "drift: a slow trend and noise look alike"},
    MetricInfo{"latency_cv_between", "Variation between processes", "1",
               "standard deviation / mean of the per-process medians", "two processes", "why processes differ"},
    MetricInfo{"throughput", "Throughput", "samples/s",
               "batch * iterations / (end of the last - start of the first), warm-up and checks excluded, requests for "
               "iterations in a token run; median over processes",
               kIterations, "throughput with several inferences in flight"},
    MetricInfo{"load_time", "Model load", "ns", "median over processes, session creation included", kIterations,
               "a cold file cache"},
    MetricInfo{"first_run_time", "First inference", "ns", "median over processes", kIterations,
               "the share of allocation and of lazy set-up in it"},
    MetricInfo{"harness_time", "Time between iterations", "ns", "median over processes of their medians", kIterations,
               "cost that the recording has inside an iteration"},
    MetricInfo{"profiling_tax", "Profiling tax", "1",
               "median latency profiled / unprofiled, over processes (Welch on logarithms)", kProfile,
               "which nodes bear it"},

    MetricInfo{"ttft", "Time to first token", "ns", "median over processes of prefill latency: request to first token",
               kTokens, "queueing before the request starts"},
    MetricInfo{"itl_p50", "Inter-token latency, median", "ns",
               "end of one token to the end of the next; median over processes of medians", kTokens,
               "growth with the context: all positions are pooled"},
    MetricInfo{"itl_p95", "Inter-token latency, 95th percentile", "ns", "pooled over processes, from 59 tokens on",
               kTokens, "growth with the context: all positions are pooled"},
    MetricInfo{"itl_p99", "Inter-token latency, 99th percentile", "ns", "pooled over processes, from 299 tokens on",
               kTokens, "growth with the context: all positions are pooled"},
    MetricInfo{"prefill_tokens_per_s", "Prefill rate", "tokens/s",
               "batch * prompt_tokens / mean prefill latency; median over processes", kTokens,
               "the rate at another prompt length"},
    MetricInfo{"decode_tokens_per_s", "Decode rate", "tokens/s",
               "batch / mean inter-token latency; median over processes", kTokens,
               "the rate of several requests in flight"},

    MetricInfo{"profile_reconciliation", "Node times over latency", "1",
               "sum of de-biased node times / latency_p50; its interval holds nodes without a time between 0 and "
               "their limits",
               kProfile, "which node a difference belongs to"},
    MetricInfo{"node_time_coverage", "Nodes with a time", "1", "executed nodes with a de-biased time / executed nodes",
               kProfile, "how much time the others take"},
    MetricInfo{"mean_node_time", "Mean time per executed node", "ns", "latency_p50 / node executions per inference",
               "--profile, or the optimized graph",
               "the split between nodes, and between kernels and what is around them"},

    MetricInfo{"dispatches_per_inference", "Dispatches per inference", "1",
               "median over profiled inferences of kernel executions, no copies or memsets", kProfile,
               "dispatches that a graph launch bundles"},
    MetricInfo{"microkernel_fraction_count", "Microkernels by count", "1",
               "dispatches of nodes whose median execution is under 10 us (an option) / dispatches; the interval "
               "counts those that could be",
               kProfile, "whether their launches are hidden behind other work"},
    MetricInfo{"microkernel_fraction_time", "Microkernels by time", "1",
               "time in microkernels / time in all dispatches", kProfile, "time around the kernels"},
    MetricInfo{"launch_rate", "Launch rate", "1/s", "dispatches_per_inference / latency_p50", kProfile,
               "bursts within an inference; pauses between inferences, and slow ones: see throughput"},
    MetricInfo{"launch_tax_score", "Kernel launch tax score", "1", "microkernel_fraction_count * launch_rate / 1000",
               kProfile, "time: it has no upper end and no unit of loss; see exposed_launch_time"},
    MetricInfo{"exposed_launch_time", "Exposed launch time", "ns",
               "on a CPU latency_p50 minus the union of de-biased node intervals; on a GPU launch_idle_time", kProfile,
               "on a CPU, what else is between nodes; on a GPU, what the profilers add to a call: an upper bound"},
    MetricInfo{
        "dispatch_cost_share", "Measured dispatch cost over latency", "1",
        "unprofiled time per node of the calibration graph (else the measured launch cost) * dispatches / latency_p50",
        kProfile, "dispatches that cost more than the smallest"},
    MetricInfo{"kar_original", "Kernel amplification, original graph", "1",
               "dispatches_per_inference / executed nodes of the file, without constants and initialisers", kProfile,
               "cost: a fused kernel may be slower"},
    MetricInfo{"kar_optimized", "Kernel amplification, optimized graph", "1",
               "dispatches_per_inference / executed nodes of the optimized graph", kProfile,
               "cost: a fused kernel may be slower"},
    MetricInfo{"nodes_off_provider", "Nodes that fell back", "1",
               "nodes that another provider than the one asked for took", "the runtime's partition",
               "their time and the copies between providers"},

    MetricInfo{"gpu_active_ratio_sum", "GPU active ratio (sum)", "1", "sum of kernel times / latency_p50", kDevice,
               "overlap: above 1 when kernels run at once"},
    MetricInfo{"gpu_active_ratio_union", "GPU active ratio (union)", "1", "time in which a kernel runs / latency_p50",
               kDevice, "how well a running kernel uses the device"},
    MetricInfo{"cpu_overhead_ratio", "CPU overhead ratio", "1", "share of latency_p50 in which no kernel runs",
               kProfile, "what the time is spent on; on a CPU it is an upper bound"},

    MetricInfo{"token_kernels", "Kernels a token", "1",
               "median over profiled decode steps of the kernels that the device ran for one", kTokenProfile,
               "kernels of the prompt"},
    MetricInfo{
        "token_gpu_active_ratio", "GPU active time of a token", "1",
        "time in which at least one kernel ran / end of one token to the end of the next, over all profiled decode "
        "steps",
        kTokenProfile, "the ratio without the profiler, which slows the host"},
    MetricInfo{"kernels_linked", "Kernels with a node", "1",
               "kernels whose launching call lies in a node's time / kernels", kDevice,
               "why the others have none: column link of kernels.parquet says it of each"},
    MetricInfo{"kernel_time_linked", "Kernel time with a node", "1",
               "time of kernels whose launching call lies in a node's time / time of all kernels", kDevice,
               "whether the nodes without kernels took time on the host"},
    MetricInfo{"profiled_inference_time", "Profiled inference", "ns",
               "mean over the profiled inferences; the seven parts below add up to it", kDevice,
               "what it takes without the profilers: see latency_p50"},
    MetricInfo{"device_kernels_time", "of it, a kernel ran", "ns", "union of the kernels, of all streams", kDevice,
               "how well they used the device"},
    MetricInfo{"device_copies_in_time", "of it, only copies to the device", "ns",
               "union of the copies in, less the time above", kDevice, "copies behind kernels"},
    MetricInfo{"device_copies_out_time", "of it, only copies from the device", "ns",
               "union of the copies out, less the time above", kDevice, "copies behind kernels"},
    MetricInfo{"device_other_copies_time", "of it, only other copies and sets", "ns",
               "union of copies within and between devices and of sets, less the time above", kDevice,
               "copies behind kernels"},
    MetricInfo{"copy_time_share", "Only copies between host and device", "1",
               "(device_copies_in_time + device_copies_out_time) / latency_mean", kDevice, "copies behind kernels"},
    MetricInfo{"launch_idle_time", "of it, the device idle and a launch under way", "ns",
               "union of the host's launching calls, less the time above", kDevice,
               "how much of a call the profilers added"},
    MetricInfo{"node_idle_time", "of it, the device idle and the host in a node", "ns",
               "union of the nodes' times on the host, less the time above", kDevice,
               "how much of it the profilers added"},
    MetricInfo{"between_nodes_idle_time", "of it, the device idle otherwise", "ns", "the rest of the inference",
               kDevice, "what the host did: the runtime's own work, or a wait"},

    MetricInfo{
        "achieved_flops", "Achieved FLOP/s", "FLOP/s", "FLOPs of the executed nodes / latency_p50", kGraph,
        "FLOPs of nodes without a formula: then it is a lower bound; pauses and slow inferences: see throughput"},
    MetricInfo{"flops_roof_fraction", "Share of the arithmetic roof", "1",
               "achieved_flops / measured FLOP/s of the executed precision", kRoofs,
               "whether a better algorithm needs fewer FLOPs"},
    MetricInfo{"achieved_bandwidth", "Achieved compulsory traffic", "bytes/s",
               "bytes of the executed nodes / latency_p50, every input read once and every output written once", kGraph,
               "real traffic: caches lower it, re-reading raises it; pauses and slow inferences: see throughput"},
    MetricInfo{"bandwidth_roof_fraction", "Share of the memory roof", "1",
               "achieved_bandwidth / measured memory bandwidth", kRoofs,
               "whether the traffic reached memory: above 1 it was served by a cache"},
    MetricInfo{"arithmetic_intensity", "Arithmetic intensity", "FLOP/byte",
               "FLOPs / compulsory bytes, over nodes where both are known", kGraph, "the intensity of single nodes"},
    MetricInfo{"intensity_over_ridge", "Intensity over the ridge", "1",
               "arithmetic_intensity * memory roof / arithmetic roof", kRoofs, "the intensity of single nodes"},
    MetricInfo{"high_intensity_time_share", "Time in nodes above the ridge", "1",
               "time of nodes with FLOPs/byte at or above the ridge / time of nodes where it is known",
               "--profile; aaco doctor --measure", "whether those nodes reach a roof"},
    MetricInfo{"low_intensity_time_share", "Time in nodes below the ridge", "1", "1 - high_intensity_time_share",
               "--profile; aaco doctor --measure", "whether those nodes reach a roof"},
    MetricInfo{"flops_coverage", "FLOPs coverage", "1", "time of nodes with known FLOPs / time of all nodes", kProfile,
               "how right the formulas are"},
    MetricInfo{"bytes_coverage", "Bytes coverage", "1", "time of nodes with known bytes / time of all nodes", kProfile,
               "how right the formulas are"},
    MetricInfo{
        "movement_time_share", "Time in nodes that only move data", "1",
        "time of nodes whose formula has no FLOPs (Transpose, Concat, Gather, ...) / time of nodes with known FLOPs",
        kProfile, "moves that a neighbour's kernel could take over"},
    MetricInfo{"batch_exponent", "Latency growth with the batch", "1", "slope of ln latency over ln batch",
               "aaco sweep", "where the slope changes; see the saturation batch"},

    MetricInfo{"cpu_utilisation", "Worker threads busy", "1",
               "processor time / (steady time * threads, at most one a processor)", kCounters,
               "useful work: a thread that spins is busy"},
    MetricInfo{
        "run_delay_share", "Runnable but not running", "1",
        "run delay of all threads / time they ran or were runnable, at least the steady time (under load: awake)",
        kCounters, "who had the processors"},
    MetricInfo{"off_cpu_share", "Measuring thread blocked", "1",
               "time neither running nor runnable / steady time (under load: awake)", kCounters, "what it waited for"},
    MetricInfo{"kept_off_cpu_share", "Kept off the processors", "1", "run_delay_share + off_cpu_share, at most 1",
               kCounters, "who had the processors, and what it waited for"},
    MetricInfo{"processors_granted", "Processors granted", "1", "1 - kept_off_cpu_share", kCounters,
               "sharing of a core's units with its sibling thread"},
    MetricInfo{
        "crowded_out_share", "Kept off the processors by others", "1",
        "kept_off_cpu_share - quota_throttled_share, at least 0; the whole of it where the quota was not recorded",
        kCounters, "who had the processors, and what it waited for"},
    MetricInfo{"involuntary_switch_rate", "Involuntary switches", "1/s",
               "involuntary context switches / time threads ran or were runnable, at least the steady time (under "
               "load: awake)",
               kCounters, "who took the processor"},
    MetricInfo{"pause_share", "Time between inferences", "1",
               "1 - time in inferences / steady time; median over processes", kIterations,
               "what was waited for: the harness, or requests that had not come (--load)"},
    MetricInfo{"threads_per_processor", "Threads per processor", "1", "threads of one operator / allowed processors",
               "--threads", "threads of other programs"},
    MetricInfo{"quota_throttled_share", "Stopped by a CPU quota", "1",
               "time in which a quota stopped the process's control group (cpu.stat.local, else cpu.stat) / (steady "
               "time (under "
               "load: awake) * threads, at most one a processor)",
               kQuota, "which process of the group used the quota up"},
    MetricInfo{"quota_throttled_periods", "Periods with throttling", "1",
               "nr_throttled / nr_periods of the most throttled control group, steady phases", kQuota,
               "for how long in each period"},
    MetricInfo{"psi_cpu", "CPU pressure", "1", "median of the share of time in which some task waited for a processor",
               kTelemetry, "whose task waited"},
    MetricInfo{"runnable_per_processor", "Runnable tasks per processor", "1", "median of runnable tasks / processors",
               kTelemetry, "tasks outside this container that share the processors"},
    MetricInfo{"cpu_frequency", "Processor frequency", "Hz", "median over samples while the process is busy",
               kTelemetry, "the frequency of single cores"},
    MetricInfo{"frequency_drop", "Frequency drop while busy", "1", "1 - frequency_held", kTelemetry,
               "a clock that is low from the start to the end"},
    MetricInfo{"frequency_held", "Frequency held while busy", "1", "10th percentile of the frequency / its highest",
               kTelemetry, "a clock that is low from the start to the end"},
    MetricInfo{"frequency_cv", "Frequency variation while busy", "1", "standard deviation / mean of the frequency",
               kTelemetry, "a clock that is low from the start to the end"},
    MetricInfo{"frequency_latency_correlation", "Frequency against latency", "1",
               "Pearson's r of frequency and median latency, by sample", kTelemetry, "cause: both may follow a third"},
    MetricInfo{"major_fault_rate", "Major page faults", "1/s", "major faults / time of the samples", kTelemetry,
               "which memory was missing"},
    MetricInfo{"minor_fault_rate", "Minor page faults", "1/s", "minor faults / time of the samples", kTelemetry,
               "who gave memory back to the kernel and took it anew"},
    MetricInfo{"peak_memory", "Peak resident memory", "bytes", "largest sample of the process's resident set",
               kTelemetry, "peaks between samples"},
};

}  // namespace

std::span<const MetricInfo> all_metrics() { return kMetrics; }

}  // namespace aaco
