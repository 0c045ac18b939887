// SPDX-License-Identifier: MIT
#include "kind/model_run/report/run_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <variant>

#include "base/files/file.h"
#include "base/json/json.h"
#include "kind/model_run/load/run_load.h"
#include "kind/model_run/report/alternatives_section.h"
#include "kind/model_run/report/load_section.h"
#include "kind/model_run/until/until_document.h"
#include "report/headline/until_words.h"
#include "report/host/host_section.h"
#include "report/plot/svg.h"
#include "report/sections/run_headline.h"
#include "report/sections/sections.h"
#include "report/sinks.h"
#include "session/bundle/layout.h"

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

// Under load an inference's time is that of serving a request, whose latency counts from its arrival.
void call_service_time(Section& summary) {
  constexpr std::string_view kWord = "latency";
  for (Block& block : summary.blocks) {
    if (auto* const key = std::get_if<KeyFigures>(&block)) {
      for (KeyFigure& figure : key->figures) {
        if (const size_t at = figure.label.find(kWord); at != std::string::npos) {
          figure.label.replace(at, kWord.size(), "service time");
        }
      }
    }
  }
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
  report.headline = run_headline(
      session.recording, analysis, session.info.command_line,
      session.status == SessionStatus::kComplete
          ? ""
          : fmt::format("this session is {}: {}", session_status_name(session.status), session.info.status_reason));
  std::vector<Section>& sections = report.sections;
  sections.push_back(summary_section(input));
  sections.push_back(offenders_section(input));
  sections.push_back(quality_section(input));
  add(sections, latency_section(input));
  add(sections, llm_section(input));
  sections.push_back(bottleneck_section(input));
  add(sections, ops_section(input));
  add(sections, timeline_section(input));
  add(sections, spikes_section(session.recording, !session.losses.empty()));
  add(sections, host_section(session.recording, asks_for_kernel_plane(session.info)));
  add(sections, telemetry_section(input));
  sections.push_back(metrics_section(input));
  sections.push_back(model_section(input));
  sections.push_back(environment_section(input));
  sections.push_back(reproduce_section(input));
  report.badges.insert(report.badges.end(), sections[0].badges.begin(), sections[0].badges.end());
  sections[0].badges.clear();
  report.footer = definitions_footer(session.info.aaco_version, "models.md");
  report.metrics = metric_rows(all_metrics(), analysis.metrics);
  return report;
}

// With what the session keeps beside its recording.
Result<Report> whole_report(const OpenSession& session, const Analysis& analysis, const Json& verdict) {
  Report built = build_report(session, analysis, verdict.is_null() ? nullptr : &verdict);
  AACO_ASSIGN(const std::optional<RunLoad> load, read_load(session));
  AACO_ASSIGN(const auto tried, read_alternatives(session));
  AACO_ASSIGN(const std::optional<UntilFacts> until, read_until(session));
  if (until) {
    put_until(*until, built.headline);
  }
  std::vector<Section> beside;
  if (!tried.empty()) {
    put_remedies(tried, built.headline);
    const auto next = std::ranges::find(built.sections, "offenders", &Section::id);
    if (const std::vector<std::string> remedies = measured_remedies(tried); !remedies.empty()) {
      next->blocks.insert(next->blocks.begin(), Bullets{.items = remedies});
    }
    beside.push_back(alternatives_section(tried));
  }
  if (load) {
    put_load(session.recording.facts, *load, built.headline);
    for (Section& section : built.sections) {
      if (section.id == "latency") {
        section.title = kServiceTime;
      } else if (section.id == "summary") {
        call_service_time(section);
      }
    }
    beside.push_back(load_section(*load));
  }
  const auto behind_latency = std::ranges::find(built.sections, "bottleneck", &Section::id);
  built.sections.insert(behind_latency, beside.begin(), beside.end());
  return built;
}

Result<Report> run_report(const OpenSession& session) {
  AACO_ASSIGN(const Json verdict, read_verdict(session));
  return whole_report(session, analyse(session.recording), verdict);
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
  AACO_ASSIGN(const report::Report built, report::whole_report(session, analysis, verdict));
  return write_report(built, folder);
}

Result<void> write_report(const report::Report& built, const std::filesystem::path& folder) {
  AACO_TRY(make_folders(folder));
  AACO_TRY(write_file_atomically(folder / "report.html", report::render_html(built)));
  return report::write_plots(built, folder / "plots");
}

}  // namespace aaco
