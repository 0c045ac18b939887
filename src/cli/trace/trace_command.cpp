// SPDX-License-Identifier: MIT
// aaco trace report: what a recorded trace says, whoever recorded it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command/command.h"
#include "cli/trace/trace_arguments.h"
#include "cli/trace/trace_diff_command.h"
#include "cli/trace/trace_export.h"

#include "analysis/timeline/tables/analysis_tables.h"
#include "analysis/timeline/trace_summary.h"
#include "base/clock.h"
#include "base/confined/limited_child.h"
#include "base/files/file.h"
#include "base/files/new_file.h"
#include "base/files/output_file.h"
#include "base/format.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/side_note.h"
#include "base/text/characters.h"
#include "base/text/nearest_word.h"
#include "ingest/likely_bytes.h"
#include "kind/trace/trace_memory.h"
#include "kind/trace/trace_roofs.h"
#include "kind/trace/trace_session.h"
#include "kind/trace/trace_source.h"
#include "report/sinks.h"
#include "report/table/table_sinks.h"
#include "report/trace/losses.h"
#include "report/trace_page/trace_page.h"
#include "report/trace_page/trace_report.h"
#include "session/bundle/layout.h"
#include "session/catalog/catalog.h"
#include "session/catalog/shards.h"
#include "session/sql/sql.h"
#include "session/sql/sql_confinement.h"

namespace aaco {

namespace {

void print_json(const Json& json) { fmt::print("{}", indented_json_text(json)); }

int exit_code_of(const LossTable& losses) { return losses.in_part() ? static_cast<int>(ErrorKind::kPartial) : 0; }

struct ReportFlags {
  imports::TraceRequest trace;
  std::string format = "text";
  std::string output = "-";
  size_t top = 10;
  std::string section;
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
    return indented_json_text(report::trace_figures(trace.origin, trace.events, summary));
  }
  if (format == "text") {
    return report::trace_lines(trace.origin, trace.events, summary, {flags.top, flags.section});
  }
  const bool csv = format == "csv";
  const report::TraceDetail detail{csv ? SIZE_MAX : std::max(flags.top, report::TraceDetail::kRows), csv};
  const report::Report built = report::build_trace_report(trace.origin, trace.events, summary, detail);
  return csv              ? report::render_csv(built)
         : format == "md" ? report::render_markdown(built, "")
                          : report::render_html(built);
}

Result<void> expect_section(const ReportFlags& flags, bool json) {
  if (flags.section.empty()) {
    return {};
  }
  if (json || flags.format != "text") {
    return Error{ErrorKind::kUsage, "--section is for --format text", "the other formats have every section"};
  }
  const std::vector<std::string> ids = report::trace_section_ids();
  if (std::find(ids.begin(), ids.end(), flags.section) != ids.end()) {
    return {};
  }
  const std::string nearest = nearest_word(flags.section, ids);
  return Error{ErrorKind::kUsage, fmt::format("--section {}: there is no such section", printable(flags.section)),
               fmt::format("{}there are {}", nearest.empty() ? "" : fmt::format("did you mean {}? ", nearest),
                           fmt::join(ids, ", "))};
}

Result<int> report_trace(const ReportFlags& flags, bool json) {
  AACO_TRY(expect_section(flags, json));
  AACO_ASSIGN(const RoofSources roofs, imports::load_roofs(flags.roofs));
  AACO_ASSIGN(const imports::LoadedTrace trace, imports::load_trace(with_paths(flags.trace)));
  const std::vector<std::filesystem::path> inputs = inputs_of(flags.trace.paths, trace);
  AACO_TRY(expect_no_input(flags.output, inputs));
  if (!flags.csv.empty()) {
    for (const AnalysisTable& table : all_analysis_tables()) {
      AACO_TRY(expect_no_input(std::filesystem::path(flags.csv) / fmt::format("{}.csv", table.name), inputs));
    }
  }
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
  command.add_option("--top", flags->top, {0}, "Lines to show of each list: kernels, operators, ...")
      .capture_default_str();
  command.add_option("--section", flags->section, "Of the text one section alone: next, idle, kernels, operators, ...")
      .type_name("NAME");
  command.add_option("--format", flags->format, "text, json, html (a page with plots), md or csv (every table in one)")
      .one_of({"text", "json", "html", "md", "csv"})
      .capture_default_str();
  command.add_option("--output", flags->output, "File to write; - is standard output")
      .capture_default_str()
      .type_name("FILE")
      .written();
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
         {"losses", report::loss_rows(saved.losses)},
         {"no_analyses", saved.no_analyses.empty() ? Json() : Json(saved.no_analyses)},
         {"read_ns", read_ns - began_ns},
         {"write_ns", written_ns - read_ns}});
  } else {
    if (trace.share) {
      fmt::print("process {} of {} of job {}: the other recordings are in the others' sessions\n", trace.share->index,
                 trace.share->count, printable(trace.share->job));
    }
    fmt::print("{}\n{} read in {}, written in {}\n{}", printable(saved.session.string()),
               counted(trace.events.size(), "event", "events"),
               format_duration_ns(static_cast<double>(read_ns - began_ns)),
               format_duration_ns(static_cast<double>(written_ns - read_ns)), report::loss_lines(saved.losses));
    if (!saved.no_analyses.empty()) {
      fmt::print("without the tables of the analyses: {}; `aaco trace report {}` makes them, or --memory\n",
                 printable(saved.no_analyses), printable(saved.session.string()));
    }
  }
  return exit_code_of(saved.losses);
}

