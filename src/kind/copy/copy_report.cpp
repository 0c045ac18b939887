// SPDX-License-Identifier: MIT
#include "kind/copy/copy_report.h"

#include <fmt/format.h>

#include "base/format.h"
#include "base/json/json.h"
#include "kind/copy/copy_metrics.h"
#include "report/plot/estimate_bars.h"
#include "report/sections/document_report.h"
#include "report/sections/kind_headline.h"
#include "report/sections/sections.h"
#include "report/values.h"
#include "session/bundle/layout.h"

namespace aaco::report {

namespace {

const std::optional<Estimate>& time_of(const CopyFigures& figures, CopyVariant variant) {
  return figures.times_ns[static_cast<size_t>(variant)];
}

Cell time_cell(const std::optional<Estimate>& ns) { return estimate_cell(ns, "ns"); }

Cell rate_cell(const CopyFigures& figures, int64_t bytes) {
  const std::optional<Estimate>& ns = time_of(figures, CopyVariant::kCopy);
  return ns && ns->value > 0 ? number_cell(static_cast<double>(bytes) / ns->value * 1e9, "B/s")
                             : missing_cell("no data");
}

TableBlock time_table(const CopyDocument& document) {
  TableBlock table{.id = "times",
                   .title = "Times of a round [95 %]",
                   .columns = {{"direction"},
                               {"products alone", true},
                               {"copy alone", true},
                               {"one after the other", true},
                               {"beside each other", true}},
                   .rows = {},
                   .note = "Medians over processes of each process's median; the variants take turns round by round."};
  for (const CopyFigures& figures : document.directions) {
    table.rows.push_back({text_cell(word_of(figures.direction)), time_cell(time_of(figures, CopyVariant::kProducts)),
                          time_cell(time_of(figures, CopyVariant::kCopy)),
                          time_cell(time_of(figures, CopyVariant::kSerial)),
                          time_cell(time_of(figures, CopyVariant::kOverlapped))});
  }
  return table;
}

TableBlock saving_table(const CopyDocument& document) {
  TableBlock table{.id = "savings",
                   .title = "What overlapping saved [95 %]",
                   .columns = {{"direction"},
                               {"saved", true},
                               {"of the serial time", true},
                               {"ideal", true},
                               {"of what could be saved", true},
                               {"rate of a copy alone", true}},
                   .rows = {},
                   .note =
                       "Saved: serial less overlapped, mean over processes. Ideal: the longer of products and copy, "
                       "each alone."};
  for (const CopyFigures& figures : document.directions) {
    table.rows.push_back({text_cell(word_of(figures.direction)), time_cell(figures.saved_ns),
                          percent_cell(figures.saved_share), duration_cell(figures.ideal_ns),
                          percent_cell(figures.ideal_share), rate_cell(figures, document.request.copy_bytes())});
    if (!figures.ideal_share) {
      table.note +=
          fmt::format(" {}, no share of what could be: {}.", word_of(figures.direction), why_no_ideal_share(figures));
    }
  }
  return table;
}

Section times_section(const CopyDocument& document, bool with_charts) {
  Section section{"times", "Copies beside products"};
  for (const CopyFigures& figures : document.directions) {
    if (!figures.implausible.empty()) {
      section.blocks.emplace_back(
          Paragraph{fmt::format("{}: {}", word_of(figures.direction), figures.implausible), Tone::kWarning});
    }
  }
  section.blocks.emplace_back(time_table(document));
  section.blocks.emplace_back(saving_table(document));
  if (with_charts) {
    section.blocks.emplace_back(ChartBlock{copy_chart(document)});
  }
  return section;
}

Headline headline_of(const CopyDocument& document, const std::vector<Section>& sections) {
  std::vector<KeyFigure> figures;
  for (const CopyFigures& direction : document.directions) {
    figures.push_back(
        {fmt::format("overlapping a copy {} saves", word_of(direction.direction)), time_cell(direction.saved_ns)});
  }
  return headline_with(figures.empty() ? "nothing was measured" : figure_words(figures), sections);
}

Section records_section(const CopyDocument& document) {
  Section section{"records", "What the device recorded"};
  TableBlock table{.id = "records",
                   .columns = {{"direction"},
                               {"rounds", true},
                               {"copies of that size", true},
                               {"bytes of others", true},
                               {"a copy", true},
                               {"beside products", true},
                               {"engine"}},
                   .rows = {},
                   .note =
                       "Of rounds of a further process, products and copy beside each other, under the device's "
                       "collector."};
  for (const CopyFigures& figures : document.directions) {
    if (figures.records) {
      const CopyRecords& records = *figures.records;
      table.rows.push_back({text_cell(word_of(figures.direction)), count_cell(records.rounds),
                            count_cell(records.copies), count_cell(records.other_bytes), duration_cell(records.copy_ns),
                            percent_cell(records.hidden), text_cell(records.engine)});
      if (!records.hidden) {
        table.note += fmt::format(" {}, no data of a copy: {}.", word_of(figures.direction), why_no_copy_time(figures));
      }
    }
  }
  if (table.rows.empty()) {
    section.blocks.emplace_back(Paragraph{"No data: this device has no collector, or nothing was recorded."});
  } else {
    section.blocks.emplace_back(std::move(table));
  }
  return section;
}

Section setup_section(const CopyDocument& document) {
  const CopyRequest& request = document.request;
  Section section{"setup", "Setup"};
  FactList facts{{{"device", fmt::format("{} ({})", request.device, document.device_name)},
                  {"products", fmt::format("{} of {} x {} in {}, with ReLU", request.products, request.matrix_size,
                                           request.matrix_size, request.precision)},
                  {"copy", fmt::format("{:g} MiB, {} bytes, on a stream of the highest priority", request.copy_mb,
                                       format_count(request.copy_bytes()))},
                  {"rounds", fmt::format("{} of each variant in turns, {} before them, {}", request.rounds,
                                         request.warmup, counted(request.processes, "process", "processes"))}}};
  if (!request.peer.empty()) {
    facts.facts.push_back({"peer", request.peer});
  }
  section.blocks.emplace_back(std::move(facts));
  return section;
}

Result<Report> build_report(const OpenSession& session, const Json& json) {
  AACO_ASSIGN(const CopyDocument document, read_copy_document(json, (session.path / layout::kOverlap).string()));
  Report report;
  report.title = fmt::format("Copies beside products on {}", document.request.device);
  report.subtitle = fmt::format("Session {}, recorded {}", session.info.session_id, session.info.created_utc);
  report.metrics = copy_metrics(document);
  report.badges.push_back(status_badge(session.status));
  if (std::vector<Block> remarks = status_remarks(session); !remarks.empty()) {
    report.sections.push_back({.id = "summary", .title = "Summary", .badges = {}, .blocks = std::move(remarks)});
  }
  report.sections.push_back(times_section(document, true));
  report.headline = headline_of(document, report.sections);
  report.sections.push_back(records_section(document));
  report.sections.push_back(setup_section(document));
  add_last_sections(session, "copies.md", report);
  return report;
}

}  // namespace

Result<Report> copy_report(const OpenSession& session) { return report_of_document(session, build_report); }

Report build_copy_summary(const CopyDocument& document) {
  Report report;
  report.title = fmt::format("Copies beside products on {}", document.request.device);
  report.subtitle = fmt::format("a copy of {:g} MiB beside {} of {} x {}", document.request.copy_mb,
                                counted(document.request.products, "product", "products"), document.request.matrix_size,
                                document.request.matrix_size);
  report.metrics = copy_metrics(document);
  report.sections = {times_section(document, false), records_section(document), setup_section(document)};
  report.headline = headline_of(document, report.sections);
  report.footer = "bundle  " + document.bundle;
  return report;
}

plot::Chart copy_chart(const CopyDocument& document) {
  plot::Chart chart{.id = "copies",
                    .title = "A round, one after the other and beside each other",
                    .caption = plot::kWhiskers,
                    .x = {.title = "time", .quantity = plot::Quantity::kDuration, .from_zero = true},
                    .no_data = "nothing was measured"};
  plot::Series bars{.mark = plot::Mark::kBars};
  for (const CopyFigures& figures : document.directions) {
    for (const CopyVariant variant :
         {CopyVariant::kProducts, CopyVariant::kCopy, CopyVariant::kSerial, CopyVariant::kOverlapped}) {
      plot::add_estimate_bar(fmt::format("{}, {}", word_of(figures.direction), word_of(variant)),
                             figures.times_ns[static_cast<size_t>(variant)], chart, bars);
    }
  }
  chart.series.push_back(std::move(bars));
  return chart;
}

}  // namespace aaco::report
