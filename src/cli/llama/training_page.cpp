// SPDX-License-Identifier: MIT
#include "cli/llama/training_page.h"

#include "base/file.h"
#include "report/run_report.h"
#include "report/session_report.h"
#include "report/sinks.h"
#include "report/training/training_ladder_report.h"
#include "session/layout.h"

namespace aaco {

namespace fs = std::filesystem;

Result<fs::path> write_training_page(const std::string& bundle) {
  AACO_ASSIGN(const OpenSession session, open_session(bundle));
  AACO_ASSIGN(const report::Report built, report::build_session_report(session));
  const fs::path page = session.path / layout::kReport;
  AACO_TRY(write_report(built, page.parent_path()));
  return page;
}

namespace {

// Beside the session's report.
Result<fs::path> write_page(const std::string& bundle, const char* name, const report::Report& built) {
  const fs::path page = fs::path(bundle) / fs::path(layout::kReport).parent_path() / name;
  AACO_TRY(make_folders(page.parent_path()));
  AACO_TRY(write_file_atomically(page, report::render_html(built)));
  return page;
}

}  // namespace

Result<fs::path> write_ladder_page(const TrainingLadder& ladder) {
  return write_page(ladder.rows.back().bundle, "ladder.html", report::build_training_ladder_report(ladder));
}

Result<fs::path> write_roofline_page(const std::string& bundle, const report::Report& roofline) {
  return write_page(bundle, "roofline.html", roofline);
}

}  // namespace aaco
