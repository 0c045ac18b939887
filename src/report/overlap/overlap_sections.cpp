// SPDX-License-Identifier: MIT
#include "report/overlap/overlap_sections.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/format.h"
#include "base/json.h"
#include "report/overlap/overlap_plots.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr const char* kNotRecorded = "nothing was recorded";

double mean_over_ranks(const OverlapFigures& figures, double StepShares::* part) {
  double sum = 0;
  for (const RankOverlap& rank : figures.ranks) {
    sum += rank.mean.*part;
  }
  return figures.ranks.empty() ? 0 : sum / static_cast<double>(figures.ranks.size());
}

std::string percent_or_none(const std::optional<double>& fraction) {
  return fraction ? format_percent(*fraction) : "no data";
}

KeyFigure time_figure(const char* label, const std::optional<double>& ns, const char* detail) {
  return {label, ns ? format_duration_ns(*ns) : "no data", ns ? detail : kNotRecorded,
          ns ? Tone::kNeutral : Tone::kWarning};
}

void add_overlap_figures(const OverlapFigures& figures, KeyFigures& key) {
  const double exposed_ns = mean_over_ranks(figures, &StepShares::exposed_communication_ns);
  const double hidden_ns = mean_over_ranks(figures, &StepShares::hidden_communication_ns);
  const double communication_ns = mean_over_ranks(figures, &StepShares::communication_ns);
  const double computation_ns = mean_over_ranks(figures, &StepShares::computation_ns);
  const auto ratio = [&](double whole) { return whole > 0 ? std::optional(hidden_ns / whole) : std::nullopt; };
  key.figures.push_back(time_figure("exposed communication", exposed_ns, "of a step, mean over ranks"));
  key.figures.push_back({"communication hidden", percent_or_none(ratio(communication_ns)),
                         "of the communication, how much ran beside computation"});
  key.figures.push_back({"computation overlapped", percent_or_none(ratio(computation_ns)),
                         "of the computation, beside how much communication ran: what the public tool calls overlap"});
  const auto share = figures.speedup ? figures.speedup->share : std::nullopt;
  key.figures.push_back({"share of the ideal speed-up", percent_or_none(share),
                         "(serial - overlapped) / (serial - longest); serial is each alone at its fastest"});
  key.figures.push_back(time_figure("contention tax", figures.contention_tax_ns,
                                    "of a step: kernels beside communication, beyond their time alone"));
}

std::optional<double> slowest_step_ns(const OverlapDocument& document) {
  std::optional<double> slowest;
  for (const OverlapRank& rank : document.ranks) {
    if (rank.step_p50_ns) {
      slowest = std::max(slowest.value_or(0), *rank.step_p50_ns);
    }
  }
  return slowest;
}

Cell share_cell(double part_ns, double whole_ns) {
  Cell cell = duration_cell(part_ns);
  if (whole_ns > 0) {
    cell.detail = format_percent(part_ns / whole_ns);
  }
  return cell;
}

Cell percent_cell(const std::optional<double>& fraction, const char* reason) {
  return fraction ? number_cell(100 * *fraction, "%") : missing_cell(reason);
}

// Bytes a nanosecond are GB/s.
Cell bandwidth_cell(const std::optional<double>& bandwidth) {
  return bandwidth ? number_cell(*bandwidth * 1e9, "B/s") : missing_cell("size not known");
}

std::string priorities_text(const OverlapRank& rank) {
  std::string text;
  for (const auto& [stream, priority] : rank.stream_priorities) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", stream, priority);
  }
  return fmt::format("{}; the device has {} (lowest) to {}", text, rank.priority_range.front(),
                     rank.priority_range.back());
}

}  // namespace

