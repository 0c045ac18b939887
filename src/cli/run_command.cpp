// SPDX-License-Identifier: MIT
// aaco run: a model to a session bundle, a diagnosis and a report.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "cli/command/command.h"
#include "cli/command/progress_line.h"
#include "cli/command/until_flag.h"
#include "cli/command/with_flag.h"
#include "cli/run_flags.h"

#include "analysis/bundle_json.h"
#include "analysis/model_run/latency.h"
#include "base/format.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "kind/model_run/alternatives.h"
#include "kind/model_run/load/load_request.h"
#include "kind/model_run/report/alternatives_section.h"
#include "kind/model_run/report/load_section.h"
#include "kind/model_run/report/run_report.h"
#include "kind/model_run/run_model.h"
#include "kind/model_run/until/until_document.h"
#include "report/headline/until_words.h"
#include "report/sections/run_headline.h"
#include "report/sections/sections.h"
#include "report/sinks.h"
#include "report/values.h"
#include "session/bundle/layout.h"

namespace aaco {

namespace {

std::string not_taken(const RunFacts& facts) {
  std::vector<std::string> others;
  for (const auto& [provider, nodes] : facts.nodes_by_provider) {
    if (provider != facts.provider) {
      others.push_back(counted(nodes, "node", "nodes") + " ran on " + provider);
    }
  }
  return fmt::format("{}", fmt::join(others, ", "));
}

// Inputs of which the same is to be said share a line.
std::vector<report::Block> input_lines(const std::vector<PortNote>& inputs) {
  std::vector<std::pair<std::string, std::vector<std::string>>> lines;
  for (const PortNote& input : inputs) {
    const std::string text = fmt::format("{}, {}", input.values, input.why);
    const auto same = std::ranges::find(lines, text, [](const auto& line) { return line.first; });
    std::vector<std::string>& names =
        same == lines.end() ? lines.emplace_back(text, std::vector<std::string>()).second : same->second;
    names.push_back(fmt::format("{} {} [{}]", input.name, input.dtype, fmt::join(input.dims, ",")));
  }
  constexpr size_t kMostNames = 4;
  std::vector<report::Block> blocks;
  for (auto& [text, names] : lines) {
    const std::string more = names.size() > kMostNames ? fmt::format(" and {} more", names.size() - kMostNames) : "";
    names.resize(std::min(names.size(), kMostNames));
    blocks.emplace_back(report::Paragraph{fmt::format("input {}{}: {}", fmt::join(names, ", "), more, text)});
  }
  return blocks;
}

report::Report summary_of(const RunOutcome& outcome, const std::optional<RunLoad>& load) {
  const RunFacts& facts = outcome.facts;
  report::Section head{"run",
                       "Run",
                       {},
                       {report::Paragraph{fmt::format("{} on {} ({}, ONNX Runtime {}), batch {}, executed in {}",
                                                      facts.model_name, facts.backend, facts.provider,
                                                      facts.runtime_version, facts.batch, facts.precision_executed)}}};
  std::vector<LatencySummary> latencies = outcome.analysis.latencies;
  std::erase_if(latencies, [](const LatencySummary& latency) {
    return latency.phase == IterationPhase::kWarmup || latency.phase == IterationPhase::kProfile;
  });
  report::TableBlock quantiles = report::latency_table(latencies);
  const bool is_short = std::ranges::any_of(latencies, [](const LatencySummary& latency) { return !latency.p99_ns; });
  quantiles.note = is_short ? fmt::format("p90, p95 and p99 need {}, {} and {} iterations.", kIterationsForP90,
                                          kIterationsForP95, kIterationsForP99)
                            : "";
  report::Section figures{"latency", load ? report::kServiceTime : "Latency", {}, {std::move(quantiles)}};
  if (load) {
    figures.blocks.emplace_back(report::load_table(*load));
  }
  report::Section words{"summary", "Summary", {}, {}};
  const auto add = [&](const char* what, const std::vector<std::string>& sentences) {
    for (const std::string& sentence : sentences) {
      words.blocks.emplace_back(report::Paragraph{what + sentence});
    }
  };
  add("", outcome.analysis.summary);
  for (report::Block& block : input_lines(outcome.inputs)) {
    words.blocks.push_back(std::move(block));
  }
  add("warning: ", outcome.empty);
  if (const std::string others = not_taken(facts); !others.empty()) {
    add("warning: fall-back: ", {others});
  }
  add("note: ", outcome.notes);
  add("warning: ", outcome.analysis.warnings);
  add("check failed: ", outcome.mismatches);
  if (outcome.status != SessionStatus::kComplete) {
    add("", {fmt::format("the run is {}: {}", session_status_name(outcome.status), outcome.status_reason)});
  }
  report::Section files{"files",
                        "Files",
                        {},
                        {report::FactList{{{"bundle", outcome.bundle.string()},
                                           {"report", (outcome.bundle / layout::kReport).string()}}}}};
  return {.sections = {std::move(head), std::move(figures), std::move(words), std::move(files)}};
}

Json outcome_json(const RunOutcome& outcome) {
  Json json;
  json["bundle"] = outcome.bundle.string();
  json["report"] = (outcome.bundle / layout::kReport).string();
  json["status"] = outcome.status;
  json["status_reason"] = outcome.status_reason;
  json["summary"] = inference_summary_json(outcome.analysis, outcome.facts);
  json["metrics"] = derived_metrics_json(outcome.analysis);
  json["bottleneck"] = bottleneck_json(outcome.analysis);
  json["offenders"] = offenders_json(outcome.analysis);
  json["nodes_by_provider"] = outcome.facts.nodes_by_provider;
  json["precision_executed"] = outcome.facts.precision_executed;
  json["notes"] = outcome.notes;
  json["inputs"] = outcome.inputs;
  std::vector<std::string> warnings = outcome.empty;
  warnings.insert(warnings.end(), outcome.analysis.warnings.begin(), outcome.analysis.warnings.end());
  json["warnings"] = warnings;
  json["mismatches"] = outcome.mismatches;
  return json;
}

// The run alone, or in turns with what is to be tried.
Result<AlternativesOutcome> measure(const RunRequest& request, const std::optional<std::string>& alternatives,
                                    const ProgressCallback& progress) {
  if (alternatives) {
    AACO_ASSIGN(const std::vector<Alternative> others, alternatives_of(request, *alternatives));
    return try_alternatives(request, others, progress);
  }
  AACO_ASSIGN(RunOutcome outcome, run_model(request, progress));
  return AlternativesOutcome{std::move(outcome), {}, false};
}

struct LoadWords {
  std::optional<std::string> arrivals;
  std::vector<std::string> limits;
};

Result<std::optional<LoadFacts>> load_of(LoadWords words, RunFlags& flags) {
  give_model_back(words.limits, [](const std::string& word) { return word.find(':') != std::string::npos; }, flags);
  if (words.arrivals) {
    AACO_ASSIGN(LoadFacts load, parse_load(*words.arrivals, words.limits));
    return std::optional(load);
  }
  if (!words.limits.empty()) {
    return Error{ErrorKind::kUsage, "--goodput without --load: no request has a moment at which it was due",
                 "give the rate of arrivals too: --load 20"};
  }
  return std::optional<LoadFacts>();
}

// Why a run took longer than its seconds: so many iterations of a process are measured in any case.
std::string overruled_seconds(double asked_s, const char* flag, const RunOutcome& outcome) {
  const LatencySummary* const latency = outcome.analysis.primary_latency();
  if (latency == nullptr || !latency->mean_ns || latency->processes == 0) {
    return "";
  }
  const double measured_s = *latency->mean_ns * static_cast<double>(latency->iterations) / 1e9;
  const int64_t of_process = latency->iterations / latency->processes;
  if (measured_s < 1.5 * asked_s || of_process > kFewestInSeconds) {
    return "";
  }
  return fmt::format("{} asks for {} of measuring, {} were measured: {} a process are the fewest", flag,
                     format_duration_ns(asked_s * 1e9), format_duration_ns(measured_s * 1e9),
                     counted(of_process, "iteration", "iterations"));
}

Result<int> run(RunFlags flags, const LoadWords& load, const std::optional<std::string>& alternatives,
                const Invocation& invocation) {
  AACO_ASSIGN(flags.request.load, load_of(load, flags));
  AACO_ASSIGN(const RunRequest request, to_request(flags, invocation));
  ProgressLine progress(invocation.quiet);
  AACO_ASSIGN(AlternativesOutcome measured, measure(request, alternatives, progress.callback()));
  if (!request.load && !request.until && (flags.quick || flags.duration_s)) {
    const std::string note = overruled_seconds(flags.duration_s.value_or(kQuickSeconds * kQuickProcesses),
                                               flags.quick ? "--quick" : "--duration", measured.base);
    if (!note.empty()) {
      measured.base.notes.push_back(note);
    }
  }
  const RunOutcome& outcome = measured.base;
  if (!measured.tried.empty()) {
    AACO_TRY(keep_alternatives(outcome.bundle, measured.tried));
  }
  AACO_ASSIGN(const OpenSession session, open_session(outcome.bundle));
  AACO_ASSIGN(const std::optional<RunLoad> served, read_load(session));
  AACO_ASSIGN(const std::optional<UntilFacts> until, read_until(session));
  AACO_TRY(write_report(session, outcome.analysis, outcome.bundle / "report"));
  progress.wipe();
  if (invocation.json) {
    Json json = outcome_json(outcome);
    if (served) {
      json["load"] = load_json(*served);
    }
    if (until) {
      json["until"] = *until;
    }
    if (!measured.tried.empty()) {
      json["tried"] = alternatives_json(measured.tried);
    }
    fmt::print("{}", indented_json_text(json));
  } else {
    report::Report summary = summary_of(outcome, served);
    summary.headline = report::run_headline(session.recording, outcome.analysis, session.info.command_line,
                                            outcome.status == SessionStatus::kComplete ? "" : outcome.status_reason);
    if (until) {
      report::put_until(*until, summary.headline);
    }
    if (served) {
      report::put_load(outcome.facts, *served, summary.headline);
    }
    if (!measured.tried.empty()) {
      report::put_remedies(measured.tried, summary.headline);
      summary.sections.insert(summary.sections.begin() + 1, report::alternatives_section(measured.tried));
    }
    fmt::print("{}", report::render_lines(summary));
  }
  if (measured.interrupted) {
    return Error{ErrorKind::kInterrupted, "interrupted: what was not measured is missing above", ""};
  }
  if (outcome.status == SessionStatus::kInvalid) {
    return Error{ErrorKind::kInvalid, fmt::format("the run is invalid: {}", outcome.status_reason),
                 "the bundle keeps what was recorded; correct the model or its inputs, and run again"};
  }
  return outcome.mismatches.empty() ? 0 : 1;
}

}  // namespace

void add_run_command(cli::Command app, Invocation& invocation) {
  cli::Command command = app.add_subcommand("run", "Run a model in fresh processes: session bundle, diagnosis, report");
  auto flags = std::make_shared<RunFlags>();
  flags->takes_until = true;
  add_run_flags(command, *flags);
  add_tag_flag(command, invocation);
  command.rare({"--tag"});
  command.add_option("--batch", flags->request.batch, {1, 1'000'000'000}, "Batch size");
  command.add_option("--tokens", flags->tokens, "Decoder models: prompt length and tokens to generate")
      .type_name("P,G");
  auto load = std::make_shared<LoadWords>();
  command
      .add_option(
          "--load", load->arrivals,
          "Requests arrive at this rate a second (Poisson; uniform:RATE: equal gaps), ready or not: latency from "
          "the arrival; --iterations is their number")
      .type_name("RATE|uniform:RATE");
  command
      .add_option("--goodput", load->limits,
                  "Limits of a good request: ttft (first token), tpot (each other token), e2el (all)")
      .type_name("ttft:200ms tpot:20ms e2el:2s");
  command.add_flag("--profile", flags->request.profile, "Node timings, in processes of their own");
  add_with_flag(command, flags->request.with);
  auto alternatives = std::make_shared<std::optional<std::string>>();
  command
      .add_option("--try", *alternatives,
                  "What each of these gains, in turns with the run: cuda-graph, tf32, batch, batch=N, threads=N, "
                  "precision=fp16, another .onnx file, KEY=VALUE of --option")
      .type_name("WORD,...");
  add_until_flag(command, flags->until).excludes("--quick").excludes("--load").excludes("--try");
  command.rare({"--with", "--goodput"});
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco run resnet50 --quick\n"
               "  aaco run model.onnx --shape x=1x3x48x192 --profile --telemetry\n"
               "  aaco run resnet50 --backend cuda --try cuda-graph,batch\n"
               "  aaco run tiny-llama --tokens 64,16 --load 5 --goodput ttft:200ms tpot:20ms");
  command.callback(
      [flags, alternatives, load, &invocation] { invocation.finish(run(*flags, *load, *alternatives, invocation)); });
}

}  // namespace aaco
