// SPDX-License-Identifier: MIT
#include "report/trace_diff/trace_diff_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/timeline/tables/table_maker.h"
#include "base/format.h"
#include "base/json/json.h"
#include "base/version.h"
#include "report/names/kernel_names.h"
#include "report/trace/losses.h"
#include "report/trace/row_sinks.h"
#include "report/trace/table_rows.h"
#include "report/trace/values.h"
#include "report/trace_diff/trace_diff_headline.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr size_t kLongestPath = 64;  // operators of a path that are named
constexpr size_t kShownPath = 2;     // of those, in a table for people
constexpr const char* kOperator = "operator";
constexpr const char* kNoOperator = "(no operator)";
constexpr size_t kChangeColumn = 12;  // the first of three

const char* state_of(const DiffRow& row) {
  return row.before.count == 0 ? "new" : row.after.count == 0 ? "vanished" : "both";
}

std::string operator_of(const TraceDiff& diff, const DiffRow& row) {
  return row.path == CallPaths::kNone ? "" : std::string(diff.strings[diff.paths[row.path].name]);
}

std::string name_of(const TraceDiff& diff, const DiffRow& row) {
  return row.kernel == kEmptyString ? operator_of(diff, row) : std::string(diff.strings[row.kernel]);
}

Json trace_json(const TraceOrigin& origin, const LossTable& losses) {
  Json files = Json::array();
  for (const TraceFile& file : origin.files) {
    files.push_back({{"path", file.path}, {"format", file.format}, {"bytes", file.bytes}});
  }
  return {{"files", std::move(files)}, {"losses", loss_rows(losses)}};
}

std::string signed_text(int64_t ns) { return (ns > 0 ? "+" : "") + duration_text(ns); }

Number number_of(uint64_t count) { return {.value = static_cast<int64_t>(count)}; }

std::optional<Number> mean_of(const DiffSide& side) {
  if (side.count == 0) {
    return std::nullopt;
  }
  return Number{.value = static_cast<double>(side.total_ns) / static_cast<double>(side.count), .unit = "ns"};
}

Cell transition_cell(std::optional<Number> before, std::optional<Number> after) {
  return {.transition = std::make_shared<Transition>(Transition{std::move(before), std::move(after)})};
}

// A row of one of the lists.
struct ListRow {
  const char* list;
  const DiffRow& row;
};

struct ChangeList {
  const char* name;
  std::span<const DiffRow> rows;
};

// Every figure once: data of every form is taken from it.
Table change_rows(const TraceDiff& diff, const std::vector<ChangeList>& lists) {
  TableMaker<ListRow> table("trace_diff");
  table
      .texts("of", "kernel or operator: each list adds up to the whole change",
             [](const ListRow& entry) { return entry.list; })
      .texts("name", "of the kernel or operator", [&](const ListRow& entry) { return name_of(diff, entry.row); })
      .texts(kOperator, "that launched it",
             [&](const ListRow& entry) {
               return entry.row.path == CallPaths::kNone ? std::nullopt : std::optional(operator_of(diff, entry.row));
             })
      .texts("path", "operators around what was launched, outermost first",
             [&](const ListRow& entry) { return path_text(diff.paths, entry.row.path, diff.strings, kLongestPath); })
      .texts("shapes", "of the operator's inputs",
             [&](const ListRow& entry) {
               return entry.row.shapes == kEmptyString ? std::nullopt
                                                       : std::optional(std::string(diff.strings[entry.row.shapes]));
             })
      .texts("state", "new, vanished, or both", [](const ListRow& entry) { return state_of(entry.row); })
      .integers("count_before", "1", "executions, or calls",
                [](const ListRow& entry) { return to_integer(entry.row.before.count); })
      .integers("count_after", "1", "executions, or calls",
                [](const ListRow& entry) { return to_integer(entry.row.after.count); })
      .integers("total_before_ns", "ns", "sum of durations",
                [](const ListRow& entry) { return entry.row.before.total_ns; })
      .integers("total_after_ns", "ns", "sum of durations",
                [](const ListRow& entry) { return entry.row.after.total_ns; })
      .integers("change_ns", "ns", "after less before", [](const ListRow& entry) { return entry.row.change_ns(); })
      .integers("by_count_ns", "ns", "of it, by the change of the count",
                [](const ListRow& entry) { return entry.row.terms.count_ns; })
      .integers("by_time_ns", "ns", "of it, by the change of the time of one",
                [](const ListRow& entry) { return entry.row.terms.time_ns; });
  for (const ChangeList& list : lists) {
    for (const DiffRow& row : list.rows) {
      table.add({list.name, row});
    }
  }
  return table.finish();
}

