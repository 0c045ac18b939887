// SPDX-License-Identifier: MIT
#include "report/trace_page/trace_report.h"

#include <fmt/format.h>

#include "report/headline/headline.h"
#include "report/sinks.h"
#include "report/trace/values.h"
#include "report/trace_page/table_block.h"
#include "report/trace_page/trace_headline.h"
#include "report/trace_page/trace_sections.h"

namespace aaco::report {

namespace {

// A table that no section shows: every column that tells something.
void outline_table(const TraceInput& input, const AnalysisTable& table, Outline& at) {
  const TableRows rows = input.rows(table.whole);
  at.rows(table.name, rows);
  if (!rows.empty()) {
    at.section(spaced(table.name));
    at.show(table_block(rows.table(), {.columns = {}, .most = at.most()}));
  }
}

void outline_trace(const TraceInput& input, Outline& at) {
  const auto source = [&] {
    at.begin(kSourceSection);
    outline_source(input, at);
  };
  const auto next = [&] {
    at.begin(kNextSection);
    outline_offenders(input, at);
  };
  // People read what to do first; data keep the order of their keys.
  at.is_data() ? source() : next();
  for (const TraceSection& section : trace_sections()) {
    if (section.outline != nullptr) {
      at.begin(section.id);
      section.outline(input, at);
    }
  }
  for (const AnalysisTable& table : all_analysis_tables()) {
    if (!has_section(table.name)) {
      at.begin(table.name);
      outline_table(input, table, at);
    }
  }
  at.is_data() ? next() : source();
}

}  // namespace

Json trace_figures(const TraceOrigin& origin, const EventTable& events, const TraceSummary& summary) {
  Outline at(Outline::Form::kData);
  outline_trace({origin, events, summary}, at);
  return at.take_data();
}

std::string trace_lines(const TraceOrigin& origin, const EventTable& events, const TraceSummary& summary,
                        const TraceLines& lines) {
  const TraceInput input{origin, events, summary};
  std::string text;
  for (const std::string& line : headline_lines(trace_headline(input))) {
    text += line + "\n";
  }
  const size_t answer = text.size();
  Outline at(Outline::Form::kSections, lines.most, lines.section);
  at.draw_with([&](const Section& section) { add_lines(section, text); });
  outline_trace(input, at);
  at.end();
  return text.size() == answer && !lines.section.empty()
             ? fmt::format("{}\nno data: this trace has nothing for section {}\n", text, lines.section)
             : text;
}

std::vector<std::string> trace_section_ids() {
  std::vector<std::string> ids = {kNextSection};
  for (const TraceSection& section : trace_sections()) {
    ids.emplace_back(section.id);
  }
  for (const AnalysisTable& table : all_analysis_tables()) {
    if (!has_section(table.name)) {
      ids.emplace_back(table.name);
    }
  }
  ids.emplace_back(kSourceSection);
  return ids;
}

}  // namespace aaco::report
