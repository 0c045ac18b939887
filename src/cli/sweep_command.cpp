// SPDX-License-Identifier: MIT
#include "cli/sweep_command.h"

#include <fmt/format.h>
#include <memory>

#include "cli/command/progress_line.h"
#include "cli/run_flags.h"

#include "base/format.h"
#include "base/json.h"
#include "base/json_text.h"
#include "base/text/characters.h"
#include "experiment/model_run/sweep.h"
#include "report/run_report.h"
#include "report/sweep_report.h"
#include "session/layout.h"

namespace aaco {

namespace {

struct SweepFlags {
  RunFlags run;
  std::vector<std::string> batches;
};

// Without exponents, which nobody compares at a glance.
std::string rate_text(double samples_per_s) {
  return samples_per_s >= 1000 ? fmt::format("{:.0f}", samples_per_s) : fmt::format("{:.4g}", samples_per_s);
}

void print_sweep(const SweepOutcome& outcome) {
  std::vector<std::vector<std::string>> rows{
      {"batch", "p50 [95 % over processes]", "per sample", "samples/s", "gain per doubling"}};
  for (const ScalingRow& row : outcome.scaling.rows) {
    const std::string gain = !row.gain_per_doubling ? ""
                             : row.gain_interval    ? fmt::format("{} [{}, {}]", format_percent(*row.gain_per_doubling),
                                                                  format_percent(row.gain_interval->low),
                                                                  format_percent(row.gain_interval->high))
                                                    : format_percent(*row.gain_per_doubling);
    rows.push_back({std::to_string(row.batch), format_estimate_ns(row.latency_ns),
                    format_duration_ns(row.per_sample_ns),
                    row.samples_per_s ? rate_text(row.samples_per_s->value) : "no data", gain});
  }
  fmt::print("{}\nsaturation: {}\n", format_table(rows), outcome.scaling.saturation);
  if (outcome.stopped_by) {
    fmt::print("stopped early: {}\n", printable(outcome.stopped_by->message));
  }
  fmt::print("\nbundle  {}\nreport  {}\n", outcome.bundle.string(), (outcome.bundle / layout::kReport).string());
}

bool is_number(const std::string& word) { return word.find_first_not_of("+-0123456789") == std::string::npos; }

Result<int> run(SweepFlags flags, const Invocation& invocation) {
  give_model_back(flags.batches, is_number, flags.run);
  std::vector<int64_t> batches;
  for (const std::string& batch : flags.batches) {
    AACO_ASSIGN(batches.emplace_back(), whole_number("--batch", batch));
  }
  AACO_ASSIGN(RunRequest request, to_request(flags.run, invocation));
  ProgressLine progress(invocation.quiet);
  AACO_ASSIGN(const SweepOutcome outcome, run_sweep(request, batches, progress.callback()));
  progress.wipe();
  AACO_ASSIGN(const OpenSession session, open_session(outcome.bundle));
  AACO_ASSIGN(const report::Report built, report::build_sweep_report(session, sweep_json(outcome)));
  AACO_TRY(write_report(built, (outcome.bundle / layout::kReport).parent_path()));
  if (invocation.json) {
    fmt::print("{}", indented_json_text(sweep_json(outcome)));
  } else {
    print_sweep(outcome);
  }
  if (outcome.stopped_by) {
    return *outcome.stopped_by;
  }
  return 0;
}

}  // namespace

void add_sweep_command(cli::Command app, Invocation& invocation) {
  cli::Command command = app.add_subcommand("sweep", "Run a model over several batch sizes: throughput, saturation");
  auto flags = std::make_shared<SweepFlags>();
  add_run_flags(command, flags->run);
  command.add_option("--batch", flags->batches, "Batch sizes, as 1,2,4,8").delimiter(',').required().type_name("N,...");
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco sweep resnet50 --backend cpu --batch 1,2,4,8\n  aaco sweep --model bert-base --backend "
               "cuda --dim sequence=128 --batch 1,8,64 --precision fp16");
  command.callback([flags, &invocation] { invocation.finish(run(*flags, invocation)); });
}

}  // namespace aaco