Json rows_json(const TraceDiff& diff, const std::vector<DiffRow>& rows) {
  const Table table = change_rows(diff, {{"", rows}});
  return row_objects(TableRows(table),
                     "name operator path shapes state count_before:before.count total_before_ns:before.total_ns "
                     "count_after:after.count total_after_ns:after.total_ns change_ns by_count_ns by_time_ns");
}

// For people first, then for data; the figures are the same for both.
std::vector<Column> columns_of(const char* title) {
  const bool kernels = std::string_view(title) != kOperator;
  return {{title, false, "", kernels ? kLongestKernel : kLongestName / 2, kernels},
          {"within", false, "", kLongestName / 2},
          {"shapes", false, "", kLongestName / 3},
          {.key = "name"},
          {.key = kOperator},
          {.key = "path"},
          {.key = "shapes"},
          {.key = "state"},
          {.numeric = true, .key = "before.count"},
          {.numeric = true, .key = "before.total_ns"},
          {.numeric = true, .key = "after.count"},
          {.numeric = true, .key = "after.total_ns"},
          {"change", true, "change_ns"},
          {"by count", true, "by_count_ns"},
          {"by time", true, "by_time_ns"},
          {"count", true},
          {"mean", true},
          {}};
}

std::vector<Cell> cells_of(const TraceDiff& diff, const DiffRow& row, const TableRow& data) {
  const std::string name = name_of(diff, row);
  const uint32_t around = row.kernel == kEmptyString ? diff.paths[row.path].outer : row.path;
  const bool both = row.before.count > 0 && row.after.count > 0;
  return {name_cell(name.empty() ? kNoOperator : name),
          name_cell(path_text(diff.paths, around, diff.strings, kShownPath)),
          name_cell(std::string(diff.strings[row.shapes])),
          data.cell("name", ""),
          data.has(kOperator) ? data.cell(kOperator, "") : missing_cell("no operator"),
          data.cell("path", ""),
          data.has("shapes") ? data.cell("shapes", "") : missing_cell("not known"),
          data.cell("state", ""),
          data.cell("count_before", ""),
          data.cell("total_before_ns", ""),
          data.cell("count_after", ""),
          data.cell("total_after_ns", ""),
          time_change_cell(row.change_ns()),
          time_change_cell(row.terms.count_ns),
          time_change_cell(row.terms.time_ns),
          transition_cell(number_of(row.before.count), number_of(row.after.count)),
          transition_cell(mean_of(row.before), mean_of(row.after)),
          text_cell(both ? "" : state_of(row))};
}

// The first `most` rows, and one for the others, so that they add up.
TableBlock change_table(const TraceDiff& diff, const std::vector<DiffRow>& rows, const char* title, const char* id,
                        size_t most) {
  TableBlock block{.id = id, .columns = columns_of(title), .sortable = true};
  const Table table = change_rows(diff, {{"", std::span(rows).first(std::min(most, rows.size()))}});
  int64_t left_ns = diff.after.total_ns - diff.before.total_ns;
  ChangeTerms left = sum_of_terms(rows);
  for (size_t i = 0; i < table.row_count; ++i) {
    left_ns -= rows[i].change_ns();
    left.count_ns -= rows[i].terms.count_ns;
    left.time_ns -= rows[i].terms.time_ns;
    block.rows.push_back(cells_of(diff, rows[i], {table, i}));
  }
  if (table.row_count < rows.size()) {
    std::vector<Cell>& others = block.rows.emplace_back(block.columns.size());
    others[0] = text_cell(counted(rows.size() - table.row_count, "other", "others"));
    others[kChangeColumn] = time_change_cell(left_ns);
    others[kChangeColumn + 1] = time_change_cell(left.count_ns);
    others[kChangeColumn + 2] = time_change_cell(left.time_ns);
  }
  shorten_kernels(block);
  return block;
}

