// SPDX-License-Identifier: MIT
// A report as data: sections of blocks, the same for every sink. Sections are made in sections/; sinks.h draws them.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

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

struct Cell {
  std::string text = {};
  std::string detail = {};           // beside or under the text: an interval, a bound
  std::optional<double> order = {};  // what the column sorts by; text where absent
  std::optional<double> bar = {};    // 0 to 1: a bar before the number
  Tone tone = Tone::kNeutral;
  std::vector<std::string> notes = {};  // unfolded on demand: a formula, what a figure does not tell
};

struct Column {
  std::string title = {};
  bool numeric = false;
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

// Text and detail in one line.
std::string line_of(const Cell& cell);

// Every chart, folded ones included, in order.
std::vector<const plot::Chart*> charts_of(const Report& report);

}  // namespace aaco::report
