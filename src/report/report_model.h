// SPDX-License-Identifier: MIT
// A report as data: sections of blocks, the same for every sink. Sections are made in sections/; sinks.h draws them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/metric/metric_rows.h"
#include "base/statistics.h"
#include "report/headline/headline.h"
#include "report/headline/tone.h"
#include "report/plot/chart.h"

namespace aaco::report {

// NOLINTBEGIN(readability-redundant-member-init): GCC wants them where members are initialised by name
struct Badge {
  std::string text = {};
  Tone tone = Tone::kNeutral;
};

struct Paragraph {
  std::string text = {};
  Tone tone = Tone::kNeutral;  // other than neutral: set off as a remark
};

struct Bullets {
  std::string title = {};
  std::vector<std::string> items = {};
};

// What was found, as it was found: the sinks choose digits and prefixes.
struct Number {
  std::variant<int64_t, double> value = {};
  std::string unit = {};                  // as record/table.h has it: "ns", "bytes", "1"
  std::optional<Interval> interval = {};  // in the same unit
  bool change = false;                    // of a difference: a plus is written too
};

// What a number was and what it became; one of both may not be there.
struct Transition {
  std::optional<Number> before = {};
  std::optional<Number> after = {};
};

// A number, words, or the reason why there is neither.
struct Cell {
  std::string text = {};    // words; nothing beside a number
  std::string detail = {};  // beside or under it: a bound, a quality; a number's interval stands there by itself
  std::optional<double> order =
      {};                          // what the column sorts by, where it is not the number; text where there is neither
  std::optional<double> bar = {};  // 0 to 1: a bar before the number
  Tone tone = Tone::kNeutral;
  std::vector<std::string> notes = {};  // unfolded on demand: a formula, what a figure does not tell
  std::optional<Number> number = {};
  std::shared_ptr<const Transition> transition = {};
  std::string reason = {};  // why there is no number and no word
  std::string whole = {};   // what `text` is the beginning of, where it is cut
};

// What a figure or a fact is: a cell, or words.
struct FactValue {
  FactValue() = default;
  FactValue(Cell given) : cell(std::move(given)) {}                       // NOLINT(google-explicit-constructor)
  FactValue(std::string words) : cell(Cell{.text = std::move(words)}) {}  // NOLINT(google-explicit-constructor)
  FactValue(const char* words) : cell(Cell{.text = words}) {}             // NOLINT(google-explicit-constructor)
  Cell cell = {};
};

// A number that stands out. Its interval is told in the detail.
struct KeyFigure {
  std::string label = {};
  FactValue value = {};
  std::string detail = {};
  Tone tone = Tone::kNeutral;
};

struct Column {
  std::string title = {};
  bool numeric = false;
  std::string key = {};  // of its values where rows become data ("before.count": within an object); none: not there
  size_t longest = 0;    // characters that a terminal shows of its words; 0: all
  bool kernels = false;  // names of kernels: people read a short form that still tells any two rows apart
};

struct TableBlock {
  std::string id = {};
  std::string title = {};
  std::vector<Column> columns = {};
  std::vector<std::vector<Cell>> rows = {};
  bool sortable = false;
  std::string note = {};  // under the table
};

struct Fact {
  std::string name = {};
  FactValue value = {};
};

struct FactList {
  std::vector<Fact> facts = {};
};

// One thing to look at, with what it rests on and what to do.
struct Finding {
  std::string title = {};
  std::vector<Badge> badges = {};
  std::vector<Fact> figures = {};
  std::string evidence = {};
  std::string advice = {};
};

struct Code {
  std::string text = {};
};

struct ChartBlock {
  plot::Chart chart = {};
};

struct KeyFigures {
  std::vector<KeyFigure> figures = {};
};

struct FoldedBlocks;
using Block =
    std::variant<Paragraph, Bullets, KeyFigures, TableBlock, FactList, Finding, Code, ChartBlock, FoldedBlocks>;

// Closed until asked for.
struct FoldedBlocks {
  std::string title = {};
  std::vector<Block> blocks = {};
};

struct Section {
  std::string id = {};
  std::string title = {};
  std::vector<Badge> badges = {};
  std::vector<Block> blocks = {};
};

struct Report {
  std::string title = {};
  std::string subtitle = {};
  std::vector<Badge> badges = {};
  Headline headline = {};
  std::vector<Section> sections = {};
  std::string footer = {};
  // Every figure of the subject, with its unit and what it means, for programs: tables show those that a reader wants.
  std::vector<MetricRow> metrics = {};
};

// NOLINTEND(readability-redundant-member-init)

// A cell as people read it: the number with its unit, the words or the reason; what stands beside it; both in one line.
std::string shown_text(const Cell& cell);
std::string shown_detail(const Cell& cell);
std::string line_of(const Cell& cell);

// Whether people see the column: one that has a key and no title is for data alone.
bool is_drawn(const Column& column);

// What its column is sorted by; none: the text.
std::optional<double> sort_key(const Cell& cell);

// "aaco 1.2. Definitions: docs/measuring/queues.md (in share/doc/aaco where aaco is installed)."; `page` is empty for
// the list of all pages.
std::string definitions_footer(std::string_view version, std::string_view page);

// Every chart, folded ones included, in order.
std::vector<const plot::Chart*> charts_of(const Report& report);

}  // namespace aaco::report
