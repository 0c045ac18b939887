// SPDX-License-Identifier: MIT
#include "report/trace/trace_diff_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/version.h"
#include "report/trace/losses.h"
#include "report/trace/row_sinks.h"
#include "report/trace/values.h"
#include "report/values.h"

namespace aaco {

namespace {

struct CsvRow {
  std::string of;
  std::string name;
  std::string path;
  std::string shapes;
  std::string state;
  int64_t count_before = 0;
  int64_t count_after = 0;
  int64_t total_before_ns = 0;
  int64_t total_after_ns = 0;
  int64_t change_ns = 0;
  int64_t by_count_ns = 0;
  int64_t by_time_ns = 0;
};

}  // namespace

template <>
struct RowSchema<CsvRow> {
  static constexpr const char* kName = "trace_diff";
  static auto columns() {
    return std::tuple(row_column("of", &CsvRow::of, "", "kernel or operator: each list adds up to the whole change"),
                      row_column("name", &CsvRow::name, "", "of the kernel or operator"),
                      row_column("path", &CsvRow::path, "", "operators around what was launched, outermost first"),
                      row_column("shapes", &CsvRow::shapes, "", "of the operator's inputs"),
                      row_column("state", &CsvRow::state, "", "new, vanished, or both"),
                      row_column("count_before", &CsvRow::count_before, "1", "executions, or calls"),
                      row_column("count_after", &CsvRow::count_after, "1", "executions, or calls"),
                      row_column("total_before_ns", &CsvRow::total_before_ns, "ns", "sum of durations"),
                      row_column("total_after_ns", &CsvRow::total_after_ns, "ns", "sum of durations"),
                      row_column("change_ns", &CsvRow::change_ns, "ns", "after less before"),
                      row_column("by_count_ns", &CsvRow::by_count_ns, "ns", "of it, by the change of the count"),
                      row_column("by_time_ns", &CsvRow::by_time_ns, "ns", "of it, by the change of the time of one"));
  }
};

namespace report {

namespace {

constexpr size_t kLongestPath = 64;  // operators of a path that are named
constexpr size_t kShownPath = 2;     // of those, in a table for people
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
  return {{"files", std::move(files)}, {"losses", losses_json(losses)}};
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

// For people first, then for data; the figures are the same for both.
std::vector<Column> columns_of(const char* title) {
  return {{title, false, "", kLongestName / 2},
          {"within", false, "", kLongestName / 2},
          {"shapes", false, "", kLongestName / 3},
          {.key = "name"},
          {.key = "operator"},
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

std::vector<Cell> cells_of(const TraceDiff& diff, const DiffRow& row) {
  const std::string name = name_of(diff, row);
  const uint32_t around = row.kernel == kEmptyString ? diff.paths[row.path].outer : row.path;
  const bool both = row.before.count > 0 && row.after.count > 0;
  const std::string shapes(diff.strings[row.shapes]);
  return {name_cell(name.empty() ? kNoOperator : name),
          name_cell(path_text(diff.paths, around, diff.strings, kShownPath)),
          name_cell(shapes),
          text_cell(name),
          row.path == CallPaths::kNone ? missing_cell("no operator") : text_cell(operator_of(diff, row)),
          text_cell(path_text(diff.paths, row.path, diff.strings, kLongestPath)),
          row.shapes == kEmptyString ? missing_cell("not known") : text_cell(shapes),
          text_cell(state_of(row)),
          amount_cell(row.before.count),
          time_cell(row.before.total_ns),
          amount_cell(row.after.count),
          time_cell(row.after.total_ns),
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
  TableBlock table{.id = id, .columns = columns_of(title), .sortable = true};
  const size_t shown = std::min(most, rows.size());
  int64_t left_ns = diff.after.total_ns - diff.before.total_ns;
  ChangeTerms left = sum_of_terms(rows);
  for (size_t i = 0; i < shown; ++i) {
    left_ns -= rows[i].change_ns();
    left.count_ns -= rows[i].terms.count_ns;
    left.time_ns -= rows[i].terms.time_ns;
    table.rows.push_back(cells_of(diff, rows[i]));
  }
  if (shown < rows.size()) {
    std::vector<Cell>& others = table.rows.emplace_back(table.columns.size());
    others[0] = text_cell(counted(rows.size() - shown, "other", "others"));
    others[kChangeColumn] = time_change_cell(left_ns);
    others[kChangeColumn + 1] = time_change_cell(left.count_ns);
    others[kChangeColumn + 2] = time_change_cell(left.time_ns);
  }
  return table;
}

TableBlock kernel_changes(const TraceDiff& diff, size_t most) {
  return change_table(diff, diff.kernels, "kernel, copy or set", "kernel_changes", most);
}

TableBlock operator_changes(const TraceDiff& diff, size_t most) {
  return change_table(diff, diff.operators, "operator", "operator_changes", most);
}

std::string matching_text(const TraceDiff& diff) {
  if (diff.by_shapes) {
    return "matched by name, operators around and shapes of inputs";
  }
  return diff.by_paths ? "matched by name and operators around; not both traces have shapes of inputs"
                       : "matched by name; not both traces have operators";
}

std::string without_device_text(const TraceDiff& diff) {
  const char* const which = diff.before.count > 0 ? "after has no" : diff.after.count > 0 ? "before has no" : nullptr;
  return which == nullptr ? "neither trace has device activity with times: nothing is compared"
                          : fmt::format("{} device activity with times", which);
}

void add_side(const char* which, const TraceOrigin& origin, const LossTable& losses, Section& section) {
  for (const TraceFile& file : origin.files) {
    section.blocks.push_back(Paragraph{.text = fmt::format("{} {} ({})", which, file.path, file.format)});
  }
  section.blocks.push_back(losses_block(losses));
}

Section total_section(const TraceDiff& diff, bool both) {
  const int64_t change_ns = diff.after.total_ns - diff.before.total_ns;
  const ChangeTerms terms = sum_of_terms(diff.kernels);
  Section section{.id = "device-time", .title = "Device time"};
  section.blocks.push_back(Paragraph{
      .text = fmt::format("device time {} in {} -> {} in {}: {} ({}); by count {}, by time {}",
                          duration_text(diff.before.total_ns), counted(diff.before.count, "execution", "executions"),
                          duration_text(diff.after.total_ns), diff.after.count, signed_text(change_ns),
                          share_text(change_ns, diff.before.total_ns), signed_text(terms.count_ns),
                          signed_text(terms.time_ns))});
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
          {"kernels", rows_json(kernel_changes(diff, SIZE_MAX))},
          {"operators", rows_json(operator_changes(diff, SIZE_MAX))}};
}

Report build_trace_diff_report(const TraceDiff& diff, const TraceOrigin& before, const TraceOrigin& after,
                               size_t most) {
  Report report{.title = "What changed on the device",
                .subtitle = "Kernels, copies and memory sets, and the operators that launched them",
                .footer = fmt::format("aaco {}; docs/measuring.md says how a change is split", program_version())};
  Section traces{.id = "traces", .title = "The two traces"};
  add_side("before", before, diff.losses_before, traces);
  add_side("after ", after, diff.losses_after, traces);
  report.sections.push_back(std::move(traces));
  const bool both = diff.before.count > 0 && diff.after.count > 0;
  if (!both) {
    report.sections.push_back({.id = "without-device",
                               .title = "What cannot be compared",
                               .blocks = {Paragraph{.text = without_device_text(diff)}}});
  }
  if (diff.before.count > 0 || diff.after.count > 0) {
    report.sections.push_back(total_section(diff, both));
    report.sections.push_back({.id = "kernels", .title = "By kernel", .blocks = {kernel_changes(diff, most)}});
    report.sections.push_back({.id = "operators", .title = "By operator", .blocks = {operator_changes(diff, most)}});
  }
  return report;
}

Table trace_diff_table(const TraceDiff& diff) {
  std::vector<CsvRow> table;
  const auto add = [&](const char* of, const std::vector<DiffRow>& rows) {
    for (const DiffRow& row : rows) {
      table.push_back({of, name_of(diff, row), path_text(diff.paths, row.path, diff.strings, kLongestPath),
                       std::string(diff.strings[row.shapes]), state_of(row), static_cast<int64_t>(row.before.count),
                       static_cast<int64_t>(row.after.count), row.before.total_ns, row.after.total_ns, row.change_ns(),
                       row.terms.count_ns, row.terms.time_ns});
    }
  };
  add("kernel", diff.kernels);
  add("operator", diff.operators);
  return to_table(table);
}

}  // namespace report

}  // namespace aaco
