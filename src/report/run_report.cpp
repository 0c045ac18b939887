// SPDX-License-Identifier: MIT
#include "report/run_report.h"

#include "base/file.h"
#include "base/json.h"
#include "report/plot/svg.h"
#include "report/sections/sections.h"
#include "report/sinks.h"
#include "session/layout.h"

namespace aaco::report {

namespace {

void add(std::vector<Section>& sections, std::optional<Section> section) {
  if (section) {
    sections.push_back(std::move(*section));
  }
}

std::string title_of(const RunFacts& facts) {
  const std::string model = facts.model_name.empty() ? "unnamed model" : facts.model_name;
  return model + " on " + (facts.backend.empty() ? "an unknown backend" : facts.backend) + ", batch " +
         std::to_string(facts.batch);
}

std::string subtitle_of(const SessionInfo& info) {
  const std::string precision = info.facts.precision_executed;
  return "Session " + info.session_id + ", recorded " + info.created_utc + (precision.empty() ? "" : ", " + precision);
}

}  // namespace

namespace {

// Sessions of earlier versions, and of other kinds, have no such file.
Json read_runtime(const OpenSession& session) {
  const auto json = read_json(session.path / layout::kRuntimeConfig);
  return json ? *json : Json();
}

}  // namespace

Report build_report(const OpenSession& session, const Analysis& analysis, const Json* verdict) {
  const Json runtime = read_runtime(session);
  const Input input{session.recording,   analysis, session.info, session.status, session.losses,
                    session.environment, verdict,  runtime};
  Report report;
  report.title = title_of(session.recording.facts);
  report.subtitle = subtitle_of(session.info);
  report.badges.push_back(status_badge(session.status));
  std::vector<Section>& sections = report.sections;
  sections.push_back(summary_section(input));
  sections.push_back(quality_section(input));
  add(sections, latency_section(input));
  add(sections, llm_section(input));
  sections.push_back(bottleneck_section(input));
  sections.push_back(offenders_section(input));
  add(sections, ops_section(input));
  add(sections, timeline_section(input));
  add(sections, telemetry_section(input));
  sections.push_back(metrics_section(input));
  sections.push_back(model_section(input));
  sections.push_back(environment_section(input));
  sections.push_back(reproduce_section(input));
  report.badges.insert(report.badges.end(), sections[0].badges.begin(), sections[0].badges.end());
  sections[0].badges.clear();
  report.footer =
      "aaco " + session.info.aaco_version + ". Every figure is derived from the files of the session's bundle.";
  return report;
}

Result<Report> run_report(const OpenSession& session) {
  AACO_ASSIGN(const Json verdict, read_verdict(session));
  return build_report(session, analyse(session.recording), verdict.is_null() ? nullptr : &verdict);
}

Result<Json> read_verdict(const OpenSession& session) {
  const std::filesystem::path path = session.path / layout::kVerdict;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return Json();
  }
  return read_json(path);
}

Result<void> write_plots(const Report& report, const std::filesystem::path& folder) {
  AACO_TRY(make_folders(folder));
  for (const plot::Chart* chart : charts_of(report)) {
    if (plot::has_data(*chart)) {
      AACO_TRY(
          write_file_atomically(folder / (chart->id + ".svg"), plot::render_svg(*chart, plot::SvgUse::kStandAlone)));
    }
  }
  return {};
}

}  // namespace aaco::report

namespace aaco {

Result<void> write_report(const OpenSession& session, const Analysis& analysis, const std::filesystem::path& folder) {
  AACO_ASSIGN(const Json verdict, report::read_verdict(session));
  return write_report(report::build_report(session, analysis, verdict.is_null() ? nullptr : &verdict), folder);
}

Result<void> write_report(const report::Report& built, const std::filesystem::path& folder) {
  AACO_TRY(make_folders(folder));
  AACO_TRY(write_file_atomically(folder / "report.html", report::render_html(built)));
  return report::write_plots(built, folder / "plots");
}

}  // namespace aaco
