// SPDX-License-Identifier: MIT
#include "report/trace_page/trace_page.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <string_view>

#include "analysis/timeline/tables/analysis_tables.h"
#include "base/format.h"
#include "base/text/characters.h"
#include "base/version.h"
#include "report/headline/stake.h"
#include "report/names/kernel_names.h"
#include "report/trace/values.h"
#include "report/trace_page/table_block.h"
#include "report/trace_page/trace_headline.h"
#include "report/trace_page/trace_sections.h"
#include "report/values.h"

namespace aaco::report {

namespace {

struct Input {
  const TraceInput& trace;
  const TraceDetail& detail;
};

constexpr size_t kOpenFindings = 3;

const AnalysisTable* find_table(std::string_view name) {
  const auto all = all_analysis_tables();
  const auto position = std::find_if(all.begin(), all.end(),
                                     [&](const AnalysisTable& analysis_table) { return analysis_table.name == name; });
  return position == all.end() ? nullptr : &*position;
}

void add_table(const Input& input, const AnalysisTable& table, std::span<const char* const> columns, Section& section) {
  // Without a device its columns have nothing but zeros.
  const bool zeros = input.detail.all_columns || !input.trace.summary.devices.empty();
  TableBlock block =
      table_block(table.make(input.trace.events, input.trace.summary),
                  {input.detail.all_columns ? std::span<const char* const>() : columns, input.detail.rows, zeros});
  if (std::string_view(table.name) == "idle_causes" && !input.detail.all_columns) {  // has every cause, with its zero
    std::erase_if(block.rows, [](const std::vector<Cell>& row) { return sort_key(row.back()) == 0; });
  }
  if (!block.rows.empty()) {
    block.title = spaced(table.name);
    if (!std::string_view(table.meaning).starts_with("one row")) {  // says nothing that the table does not show
      block.note =
          block.note.empty() ? fmt::format("{}.", table.meaning) : fmt::format("{}. {}", table.meaning, block.note);
    }
    section.blocks.emplace_back(std::move(block));
  }
}

Section section_of(const Input& input, const TraceSection& page) {
  Section section{page.id, page.title};
  for (plot::Chart& chart : page.charts != nullptr ? page.charts(input.trace.events, input.trace.summary) : Charts()) {
    section.blocks.emplace_back(ChartBlock{std::move(chart)});
  }
  for (const SectionTable& shown : page.tables) {
    const AnalysisTable* const table = shown.name == nullptr || is_long(shown.name) ? nullptr : find_table(shown.name);
    if (table != nullptr) {
      const auto end = std::find(shown.columns.begin(), shown.columns.end(), nullptr);
      add_table(input, *table, {shown.columns.data(), static_cast<size_t>(end - shown.columns.begin())}, section);
    }
  }
  return section;
}

template <class Fill>
void add_warnings(const Fill& fill, Section& section) {
  Outline at(Outline::Form::kSections);
  fill(at);
  for (Section& lines : at.take_sections()) {
    for (Block& block : lines.blocks) {
      std::get<Paragraph>(block).tone = Tone::kWarning;
      section.blocks.push_back(std::move(block));
    }
  }
}

bool changes_no_figure(const LossTable& losses) {
  const std::vector<LossTable::Entry> entries = losses.entries();
  return std::all_of(entries.begin(), entries.end(), [](const LossTable::Entry& entry) {
    return loss_info(entry.loss).severity == LossSeverity::kNote;
  });
}

Section source_section(const Input& input) {
  const TraceOrigin& origin = input.trace.origin;
  Section section{kSourceSection, "What was read"};
  TableBlock files{.id = "files", .columns = {{"file"}, {"format"}, {"on disk", true}}};
  for (const TraceFile& file : origin.files) {
    files.rows.push_back({text_cell(printable(file.path)),
                          text_cell(file.format),
                          {.number = Number{static_cast<int64_t>(file.bytes), "bytes"}}});
  }
  section.blocks.emplace_back(std::move(files));
  if (!origin.unknown_files.empty()) {
    section.blocks.emplace_back(
        Paragraph{fmt::format("Not read, in no known format: {}, the first {}.",
                              counted(origin.unknown_files.size(), "file", "files"), origin.unknown_files.front()),
                  Tone::kWarning});
  }
  add_warnings([&](Outline& at) { outline_coverage(origin, input.trace.events, at); }, section);
  add_warnings([&](Outline& at) { outline_doubts(input.trace, at); }, section);
  section.blocks.emplace_back(
      Paragraph{fmt::format("{} {} on {} {}.", format_count(static_cast<int64_t>(input.trace.events.size())),
                            input.trace.events.size() == 1 ? "event" : "events",
                            format_count(static_cast<int64_t>(input.trace.events.tracks.size())),
                            input.trace.events.tracks.size() == 1 ? "track" : "tracks")});
  const size_t before = section.blocks.size();
  add_table(input, *find_table("all_losses"), {}, section);
  if (section.blocks.size() == before) {
    section.blocks.emplace_back(Paragraph{"Nothing was lost."});
  } else if (!input.detail.all_columns && changes_no_figure(input.trace.summary.losses)) {
    Block table = std::move(section.blocks.back());
    section.blocks.back() = FoldedBlocks{"Losses that change no figure", {std::move(table)}};
  }
  add_warnings([&](Outline& at) { outline_no_device(input.trace, at); }, section);
  return section;
}

Section offenders_section(const TraceSummary& summary) {
  Section section{kNextSection, "What to do next"};
  if (!summary.offenders.empty()) {
    section.blocks.emplace_back(Paragraph{"By what each could save at most; savings do not add up."});
  }
  FoldedBlocks rest;
  size_t place = 0;
  for (const Offender& offender : summary.offenders) {
    const bool open = place < kOpenFindings && is_worth_a_line(offender) && names_a_remedy(offender);
    place += open ? 1 : 0;
    std::vector<Block>& blocks = open ? section.blocks : rest.blocks;
    blocks.emplace_back(
        Finding{.title = short_kernel_name(offender.subject),
                .figures = {{"up to", format_duration_ns(offender.stake_ns)},
                            {"of", format_duration_ns(offender.time_ns)},
                            {offender.kind == OffenderKind::kHostGroup ? "of all operators" : "of the window",
                             format_percent(offender.share)},
                            {"limited by", offender.bound}},
                .evidence = fmt::format("{}. {}", offender.stake_basis, offender.evidence),
                .advice = offender.recommendation});
  }
  if (!rest.blocks.empty()) {
    rest.title = counted(rest.blocks.size(), "more that could save less", "more that could save less");
    section.blocks.emplace_back(std::move(rest));
  }
  return section;
}

}  // namespace

Report build_trace_report(const TraceOrigin& origin, const EventTable& events, const TraceSummary& summary,
                          const TraceDetail& detail) {
  const TraceInput trace{origin, events, summary};
  const Input input{trace, detail};
  Report report;
  const std::string first = origin.files.empty() ? "trace" : origin.files.front().path;
  report.title = printable(first.substr(first.find_last_of('/') + 1));
  report.subtitle = fmt::format("{} {}, {} {}", origin.files.size(), origin.files.size() == 1 ? "file" : "files",
                                summary.devices.size(), summary.devices.size() == 1 ? "device" : "devices");
  report.headline = trace_headline(trace);
  report.sections.push_back(offenders_section(summary));
  for (const TraceSection& page : trace_sections()) {
    report.sections.push_back(section_of(input, page));
  }
  for (const AnalysisTable& table : all_analysis_tables()) {
    if (!has_section(table.name)) {
      Section& section = report.sections.emplace_back(Section{table.name, spaced(table.name)});
      add_table(input, table, {}, section);
    }
  }
  report.sections.push_back(source_section(input));
  std::erase_if(report.sections, [](const Section& section) { return section.blocks.empty(); });
  report.footer = definitions_footer(program_version(), "traces.md");
  return report;
}

}  // namespace aaco::report
