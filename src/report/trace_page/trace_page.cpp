// SPDX-License-Identifier: MIT
#include "report/trace_page/trace_page.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

#include "analysis/timeline/tables/analysis_tables.h"
#include "base/format.h"
#include "base/text/characters.h"
#include "base/version.h"
#include "report/trace/doubts_section.h"
#include "report/trace/job_coverage_section.h"
#include "report/trace/outside_budget_section.h"
#include "report/trace/values.h"
#include "report/trace_page/table_block.h"
#include "report/trace_page/trace_charts.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr size_t kMostColumns = 9;  // of those that a page shows of a table

struct PageTable {
  const char* name = nullptr;                          // among all_analysis_tables()
  std::array<const char*, kMostColumns> columns = {};  // of a page; none: all
};

struct PageSection {
  const char* id;
  const char* title;
  Charts (*charts)(const EventTable& events, const TraceSummary& summary);
  std::array<PageTable, 3> tables;
};

constexpr std::array kSections = {
    PageSection{"device-time",
                "Device time",
                budget_charts,
                {{{"device_time",
                   {"recording", "rank", "device", "window_ns", "computation_ns", "exposed_communication_ns",
                    "exposed_copy_ns", "idle_ns"}}}}},
    PageSection{"idle", "Why devices were idle", idle_charts, {{{"idle_causes"}, {"idle_holders"}}}},
    PageSection{"launches",
                "Launches and their queue",
                queue_charts,
                {{{"launch_queue",
                   {"recording", "rank", "device", "launches", "median_delay_ns", "p99_delay_ns", "mean_depth",
                    "max_depth", "empty_ns"}},
                  {"launch_queue_timeline"}}}},
    PageSection{"collectives",
                "Collectives",
                nullptr,
                {{{"collectives",
                   {"rank", "collective", "group", "bytes", "count", "total_ns", "median_ns", "exposed_ns",
                    "bus_bandwidth_gb_s"}}}}},
    PageSection{"kernels",
                "Kernels, copies and memory sets",
                kernel_charts,
                {{{"kernel_statistics",
                   {"recording", "rank", "device", "name", "class", "count", "total_ns", "median_ns", "max_ns"}}}}},
    PageSection{
        "ranks",
        "Ranks compared",
        nullptr,
        {{{"rank_clocks"},
          {"rank_comparison",
           {"collective", "group", "rank", "kernels", "median_ns", "matched_by", "compared", "last", "waited_ns"}}}}},
    PageSection{
        "operators",
        "Operators",
        operator_charts,
        {{{"operators", {"rank", "name", "input_shapes", "count", "launched", "self_ns", "total_ns", "host_self_ns"}},
          {"operator_links"}}}},
    PageSection{
        "rooflines",
        "Operators against the roofs",
        roofline_charts,
        {{{"operator_rooflines",
           {"rank", "name", "input_shapes", "precision", "count", "flops_per_s", "bytes_per_s", "roof_fraction",
            "bound"}},
          {"backward_ratios", {"rank", "family", "forward_flops", "backward_flops", "forward_ns", "backward_ns"}},
          {"suspects"}}}},
    PageSection{"memory",
                "Memory",
                memory_charts,
                {{{"memory_use",
                   {"recording", "rank", "device", "allocations", "frees", "first_bytes", "peak_bytes", "last_bytes",
                    "peak_reserved_bytes"}},
                  {"memory_timeline"}}}},
    PageSection{"critical-path",
                "Critical path",
                path_charts,
                {{{"critical_path_items", {"path", "rank", "kind", "name", "parts", "total_ns"}},
                  {"critical_path_steps", {"path", "rank", "step", "kind", "total_ns"}}}}},
    PageSection{
        "counters",
        "Hardware counters",
        nullptr,
        {{{"kernel_counters", {"rank", "device", "name", "metric", "value", "unit", "percent_of_roof", "no_data"}},
          {"counted_operators"}}}},
    PageSection{
        "samples",
        "Samples of the program counter",
        nullptr,
        {{{"sampled_kernels",
           {"rank", "device", "name", "method", "dispatches", "samples", "issued", "not_issued", "mean_active_lanes"}},
          {"sampled_instructions", {"name", "instruction", "source", "outcome", "cause", "samples"}}}}},
    PageSection{"patterns",
                "Patterns found",
                nullptr,
                {{{"findings", {"rank", "device", "pattern", "subject", "cost_ns", "saves_ns", "evidence"}}}}},
};

// Rows are points of a plot, or may be as many as the trace has events.
constexpr std::array<std::string_view, 4> kUnlisted = {"launch_queue_timeline", "memory_timeline", "collective_kernels",
                                                       "critical_path_parts"};
// In the first section, and as findings in the last.
constexpr std::array<std::string_view, 2> kElsewhere = {"all_losses", "offenders"};

struct Input {
  const EventTable& events;
  const TraceSummary& summary;
  const TraceDetail& detail;
};

