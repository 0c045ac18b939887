// SPDX-License-Identifier: MIT
#include "cli/trace/trace_diff_command.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <string>

#include "cli/trace/trace_arguments.h"

#include "analysis/timeline/trace_diff/trace_diff.h"
#include "base/files/file.h"
#include "base/files/new_file.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/side_note.h"
#include "kind/trace/trace_source.h"
#include "report/sinks.h"
#include "report/table/table_sinks.h"
#include "report/trace/losses.h"
#include "report/trace_diff/trace_diff_report.h"

namespace aaco {

namespace {

constexpr size_t kPageRows = 50;  // of a list, at least

std::string rows_as_csv(const TraceDiff& diff) {
  const std::unique_ptr<report::TableSink> sink = report::make_table_sink(report::TableForm::kCsv);
  const std::string rows = sink->add(report::trace_diff_table(diff));
  return rows + sink->end();
}

std::string document(const TraceDiffFlags& flags, const std::string& format, const TraceDiff& diff,
                     const TraceOrigin& before, const TraceOrigin& after) {
  if (format == "json") {
    return indented_json_text(report::trace_diff_json(diff, before, after));
  }
  const size_t rows = format == "text" ? flags.top : format == "csv" ? SIZE_MAX : std::max(flags.top, kPageRows);
  const report::Report built = report::build_trace_diff_report(diff, before, after, rows);
  return format == "text"  ? report::render_lines(built)
         : format == "csv" ? report::render_csv(built)
         : format == "md"  ? report::render_markdown(built, "")
                           : report::render_html(built);
}

}  // namespace

Result<int> diff_traces_of(TraceDiffFlags flags, bool json) {
  flags.before = trace_path(flags.before, flags.sessions);
  flags.after = trace_path(flags.after, flags.sessions);
  AACO_ASSIGN(const imports::LoadedTrace before, imports::load_trace({{flags.before}, ""}));
  AACO_ASSIGN(const imports::LoadedTrace after, imports::load_trace({{flags.after}, ""}));
  AACO_TRY(expect_no_input(flags.output, inputs_of({flags.before}, before)));
  AACO_TRY(expect_no_input(flags.output, inputs_of({flags.after}, after)));
  warn_of_shard(before);
  warn_of_shard(after);
  const TraceDiff diff = diff_traces(before.events, after.events);
  const bool rows_alone = flags.csv && !json;
  const std::string text =
      rows_alone ? rows_as_csv(diff) : document(flags, json ? "json" : flags.format, diff, before.origin, after.origin);
  if (flags.output == "-") {
    fmt::print("{}", text);
  } else {
    AACO_TRY(write_file_atomically(flags.output, text));
  }
  if (rows_alone) {
    note("before\n{}after\n{}", report::loss_lines(diff.losses_before), report::loss_lines(diff.losses_after));
  }
  const bool in_part = diff.losses_before.in_part() || diff.losses_after.in_part();
  return in_part ? static_cast<int>(ErrorKind::kPartial) : 0;
}

void add_trace_diff(cli::Command trace, Invocation& invocation) {
  auto flags = std::make_shared<TraceDiffFlags>();
  cli::Command command = trace.add_subcommand(
      "diff", "What changed on the device from one trace to another: more executions, or slower ones");
  command.add_option("BEFORE", flags->before, "A file or a folder of one trace, or the session of an import")
      .required();
  command.add_option("AFTER", flags->after, "The same of the other trace").required();
  command.add_option("--top", flags->top, {0}, "Lines to show of each list").capture_default_str();
  command.add_option("--format", flags->format, "text, json, html (a page), md or csv (every table in one)")
      .one_of({"text", "json", "html", "md", "csv"})
      .capture_default_str();
  command.add_option("--output", flags->output, "File to write; - is standard output")
      .capture_default_str()
      .type_name("FILE")
      .written();
  command.add_flag("--csv", flags->csv, "All rows of both lists as one table of comma-separated values")
      .excludes("--format");
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco trace diff before.json.gz after.json.gz\n"
               "  aaco trace diff sessions/2026-01-31/20260131_101500_12ab34 after.json.gz --csv\n"
               "  aaco trace diff before.json.gz after.json.gz --format html --output diff.html");
  command.callback([flags, &invocation] { invocation.finish(diff_traces_of(*flags, invocation.json)); });
}

}  // namespace aaco