void add_import(cli::Command trace, Invocation& invocation) {
  auto flags = std::make_shared<ImportFlags>();
  cli::Command command = trace.add_subcommand("import", "Write a trace into a session: tables for SQL, and all else");
  add_trace_arguments(command, flags->trace);
  add_sessions_folder(command, flags->sessions);
  add_tag_flag(command, invocation);
  command
      .add_size("--memory", flags->memory.bytes, {imports::ImportMemory::kLeastBytes},
                "What to take of the memory: events beyond it lie in files beside the sessions meanwhile, and analyses "
                "that need more are left to `aaco trace report SESSION`")
      .type_name("SIZE")
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
  std::optional<double> timeout_s;
  SqlRights rights;
};

bool all_is_recorded(SessionStatus status) {
  return status == SessionStatus::kComplete || status == SessionStatus::kRunning || status == SessionStatus::kInvalid;
}

Result<int> query(const SqlFlags& flags, bool json) {
  AACO_ASSIGN(const std::filesystem::path session, find_session(flags.sessions, flags.session));
  AACO_ASSIGN(const std::vector<std::filesystem::path> shards, shards_with(flags.sessions, session));
  if (const Result<SessionInfo> info = read_session_info(session); info && !all_is_recorded(effective_status(*info))) {
    note("aaco: {} is {}: the SELECT sees the tables that are there\n", session.string(),
         session_status_name(effective_status(*info)));
  }
  const SqlLimits limits;
  const auto time_ns = flags.timeout_s ? std::optional(static_cast<int64_t>(*flags.timeout_s * 1e9)) : std::nullopt;
  AACO_ASSIGN(const std::optional<int> end_of_child, continue_in_limited_child(limits.memory_bytes, time_ns));
  if (end_of_child) {
    return *end_of_child;
  }
  AACO_TRY(confine_to_bundles(shards, flags.rights, limits));
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
  command.add_option("--session", flags->session, "Path, id, or the beginning of an id")
      .capture_default_str()
      .type_name("ID|DIR");
  command.add_flag("--csv", flags->csv, "Comma-separated values, all rows");
  command.add_flag("--allow-files", flags->rights.other_files, "Let the SELECT read other files than the session's");
  command
      .add_option("--timeout", flags->timeout_s, {1e-3, 1e6},
                  "End a SELECT that takes longer, with exit code 6; without it, only an interrupt ends one")
      .type_name("SECONDS");
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
