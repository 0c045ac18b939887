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

Result<fs::path> write_ladder_page(const TrainingLadder& ladder) {
  const fs::path page = fs::path(ladder.rows.back().bundle) / fs::path(layout::kReport).parent_path() / "ladder.html";
  AACO_TRY(make_folders(page.parent_path()));
  AACO_TRY(write_file_atomically(page, report::render_html(report::build_training_ladder_report(ladder))));
  return page;
}

}  // namespace aaco
