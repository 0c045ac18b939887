// SPDX-License-Identifier: MIT
#include "report/trace_page/trace_sections.h"

#include <algorithm>

namespace aaco::report {

namespace {

constexpr std::array kSections = {
    TraceSection{"timeline", "Timeline", strip_charts, {}, nullptr},
    TraceSection{"device-time",
                 "Device time",
                 budget_charts,
                 {{{"device_time",
                    {"recording", "rank", "device", "window_ns", "computation_ns", "exposed_communication_ns",
                     "exposed_copy_ns", "idle_ns"}}}},
                 outline_devices},
    TraceSection{"idle", "Why devices were idle", idle_charts, {{{"idle_causes"}, {"idle_holders"}}}, nullptr},
    TraceSection{"launches",
                 "Launches and their queue",
                 queue_charts,
                 {{{"launch_queue",
                    {"recording", "rank", "device", "launches", "median_delay_ns", "p99_delay_ns", "mean_depth",
                     "max_depth", "empty_ns"}},
                   {"launch_queue_timeline"}}},
                 nullptr},
    TraceSection{"collectives",
                 "Collectives",
                 nullptr,
                 {{{"collectives",
                    {"rank", "collective", "group", "bytes", "count", "total_ns", "median_ns", "exposed_ns",
                     "bus_bandwidth_gb_s"}}}},
                 nullptr},
    TraceSection{"kernels",
                 "Kernels, copies and memory sets",
                 kernel_charts,
                 {{{"kernel_statistics",
                    {"recording", "rank", "device", "name", "class", "count", "total_ns", "median_ns", "max_ns"}}}},
                 nullptr},
    TraceSection{
        "ranks",
        "Ranks compared",
        nullptr,
        {{{"rank_clocks"},
          {"rank_comparison",
           {"collective", "group", "rank", "kernels", "median_ns", "matched_by", "compared", "last", "waited_ns"}}}},
        outline_ranks},
    TraceSection{
        "operators",
        "Operators",
        operator_charts,
        {{{"operators", {"rank", "name", "input_shapes", "count", "launched", "self_ns", "total_ns", "host_self_ns"}},
          {"operator_links"}}},
        outline_operators},
    TraceSection{
        "rooflines",
        "Operators against the roofs",
        roofline_charts,
        {{{"operator_rooflines",
           {"rank", "name", "input_shapes", "precision", "count", "flops_per_s", "bytes_per_s", "roof_fraction",
            "bound"}},
          {"backward_ratios", {"rank", "family", "forward_flops", "backward_flops", "forward_ns", "backward_ns"}},
          {"suspects"}}},
        outline_rooflines},
    TraceSection{
        "serving",
        "Steps of the serving engine",
        nullptr,
        {{{"step_classes",
           {"rank", "device", "class", "steps", "median_ns", "p99_ns", "tokens_per_s", "idle_share", "main_cause"}}}},
        outline_serving},
    TraceSection{"memory",
                 "Memory",
                 memory_charts,
                 {{{"memory_use",
                    {"recording", "rank", "device", "allocations", "frees", "first_bytes", "peak_bytes", "last_bytes",
                     "peak_reserved_bytes"}},
                   {"memory_timeline"}}},
                 outline_memory},
    TraceSection{"critical-path",
                 "Critical path",
                 path_charts,
                 {{{"critical_path_items", {"path", "rank", "kind", "name", "parts", "total_ns"}},
                   {"critical_path_steps", {"path", "rank", "step", "kind", "total_ns"}}}},
                 outline_critical_paths},
    TraceSection{
        "counters",
        "Hardware counters",
        nullptr,
        {{{"kernel_counters", {"rank", "device", "name", "metric", "value", "unit", "percent_of_roof", "no_data"}},
          {"counted_operators"}}},
        outline_counters},
    TraceSection{
        "samples",
        "Samples of the program counter",
        nullptr,
        {{{"sampled_kernels",
           {"rank", "device", "name", "method", "dispatches", "samples", "issued", "not_issued", "mean_active_lanes"}},
          {"sampled_instructions", {"name", "instruction", "source", "outcome", "cause", "samples"}}}},
        outline_samples},
    TraceSection{"patterns",
                 "Patterns found",
                 nullptr,
                 {{{"findings", {"rank", "device", "pattern", "subject", "cost_ns", "saves_ns", "evidence"}}}},
                 outline_findings},
};

constexpr std::array<std::string_view, 5> kLong = {"launch_queue_timeline", "memory_timeline", "collective_kernels",
                                                   "critical_path_parts", "engine_steps"};
// In the first section, and as findings in the last.
constexpr std::array<std::string_view, 2> kElsewhere = {"all_losses", "offenders"};

}  // namespace

std::span<const TraceSection> trace_sections() { return kSections; }

bool is_long(std::string_view table) { return std::find(kLong.begin(), kLong.end(), table) != kLong.end(); }

bool has_section(std::string_view table) {
  return is_long(table) || std::find(kElsewhere.begin(), kElsewhere.end(), table) != kElsewhere.end() ||
         std::any_of(kSections.begin(), kSections.end(), [&](const TraceSection& section) {
           return std::any_of(section.tables.begin(), section.tables.end(),
                              [&](const SectionTable& shown) { return shown.name != nullptr && table == shown.name; });
         });
}

}  // namespace aaco::report
