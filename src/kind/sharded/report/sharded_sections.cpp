// SPDX-License-Identifier: MIT
#include "kind/sharded/report/sharded_sections.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/format.h"
#include "base/json/json.h"
#include "base/statistics.h"
#include "kind/sharded/analysis/sharded_metrics.h"
#include "kind/sharded/report/sharded_plots.h"
#include "report/sections/estimates.h"
#include "report/values.h"

namespace aaco::report {

namespace {

Cell share_cell(double part_ns, double whole_ns) {
  Cell cell = duration_cell(part_ns);
  if (whole_ns > 0) {
    cell.detail = format_percent(part_ns / whole_ns);
  }
  return cell;
}

// Bytes a nanosecond are GB/s.
Cell bandwidth_cell(const std::optional<double>& bandwidth) {
  return bandwidth ? number_cell(*bandwidth * 1e9, "B/s") : missing_cell("size not known");
}

std::string priorities_text(const ShardedRank& rank) {
  std::string text;
  for (const auto& [stream, priority] : rank.stream_priorities) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", stream, priority);
  }
  return fmt::format("{}; the device has {} (lowest) to {}", text, rank.priority_range.front(),
                     rank.priority_range.back());
}

}  // namespace

Section sharded_summary_section(const ShardedDocument& document, std::vector<Block> remarks) {
  Section section{"summary", "Summary"};
  const std::vector<MetricRow> metrics = sharded_metrics(document);
  KeyFigures key;
  for (const char* id : {"rank_step_p50", "sharded_tokens_per_s"}) {
    key.figures.push_back(key_figure(metrics, id));
  }
  if (document.figures) {
    for (const char* id : {"exposed_communication", "communication_hidden", "computation_overlapped",
                           "ideal_speedup_share", "contention_tax"}) {
      key.figures.push_back(key_figure(metrics, id));
    }
  }
  if (!document.losses.empty()) {
    key.figures.push_back({"loss", change_cell(document.losses.front(), document.losses.back(), "1"),
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

Section overlap_causes_section(const ShardedDocument& document) {
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
                {{"of the step", percent_cell(cause.saves_ns / document.figures->median_step_ns)}},
                cause.evidence,
                cause.advice});
  }
  return section;
}

Section sharded_timeline_section(const ShardedDocument& document) {
  return {"timeline", "A step on every rank's streams", {}, {ChartBlock{timeline_chart(document)}}};
}

Section sharded_ranks_section(const ShardedDocument& document) {
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

Section sharded_collectives_section(const ShardedDocument& document) {
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

namespace {

std::optional<double> median_of_turns(const std::vector<RecordedTurn>& turns, int64_t rank, bool overlapped,
                                      std::optional<double> RecordedTurn::* value) {
  std::vector<double> values;
  for (const RecordedTurn& turn : turns) {
    if (turn.rank == rank && turn.overlapped == overlapped && turn.*value) {
      values.push_back(*(turn.*value));
    }
  }
  return median(values);
}

// The clocks that both sides met; none where no device tells.
std::optional<TableBlock> turns_table(const OverlapFigures& figures) {
  TableBlock table{.id = "overlap-turns",
                   .columns = {{"rank"}, {"steps"}, {"clock", true}, {"power", true}},
                   .note = "Recorded in turns; medians over turns, each read in its middle."};
  bool told = false;
  for (const RankOverlap& rank : figures.ranks) {
    for (const bool overlapped : {true, false}) {
      const auto cell = [&](std::optional<double> RecordedTurn::* value, double scale, const char* unit) {
        const auto known = median_of_turns(figures.turns, rank.rank, overlapped, value);
        told = told || known;
        return known ? number_cell(scale * *known, unit) : missing_cell("not told");
      };
      table.rows.push_back({text_cell(std::to_string(rank.rank)), text_cell(overlapped ? "as they are" : "one by one"),
                            cell(&RecordedTurn::clock_mhz, 1e6, "Hz"), cell(&RecordedTurn::power_w, 1, "W")});
    }
  }
  return told ? std::optional(std::move(table)) : std::nullopt;
}

}  // namespace

Section sharded_contention_section(const ShardedDocument& document) {
  const OverlapFigures& figures = *document.figures;
  Section section{"contention", "Contention and speed-up"};
  if (figures.speedup) {
    section.blocks.emplace_back(
        FactList{{{"serial, each alone at its fastest", duration_cell(figures.speedup->serial_ns)},
                  {"longest of them, the ideal", duration_cell(figures.speedup->longest_ns)},
                  {"overlapped, as recorded", duration_cell(figures.speedup->overlapped_ns)},
                  {"share of the ideal speed-up", percent_cell(figures.speedup->share)}}});
  }
  if (figures.speedup && !figures.speedup->no_share.empty()) {
    section.blocks.emplace_back(Paragraph{"No share: " + figures.speedup->no_share + ".", Tone::kWarning});
  }
  if (!figures.no_contention_tax.empty()) {
    section.blocks.emplace_back(Paragraph{"No contention tax: " + figures.no_contention_tax + ".", Tone::kWarning});
  }
  if (auto turns = turns_table(figures)) {
    section.blocks.emplace_back(std::move(*turns));
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

Section sharded_loss_section(const ShardedDocument& document) {
  return {"loss", "Loss", {}, {ChartBlock{sharded_loss_chart(document)}}};
}

Section sharded_configuration_section(const ShardedDocument& document, bool with_keys) {
  FactList facts{{{"model", fmt::format("{}, {} parameters", document.model, format_count(document.parameters))},
                  {"mode", document.mode},
                  {"ranks", std::to_string(document.setting.ranks)},
                  {"communicators", std::to_string(document.setting.communicators)},
                  {"blocks gathered ahead",
                   document.setting.shards ? std::to_string(document.setting.prefetch) : "none are gathered"},
                  {"tokens of a step", count_cell(document.tokens)},
                  {"steps", fmt::format("{}, {} of them warm-up", document.steps, document.warmup)}}};
  for (const CollectivePathTaken& taken : document.collective_paths) {
    facts.facts.push_back({taken.collective, fmt::format("{} by {}", taken.count, taken.path)});
  }
  for (const ShardedRank& rank : document.ranks) {
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
