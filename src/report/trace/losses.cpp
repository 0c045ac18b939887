// SPDX-License-Identifier: MIT
#include "report/trace/losses.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "record/events/trace_rows.h"
#include "report/sinks.h"
#include "report/trace/values.h"

namespace aaco::report {

namespace {

Table table_of(const LossTable& losses) {
  std::vector<TraceLossRow> rows;
  for (const LossTable::Entry& entry : losses.entries()) {
    rows.push_back(loss_row(entry));
  }
  return to_table(rows);
}

// "3,903 unmatched flow", of those from the `first`.
std::string names_of(const std::vector<LossTable::Entry>& entries, size_t first) {
  std::string text;
  for (size_t i = first; i < entries.size(); ++i) {
    text += fmt::format("{}{} {}", i == first ? "" : ", ", entries[i].count, loss_info(entries[i].loss).name);
  }
  return text;
}

}  // namespace

void outline_losses(const LossTable& losses, std::optional<int64_t> recorded_device_ns, Notes fold, Outline& at) {
  const Table table = table_of(losses);
  const TableRows rows(table);
  size_t row = 0;
  at.list("losses", losses.entries(), [&](const LossTable::Entry& entry, Outline& inner) {
    inner.figures(rows[row++], entry.device_time_ns ? "" : "loss count severity meaning remedy example");
    if (entry.device_time_ns && recorded_device_ns) {
      inner.figure("device_time_share", ratio(*entry.device_time_ns, *recorded_device_ns));
    }
  });
  if (rows.empty()) {
    at.note("losses  none");
  }
  // Notes change no figure, and lie behind the others.
  const std::vector<LossTable::Entry> entries = losses.entries();
  const auto notes = static_cast<size_t>(std::count_if(entries.begin(), entries.end(), [](const auto& entry) {
    return loss_info(entry.loss).severity == LossSeverity::kNote;
  }));
  const size_t told = at.is_chosen() || fold == Notes::kTold ? rows.size() : rows.size() - notes;
  at.show(shown_rows(rows.part(0, told),
                     {{"loss", "loss"},
                      {"count", "count"},
                      {"severity", "severity"},
                      {"meaning", "meaning"},
                      {"what to do", "remedy"},
                      {.title = "the first", .column = "example", .longest = kLongestName}},
                     SIZE_MAX));
  if (told < rows.size()) {
    at.note(fmt::format("{} that change no figure: {} (--section source tells them)",
                        counted(notes, "kind of losses", "kinds of losses"), names_of(entries, told)));
  }
}

Json loss_rows(const LossTable& losses) {
  Outline outline(Outline::Form::kData);
  outline_losses(losses, std::nullopt, Notes::kTold, outline);
  return outline.data()["losses"];
}

Block loss_block(const LossTable& losses) {
  Outline outline(Outline::Form::kSections);
  outline_losses(losses, std::nullopt, Notes::kTold, outline);
  return std::move(outline.take_sections().front().blocks.front());
}

std::string loss_lines(const LossTable& losses) {
  return render_lines({.sections = {{.blocks = {loss_block(losses)}}}});
}

}  // namespace aaco::report
