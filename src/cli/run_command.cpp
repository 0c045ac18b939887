// SPDX-License-Identifier: MIT
#include "cli/run_command.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "cli/command/progress_line.h"
#include "cli/command/with_flag.h"
#include "cli/run_flags.h"

#include "analysis/bundle_json.h"
#include "base/format.h"
#include "base/json.h"
#include "base/json_text.h"
#include "base/text/characters.h"
#include "experiment/model_run/run_model.h"
#include "report/run_report.h"
#include "session/layout.h"

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

void print_latency(const LatencySummary& latency) {
  std::vector<std::vector<std::string>> rows{
      {"phase", "p50 [95 % over processes]", "p90", "p95", "p99", "processes", "iterations"}};
  const auto cell = [](const std::optional<double>& ns, const std::optional<Interval>& interval) {
    return !ns ? "too few" : interval ? format_estimate_ns({*ns, interval}) : format_duration_ns(*ns);
  };
  rows.push_back({latency.phase, format_estimate_ns(latency.p50_ns), cell(latency.p90_ns, latency.p90_interval_ns),
                  cell(latency.p95_ns, latency.p95_interval_ns), cell(latency.p99_ns, latency.p99_interval_ns),
                  std::to_string(latency.processes), std::to_string(latency.iterations)});
  fmt::print("{}", format_table(rows));
}

// Inputs of which the same is to be said share a line.
void print_inputs(const std::vector<PortNote>& inputs) {
  std::vector<std::pair<std::string, std::vector<std::string>>> lines;
  for (const PortNote& input : inputs) {
    const std::string text = fmt::format("{}, {}", input.values, input.why);
    const auto same = std::ranges::find(lines, text, [](const auto& line) { return line.first; });
    std::vector<std::string>& names =
        same == lines.end() ? lines.emplace_back(text, std::vector<std::string>()).second : same->second;
    names.push_back(fmt::format("{} {} [{}]", input.name, input.dtype, fmt::join(input.dims, ",")));
  }
  constexpr size_t kMostNames = 4;
  for (auto& [text, names] : lines) {
    const std::string more = names.size() > kMostNames ? fmt::format(" and {} more", names.size() - kMostNames) : "";
    names.resize(std::min(names.size(), kMostNames));
    fmt::print("input {}{}: {}\n", printable(fmt::format("{}", fmt::join(names, ", "))), more, printable(text));
  }
}

void print_outcome(const RunOutcome& outcome) {
  const RunFacts& facts = outcome.facts;
  fmt::print("{} on {} ({}, ONNX Runtime {}), batch {}, executed in {}\n\n", printable(facts.model_name), facts.backend,
             facts.provider, facts.runtime_version, facts.batch, facts.precision_executed);
  for (const LatencySummary& latency : outcome.analysis.latencies) {
    if (latency.phase != phase::kWarmup && latency.phase != phase::kProfile) {
      print_latency(latency);
    }
  }
  fmt::print("\n");
  for (const std::string& sentence : outcome.analysis.summary) {
    fmt::print("{}\n", printable(sentence));
  }
  print_inputs(outcome.inputs);
  for (const std::string& sentence : outcome.empty) {
    fmt::print("warning: {}\n", printable(sentence));
  }
  if (const std::string others = not_taken(facts); !others.empty()) {
    fmt::print("warning: fall-back: {}\n", printable(others));
  }
  for (const std::string& note : outcome.notes) {
    fmt::print("note: {}\n", printable(note));
  }
  for (const std::string& warning : outcome.analysis.warnings) {
    fmt::print("warning: {}\n", printable(warning));
  }
  for (const std::string& mismatch : outcome.mismatches) {
    fmt::print("check failed: {}\n", printable(mismatch));
  }
  if (outcome.status != SessionStatus::kComplete) {
    fmt::print("the run is {}: {}\n", session_status_name(outcome.status), printable(outcome.status_reason));
  }
  fmt::print("\nbundle  {}\nreport  {}\n", outcome.bundle.string(), (outcome.bundle / layout::kReport).string());
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

Result<int> run(const RunFlags& flags, const Invocation& invocation) {
  AACO_ASSIGN(const RunRequest request, to_request(flags, invocation));
  ProgressLine progress(invocation.quiet);
  AACO_ASSIGN(const RunOutcome outcome, run_model(request, progress.callback()));
  AACO_ASSIGN(const OpenSession session, open_session(outcome.bundle));
  AACO_TRY(write_report(session, outcome.analysis, outcome.bundle / "report"));
  progress.wipe();
  if (invocation.json) {
    fmt::print("{}", indented_json_text(outcome_json(outcome)));
  } else {
    print_outcome(outcome);
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
  add_run_flags(command, *flags);
  command.add_option("--batch", flags->request.batch,
                     "Batch size: the leading symbolic dimension of each input, and those named batch");
  command.add_option("--tokens", flags->tokens, "Decoder models: prompt length and tokens to generate")
      .type_name("P,G");
  command.add_flag("--profile", flags->request.profile,
                   "Node timings, in processes of their own between the measured ones");
  add_with_flag(command, flags->request.with);
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco run resnet50 --backend cpu --batch 1 --profile --telemetry\n"
               "  aaco run model.onnx --shape x=1x3x48x192\n"
               "  aaco run --model bert-base --backend cpu --dim sequence=128 --threads 2\n"
               "  aaco run --model tiny-llama --backend cpu --tokens 128,64\n"
               "  aaco run --model ./mine.onnx --backend cuda --option use_tf32=0 --input x=x.npy");
  command.callback([flags, &invocation] { invocation.finish(run(*flags, invocation)); });
}

}  // namespace aaco