std::string matching_text(const TraceDiff& diff) {
  if (diff.by_shapes) {
    return "matched by name, operators around and shapes of inputs";
  }
  return diff.by_paths ? "matched by name and operators around; not both traces have shapes of inputs"
                       : "matched by name; not both traces have operators";
}

void add_side(const char* which, const TraceOrigin& origin, const LossTable& losses, Section& section) {
  for (const TraceFile& file : origin.files) {
    section.blocks.push_back(Paragraph{.text = fmt::format("{} {} ({})", which, file.path, file.format)});
  }
  section.blocks.push_back(loss_block(losses));
}

Section total_section(const TraceDiff& diff, bool both) {
  const ChangeTerms terms = sum_of_terms(diff.kernels);
  Section section{.id = "device-time", .title = "Device time"};
  section.blocks.push_back(Paragraph{.text = fmt::format("of the change {} by count, {} by time of an execution",
                                                         signed_text(terms.count_ns), signed_text(terms.time_ns))});
  if (both && on_other_devices(diff)) {
    section.blocks.push_back(
        Paragraph{.text = fmt::format("the devices differ: {} / {}; the change is theirs too",
                                      fmt::join(diff.devices_before, ", "), fmt::join(diff.devices_after, ", ")),
                  .tone = Tone::kWarning});
  }
  if (both) {
    section.blocks.push_back(Paragraph{.text = matching_text(diff)});
  }
  return section;
}

}  // namespace

Json trace_diff_json(const TraceDiff& diff, const TraceOrigin& before, const TraceOrigin& after) {
  return {{"before", trace_json(before, diff.losses_before)},
          {"after", trace_json(after, diff.losses_after)},
          {"device",
           {{"before", {{"count", diff.before.count}, {"total_ns", diff.before.total_ns}}},
            {"after", {{"count", diff.after.count}, {"total_ns", diff.after.total_ns}}}}},
          {"devices", {{"before", diff.devices_before}, {"after", diff.devices_after}}},
          {"change_ns", diff.after.total_ns - diff.before.total_ns},
          {"matched_by", {{"name", true}, {"shapes", diff.by_shapes}, {"path", diff.by_paths}}},
          {"kernels", rows_json(diff, diff.kernels)},
          {"operators", rows_json(diff, diff.operators)}};
}

Report build_trace_diff_report(const TraceDiff& diff, const TraceOrigin& before, const TraceOrigin& after,
                               size_t most) {
  Report report{.title = "What changed on the device",
                .subtitle = "Kernels, copies and memory sets, and the operators that launched them",
                .headline = trace_diff_headline(diff),
                .footer = definitions_footer(program_version(), "trace-diff.md")};
  const bool both = diff.before.count > 0 && diff.after.count > 0;
  if (diff.before.count > 0 || diff.after.count > 0) {
    report.sections.push_back(total_section(diff, both));
    report.sections.push_back(
        {.id = "kernels",
         .title = "By kernel",
         .blocks = {change_table(diff, diff.kernels, "kernel, copy or set", "kernel_changes", most)}});
    report.sections.push_back({.id = "operators",
                               .title = "By operator",
                               .blocks = {change_table(diff, diff.operators, "operator", "operator_changes", most)}});
  }
  Section traces{.id = "traces", .title = "The two traces"};
  add_side("before", before, diff.losses_before, traces);
  add_side("after ", after, diff.losses_after, traces);
  report.sections.push_back(std::move(traces));
  return report;
}

Table trace_diff_table(const TraceDiff& diff) {
  Table table = change_rows(diff, {{"kernel", diff.kernels}, {"operator", diff.operators}});
  std::erase_if(table.columns,
                [](const TableColumn& column) { return column.info.name == kOperator; });  // path ends in it
  return table;
}

}  // namespace aaco::report