Section overlap_summary_section(const OverlapDocument& document, std::vector<Block> remarks) {
  Section section{"summary", "Summary"};
  KeyFigures key;
  key.figures.push_back(time_figure("median step", slowest_step_ns(document), "of the slowest rank, not recorded"));
  key.figures.push_back({"tokens/s",
                         document.tokens_per_s ? format_si(*document.tokens_per_s, "") : std::string("no data"),
                         document.tokens_per_s       ? "all ranks, over the mean step of the slowest"
                         : slowest_step_ns(document) ? "not recorded: the mean step"
                                                     : "no step was measured",
                         document.tokens_per_s ? Tone::kNeutral : Tone::kWarning});
  if (document.figures) {
    add_overlap_figures(*document.figures, key);
  }
  if (!document.losses.empty()) {
    key.figures.push_back({"loss", fmt::format("{:.4g} -> {:.4g}", document.losses.front(), document.losses.back()),
                           "of the first and the last step, mean over ranks"});
  }
  section.blocks.emplace_back(std::move(key));
  for (Block& remark : remarks) {
    section.blocks.push_back(std::move(remark));
  }
  if (!document.figures) {
    section.blocks.emplace_back(Paragraph{"The steps were not recorded: of overlap nothing is known.", Tone::kWarning});
  } else {
    for (const std::string& reason : document.figures->unavailable) {
      section.blocks.emplace_back(Paragraph{"No data: " + reason, Tone::kWarning});
    }
  }
  return section;
}

Section overlap_causes_section(const OverlapDocument& document) {
  Section section{"causes", "What to do next"};
  if (document.causes.empty()) {
    section.blocks.emplace_back(Paragraph{"Nothing that was looked for would save a hundredth of a step."});
    return section;
  }
  section.blocks.emplace_back(
      Paragraph{"Each could save so much at most. They overlap: what they save together is less than their sum."});
  for (const OverlapCause& cause : document.causes) {
    section.blocks.emplace_back(
        Finding{cause.title,
                {Badge{"at most " + format_duration_ns(cause.saves_ns), Tone::kWarning}},
                {{"of the step", format_percent(cause.saves_ns / document.figures->median_step_ns)}},
                cause.evidence,
                cause.advice});
  }
  return section;
}

Section overlap_timeline_section(const OverlapDocument& document) {
  return {"timeline", "A step on every rank's streams", {}, {ChartBlock{timeline_chart(document)}}};
}

Section overlap_ranks_section(const OverlapDocument& document) {
  const OverlapFigures& figures = *document.figures;
  TableBlock table{.id = "overlap-ranks",
                   .columns = {{"rank", true},
                               {"step", true},
                               {"computation", true},
                               {"exposed communication", true},
                               {"exposed copies", true},
                               {"idle", true},
                               {"communication", true},
                               {"hidden", true},
                               {"waits for a peer", true},
                               {"comes last", true}},
                   .sortable = true};
  for (const RankOverlap& rank : figures.ranks) {
    const StepShares& mean = rank.mean;
    table.rows.push_back(
        {count_cell(rank.rank), duration_cell(mean.window_ns), share_cell(mean.computation_ns, mean.window_ns),
         share_cell(mean.exposed_communication_ns, mean.window_ns), share_cell(mean.exposed_copy_ns, mean.window_ns),
         share_cell(mean.idle_ns, mean.window_ns), duration_cell(mean.communication_ns),
         percent_cell(mean.communication_hidden(), "no communication"), duration_cell(rank.waited_ns),
         count_cell(rank.last)});
  }
  table.note = fmt::format(
      "Means of {} recorded steps. Computation, exposed communication, exposed copies and idle add up to the step. "
      "Comes "
      "last: to how many collectives of all of them.",
      figures.steps);
  Section section{"ranks", "Where each rank's step went", {}, {ChartBlock{shares_chart(figures)}, std::move(table)}};
  TableBlock idle{.id = "overlap-idle",
                  .title = "Idle by cause",
                  .columns = {{"rank", true}, {"cause"}, {"of a step", true}},
                  .sortable = true};
  for (const RankOverlap& rank : figures.ranks) {
    for (const auto& [cause, ns] : rank.idle_by_cause) {
      idle.rows.push_back({count_cell(rank.rank), text_cell(cause), duration_cell(ns)});
    }
  }
  if (!idle.rows.empty()) {
    section.blocks.emplace_back(std::move(idle));
  }
  return section;
}

