// SPDX-License-Identifier: MIT
// What a trace's report says, by section: figures, sentences and tables that each adds to an outline. Most figures are
// those of the analyses' tables. trace_page/trace_sections.h lists the sections.
#pragma once

#include <map>

#include "analysis/timeline/tables/analysis_tables.h"
#include "analysis/timeline/trace_summary.h"
#include "record/events/event_table.h"
#include "record/events/trace_origin.h"
#include "report/trace/outline.h"
#include "report/trace/table_rows.h"

namespace aaco::report {

struct TraceInput {
  const TraceOrigin& origin;
  const EventTable& events;
  const TraceSummary& summary;

  using TableFunction = Table (*)(const EventTable& events, const TraceSummary& summary);
  TableRows rows(TableFunction table) const;  // made once
  // Those whose first columns hold these ids; of one table always as many.
  TableRows rows(TableFunction table, const std::vector<int64_t>& ids) const;

  mutable std::map<TableFunction, Table> tables = {};
  mutable std::map<TableFunction, RowsByIds> by_ids = {};
};

// What was read, and how far it can be believed.
void outline_source(const TraceInput& input, Outline& at);
void outline_coverage(const TraceOrigin& origin, const EventTable& events, Outline& at);  // how much of its job it is
void outline_doubts(const TraceInput& input, Outline& at);     // what is less firm than it looks
void outline_no_device(const TraceInput& input, Outline& at);  // where nothing on a device has a time
// All that slices lasted, with those that are in no figure: what shares of lost device time are of.
int64_t recorded_device_ns(const TraceSummary& summary);

void outline_devices(const TraceInput& input, Outline& at);
void outline_device_answers(const TraceInput& input, Outline& at);  // the same for people, in five sections
void outline_collective_figures(const TraceInput& input, const DeviceSummary& device, Outline& at);
void outline_collectives(const TraceInput& input, Outline& at);  // of all devices
void outline_ranks(const TraceInput& input, Outline& at);
void outline_operators(const TraceInput& input, Outline& at);
void outline_rooflines(const TraceInput& input, Outline& at);
void outline_serving(const TraceInput& input, Outline& at);
void outline_memory(const TraceInput& input, Outline& at);
void outline_critical_paths(const TraceInput& input, Outline& at);
void outline_counters(const TraceInput& input, Outline& at);
void outline_samples(const TraceInput& input, Outline& at);
void outline_findings(const TraceInput& input, Outline& at);
void outline_offenders(const TraceInput& input, Outline& at);

}  // namespace aaco::report