const AnalysisTable* find_table(std::string_view name) {
  const auto all = all_analysis_tables();
  const auto found = std::find_if(all.begin(), all.end(), [&](const AnalysisTable& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

void add_table(const Input& input, const AnalysisTable& table, std::span<const char* const> columns, Section& section) {
  TableBlock block =
      table_block(table.make(input.events, input.summary),
                  {input.detail.all_columns ? std::span<const char* const>() : columns, input.detail.rows});
  if (!block.rows.empty()) {
    block.title = spaced(table.name);
    block.note =
        block.note.empty() ? fmt::format("{}.", table.meaning) : fmt::format("{}. {}", table.meaning, block.note);
    section.blocks.emplace_back(std::move(block));
  }
}

Section section_of(const Input& input, const PageSection& page) {
  Section section{page.id, page.title};
  for (plot::Chart& chart : page.charts != nullptr ? page.charts(input.events, input.summary) : Charts()) {
    section.blocks.emplace_back(ChartBlock{std::move(chart)});
  }
  for (const PageTable& shown : page.tables) {
    const bool listed = shown.name != nullptr &&
                        std::find(kUnlisted.begin(), kUnlisted.end(), std::string_view(shown.name)) == kUnlisted.end();
    const AnalysisTable* const table = listed ? find_table(shown.name) : nullptr;
    if (table != nullptr) {
      const auto end = std::find(shown.columns.begin(), shown.columns.end(), nullptr);
      add_table(input, *table, {shown.columns.data(), static_cast<size_t>(end - shown.columns.begin())}, section);
    }
  }
  return section;
}

bool has_a_place(std::string_view name) {
  const auto is_it = [&](std::string_view other) { return other == name; };
  return std::any_of(kUnlisted.begin(), kUnlisted.end(), is_it) ||
         std::any_of(kElsewhere.begin(), kElsewhere.end(), is_it) ||
         std::any_of(kSections.begin(), kSections.end(), [&](const PageSection& section) {
           return std::any_of(section.tables.begin(), section.tables.end(),
                              [&](const PageTable& table) { return table.name != nullptr && name == table.name; });
         });
}

void add_lines(const std::string& text, Tone tone, Section& section) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) {
      section.blocks.emplace_back(Paragraph{text.substr(at, end - at), tone});
    }
    at = end + 1;
  }
}

Section source_section(const TraceOrigin& origin, const Input& input) {
  Section section{"source", "What was read"};
  TableBlock files{.id = "files", .columns = {{"file"}, {"format"}, {"on disk", true}}};
  for (const TraceFile& file : origin.files) {
    files.rows.push_back({text_cell(printable(file.path)),
                          text_cell(file.format),
                          {.number = Number{static_cast<int64_t>(file.bytes), "bytes"}}});
  }
  section.blocks.emplace_back(std::move(files));
  if (!origin.unknown_files.empty()) {
    section.blocks.emplace_back(
        Paragraph{fmt::format("Not read, in no known format: {}, the first {}.",
                              counted(origin.unknown_files.size(), "file", "files"), origin.unknown_files.front()),
                  Tone::kWarning});
  }
  add_lines(job_coverage_text(origin.shard, input.events), Tone::kWarning, section);
  add_lines(doubts_text(input.events, input.summary), Tone::kWarning, section);
  section.blocks.emplace_back(Paragraph{fmt::format(
      "{} {} on {} {}.", format_count(static_cast<int64_t>(input.events.size())),
      input.events.size() == 1 ? "event" : "events", format_count(static_cast<int64_t>(input.events.tracks.size())),
      input.events.tracks.size() == 1 ? "track" : "tracks")});
  const size_t before = section.blocks.size();
  add_table(input, *find_table("all_losses"), {}, section);
  if (section.blocks.size() == before) {
    section.blocks.emplace_back(Paragraph{"Nothing was lost."});
  }
  if (input.summary.devices.empty()) {
    add_lines(no_device_text(input.events), Tone::kWarning, section);
  }
  return section;
}

Section offenders_section(const TraceSummary& summary) {
  Section section{"next", "What to do next"};
  if (!summary.offenders.empty()) {
    section.blocks.emplace_back(Paragraph{"By what each could save at most; savings do not add up."});
  }
  for (const Offender& one : summary.offenders) {
    section.blocks.emplace_back(Finding{
        .title = shorten(one.subject, kLongestName),
        .badges = {{one.rule, Tone::kNeutral}},
        .figures = {{"up to", format_duration_ns(one.stake_ns)},
                    {"of", format_duration_ns(one.time_ns)},
                    {one.kind == "host group" ? "of all operators" : "of the window", format_percent(one.share)},
                    {"limited by", one.bound}},
        .evidence = fmt::format("{}. {}", one.stake_basis, one.evidence),
        .advice = one.recommendation});
  }
  return section;
}

}  // namespace

Report build_trace_report(const TraceOrigin& origin, const EventTable& events, const TraceSummary& summary,
                          const TraceDetail& detail) {
  const Input input{events, summary, detail};
  Report report;
  const std::string first = origin.files.empty() ? "trace" : origin.files.front().path;
  report.title = printable(first.substr(first.find_last_of('/') + 1));
  report.subtitle = fmt::format("{} {}, {} {}", origin.files.size(), origin.files.size() == 1 ? "file" : "files",
                                summary.devices.size(), summary.devices.size() == 1 ? "device" : "devices");
  report.sections.push_back(source_section(origin, input));
  for (const PageSection& page : kSections) {
    report.sections.push_back(section_of(input, page));
  }
  for (const AnalysisTable& table : all_analysis_tables()) {
    if (!has_a_place(table.name)) {
      Section& section = report.sections.emplace_back(Section{table.name, spaced(table.name)});
      add_table(input, table, {}, section);
    }
  }
  report.sections.push_back(offenders_section(summary));
  std::erase_if(report.sections, [](const Section& section) { return section.blocks.empty(); });
  report.footer = fmt::format("aaco {}. Every figure is derived from the trace; docs/measuring.md defines each.",
                              program_version());
  return report;
}

}  // namespace aaco::report
