// SPDX-License-Identifier: MIT
#include "cli/trace/trace_command.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/trace/trace_arguments.h"
#include "cli/trace/trace_diff_command.h"
#include "cli/trace/trace_export.h"

#include "analysis/timeline/tables/analysis_tables.h"
#include "analysis/timeline/trace_summary.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/format.h"
#include "base/json.h"
#include "base/json_text.h"
#include "base/output_file.h"
#include "base/process/limited_child.h"
#include "base/side_note.h"
#include "import/trace_memory.h"
#include "import/trace_roofs.h"
#include "import/trace_session.h"
#include "import/trace_source.h"
#include "ingest/likely_bytes.h"
#include "report/sinks.h"
#include "report/table_sinks.h"
#include "report/trace/losses.h"
#include "report/trace/trace_report.h"
#include "report/trace_page/trace_page.h"
#include "session/catalog/catalog.h"
#include "session/catalog/shards.h"
#include "session/layout.h"
#include "session/sql.h"

namespace aaco {

namespace {

void print_json(const Json& json) { fmt::print("{}", indented_json_text(json)); }

int exit_code_of(const LossTable& losses) { return losses.in_part() ? static_cast<int>(ErrorKind::kPartial) : 0; }

struct ReportFlags {
  imports::TraceRequest trace;
  std::string format = "text";
  std::string output = "-";
  size_t top = 10;
  std::string csv;  // folder
  imports::RoofRequest roofs;
};

Result<void> write_csv(const imports::LoadedTrace& trace, const TraceSummary& summary,
                       const std::filesystem::path& folder) {
  AACO_TRY(make_folders(folder));
  for (const AnalysisTable& table : all_analysis_tables()) {
    const std::unique_ptr<report::TableSink> sink = report::make_table_sink(report::TableForm::kCsv);
    AACO_ASSIGN(const std::unique_ptr<OutputFile> file, OutputFile::create(folder / fmt::format("{}.csv", table.name)));
    TablePieces pieces(table, trace.events, summary);
    for (const Table* piece = pieces.next(); piece != nullptr && !file->failed(); piece = pieces.next()) {
      file->append(sink->add(*piece));
    }
    file->append(sink->end());
    AACO_TRY(file->finish());
  }
  return {};
}

std::string document(const ReportFlags& flags, const std::string& format, const imports::LoadedTrace& trace,
                     const TraceSummary& summary) {
  if (format == "json") {
    return indented_json_text(report::trace_report_json(trace.origin, trace.events, summary));
  }
  if (format == "text") {
    return report::trace_report_text(trace.origin, trace.events, summary, flags.top);
  }
  const bool csv = format == "csv";
  const report::TraceDetail detail{csv ? SIZE_MAX : std::max(flags.top, report::TraceDetail::kRows), csv};
  const report::Report built = report::build_trace_report(trace.origin, trace.events, summary, detail);
  return csv              ? report::render_csv(built)
         : format == "md" ? report::render_markdown(built, "")
                          : report::render_html(built);
}

Result<int> report_trace(const ReportFlags& flags, bool json) {
  AACO_ASSIGN(const RoofSources roofs, imports::load_roofs(flags.roofs));
  AACO_ASSIGN(const imports::LoadedTrace trace, imports::load_trace(flags.trace));
  AACO_TRY(expect_no_input(flags.output, trace));
  AACO_TRY(expect_analysis_memory(trace.events));
  const TraceSummary summary = summarise_trace(trace.events, roofs);
  if (!flags.csv.empty()) {
    AACO_TRY(write_csv(trace, summary, flags.csv));
  }
  const std::string text = document(flags, json ? "json" : flags.format, trace, summary);
  if (flags.output == "-") {
    fmt::print("{}", text);
  } else {
    AACO_TRY(write_file_atomically(flags.output, text));
  }
  return exit_code_of(summary.losses);
}

void add_report(cli::Command trace, Invocation& invocation) {
  auto flags = std::make_shared<ReportFlags>();
  cli::Command command = trace.add_subcommand(
      "report",
      "Device time budget, idle causes, kernels, collectives, operators, rooflines, what was lost, what to do");
  add_trace_arguments(command, flags->trace);
  command.add_option("--top", flags->top, "Lines to show of each list: kernels, operators, ...").capture_default_str();
  command.add_option("--format", flags->format, "text, json, html (a page with plots), md or csv (every table in one)")
      .one_of({"text", "json", "html", "md", "csv"})
      .capture_default_str();
  command.add_option("--output", flags->output, "File to write; - is standard output")
      .capture_default_str()
      .type_name("FILE");
  command.add_option("--csv", flags->csv, "Write all figures there as CSV, a file for each table").type_name("FOLDER");
  add_roof_flags(command, flags->roofs);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco trace report trace.json.gz\n  aaco trace report rank0.json.gz rank1.json.gz --top 20\n"
               "  aaco trace report profiler-output/ --csv figures/ --json\n"
               "  aaco trace report trace.json.gz --format html --output trace.html");
  command.callback([flags, &invocation] { invocation.finish(report_trace(*flags, invocation.json)); });
}

struct ImportFlags {
  imports::TraceRequest trace;
  std::string sessions = "sessions";
  imports::ImportMemory memory;
};

Result<int> import_trace(const ImportFlags& flags, const Invocation& invocation) {
  AACO_ASSIGN(const auto share, job_share([](const char* name) -> const char* { return std::getenv(name); }));
  const std::vector<std::filesystem::path> paths(flags.trace.paths.begin(), flags.trace.paths.end());
  AACO_TRY(imports::limit_import(flags.memory, likely_bytes(paths), flags.sessions));
  const int64_t began_ns = monotonic_ns();
  AACO_ASSIGN(const imports::LoadedTrace trace, imports::load_trace(flags.trace, share));
  const int64_t read_ns = monotonic_ns();
  if (trace.share && trace.origin.files.empty()) {
    note("aaco: no recording is left for process {} of {}\n", trace.share->index, trace.share->count);
    return 0;
  }
  AACO_ASSIGN(const imports::SavedTrace saved,
              imports::save_trace(trace, flags.memory, flags.sessions, invocation.command_line));
  const int64_t written_ns = monotonic_ns();
  if (invocation.json) {
    print_json(
        {{"session", saved.session.string()},
         {"shard", trace.share
                       ? Json{{"index", trace.share->index}, {"count", trace.share->count}, {"job", trace.share->job}}
                       : Json()},
         {"events", trace.events.size()},
         {"losses", report::losses_json(saved.losses)},
         {"no_analyses", saved.no_analyses.empty() ? Json() : Json(saved.no_analyses)},
         {"read_ns", read_ns - began_ns},
         {"write_ns", written_ns - read_ns}});
  } else {
    if (trace.share) {
      fmt::print("process {} of {} of job {}: the other recordings are in the others' sessions\n", trace.share->index,
                 trace.share->count, trace.share->job);
    }
    fmt::print("{}\n{} read in {}, written in {}\n{}", saved.session.string(),
               counted(trace.events.size(), "event", "events"),
               format_duration_ns(static_cast<double>(read_ns - began_ns)),
               format_duration_ns(static_cast<double>(written_ns - read_ns)), report::losses_text(saved.losses));
    if (!saved.no_analyses.empty()) {
      fmt::print("without the tables of the analyses: {}; `aaco trace report {}` makes them, or --memory\n",
                 saved.no_analyses, saved.session.string());
    }
  }
  return exit_code_of(saved.losses);
}

void add_import(cli::Command trace, Invocation& invocation) {
  auto flags = std::make_shared<ImportFlags>();
  cli::Command command = trace.add_subcommand("import", "Write a trace into a session: tables for SQL, and all else");
  add_trace_arguments(command, flags->trace);
  add_sessions_folder(command, flags->sessions);
  command
      .add_option(
          "--memory", flags->memory.bytes,
          "What to take of the memory: events beyond it lie in files beside the sessions meanwhile, and analyses "
          "that need more are left to `aaco trace report SESSION`")
      .type_name("SIZE")
      .size_in_bytes()
      .default_str("2GiB");
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco trace import trace.json.gz\n  aaco trace import profiler-output/ --sessions /data/sessions\n"
               "  mpirun -n 8 aaco trace import profiler-output/ --sessions /shared/sessions");
  command.callback([flags, &invocation] { invocation.finish(import_trace(*flags, invocation)); });
}

