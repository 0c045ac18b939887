// SPDX-License-Identifier: MIT
#include "kind/queue_run/analysis/queue_metrics.h"

#include <array>

namespace aaco {

namespace {

constexpr const char* kSwitchProbe = "the switch probe, three processes";
constexpr const char* kLaunchProbe = "the launch probe, three processes";
constexpr const char* kPriorityProbe = "the priority probe, three processes; a device with priorities";
constexpr const char* kRecordProbe = "the record probe, three processes; a collector that lost nothing";
constexpr const char* kActivity = "device activity with launching calls, none dropped";
constexpr const char* kConvoyNeeds = "the convoy probe, or device activity with launching calls";

// id, title, unit, formula, needs, what it does not tell.
constexpr std::array kMetrics{
    MetricInfo{"one_stream_gap", "Gap, one stream", "ns",
               "median of mean start(n+1) - mean end(n) over the blocks of device-filling kernels", kSwitchProbe,
               "gaps of kernels that leave units free"},
    MetricInfo{"independent_switch_gap", "Gap, other stream", "ns",
               "the same over hand-overs that change the stream, round robin", kSwitchProbe,
               "gaps of kernels that leave units free"},
    MetricInfo{"one_stream_overlap", "Overlap, one stream", "ns",
               "median of last end(n) - first start(n+1) of device-filling kernels", kSwitchProbe,
               "how many units ran blocks of which kernel"},
    MetricInfo{"independent_switch_overlap", "Overlap, other stream", "ns",
               "the same over hand-overs that change the stream, round robin", kSwitchProbe,
               "how many units ran blocks of which kernel"},
    MetricInfo{"independent_switch_cost", "Switch cost, independent", "ns",
               "median over ABBA pairs of the difference of both gaps", kSwitchProbe,
               "what the host pays to use several streams"},
    MetricInfo{"independent_switch_mean_cost", "Switch cost, mean", "ns",
               "(sum of gaps on k streams - sum on one) / hand-overs that changed the stream", kSwitchProbe,
               "a typical hand-over: it is a mean"},
    MetricInfo{"independent_switch_wall_cost", "Switch cost, by the wall clock", "ns",
               "(wall on k streams - wall on one) / hand-overs that changed the stream", kSwitchProbe,
               "a typical hand-over: it is a mean"},
    MetricInfo{"hand_off_gap", "Gap, event hand-off", "ns",
               "median of mean start(n+1) - mean end(n) where each kernel waits for an event of the one before",
               kSwitchProbe, "hand-offs between devices"},
    MetricInfo{"hand_off_overlap", "Overlap, event hand-off", "ns",
               "median of last end(n) - first start(n+1) with hand-offs", kSwitchProbe, "hand-offs between devices"},
    MetricInfo{"hand_off_cost", "Hand-off cost", "ns", "median over ABBA pairs of hand-off gap - one-stream gap",
               kSwitchProbe, "what recording and waiting cost the host"},
    MetricInfo{"hand_off_mean_cost", "Hand-off cost, mean", "ns",
               "(sum of gaps with hand-offs - sum on one stream) / hand-offs", kSwitchProbe,
               "a typical hand-off: it is a mean"},
    MetricInfo{"hand_off_wall_cost", "Hand-off cost, by the wall clock", "ns",
               "(wall with hand-offs - wall on one stream) / hand-offs", kSwitchProbe,
               "a typical hand-off: it is a mean"},
    MetricInfo{"workload_same_stream_gap", "Workload gap, same stream", "ns",
               "median gap of kernels that were ready, after one of their stream", kActivity,
               "gaps without a profiler"},
    MetricInfo{"workload_other_stream_gap", "Workload gap, other stream", "ns",
               "median gap of kernels that were ready, after one of another stream", kActivity,
               "pairs that overlapped"},
    MetricInfo{"workload_hand_off_gap", "Workload gap, event hand-off", "ns",
               "median gap after the kernel that they wait for through an event", kActivity,
               "waits that are not resolved"},
    MetricInfo{"workload_switch_cost", "Workload switch cost", "ns", "gap to another stream - gap on the same",
               kActivity, "the cost where kernels fill the device"},
    MetricInfo{"workload_hand_off_cost", "Workload hand-off cost", "ns", "gap of a hand-off - gap on the same stream",
               kActivity, "the cost where kernels fill the device"},
    MetricInfo{"launch_call_p50", "Launching call, median", "ns", "time of one call by the host's clock", kLaunchProbe,
               "when the kernel ran"},
    MetricInfo{"launch_call_p99", "Launching call, 99th percentile", "ns", "pooled, from 299 calls on", kLaunchProbe,
               "whether processes differ"},
    MetricInfo{"launch_per_kernel", "Launch, per kernel", "ns", "wall time of a batch / launches of all threads",
               kLaunchProbe, "a launch into a full queue"},
    MetricInfo{"launch_sync_p50", "Launch and synchronise, median", "ns", "a call and the wait for its kernel",
               kLaunchProbe, "which part is the wait"},
    MetricInfo{"launch_sync_p99", "Launch and synchronise, 99th percentile", "ns", "pooled, from 299 calls on",
               kLaunchProbe, "whether processes differ"},
    MetricInfo{"launch_sync_per_kernel", "Launch and synchronise, per kernel", "ns",
               "wall time of a batch / launches of all threads", kLaunchProbe, "which part is the wait"},
    MetricInfo{"profiling_overhead", "Measurement overhead, profiled / unprofiled", "1",
               "geometric mean over pairs of processes of the ratio of their times",
               "--profile, three pairs of processes", "which kernels or gaps became longer"},
    MetricInfo{"launch_delay_p50", "Launch to start, median", "ns", "start - end of the launching call", kActivity,
               "why a kernel waited: queueing is part of it"},
    MetricInfo{"launch_delay_p99", "Launch to start, 99th percentile", "ns", "pooled, from 299 kernels on", kActivity,
               "whether processes differ"},
    MetricInfo{"same_stream_gap_p50", "Same-stream gap, median", "ns",
               "start - end of the work before on the stream, of kernels ready by then", kActivity,
               "whether other streams ran meanwhile"},
    MetricInfo{"same_stream_gap_p99", "Same-stream gap, 99th percentile", "ns", "pooled, from 299 kernels on",
               kActivity, "whether processes differ"},
    MetricInfo{"concurrency", "Kernels in flight", "1", "sum of durations / length of their union", kActivity,
               "whether kernels in flight got on"},
    MetricInfo{"convoy_alone_p50", "Delay of short kernels, alone", "ns", "start - ready, no long kernel running",
               kConvoyNeeds, "waits that nobody recorded"},
    MetricInfo{"convoy_behind_p50", "Delay of short kernels behind long ones", "ns",
               "start - ready, a long kernel of another stream running at ready", kConvoyNeeds,
               "whether units or a shared queue are the reason"},
    MetricInfo{"convoy_behind_p99", "Delay behind long ones, 99th percentile", "ns", "pooled, from 299 kernels on",
               kConvoyNeeds, "whether processes differ"},
    MetricInfo{"convoy_effect", "Convoy effect", "ns", "delay behind long kernels - delay alone", kConvoyNeeds,
               "whether units or a shared queue are the reason"},
    MetricInfo{"fairness_jain", "Fairness across streams (Jain)", "1", "(sum x)^2 / (n sum x^2) of the progress x",
               "device activity of streams with the same work", "who waited for whom"},
    MetricInfo{"fairness_max_over_min", "Fastest over slowest stream", "1", "of the progress",
               "device activity of streams with the same work", "who waited for whom"},
    MetricInfo{"priority_low_delay", "Delay at low priority", "ns", "start - end of the marker, on a loaded device",
               kPriorityProbe, "preemption of running kernels"},
    MetricInfo{"priority_high_delay", "Delay at high priority", "ns", "start - end of the marker, on a loaded device",
               kPriorityProbe, "preemption of running kernels"},
    MetricInfo{"priority_effect", "Gain by priority", "ns", "delay at low - delay at high priority, ABBA",
               kPriorityProbe, "preemption of running kernels"},
    MetricInfo{"priority_low_passed", "Kernels let by at low priority", "1",
               "background kernels begun between ready and start", kPriorityProbe, "their length"},
    MetricInfo{"priority_high_passed", "Kernels let by at high priority", "1",
               "background kernels begun between ready and start", kPriorityProbe, "their length"},
    MetricInfo{"record_excess", "Activity record, beyond its kernel", "ns",
               "median of the record's length - (last block's end - first block's start), as the kernel wrote them",
               kRecordProbe, "a constant error of all starts and ends"},
};

}  // namespace

std::span<const MetricInfo> queue_metrics() { return kMetrics; }

const MetricInfo* find_queue_metric(std::string_view id) {
  for (const MetricInfo& info : kMetrics) {
    if (id == info.id) {
      return &info;
    }
  }
  return nullptr;
}

}  // namespace aaco
