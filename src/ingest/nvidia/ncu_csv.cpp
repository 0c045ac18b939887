// SPDX-License-Identifier: MIT
#include "ingest/nvidia/ncu_csv.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ingest/bytes/decimal.h"
#include "ingest/table/csv_table.h"
#include "ingest/table/folded_rows.h"
#include "ingest/table/number_style.h"

namespace aaco {

namespace {

using enum ColumnRole;
using Names = std::string_view[];

constexpr std::string_view kDurationMetric = "gpu__time_duration.sum";
// The section of what --metrics asks for: metrics by their own names, as on the raw page.
constexpr std::string_view kAskedFor = "Command line profiler metrics";

constexpr ColumnMapping kColumns[] = {
    {"Kernel Name", kName}, {"Process ID", kProcess},     {"Device", kDevice},
    {"Stream", kStream},    {kDurationMetric, kDuration},
};
// One column more than the file has: the length, which is one of the values.
constexpr ColumnMapping kLongColumns[] = {
    {"Kernel Name", kName},    {"Process ID", kProcess},    {"Device", kDevice},      {"Stream", kStream},
    {"(duration)", kDuration}, {"Metric Name", kValueName}, {"Metric Value", kValue},
};

constexpr Names kLongNeeds = {"ID", "Kernel Name", "Metric Name", "Metric Value"};
constexpr Names kRawNeeds = {"ID", "Process ID", "Kernel Name"};
constexpr Names kLaunch = {"ID", "Process ID", "Host Name"};

constexpr TableKind kKinds[] = {
    {.id = "a row for each metric",
     .needs = kLongNeeds,
     .columns = kLongColumns,
     .kind = EventKind::kKernel,
     .event_of = kLaunch},
    {.id = "a row for each kernel", .needs = kRawNeeds, .columns = kColumns, .kind = EventKind::kKernel},
};

// Rows of metrics end behind their value: the other columns of the details page are of rules' findings.
constexpr CsvFormat kFormat{.kinds = kKinds, .remarks = true, .whole_with = "Metric Value"};

// Of the names that a unit of time has had; nothing of others.
std::optional<int64_t> ns_per_unit(std::string_view unit) {
  static constexpr std::pair<std::string_view, int64_t> kUnits[] = {
      {"ns", 1},         {"nsecond", 1},         {"us", 1000},         {"usecond", 1000},
      {"ms", 1'000'000}, {"msecond", 1'000'000}, {"s", 1'000'000'000}, {"second", 1'000'000'000},
      {"\u00B5s", 1000}, {"\u03BCs", 1000},      {"\xB5s", 1000}};  // both micro signs, one also in Latin-1
  const auto position =
      std::find_if(std::begin(kUnits), std::end(kUnits), [&](const auto& known) { return known.first == unit; });
  return position == std::end(kUnits) ? std::nullopt : std::optional(position->second);
}

// Columns whose numbers are written in the style of a locale: values of metrics, which have a row each or a column.
bool holds_values(std::string_view column) {
  return same_column(column, "Metric Value") || same_column(column, "Estimated Speedup") ||
         column.find("__") != std::string_view::npos;
}

std::string labelled(std::string_view name, std::string_view unit) {
  return unit.empty() ? std::string(name) : fmt::format("{} [{}]", name, unit);
}

constexpr size_t kMostWaiting = size_t{1} << 24;  // bytes of rows whose style is not known

class NcuTable {
 public:
  NcuTable(const TraceInput& input, EventTable& into)
      : input_(input), into_(into), reader_(input.bytes, input.name, into.losses), tracks_(into) {}

  Result<void> read();

 private:
  Result<void> read_raw();
  Result<void> read_long();
  Result<bool> next_row();
  Result<bool> read_row();
  bool depends_on_style() const;
  size_t keep_row();
  std::optional<std::string> plain_number(size_t column, std::string_view text) const;
  void unquote();
  size_t column(std::string_view name) const;
  std::string_view text_at(size_t at) const { return at < cells_.size() ? cells_[at].text : ""; }
  void add_values(FoldedRows& folded);
  size_t times_found(std::string_view name);
  void add_value(FoldedRows& folded, const std::string& name, const Cell& value, const Cell& length);
  Cell length_of(std::string_view metric, std::string_view unit, const Cell& value);

  struct Row {
    std::vector<std::string> texts;
    uint64_t line = 0;
  };

