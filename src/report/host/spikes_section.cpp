// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>

#include "base/format.h"
#include "base/json/json.h"
#include "base/text/characters.h"
#include "report/host/host_section.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr size_t kMostOnPage = 10;

std::string rule_text() {
  return fmt::format("latency above Q3 + {:g} (Q3 - Q1) of its process and phase (Tukey's outer fence)", kFenceRanges);
}

std::string text_of(const SpikeCause& cause) { return printable(cause_text(cause.kind, cause.name)); }

// The answer in one sentence.
std::string answer_text(const Spikes& spikes, bool has_losses) {
  if (!spikes.no_iterations.empty()) {
    return fmt::format("No data: {}.", spikes.no_iterations);
  }
  if (spikes.slow.empty()) {
    return fmt::format("None of {} iterations is slow.", format_count(spikes.tested));
  }
  const auto count = static_cast<int64_t>(spikes.slow.size() + spikes.slow_left_out);
  std::string text = fmt::format("{} of {} iterations {} slow", format_count(count), format_count(spikes.tested),
                                 count == 1 ? "is" : "are");
  text += spikes.slow_left_out > 0 ? fmt::format(" (tested: the {} slowest)", spikes.slow.size()) : "";
  if (has_losses && (spikes.causes.empty() || !spikes.causes.front().beyond_chance)) {
    return text + "; what came with them cannot be told, since records of this session are lost.";
  }
  if (spikes.causes.empty()) {
    return text + fmt::format("; no cause can be named: {}.",
                              spikes.no_rows.empty() ? "nothing was recorded beside them" : printable(spikes.no_rows));
  }
  if (!spikes.causes.front().beyond_chance) {
    return text + "; nothing that was recorded came with them more often than chance brings.";
  }
  const SpikeCause& first = spikes.causes.front();
  return text + fmt::format(
                    "; what took most of {}: {} ({}).", spikes.slow_left_out > 0 ? "these" : "them", text_of(first),
                    first.is_counted
                        ? fmt::format("{} events, {:.1f} by chance", format_count(first.amount), first.amount_by_chance)
                        : fmt::format("{}, {} by chance", format_duration_ns(static_cast<double>(first.amount)),
                                      format_duration_ns(first.amount_by_chance)));
}

Cell amount_cell(bool is_counted, double amount) {
  return is_counted ? number_cell(amount, "1") : duration_cell(amount);
}

TableBlock cause_table(const Spikes& spikes, size_t most) {
  TableBlock table{.id = "spike-causes",
                   .title = "What came with them",
                   .columns = {{"cause"},
                               {"in slow iterations", true},
                               {"by chance", true},
                               {"touches", true},
                               {"p", true},
                               {"more than chance"}},
                   .note = fmt::format("By chance: mean over {} random shifts of the events against the iterations. p: "
                                       "share of shifts with as much. Yes: p within Holm's level of {:g} over {}.",
                                       kShifts, kSpikeLevel, counted(spikes.causes.size(), "cause", "causes"))};
  for (size_t i = 0; i < std::min(most, spikes.causes.size()); ++i) {
    const SpikeCause& cause = spikes.causes[i];
    Cell amount = amount_cell(cause.is_counted, static_cast<double>(cause.amount));
    amount.detail = is_sampled(cause.kind) ? "it held" : "";
    table.rows.push_back(
        {text_cell(text_of(cause)), std::move(amount), amount_cell(cause.is_counted, cause.amount_by_chance),
         count_cell(cause.iterations), number_cell(cause.p, "1"),
         text_cell(cause.beyond_chance ? "yes" : "no", cause.beyond_chance ? Tone::kBad : Tone::kNeutral)});
  }
  return table;
}

std::string part_text(const Spikes& spikes, const SpikePart& part) {
  const SpikeCause& cause = spikes.causes[part.cause];
  if (cause.is_counted) {
    return fmt::format("{}: {}, usual {:g}", text_of(cause), format_count(part.amount), part.usual);
  }
  return fmt::format("{} {}{}", text_of(cause), format_duration_ns(static_cast<double>(part.amount)),
                     is_sampled(cause.kind) ? " (it held)"
                     : part.usual > 0       ? fmt::format(" (usual {})", format_duration_ns(part.usual))
                                            : "");
}

// What is beyond chance first; of the rest nothing is said where there is any.
std::string parts_text(const Spikes& spikes, const SlowIteration& iteration, bool has_losses) {
  constexpr size_t kMostParts = 3;
  std::string text;
  size_t shown = 0;
  for (const SpikePart& part : iteration.parts) {
    if (spikes.causes[part.cause].beyond_chance && shown++ < kMostParts) {
      text += (text.empty() ? "" : "; ") + part_text(spikes, part);
    }
  }
  if (!text.empty()) {
    return text;
  }
  return iteration.parts.empty() ? (has_losses ? "not known: records are lost" : "nothing that was recorded")
                                 : "nothing beyond chance; longest: " + part_text(spikes, iteration.parts.front());
}

