// SPDX-License-Identifier: MIT
#include "cli/llama/training_page.h"

#include "base/files/file.h"
#include "kind/training/report/training_ladder_report.h"
#include "report/sinks.h"
#include "session/bundle/layout.h"

namespace aaco {

namespace fs = std::filesystem;

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
