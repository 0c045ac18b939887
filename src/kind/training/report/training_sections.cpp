// SPDX-License-Identifier: MIT
#include "kind/training/report/training_sections.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/format.h"
#include "engine/warmup.h"
#include "kind/training/report/gates_section.h"
#include "kind/training/report/training_plots.h"
#include "report/sections/estimates.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr const char* kNoSteps = "no step was measured";

// Too few steps to tell whether they are steady.
bool has_few_steps(const TrainingProcess& process) { return process.steps < kFewestTested; }

KeyFigure loss_figure(const TrainingView& view) {
  const TrainingFigures& figures = view.figures;
  if (!figures.first_loss || !figures.last_loss) {
    return {"loss", missing_cell("no data"), kNoSteps, Tone::kWarning};
  }
  const bool finite = std::isfinite(*figures.first_loss) && std::isfinite(*figures.last_loss);
  return {"loss", change_cell(figures.first_loss, figures.last_loss, "1"),
          finite ? "of the first step; mean of the last tenth of the steps" : "not finite: the training diverged",
          finite ? Tone::kNeutral : Tone::kBad};
}

void add_remarks(const TrainingView& view, std::vector<Block>& blocks) {
  const TrainingRunDocument& document = view.document;
  const auto remark = [&](const std::string& text, Tone tone) { blocks.emplace_back(Paragraph{text, tone}); };
  if (!view.failure.empty()) {
    remark(fmt::format("No speed is shown, since what was computed is not what should be: {}.", view.failure),
           Tone::kBad);
  }
  if (document.gates.empty()) {
    remark("Nothing was checked: whether the step computes what it should is not known.", Tone::kWarning);
  }
  const auto count = [&](bool (*holds)(const TrainingProcess&)) {
    return std::count_if(document.processes.begin(), document.processes.end(), holds);
  };
  if (const int64_t steps = document.request.steps; steps < kFewestTested && !document.processes.empty()) {
    remark(fmt::format("{} too few to tell whether they are steady: --num-steps {} or more.",
                       counted(steps, "step is", "steps are"), kFewestTested),
           Tone::kWarning);
  }
  if (const auto unsteady = count([](const TrainingProcess& one) { return !one.stationary && !has_few_steps(one); });
      unsteady > 0) {
    remark(fmt::format("The steps of {} of {} processes show a trend: a longer --warmup may change the figures.",
                       unsteady, document.processes.size()),
           Tone::kWarning);
  }
  if (const auto cut = count([](const TrainingProcess& one) { return one.interrupted; }); cut > 0) {
    remark(fmt::format("{} of {} processes were interrupted.", cut, document.processes.size()), Tone::kWarning);
  }
  if (view.failure.empty() && view.figures.mfu.value_or(0) > 1) {
    remark("An MFU above 100 % is suspect: the roof was measured too low, or the work is counted wrong.", Tone::kBad);
  }
}

Cell steady_cell(const TrainingProcess& process) {
  if (has_few_steps(process)) {
    return text_cell("not known", Tone::kWarning);
  }
  return text_cell(process.stationary ? "yes" : "no", process.stationary ? Tone::kNeutral : Tone::kWarning);
}

std::string types_of(const TrainingRunDocument& document) {
  std::string text;
  for (const auto& [what, type] : document.types) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, type);
  }
  return text.empty() ? "not known" : text;
}

std::string device_of(const TrainingRunDocument& document) {
  if (!document.device) {
    return document.request.device + ", nothing more known";
  }
  const DeviceFacts& device = *document.device;
  return fmt::format("{}: {}, {}, {}, {}, {}", device.id, device.name, device.architecture, device.driver,
                     device.runtime, device.gemm_library);
}

// "14.2 GB: activations 9 GB, ...; PyTorch's eager step: 15 GB".
std::string memory_text(const TrainingWork& work, double all) {
  std::string text = format_si(all, "B");
  for (const auto& [what, bytes] : work.memory) {
    text += what == "all"
                ? ""
                : fmt::format("{}{} {}", text.find(':') == text.npos ? ": " : ", ", what, format_si(bytes, "B"));
  }
  return text + (work.pytorch_peak_bytes ? fmt::format("; PyTorch's eager step of it has a peak of {}, by another",
                                                       format_si(*work.pytorch_peak_bytes, "B"))
                                         : std::string());
}

}  // namespace

Section training_summary_section(const TrainingView& view, std::vector<Block> remarks) {
  Section section{"summary", "Summary"};
  KeyFigures key;
  if (view.failure.empty()) {
    for (const auto& [id, label] :
         {std::pair{"step_p50", "median step"}, std::pair{"training_tokens_per_s", "tokens/s"},
          std::pair{"training_sequences_per_s", "samples/s"}, std::pair{"mfu", "MFU"}}) {
      key.figures.push_back(key_figure(view.metrics, id, label));
    }
  }
  key.figures.push_back(key_figure(view.metrics, "training_peak_memory"));
  key.figures.push_back(loss_figure(view));
  const std::vector<TrainingGate>& gates = view.document.gates;
  key.figures.push_back(
      {"gates passed",
       gates.empty() ? std::string("none made") : fmt::format("{} of {}", passed_gates(gates), gates.size()),
       "what must hold before any speed is said", gates_badge(gates).tone});
  section.blocks.emplace_back(std::move(key));
  for (Block& remark : remarks) {
    section.blocks.push_back(std::move(remark));
  }
  add_remarks(view, section.blocks);
  return section;
}