  const TraceInput& input_;
  EventTable& into_;
  CsvReader reader_;
  TrackIndex tracks_;
  CsvHeader header_;
  std::vector<std::string_view> columns_;
  std::vector<bool> is_value_;           // by column
  std::vector<size_t> values_;           // columns of values
  NumberStyle style_;                    // of the values
  std::deque<Row> waiting_;              // until the style is known
  Row row_;                              // the row at hand, where it waited
  uint64_t line_ = 0;                    // of the row at hand
  std::vector<Cell> cells_;              // of the row at hand
  std::deque<std::string> numbers_;      // of the row at hand, without separators
  std::map<std::string, size_t> found_;  // how often a rule had a finding, by kernel and rule
};

size_t NcuTable::column(std::string_view name) const {
  return static_cast<size_t>(
      std::find_if(columns_.begin(), columns_.end(), [&](std::string_view each) { return same_column(each, name); }) -
      columns_.begin());
}

// The next row of the table; false at the end. From a row on whose numbers can be read in two ways, rows wait for one
// that tells which.
Result<bool> NcuTable::next_row() {
  if (waiting_.empty()) {
    AACO_ASSIGN(bool more, read_row());
    if (!more || style_.is_known() || !depends_on_style()) {
      line_ = reader_.line();
      return more;
    }
    size_t bytes = 0;
    while (more && !style_.is_known() && bytes < kMostWaiting) {
      bytes += keep_row();
      AACO_ASSIGN(more, read_row());
    }
    if (more) {
      keep_row();
    }
  }
  row_ = std::move(waiting_.front());
  waiting_.pop_front();
  line_ = row_.line;
  cells_.resize(row_.texts.size());
  for (size_t i = 0; i < cells_.size(); ++i) {
    cells_[i] = cell_of(row_.texts[i], true);
  }
  return true;
}

Result<bool> NcuTable::read_row() {
  do {
    AACO_ASSIGN(const bool more, reader_.next(cells_));
    if (!more) {
      return false;
    }
  } while (!take_csv_row(reader_, header_, input_.name, input_.recording, kFormat, cells_, into_));
  for (const size_t value : values_) {
    style_.see(text_at(value));
  }
  return true;
}

bool NcuTable::depends_on_style() const {
  return std::any_of(values_.begin(), values_.end(), [&](size_t at) { return NumberStyle::depends(text_at(at)); });
}

// Bytes that it takes.
size_t NcuTable::keep_row() {
  Row& row = waiting_.emplace_back();
  row.line = reader_.line();
  size_t bytes = sizeof(Row);
  for (const Cell& cell : cells_) {
    row.texts.emplace_back(cell.text);
    bytes += sizeof(std::string) + cell.text.size();
  }
  return bytes;
}

// All cells are quoted, and the values' numbers as the locale of Nsight Compute writes them: "1,234.5". Other columns
// have groups of thousands, where they have any.
std::optional<std::string> NcuTable::plain_number(size_t column, std::string_view text) const {
  if (is_value_[column]) {
    return style_.plain(text);
  }
  std::string number(text);
  if (NumberStyle::shape_of(text) != NumberStyle::Shape::kDecimalComma) {
    std::erase(number, ',');
  }
  return number;
}

void NcuTable::unquote() {
  numbers_.clear();
  for (size_t i = 0; i < cells_.size(); ++i) {
    const std::string_view text = cells_[i].text;
    if (NumberStyle::shape_of(text) == NumberStyle::Shape::kPlain) {
      cells_[i] = cell_of(text, false);
      continue;
    }
    const auto number = plain_number(i, text);
    if (!number) {
      into_.losses.add(Loss::kAmbiguousNumber, [&] {
        return fmt::format("{}: line {}: \"{}\" in \"{}\"", input_.name, line_, text, columns_[i]);
      });
    }
    cells_[i] = number ? cell_of(numbers_.emplace_back(*number), false) : Cell();
  }
}

Result<void> NcuTable::read() {
  AACO_ASSIGN(header_, read_csv_header(reader_, input_.name, input_.recording, kFormat, into_));
  columns_.assign(header_.columns.begin(), header_.columns.end());
  for (size_t i = 0; i < columns_.size(); ++i) {
    is_value_.push_back(holds_values(columns_[i]));
    if (is_value_[i]) {
      values_.push_back(i);
    }
  }
  return header_.kind->event_of.empty() ? read_raw() : read_long();
}

Result<void> NcuTable::read_raw() {
  TableKind kind = *header_.kind;
  std::vector<std::string> names = header_.columns;
  AACO_ASSIGN(bool more, next_row());
  const bool has_units = more && text_at(column("ID")).empty();
  for (size_t i = 0; has_units && i < names.size(); ++i) {
    const bool is_length = same_column(names[i], kDurationMetric) && ns_per_unit(cells_[i].text);
    kind.ns_per_unit = is_length ? *ns_per_unit(cells_[i].text) : kind.ns_per_unit;
    names[i] = is_length ? names[i] : labelled(names[i], cells_[i].text);
  }
  if (has_units) {
    AACO_ASSIGN(more, next_row());
  }
  TableRows rows(kind, std::vector<std::string_view>(names.begin(), names.end()), input_.name, input_.recording,
                 tracks_, into_);
  while (more) {
    unquote();
    rows.add(cells_, line_);
    AACO_ASSIGN(more, next_row());
  }
  return {};
}

// The length of a kernel in whole nanoseconds; null of other metrics.
Cell NcuTable::length_of(std::string_view metric, std::string_view unit, const Cell& value) {
  const auto factor = ns_per_unit(unit);
  if (!factor || (metric != "Duration" && metric != kDurationMetric)) {
    return {};
  }
  const char* const power = *factor == 1 ? "e-3" : *factor == 1000 ? "" : *factor == 1'000'000 ? "e3" : "e6";
  const Nanoseconds length = nanoseconds_of_microseconds(std::string(value.text) + power);
  if (length.state == DecimalState::kNoNumber || length.state == DecimalState::kOutOfRange) {
    return {};
  }
  return cell_of(numbers_.emplace_back(std::to_string(length.value)), false);
}

void NcuTable::add_value(FoldedRows& folded, const std::string& name, const Cell& value, const Cell& length) {
  std::vector<Cell> cells = cells_;
  for (const std::string_view other : {"Section Name", "Body Item Label", "Metric Unit", "Rule Name", "Rule Type",
                                       "Rule Description", "Estimated Speedup Type", "Estimated Speedup"}) {
    if (const size_t at = column(other); at < cells.size()) {
      cells[at] = {};
    }
  }
  cells[column("Metric Name")] = cell_of(name, true);
  cells[column("Metric Value")] = value;
  cells.push_back(length);
  folded.add(cells, line_);
}

// Up to here, of the kernel at hand.
size_t NcuTable::times_found(std::string_view name) {
  std::string key(name);
  for (const std::string_view part : kLaunch) {
    key += fmt::format("\n{}", text_at(column(part)));
  }
  return ++found_[key];
}

// A row is of a metric or of a rule's finding.
void NcuTable::add_values(FoldedRows& folded) {
  const auto before = [](std::string_view title) { return title.empty() ? "" : fmt::format("{}: ", title); };
  const std::string_view section = text_at(column("Section Name"));
  const std::string prefix = before(section == kAskedFor ? "" : section) + before(text_at(column("Body Item Label")));
  const std::string_view metric = text_at(column("Metric Name"));
  const std::string_view rule = text_at(column("Rule Name"));
  if (!metric.empty()) {
    const std::string_view unit = text_at(column("Metric Unit"));
    const Cell value = cells_[column("Metric Value")];
    add_value(folded, labelled(prefix + std::string(metric), unit), value, length_of(metric, unit, value));
  }
  if (!rule.empty()) {
    const size_t finding = column("Rule Description");
    const size_t gain = column("Estimated Speedup");
    std::string name = prefix + labelled(rule, text_at(column("Rule Type")));
    if (const size_t times = times_found(name); times > 1) {  // a rule may have several
      name += fmt::format(" {}", times);
    }
    add_value(folded, name, finding < cells_.size() ? cells_[finding] : Cell{}, {});
    if (!text_at(gain).empty()) {
      add_value(folded, labelled(name + " estimated speedup", text_at(column("Estimated Speedup Type"))), cells_[gain],
                {});
    }
  }
  if (metric.empty() && rule.empty()) {
    into_.losses.add(Loss::kMalformedEvent, [&] { return fmt::format("{}: line {}", input_.name, line_); });
  }
}

Result<void> NcuTable::read_long() {
  std::vector<std::string_view> columns = columns_;
  columns.push_back("(duration)");
  TableRows rows(*header_.kind, columns, input_.name, input_.recording, tracks_, into_);
  FoldedRows folded(*header_.kind, columns, input_.name, rows, into_);
  for (;;) {
    AACO_ASSIGN(const bool more, next_row());
    if (!more) {
      break;
    }
    unquote();
    add_values(folded);
  }
  folded.finish();
  return {};
}

}  // namespace

bool is_ncu_csv(std::string_view head) { return is_csv_table(head, kFormat); }

Result<void> read_ncu_csv(const TraceInput& input, EventTable& into) { return NcuTable(input, into).read(); }

}  // namespace aaco
