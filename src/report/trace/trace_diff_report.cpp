// SPDX-License-Identifier: MIT
#include "report/trace/trace_diff_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/text/characters.h"
#include "report/trace/losses.h"
#include "report/trace/values.h"

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

const char* state_of(const DiffRow& row) {
  return row.before.count == 0 ? "new" : row.after.count == 0 ? "vanished" : "both";
}

std::string operator_of(const TraceDiff& diff, const DiffRow& row) {
  return row.path == CallPaths::kNone ? "" : std::string(diff.strings[diff.paths[row.path].name]);
}

std::string name_of(const TraceDiff& diff, const DiffRow& row) {
  return row.kernel == kEmptyString ? operator_of(diff, row) : std::string(diff.strings[row.kernel]);
}

Json side_json(const DiffSide& side) { return {{"count", side.count}, {"total_ns", side.total_ns}}; }

Json rows_json(const TraceDiff& diff, const std::vector<DiffRow>& rows) {
  Json list = Json::array();
  for (const DiffRow& row : rows) {
    list.push_back({{"name", name_of(diff, row)},
                    {"operator", row.path == CallPaths::kNone ? Json() : Json(operator_of(diff, row))},
                    {"path", path_text(diff.paths, row.path, diff.strings, kLongestPath)},
                    {"shapes", row.shapes == kEmptyString ? Json() : Json(std::string(diff.strings[row.shapes]))},
                    {"state", state_of(row)},
                    {"before", side_json(row.before)},
                    {"after", side_json(row.after)},
                    {"change_ns", row.change_ns()},
                    {"by_count_ns", row.terms.count_ns},
                    {"by_time_ns", row.terms.time_ns}});
  }
  return list;
}

Json trace_json(const TraceOrigin& origin, const LossTable& losses) {
  Json files = Json::array();
  for (const TraceFile& file : origin.files) {
    files.push_back({{"path", file.path}, {"format", file.format}, {"bytes", file.bytes}});
  }
  return {{"files", std::move(files)}, {"losses", losses_json(losses)}};
}

std::string signed_text(int64_t ns) { return (ns > 0 ? "+" : "") + duration_text(ns); }

std::string mean_text(const DiffSide& side) {
  return side.count == 0 ? "-"
                         : format_duration_ns(static_cast<double>(side.total_ns) / static_cast<double>(side.count));
}

// What a table for people says of a row, beside its figures.
std::vector<std::string> words_of(const TraceDiff& diff, const DiffRow& row) {
  const std::string name = name_of(diff, row);
  const uint32_t around = row.kernel == kEmptyString ? diff.paths[row.path].outer : row.path;
  const std::string path = path_text(diff.paths, around, diff.strings, kShownPath);
  return {name.empty() ? kNoOperator : shorten(name, kLongestName / 2), shorten(path, kLongestName / 2),
          shorten(diff.strings[row.shapes], kLongestName / 3)};
}

std::string rows_text(const TraceDiff& diff, const std::vector<DiffRow>& rows, const char* title, size_t most) {
  std::vector<std::vector<std::string>> lines{
      {title, "within", "shapes", "change", "by count", "by time", "count", "mean", ""}};
  const size_t shown = std::min(most, rows.size());
  int64_t left_ns = diff.after.total_ns - diff.before.total_ns;
  ChangeTerms left = sum_of_terms(rows);
  for (size_t i = 0; i < shown; ++i) {
    const DiffRow& row = rows[i];
    left_ns -= row.change_ns();
    left.count_ns -= row.terms.count_ns;
    left.time_ns -= row.terms.time_ns;
    std::vector<std::string> line = words_of(diff, row);
    for (const std::string& figure :
         {signed_text(row.change_ns()), signed_text(row.terms.count_ns), signed_text(row.terms.time_ns),
          fmt::format("{} -> {}", row.before.count, row.after.count),
          fmt::format("{} -> {}", mean_text(row.before), mean_text(row.after)),
          std::string(row.before.count > 0 && row.after.count > 0 ? "" : state_of(row))}) {
      line.push_back(figure);
    }
    lines.push_back(std::move(line));
  }
  if (shown < rows.size()) {
    lines.push_back({fmt::format("{} others", rows.size() - shown), "", "", signed_text(left_ns),
                     signed_text(left.count_ns), signed_text(left.time_ns), "", "", ""});
  }
  return format_table(lines);
}

std::string matching_text(const TraceDiff& diff) {
  if (diff.by_shapes) {
    return "matched by name, operators around and shapes of inputs\n\n";
  }
  return diff.by_paths ? "matched by name and operators around; not both traces have shapes of inputs\n\n"
                       : "matched by name; not both traces have operators\n\n";
}

std::string without_device_text(const TraceDiff& diff) {
  const char* const which = diff.before.count > 0 ? "after has no" : diff.after.count > 0 ? "before has no" : nullptr;
  return which == nullptr ? "\nneither trace has device activity with times: nothing is compared\n"
                          : fmt::format("\n{} device activity with times\n", which);
}

std::string origin_text(const char* which, const TraceOrigin& origin, const LossTable& losses) {
  std::string text;
  for (const TraceFile& file : origin.files) {
    text += fmt::format("{} {} ({})\n", which, printable(file.path), file.format);
  }
  return text + losses_text(losses);
}

}  // namespace

Json trace_diff_json(const TraceDiff& diff, const TraceOrigin& before, const TraceOrigin& after) {
  return {{"before", trace_json(before, diff.losses_before)},
          {"after", trace_json(after, diff.losses_after)},
          {"device", {{"before", side_json(diff.before)}, {"after", side_json(diff.after)}}},
          {"change_ns", diff.after.total_ns - diff.before.total_ns},
          {"matched_by", {{"name", true}, {"shapes", diff.by_shapes}, {"path", diff.by_paths}}},
          {"kernels", rows_json(diff, diff.kernels)},
          {"operators", rows_json(diff, diff.operators)}};
}

std::string trace_diff_text(const TraceDiff& diff, const TraceOrigin& before, const TraceOrigin& after, size_t most) {
  const int64_t change_ns = diff.after.total_ns - diff.before.total_ns;
  const ChangeTerms terms = sum_of_terms(diff.kernels);
  std::string text =
      origin_text("before", before, diff.losses_before) + origin_text("after ", after, diff.losses_after);
  const bool both = diff.before.count > 0 && diff.after.count > 0;
  text += both ? "" : without_device_text(diff);
  if (diff.before.count == 0 && diff.after.count == 0) {
    return text;
  }
  text += fmt::format("\ndevice time {} in {} executions -> {} in {}: {} ({}); by count {}, by time {}\n",
                      duration_text(diff.before.total_ns), diff.before.count, duration_text(diff.after.total_ns),
                      diff.after.count, signed_text(change_ns), share_text(change_ns, diff.before.total_ns),
                      signed_text(terms.count_ns), signed_text(terms.time_ns));
  return text + (both ? matching_text(diff) : "\n") + rows_text(diff, diff.kernels, "kernel, copy or set", most) +
         "\n" + rows_text(diff, diff.operators, "operator", most);
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