Section training_configuration_section(const TrainingView& view) {
  const TrainingRequest& request = view.document.request;
  const TrainingWork& work = view.document.work;
  FactList facts{
      {{"version", std::to_string(request.version)},
       {"model",
        fmt::format("{}: {} layers, hidden size {}, {} heads, {} of keys and values, inner size {}, vocabulary "
                    "{}; {} parameters",
                    request.preset, request.layers, request.hidden, request.heads, request.kv_heads, request.inner,
                    request.vocabulary, format_count(work.parameters))},
       {"batch", fmt::format("{} sequences of {} tokens", request.sequences, request.length)},
       {"data", fmt::format("{}, {} batches in turn, seed {}", request.data, request.batches, request.seed)},
       {"precision", request.precision},
       {"types", types_of(view.document)},
       {"optimiser",
        fmt::format(
            "AdamW, rate {}{}, weight decay {}", request.rate,
            request.rate_warmup_steps > 0 ? fmt::format(" reached after {} steps", request.rate_warmup_steps) : "",
            request.weight_decay)},
       {"dispatch", fmt::format("{}, {} {}", request.dispatch, work.streams, work.streams == 1 ? "stream" : "streams")},
       {"steps", fmt::format("{} after {} of warm-up, in each of {} processes", request.steps, request.warmup,
                             request.processes)},
       {"a step", fmt::format("{} operations, {} by their arguments ({} of the model's mathematics), at least {} "
                              "moved",
                              format_count(work.operations), format_si(work.flops, "FLOP"),
                              format_si(work.model_flops, "FLOP"), format_si(work.ideal_bytes, "B"))},
       {"device", device_of(view.document)}}};
  if (const auto& activity = view.document.activity; activity && activity->steps > 0) {
    facts.facts.push_back(
        {"as the device did it",
         fmt::format("{:.4g} device kernels and {:.4g} launches of the host a step; a kernel ran {:.1f} % of the time, "
                     "under the collector",
                     activity->kernels_per_step(), activity->launches_per_step(), 100 * activity->busy_ratio)});
  }
  if (const auto all = work.memory.find("all"); all != work.memory.end()) {
    facts.facts.push_back({"memory, by a closed form", memory_text(work, all->second)});
  }
  if (request.deterministic) {
    facts.facts.push_back({"algorithms of products", "as the library proposes them, none timed (--deterministic)"});
  }
  if (!request.device_choice.empty()) {
    facts.facts.push_back({"why this one", request.device_choice});
  }
  Section section{"configuration", "Configuration", {}, {std::move(facts)}};
  if (!view.document.notes.empty()) {
    section.blocks.emplace_back(Bullets{"", view.document.notes});
  }
  return section;
}

Section training_figures_section(const TrainingView& view) {
  constexpr const char* kNote = "Over processes; p95 and p99 over all steps, with their intervals over processes.";
  return {"figures", "Figures", {}, metric_blocks("figures", view.metrics, kNote)};
}

Section loss_section(const TrainingView& view) { return {"loss", "Loss", {}, {ChartBlock{loss_chart(view)}}}; }

Section training_processes_section(const TrainingView& view) {
  const bool speeds = view.failure.empty();
  TableBlock table{.id = "training-processes",
                   .columns = {{"process", true}, {"set up", true}, {"steps", true}, {"steady"}},
                   .sortable = true};
  if (speeds) {
    table.columns.insert(table.columns.end(), {{"median step", true}, {"to enqueue, median", true}});
  }
  table.columns.insert(table.columns.end(), {{"arrays, peak", true},
                                             {"arrays, at the end", true},
                                             {"libraries", true},
                                             {"in use on the device", true},
                                             {"last loss", true}});
  const auto bytes = [](int64_t count) { return number_cell(static_cast<double>(count), "B"); };
  for (const TrainingProcess& one : view.document.processes) {
    std::vector<Cell> row{count_cell(one.process), number_cell(one.load_ms, "ms"), count_cell(one.steps),
                          steady_cell(one)};
    if (speeds) {
      row.insert(row.end(), {optional_cell(one.p50_ns, "ns"), optional_cell(one.dispatch_p50_ns, "ns")});
    }
    row.insert(row.end(), {bytes(one.peak_bytes), bytes(one.allocated_bytes), bytes(one.library_bytes),
                           one.reserved_bytes ? bytes(*one.reserved_bytes) : missing_cell("not told"),
                           one.losses.empty() ? missing_cell("no data") : number_cell(one.losses.back(), "1")});
    table.rows.push_back(std::move(row));
  }
  table.note = "In use on the device: by all processes on it; not every backend can tell.";
  return {"processes", "Processes and memory", {}, {std::move(table)}};
}

}  // namespace aaco::report
