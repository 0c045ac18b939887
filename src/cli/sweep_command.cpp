// SPDX-License-Identifier: MIT
#include "cli/sweep_command.h"

#include <fmt/format.h>
#include <memory>

#include "cli/progress_line.h"
#include "cli/run_flags.h"

#include "base/file.h"
#include "base/format.h"
#include "experiment/sweep.h"
#include "report/plot/svg.h"

namespace aaco {

namespace {

struct SweepFlags {
  RunFlags run;
  std::vector<int64_t> batches;
};

plot::Chart throughput_chart(const Scaling& scaling) {
  plot::Chart chart;
  chart.id = "throughput";
  chart.title = "Throughput by batch";
  chart.caption = "Whiskers: 95 % interval over processes.";
  chart.x.title = "batch";
  chart.x.logarithmic = true;
  chart.y.title = "throughput";
  chart.y.quantity = plot::Quantity::kSi;
  chart.y.unit = "samples/s";
  chart.y.from_zero = true;
  plot::Series line;
  line.mark = plot::Mark::kLine;
  plot::Series points;
  points.mark = plot::Mark::kPoints;
  for (const ScalingRow& row : scaling.rows) {
    for (plot::Series* series : {&line, &points}) {
      series->x.push_back(static_cast<double>(row.batch));
      series->y.push_back(row.samples_per_s.value);
    }
    points.low.push_back(row.samples_per_s.interval ? row.samples_per_s.interval->low : row.samples_per_s.value);
    points.high.push_back(row.samples_per_s.interval ? row.samples_per_s.interval->high : row.samples_per_s.value);
  }
  chart.series = {line, points};
  chart.no_data = "no batch was measured";
  return chart;
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
                    format_duration_ns(row.per_sample_ns), fmt::format("{:.4g}", row.samples_per_s.value), gain});
  }
  fmt::print("{}\nsaturation: {}\n", format_table(rows), outcome.scaling.saturation);
  if (outcome.stopped_by) {
    fmt::print("stopped early: {}\n", outcome.stopped_by->message);
  }
  fmt::print("\nbundle  {}\n", outcome.bundle.string());
}

Result<int> run(const SweepFlags& flags, const Invocation& invocation) {
  AACO_ASSIGN(RunRequest request, to_request(flags.run, invocation));
  request.kind = "run";
  ProgressLine progress;
  AACO_ASSIGN(const SweepOutcome outcome, run_sweep(request, flags.batches, progress.callback()));
  progress.wipe();
  const std::filesystem::path plots = outcome.bundle / "report/plots";
  AACO_TRY(make_folders(plots));
  AACO_TRY(write_file_atomically(plots / "throughput.svg",
                                 plot::render_svg(throughput_chart(outcome.scaling), plot::SvgUse::kStandAlone)));
  if (invocation.json) {
    fmt::print("{}\n", sweep_json(outcome).dump(2));
  } else {
    print_sweep(outcome);
  }
  if (outcome.stopped_by) {
    return *outcome.stopped_by;
  }
  return 0;
}

}  // namespace

void add_sweep_command(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("sweep", "Run a model over several batch sizes: throughput, saturation");
  auto flags = std::make_shared<SweepFlags>();
  add_run_flags(*command, flags->run);
  command->add_option("--batch", flags->batches, "Batch sizes, as 1,2,4,8")->delimiter(',')->required();
  add_json_flag(*command, invocation);
  set_examples(*command,
               "  aaco sweep --model resnet50 --backend cpu --batch 1,2,4,8\n  aaco sweep --model bert-base --backend "
               "cuda --dim sequence=128 --batch 1,8,64 --precision fp16");
  command->callback([flags, &invocation] { invocation.finish(run(*flags, invocation)); });
}

}  // namespace aaco
