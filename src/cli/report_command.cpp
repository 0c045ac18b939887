// SPDX-License-Identifier: MIT
#include "cli/report_command.h"

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "analysis/timeline/trace_summary.h"
#include "base/file.h"
#include "base/json.h"
#include "base/json_text.h"
#include "base/new_file.h"
#include "import/trace_roofs.h"
#include "import/trace_source.h"
#include "report/run_report.h"
#include "report/session_report.h"
#include "report/sinks.h"
#include "report/trace_page/trace_page.h"
#include "session/catalog/catalog.h"
#include "session/layout.h"
#include "session/manifest.h"
#include "session/session.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

struct ReportFlags {
  std::string session = "latest";
  std::string sessions_folder = "sessions";
  std::string format = "html";
  std::string output;
  bool plots = false;
};

Result<void> write_stdout(const std::string& text) {
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = ::write(STDOUT_FILENO, text.data() + written, text.size() - written);
    if (count < 0 && errno != EINTR) {
      return file_error("standard output", "write", errno);
    }
    written += count > 0 ? static_cast<size_t>(count) : 0;
  }
  return {};
}

std::string render(const report::Report& built, const std::string& format, const std::string& plots) {
  if (format == "md") {
    return report::render_markdown(built, plots);
  }
  if (format == "csv") {
    return report::render_csv(built);
  }
  if (format == "json") {
    return indented_json_text(report::render_json(built));
  }
  return format == "text" ? report::render_text(built) : report::render_html(built);
}

// Where the page goes without --output: the bundle. The other formats go to standard output.
fs::path target_of(const ReportFlags& flags, const fs::path& session) {
  if (!flags.output.empty()) {
    return flags.output;
  }
  return flags.format == "html" ? session / layout::kReport : fs::path("-");
}

// Exact in CSV, short elsewhere.
Result<report::Report> report_of_trace(const fs::path& session, bool csv) {
  AACO_ASSIGN(const RoofSources roofs, imports::load_roofs({}));
  AACO_ASSIGN(const imports::LoadedTrace trace, imports::load_trace({{session.string()}, ""}));
  AACO_TRY(expect_analysis_memory(trace.events));
  const TraceSummary summary = summarise_trace(trace.events, roofs);
  const report::TraceDetail detail{csv ? SIZE_MAX : report::TraceDetail::kRows, csv};
  return report::build_trace_report(trace.origin, trace.events, summary, detail);
}

Result<report::Report> report_of(const OpenSession& session, bool csv) {
  return session.info.kind == session_kind::kTrace ? report_of_trace(session.path, csv)
                                                   : report::build_session_report(session);
}

// All of a bundle but its pages.
std::vector<fs::path> recorded_files(const fs::path& bundle) {
  std::vector<fs::path> recorded;
  if (const Result<std::vector<std::string>> files = files_of(bundle)) {
    for (const std::string& file : *files) {
      if (*fs::path(file).begin() != fs::path(layout::kReport).parent_path()) {
        recorded.push_back(bundle / file);
      }
    }
  }
  return recorded;
}

// A bundle that somebody sent may hold a link where aaco writes.
Result<void> expect_no_link(const fs::path& folder) {
  std::error_code error;
  return fs::is_symlink(folder, error)
             ? Result<void>(
                   Error{ErrorKind::kUsage,
                         fmt::format("{} is a link: aaco writes through no link of a session", folder.string()),
                         "remove it, or choose the place with --output"})
             : Result<void>();
}

Result<int> run_report(const ReportFlags& flags, bool json) {
  AACO_ASSIGN(const fs::path path, find_session(flags.sessions_folder, flags.session));
  AACO_ASSIGN(const OpenSession session, open_session(path));
  AACO_ASSIGN(const report::Report built, report_of(session, flags.format == "csv"));
  const fs::path target = target_of(flags, session.path);
  const bool to_stdout = target == "-";
  const bool in_bundle = flags.output.empty() && !to_stdout;
  const fs::path folder = to_stdout ? session.path / fs::path(layout::kReport).parent_path() : target.parent_path();
  AACO_TRY(expect_no_input(target, recorded_files(session.path)));
  const bool plots = flags.plots || in_bundle;
  if (in_bundle) {
    AACO_TRY(expect_no_link(folder));
    AACO_TRY(expect_no_link(folder / "plots"));
  }
  if (plots) {
    AACO_TRY(report::write_plots(built, folder / "plots"));
  }
  // Beside a file the plots are next to it; a document on standard output names their whole path.
  const std::string plots_as_seen = !plots ? "" : to_stdout ? (folder / "plots").string() : "plots";
  const std::string text = render(built, flags.format, plots_as_seen);
  if (to_stdout) {
    AACO_TRY(write_stdout(text));
    return 0;
  }
  if (in_bundle) {
    AACO_TRY(make_folders(folder));
  }
  AACO_TRY(write_file_atomically(target, text));
  const Json result{{"report", target.string()}, {"plots", plots ? Json((folder / "plots").string()) : Json()}};
  AACO_TRY(write_stdout(json ? json_text(result) + "\n" : target.string() + "\n"));
  return 0;
}

}  // namespace

void add_report_command(cli::Command app, Invocation& invocation) {
  cli::Command command = app.add_subcommand("report", "A recorded session as a page, or as Markdown, JSON or text");
  auto flags = std::make_shared<ReportFlags>();
  command.add_option("--session,session", flags->session, "id, unique beginning of an id, folder, or \"latest\"")
      .capture_default_str()
      .type_name("ID|DIR");
  command.add_option("--format", flags->format, "html (into the bundle), md, csv, json or text (to standard output)")
      .one_of({"html", "md", "csv", "json", "text"})
      .capture_default_str();
  command.add_option("--output", flags->output, "file to write instead; - is standard output").type_name("FILE");
  command.add_flag("--plots", flags->plots, "write the plots as SVG files too; html in the bundle always does");
  add_sessions_folder(command, flags->sessions_folder);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco report sessions/latest\n"
               "  aaco report --session 20260101_1200 --format md --output report.md --plots");
  command.callback([flags, &invocation] { invocation.finish(run_report(*flags, invocation.json)); });
}

}  // namespace aaco