Section overlap_collectives_section(const OverlapDocument& document) {
  const OverlapFigures& figures = *document.figures;
  Section section{"collectives", "Collectives"};
  if (figures.collectives.empty()) {
    section.blocks.emplace_back(Paragraph{"There were none."});
    return section;
  }
  TableBlock table{.id = "overlap-collectives",
                   .columns = {{"collective"},
                               {"on"},
                               {"size", true},
                               {"a step", true},
                               {"transfer", true},
                               {"waiting for a peer", true},
                               {"exposed", true},
                               {"algorithm bandwidth", true},
                               {"bus bandwidth", true}},
                   .sortable = true};
  for (const CollectiveOverlap& one : figures.collectives) {
    table.rows.push_back({text_cell(one.name), text_cell(one.group),
                          one.bytes ? number_cell(static_cast<double>(*one.bytes), "B") : missing_cell("not known"),
                          count_cell(one.count), duration_cell(one.transfer_ns), duration_cell(one.waiting_ns),
                          duration_cell(one.exposed_ns), bandwidth_cell(one.algorithm_bandwidth),
                          bandwidth_cell(one.bus_bandwidth)});
  }
  table.note =
      "Times of a step. Transfer: of each collective the shortest over ranks, whose rank came last and waited for "
      "nobody; what the others take beyond it is waiting. Bandwidths are of the transfer, as nccl-tests defines them.";
  section.blocks.emplace_back(std::move(table));
  return section;
}

Section overlap_contention_section(const OverlapDocument& document) {
  const OverlapFigures& figures = *document.figures;
  Section section{"contention", "Contention and speed-up"};
  if (figures.speedup) {
    section.blocks.emplace_back(
        FactList{{{"serial, each alone at its fastest", format_duration_ns(figures.speedup->serial_ns)},
                  {"longest of them, the ideal", format_duration_ns(figures.speedup->longest_ns)},
                  {"overlapped, as recorded", format_duration_ns(figures.speedup->overlapped_ns)},
                  {"share of the ideal speed-up",
                   figures.speedup->share ? format_percent(*figures.speedup->share) : "nothing is there to hide"}}});
  }
  if (figures.contention.empty()) {
    section.blocks.emplace_back(Paragraph{"No kernel is known to have run beside communication."});
    return section;
  }
  TableBlock table{
      .id = "overlap-contention",
      .columns = {{"kernel"}, {"beside communication", true}, {"alone", true}, {"extra", true}, {"of alone", true}},
      .sortable = true,
      .note = "Of a step, mean over ranks."};
  for (const KernelContention& kernel : figures.contention) {
    table.rows.push_back({text_cell(kernel.name), number_cell(kernel.beside, "1"), duration_cell(kernel.alone_ns),
                          duration_cell(kernel.extra_ns),
                          kernel.alone_ns > 0 ? number_cell(100 * kernel.extra_ns / kernel.alone_ns, "%")
                                              : missing_cell("no time alone")});
  }
  section.blocks.emplace_back(std::move(table));
  return section;
}

Section overlap_loss_section(const OverlapDocument& document) {
  return {"loss", "Loss", {}, {ChartBlock{overlap_loss_chart(document)}}};
}

Section overlap_configuration_section(const OverlapDocument& document, bool with_keys) {
  FactList facts{{{"model", fmt::format("{}, {} parameters", document.model, format_count(document.parameters))},
                  {"mode", document.mode},
                  {"ranks", std::to_string(document.setting.ranks)},
                  {"communicators", std::to_string(document.setting.communicators)},
                  {"blocks gathered ahead",
                   document.setting.shards ? std::to_string(document.setting.prefetch) : "none are gathered"},
                  {"tokens of a step", format_count(document.tokens)},
                  {"steps", fmt::format("{}, {} of them warm-up", document.steps, document.warmup)}}};
  for (const CollectivePathTaken& taken : document.collective_paths) {
    facts.facts.push_back({taken.collective, fmt::format("{} by {}", taken.count, taken.path)});
  }
  for (const OverlapRank& rank : document.ranks) {
    if (!rank.priority_range.empty() && rank.priority_range.front() != rank.priority_range.back()) {
      facts.facts.push_back({fmt::format("priorities of rank {}", rank.rank), priorities_text(rank)});
    }
    facts.facts.push_back(
        {fmt::format("rank {}", rank.rank),
         fmt::format("{}, {}, {} at most", rank.device, rank.library.empty() ? "no collectives" : rank.library,
                     format_si(static_cast<double>(rank.peak_bytes), "B"))});
  }
  Section section{"configuration", "Configuration", {}, {std::move(facts)}};
  if (!document.notes.empty()) {
    section.blocks.emplace_back(Bullets{"", document.notes});
  }
  if (with_keys) {
    section.blocks.emplace_back(FoldedBlocks{"All keys", {Code{(*document.config).dump(2)}}});
  }
  return section;
}

}  // namespace aaco::report