TableBlock iteration_table(const Spikes& spikes, size_t most, bool has_losses) {
  TableBlock table{
      .id = "spikes",
      .title = "The slowest",
      .columns = {{"process", true}, {"iteration", true}, {"latency", true}, {"over median", true}, {"with it"}},
      .note = fmt::format("Slow: {}.", rule_text())};
  for (size_t i = 0; i < std::min(most, spikes.slow.size()); ++i) {
    const SlowIteration& iteration = spikes.slow[i];
    table.rows.push_back({count_cell(iteration.process), count_cell(iteration.iter_idx),
                          duration_cell(iteration.latency_ns()), duration_cell(iteration.excess_ns()),
                          text_cell(parts_text(spikes, iteration, has_losses))});
  }
  return table;
}

Json part_json(const Spikes& spikes, const SpikePart& part) {
  const SpikeCause& cause = spikes.causes[part.cause];
  return {{"kind", word_of(cause.kind)},
          {"name", cause.name},
          {"time_ns", cause.is_counted ? Json() : Json(part.amount)},
          {"events", cause.is_counted ? Json(part.amount) : Json()},
          {"usual", part.usual},
          {"beyond_chance", cause.beyond_chance}};
}

}  // namespace

Section spikes_answer(const Spikes& spikes, size_t most, bool has_losses) {
  Section section{"spikes", "Slow iterations", {}, {}};
  section.blocks.emplace_back(Paragraph{answer_text(spikes, has_losses)});
  if (!spikes.slow.empty() && !spikes.causes.empty()) {
    section.blocks.emplace_back(cause_table(spikes, most));
  }
  if (!spikes.slow.empty()) {
    section.blocks.emplace_back(iteration_table(spikes, most, has_losses));
  }
  if (!spikes.no_rows.empty() && !spikes.causes.empty()) {
    section.blocks.emplace_back(
        Paragraph{fmt::format("Threads, faults and interrupts: no data, {}.", printable(spikes.no_rows))});
  }
  if (spikes.causes_left_out > 0) {
    section.blocks.emplace_back(
        Paragraph{fmt::format("{} causes that took less than these were not tested.", spikes.causes_left_out)});
  }
  return section;
}

std::optional<Section> spikes_section(const Recording& recording, bool has_losses) {
  const Spikes spikes = find_spikes(recording);
  const bool of_kernel =
      !recording.collected.rows<OffCpuRow>().empty() || !recording.collected.rows<HostEventRow>().empty();
  return of_kernel ? std::optional(spikes_answer(spikes, kMostOnPage, has_losses)) : std::nullopt;
}

Json spikes_json(const Spikes& spikes, size_t most) {
  Json causes = Json::array();
  for (const SpikeCause& cause : spikes.causes) {
    causes.push_back({{"kind", word_of(cause.kind)},
                      {"name", cause.name},
                      {"text", cause_text(cause.kind, cause.name)},
                      {"is_sampled", is_sampled(cause.kind)},
                      {"time_ns", cause.is_counted ? Json() : Json(cause.amount)},
                      {"events", cause.is_counted ? Json(cause.amount) : Json()},
                      {"by_chance", cause.amount_by_chance},
                      {"iterations", cause.iterations},
                      {"p", cause.p},
                      {"beyond_chance", cause.beyond_chance}});
  }
  Json slow = Json::array();
  for (size_t i = 0; i < std::min(most, spikes.slow.size()); ++i) {
    const SlowIteration& iteration = spikes.slow[i];
    Json parts = Json::array();
    for (const SpikePart& part : iteration.parts) {
      parts.push_back(part_json(spikes, part));
    }
    slow.push_back({{"process", iteration.process},
                    {"iter_idx", iteration.iter_idx},
                    {"phase", word_of(iteration.phase)},
                    {"t_start_ns", iteration.t_start_ns},
                    {"t_end_ns", iteration.t_end_ns},
                    {"latency_ns", iteration.t_end_ns - iteration.t_start_ns},
                    {"median_ns", iteration.median_ns},
                    {"causes", std::move(parts)}});
  }
  const auto text_or_null = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  return {{"rule", rule_text()},
          {"tested", spikes.tested},
          {"slow", spikes.slow.size() + spikes.slow_left_out},
          {"slow_tested", spikes.slow.size()},
          {"shifts", kShifts},
          {"level", kSpikeLevel},
          {"no_iterations", text_or_null(spikes.no_iterations)},
          {"no_kernel_rows", text_or_null(spikes.no_rows)},
          {"causes_not_tested", spikes.causes_left_out},
          {"causes", std::move(causes)},
          {"iterations", std::move(slow)}};
}

}  // namespace aaco::report