struct SqlFlags {
  std::string statement;
  std::string session = layout::kLatest;
  std::string sessions = "sessions";
  bool csv = false;
  SqlRights rights;
};

constexpr uint64_t kSqlMemoryBytes = uint64_t{2} << 30;

Result<int> query(const SqlFlags& flags, bool json) {
  AACO_ASSIGN(const std::filesystem::path session, find_session(flags.sessions, flags.session));
  AACO_ASSIGN(const std::vector<std::filesystem::path> shards, shards_with(flags.sessions, session));
  AACO_ASSIGN(const std::optional<int> end_of_child, continue_in_limited_child(kSqlMemoryBytes));
  if (end_of_child) {
    return *end_of_child;
  }
  const std::unique_ptr<report::TableSink> sink = report::make_table_sink(json        ? report::TableForm::kJson
                                                                          : flags.csv ? report::TableForm::kCsv
                                                                                      : report::TableForm::kText);
  AACO_TRY(query_bundles(shards, flags.statement, flags.rights, [&](const Table& piece) -> Result<MoreRows> {
    fmt::print("{}", sink->add(piece));
    return sink->full() ? MoreRows::kEnough : MoreRows::kWanted;
  }));
  fmt::print("{}", sink->end());
  return 0;
}

void add_sql(cli::Command trace, Invocation& invocation) {
  auto flags = std::make_shared<SqlFlags>();
  cli::Command command = trace.add_subcommand("sql", "Ask the tables of a session");
  command.add_option("SELECT", flags->statement, "One SELECT of DuckDB's SQL; docs/data_schema.md lists the tables")
      .required();
  command.add_option("--session", flags->session, "Path, id, or the beginning of an id").capture_default_str();
  command.add_flag("--csv", flags->csv, "Comma-separated values, all rows");
  command.add_flag("--allow-files", flags->rights.other_files, "Let the SELECT read other files than the session's");
  add_sessions_folder(command, flags->sessions);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco trace sql 'SELECT name, count(*), sum(duration_ns) FROM events WHERE kind = $$kernel$$ "
               "GROUP BY name ORDER BY 3 DESC LIMIT 5'\n"
               "  aaco trace sql --session sessions/2026-01-31/20260131_101500_12ab34 'SELECT * FROM losses' --csv\n"
               "  aaco trace sql 'SHOW TABLES'");
  command.callback([flags, &invocation] { invocation.finish(query(*flags, invocation.json)); });
}

}  // namespace

void add_trace_command(cli::Command app, Invocation& invocation) {
  cli::Command command = app.add_subcommand("trace", "Read a trace that another profiler recorded");
  command.require_subcommand();
  set_examples(command,
               "  aaco trace trace.json                    # as aaco trace report trace.json\n"
               "  aaco trace report trace.json --format html --output page.html\n"
               "  aaco trace diff before.json after.json\n"
               "  aaco trace import folder-of-ranks/");
  add_report(command, invocation);
  add_import(command, invocation);
  add_trace_diff(command, invocation);
  add_sql(command, invocation);
  add_trace_export(command, invocation);
}

}  // namespace aaco
