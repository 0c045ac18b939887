// SPDX-License-Identifier: MIT
#include "report/sections/document_report.h"

#include <filesystem>
#include <fmt/format.h>

#include "base/json/json.h"
#include "report/sections/sections.h"
#include "session/session_info.h"

namespace aaco::report {

namespace {

namespace fs = std::filesystem;

Report without_figures(const OpenSession& session) {
  Report report;
  report.title = fmt::format("{} on {}", subject_of(session.info), session.info.facts.backend);
  report.subtitle = fmt::format("Session {}, recorded {}", session.info.session_id, session.info.created_utc);
  report.badges.push_back(status_badge(session.status));
  Section summary{"summary", "Summary"};
  summary.blocks = status_remarks(session);
  summary.blocks.emplace_back(Paragraph{"No data: the session ended before it had figures.", Tone::kWarning});
  report.headline = {.figure = "No figures: the session ended before it had any"};
  report.headline.quality = fmt::format("{}{}", session_status_name(session.status),
                                        session.info.status_reason.empty() ? "" : ": " + session.info.status_reason);
  report.headline.quality_tone = Tone::kBad;
  report.sections.push_back(std::move(summary));
  add_last_sections(session, "", report);
  return report;
}

}  // namespace

Result<Report> report_of_document(const OpenSession& session, BuildFromDocument build) {
  const fs::path path = session.path / session.info.kind.traits().document;
  std::error_code ignored;
  if (session.status != SessionStatus::kComplete && !fs::exists(path, ignored)) {
    return without_figures(session);
  }
  AACO_ASSIGN(const Json document, read_json(path));
  return build(session, document);
}

std::vector<Block> status_remarks(const OpenSession& session) {
  std::vector<Block> blocks;
  if (session.status != SessionStatus::kComplete) {
    const std::string reason = session.info.status_reason.empty() ? "" : ": " + session.info.status_reason;
    blocks.emplace_back(Paragraph{std::string("This session is ") + session_status_name(session.status) + reason +
                                      ". The figures rest on what was recorded until then.",
                                  status_badge(session.status).tone});
  }
  for (const std::string& loss : session.losses) {
    blocks.emplace_back(Paragraph{"Lost: " + loss, Tone::kBad});
  }
  return blocks;
}

void add_last_sections(const OpenSession& session, std::string_view explained_in, Report& report) {
  const Analysis none;
  const Json no_runtime;
  const Input input{session.recording,   none,    session.info, session.status, session.losses,
                    session.environment, nullptr, no_runtime};
  report.sections.push_back(environment_section(input));
  report.sections.push_back(reproduce_section(input));
  report.footer = definitions_footer(session.info.aaco_version, explained_in);
}

}  // namespace aaco::report
