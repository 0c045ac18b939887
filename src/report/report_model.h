// SPDX-License-Identifier: MIT
// A report as data: sections of blocks, the same for every sink. Sections are made in sections/; sinks.h draws them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/statistics.h"
#include "report/plot/chart.h"

namespace aaco::report {

enum class Tone { kNeutral, kGood, kWarning, kBad };

// NOLINTBEGIN(readability-redundant-member-init): GCC wants them where members are initialised by name
struct Badge {
  std::string text = {};
  Tone tone = Tone::kNeutral;
};

// A number that stands out.
struct KeyFigure {
  std::string label = {};
  std::string value = {};
  std::string detail = {};
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
  std::string unit = {};                  // as trace/table.h has it: "ns", "bytes", "1"
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

struct Column {
  std::string title = {};
  bool numeric = false;
  std::string key = {};  // of its values where rows become data ("before.count": within an object); none: not there
  size_t longest = 0;    // characters that a terminal shows of its words; 0: all
};

struct TableBlock {
  std::string id = {};
  std::string title = {};
  std::vector<Column> columns = {};
  std::vector<std::vector<Cell>> rows = {};
  bool sortable = false;
  std::string note = {};  // under the table
  // A list for a terminal ends after so many rows, with one for the others, where that is not empty.
  size_t most = SIZE_MAX;
  std::vector<Cell> others = {};
};

struct Fact {
  std::string name = {};
  std::string value = {};
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
  std::vector<Section> sections = {};
  std::string footer = {};
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

// Every chart, folded ones included, in order.
std::vector<const plot::Chart*> charts_of(const Report& report);

}  // namespace aaco::report
