// SPDX-License-Identifier: MIT
// The sections of a trace's report: one list, from which the text, the JSON and the page are made.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "report/trace/sections.h"
#include "report/trace_page/trace_charts.h"

namespace aaco::report {

inline constexpr size_t kMostColumns = 9;  // of those that a page shows of a table

struct SectionTable {
  const char* name = nullptr;                          // among all_analysis_tables()
  std::array<const char*, kMostColumns> columns = {};  // of a page; none: all
};

struct TraceSection {
  const char* id;
  const char* title;
  Charts (*charts)(const EventTable& events, const TraceSummary& summary);  // of a page, or none
  std::array<SectionTable, 3> tables;                                       // of a page, in its order
  void (*outline)(const TraceInput& input, Outline& at);  // of text and JSON; none where another one has it
};

// Before and behind them.
inline constexpr const char* kNextSection = "next";
inline constexpr const char* kSourceSection = "source";

std::span<const TraceSection> trace_sections();
// A table that no section shows is shown as a section of its own.
bool has_section(std::string_view table);
// Rows are points of a plot, or may be as many as the trace has events.
bool is_long(std::string_view table);

}  // namespace aaco::report
