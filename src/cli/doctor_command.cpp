// SPDX-License-Identifier: MIT
// aaco doctor: what is here, what is missing and what to do about it; and the measured roofs.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <unistd.h>

#include "cli/command/command.h"
#include "cli/command/progress_line.h"
#include "cli/doctor/check.h"
#include "cli/guard/guard_flags.h"

#include "base/format.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/text/characters.h"
#include "observe/roofs/roofs.h"
#include "report/sinks.h"
#include "report/values.h"

namespace aaco {

namespace {

struct DoctorFlags {
  doctor::Context context;
  bool measure = false;
  std::vector<int64_t> threads;  // empty: one, and one per allowed processor
};

// Roofs, and whether they could be kept.
Result<std::vector<RoofMeasurement>> measure(std::vector<int64_t> counts, bool quiet) {
  if (counts.empty()) {
    counts = {1, static_cast<int64_t>(allowed_processors().size())};
  }
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  ProgressLine line(quiet);
  std::vector<RoofMeasurement> measured;
  for (const int64_t count : counts) {
    const auto progress = [&](const std::string& step, double fraction) {
      line.show(fmt::format("{}: {}", counted(count, "thread", "threads"), step),
                (static_cast<double>(measured.size()) + fraction) / static_cast<double>(counts.size()));
    };
    AACO_ASSIGN(RoofMeasurement measurement, measure_roofs(count, progress));
    if (!measurement.disturbed()) {
      AACO_TRY(store_roofs(measurement.roofs));
    }
    measured.push_back(std::move(measurement));
  }
  return measured;
}

// A finding needs nobody's attention.
bool at_ease(const doctor::Finding& finding) {
  return finding.state == doctor::State::kOk || finding.state == doctor::State::kNotNeeded;
}

void print_findings(const std::vector<doctor::Finding>& findings) {
  size_t widest = 0;
  for (const doctor::Finding& finding : findings) {
    widest = std::max(widest, finding.name.size());
  }
  std::string group;
  for (const doctor::Finding& finding : findings) {
    if (finding.group != group) {
      group = finding.group;
      fmt::print("{}\n", group);
    }
    const Tone tone = at_ease(finding) ? Tone::kGood : finding.essential ? Tone::kBad : Tone::kUncertain;
    fmt::print("  {}  {:<{}}  {}\n", toned(fmt::format("{:<13}", word_of(finding.state)), tone, STDOUT_FILENO),
               finding.name, widest, printable(finding.detail));
    if (!finding.remedy.empty()) {
      fmt::print("  {:<13}  {:<{}}  remedy: {}\n", "", "", widest, printable(finding.remedy));
    }
  }
}

report::Section roofs_section(const RoofMeasurement& measurement) {
  const Roofs& roofs = measurement.roofs;
  report::TableBlock table{
      .id = "roofs",
      .title = fmt::format("Measured roofs at {} ({}):", counted(roofs.threads, "thread", "threads"), roofs.device),
      .columns = {{"roof"}, {"value", true}, {"by"}}};
  const auto add = [&](const std::string& name, report::Cell value, const std::string& by) {
    table.rows.push_back({report::text_cell(name), std::move(value), report::text_cell(by)});
  };
  for (const auto& [precision, per_s] : roofs.flops_per_s) {
    add(precision, report::number_cell(per_s, precision == "int8" ? "OP/s" : "FLOP/s"),
        roofs.instructions.at(precision));
  }
  if (roofs.bytes_per_s) {
    add("memory", report::number_cell(*roofs.bytes_per_s, "B/s"), roofs.instructions.at("memory"));
  }
  for (const auto& [what, why] : roofs.unavailable) {
    add(what, report::missing_cell("no data"), why);
  }
  report::Section section{"roofs", "Roofs", {}, {std::move(table)}};
  if (measurement.disturbed()) {
    section.blocks.emplace_back(report::Paragraph{
        fmt::format("warning: {}: measure again when the machine is idle", disturbance(measurement))});
  }
  return section;
}

Result<int> examine(const DoctorFlags& flags, const Invocation& invocation) {
  std::vector<RoofMeasurement> roofs;
  if (flags.measure) {
    // First, so that the table shows the machine with its roofs.
    AACO_ASSIGN(roofs, measure(flags.threads, invocation.quiet));
  }
  std::vector<doctor::Finding> findings;
  for (const doctor::Check check : doctor::all_checks()) {
    check(flags.context, findings);
  }
  std::vector<std::string> lacking;
  for (const doctor::Finding& finding : findings) {
    if (finding.essential && finding.state != doctor::State::kOk) {
      lacking.push_back(finding.name);
    }
  }
  const bool disturbed = std::ranges::any_of(roofs, &RoofMeasurement::disturbed);
  const int exit_code = !lacking.empty() ? static_cast<int>(ErrorKind::kUnavailable)
                        : disturbed      ? static_cast<int>(ErrorKind::kInvalid)
                                         : 0;
  if (invocation.json) {
    Json out = {{"checks", findings}, {"essential_missing", lacking}};
    if (flags.measure) {
      out["roofs"] = Json::array();
      for (const RoofMeasurement& measurement : roofs) {
        Json measured = measurement.roofs;
        measured["others_share"] = measurement.others_share;
        measured["kept"] = !measurement.disturbed();
        out["roofs"].push_back(std::move(measured));
      }
    }
    fmt::print("{}", indented_json_text(out));
    return exit_code;
  }
  findings = doctor::without_absent_vendors(findings);
  print_findings(findings);
  for (const RoofMeasurement& measurement : roofs) {
    fmt::print("\n{}", report::render_lines({.sections = {roofs_section(measurement)}}));
  }
  const auto needed = std::ranges::count_if(
      findings, [](const doctor::Finding& finding) { return finding.state != doctor::State::kNotNeeded; });
  const auto ok = std::ranges::count(findings, doctor::State::kOk, &doctor::Finding::state);
  fmt::print("\n{} of {} checks ok. ", ok, needed);
  if (lacking.empty()) {
    fmt::print("Everything that runs on the CPU backend need is here.\n");
  } else {
    fmt::print("Essential and missing: {}.\n", fmt::join(lacking, ", "));
  }
  return exit_code;
}

}  // namespace

void add_doctor_command(cli::Command app, Invocation& invocation) {
  auto flags = std::make_shared<DoctorFlags>();
  cli::Command command =
      app.add_subcommand("doctor", "Check tools, libraries, drivers, permissions and folders; measure the roofs");
  command.add_flag("--measure", flags->measure,
                   "Measure this machine's roofs and keep them for the reports (some seconds, more with large caches)");
  command
      .add_option("--threads", flags->threads, {1, 4096},
                  "Numbers of threads to measure the roofs at; default: 1 and all processors")
      .delimiter(',')
      .needs("--measure");
  command.add_option("--ort-library", flags->context.ort_library, "The libonnxruntime.so to look at").type_name("PATH");
  add_sessions_folder(command, flags->context.sessions_folder);
  add_store_flag(command, flags->context.history);
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco doctor\n"
               "  aaco doctor --measure --threads 1,4\n"
               "Exit codes: 0 nothing essential is missing, 3 otherwise; 4 the roofs were disturbed by other programs, "
               "and not kept.");
  command.callback([flags, &invocation] { invocation.finish(examine(*flags, invocation)); });
}

}  // namespace aaco
