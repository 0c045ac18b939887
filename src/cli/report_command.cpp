// SPDX-License-Identifier: MIT
// aaco report: a recorded session as a page, or as Markdown, JSON or text. aaco open: the page, in a browser.
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "cli/command/command.h"

#include "base/files/file.h"
#include "base/files/new_file.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/process/browser.h"
#include "base/side_note.h"
#include "base/text/characters.h"
#include "base/text/nearest_word.h"
#include "kind/all_kinds.h"
#include "kind/model_run/report/run_report.h"
#include "report/sinks.h"
#include "session/bundle/bundle_folder.h"
#include "session/bundle/layout.h"
#include "session/bundle/manifest.h"
#include "session/catalog/catalog.h"
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
  bool open = false;  // the page, in a browser
  size_t top = 10;
  std::string section;
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

// Of text alone: an id of the report's sections.
Result<void> expect_section(const ReportFlags& flags, const report::Report& built) {
  if (flags.section.empty()) {
    return {};
  }
  if (flags.format != "text") {
    return Error{ErrorKind::kUsage, "--section is for --format text", "the other formats have every section"};
  }
  std::vector<std::string> ids;
  for (const report::Section& section : built.sections) {
    ids.push_back(section.id);
  }
  if (std::find(ids.begin(), ids.end(), flags.section) != ids.end()) {
    return {};
  }
  const std::string nearest = nearest_word(flags.section, ids);
  return Error{ErrorKind::kUsage,
               fmt::format("--section {}: this report has no such section", printable(flags.section)),
               fmt::format("{}it has {}", nearest.empty() ? "" : fmt::format("did you mean {}? ", nearest),
                           fmt::join(ids, ", "))};
}

std::string render(const report::Report& built, const ReportFlags& flags, const std::string& plots) {
  const std::string& format = flags.format;
  if (format == "md") {
    return report::render_markdown(built, plots);
  }
  if (format == "csv") {
    return report::render_csv(built);
  }
  if (format == "json") {
    return indented_json_text(report::render_json(built));
  }
  return format == "text" ? report::render_text(built, {.most = flags.top, .folded = true, .section = flags.section})
                          : report::render_html(built);
}

// Where the page goes without --output: the bundle. The other formats go to standard output.
fs::path target_of(const ReportFlags& flags, const fs::path& session) {
  if (!flags.output.empty()) {
    return flags.output;
  }
  return flags.format == "html" ? session / layout::kReport : fs::path("-");
}

Result<int> run_report(const ReportFlags& flags, bool json) {
  std::error_code error;
  if (fs::is_regular_file(flags.session, error)) {
    return Error{ErrorKind::kUsage, flags.session + ": is a file, not a session",
                 fmt::format("of a trace: aaco trace report {} --format html --output trace.html", flags.session)};
  }
  AACO_ASSIGN(const fs::path path, find_session(flags.sessions_folder, flags.session));
  AACO_ASSIGN(const OpenSession session, open_session(path));
  AACO_ASSIGN(const report::Report built, build_session_report(session, flags.format == "csv"));
  AACO_TRY(expect_section(flags, built));
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
  const std::string text = render(built, flags, plots_as_seen);
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
  if (flags.open) {
    if (const Result<void> opened = open_in_browser(target); !opened) {  // the page is there all the same
      note("{}; {}\n", opened.error().message, opened.error().hint);
    }
  }
  return 0;
}

}  // namespace

void add_open_command(cli::Command app, Invocation& invocation) {
  cli::Command command = app.add_subcommand("open", "Write a session's report as a page, and open it in a browser");
  auto flags = std::make_shared<ReportFlags>();
  flags->open = true;
  command.add_option("session", flags->session, "id, unique beginning of an id, folder, or \"latest\"")
      .capture_default_str()
      .type_name("ID|DIR");
  add_sessions_folder(command, flags->sessions_folder);
  add_json_flag(command, invocation);
  set_examples(command, "  aaco open\n  aaco open 20260101_1200");
  command.callback([flags, &invocation] { invocation.finish(run_report(*flags, invocation.json)); });
}

void add_report_command(cli::Command app, Invocation& invocation) {
  cli::Command command = app.add_subcommand("report", "A recorded session as a page, or as Markdown, JSON or text");
  auto flags = std::make_shared<ReportFlags>();
  command.add_option("--session,session", flags->session, "id, unique beginning of an id, folder, or \"latest\"")
      .capture_default_str()
      .type_name("ID|DIR");
  command.add_option("--format", flags->format, "html (into the bundle), md, csv, json or text (to standard output)")
      .one_of({"html", "md", "csv", "json", "text"})
      .capture_default_str();
  command.add_option("--output", flags->output, "file to write instead; - is standard output")
      .type_name("FILE")
      .written();
  command.add_option("--top", flags->top, {0}, "Text: rows to show of each table").capture_default_str();
  command.add_option("--section", flags->section, "Text: one section alone, with what is folded: summary, quality, ...")
      .type_name("NAME");
  command.add_flag("--plots", flags->plots, "write the plots as SVG files too; html in the bundle always does");
  add_sessions_folder(command, flags->sessions_folder);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco report sessions/latest\n"
               "  aaco report --session 20260101_1200 --format md --output report.md --plots");
  command.callback([flags, command, &invocation] {
    if (!flags->section.empty() && command.count("--format") == 0) {
      flags->format = "text";  // which alone has sections to choose
    }
    invocation.finish(run_report(*flags, invocation.json));
  });
}

}  // namespace aaco
