// SPDX-License-Identifier: MIT
#include "cli/command/session_page.h"

#include "base/text/characters.h"
#include "kind/all_kinds.h"
#include "kind/model_run/report/run_report.h"
#include "session/bundle/layout.h"

namespace aaco {

Result<std::filesystem::path> write_session_page(const std::filesystem::path& bundle) {
  if (bundle.empty()) {
    return std::filesystem::path();
  }
  AACO_ASSIGN(const OpenSession session, open_session(bundle));
  AACO_ASSIGN(const report::Report built, build_session_report(session));
  std::filesystem::path page = session.path / layout::kReport;
  AACO_TRY(write_report(built, page.parent_path()));
  return page;
}

std::string page_line(const std::filesystem::path& page) {
  return page.empty() ? "" : "report  " + printable(page.string()) + "\n";
}

}  // namespace aaco
