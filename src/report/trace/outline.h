// SPDX-License-Identifier: MIT
// What a trace's report says, each figure written once: under its key and with its unit. JSON has the figures as they
// are; sentences and tables name them, and people read those.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "report/report_model.h"
#include "report/trace/table_rows.h"

namespace aaco::report {

class Outline {
 public:
  // Who it is for: figures as JSON, or sections that the sinks draw, with `most` rows of a table; of `only`, an id,
  // where that is not empty. What neither needs is not made.
  enum class Form { kData, kSections };
  explicit Outline(Form form, size_t most = SIZE_MAX, std::string only = {})
      : form_(form), most_(most), only_(std::move(only)) {}

  bool is_data() const { return form_ == Form::kData; }
  size_t most() const { return most_; }
  // What follows is of the section with this id (trace_sections.h).
  void begin(std::string_view id) { id_ = id; }
  bool is_shown() const { return !is_data() && (only_.empty() || only_ == id_); }
  bool is_chosen() const { return !is_data() && !only_.empty() && only_ == id_; }  // by its id: nothing is left out

  // A key "a.b" is of the member "b" of the object "a". `unit`: as in report/values.h, or "fraction"; null: not known.
  void figure(std::string_view key, Json value, std::string_view unit = "1");
  // For sentences alone; of the same key the last holds.
  void aside(std::string_view key, Json value, std::string_view unit = "1");
  void figures(const TableRow& row, std::string_view columns = {});  // as add_members takes them
  // For data alone.
  void rows(std::string_view key, const TableRows& rows, std::string_view columns = {});

  // An array of objects, an outline for each item; without a section of its own it goes on with the last.
  template <class Items, class Fill>
  void list(std::string_view key, const Items& items, const Fill& fill) {
    Json array = Json::array();
    for (const auto& item : items) {
      Outline inner(form_, most_, only_);
      inner.id_ = id_;
      fill(item, inner);
      if (is_data()) {
        array.push_back(std::move(inner.data_));
      }
      append(std::move(inner));
    }
    figure(key, std::move(array));
  }

  int64_t integer(std::string_view key) const;  // for sections

  // For sections alone: an empty line, and a title where there is one.
  void section(std::string title = {});
  // "{a.b}" is that figure, "{a.b:.1f}" with these digits, "{a/b}" the one as a share of the other.
  void say(std::string_view sentence);
  void note(std::string text);  // words without figures
  void show(TableBlock table);  // nothing where it has no rows
  // Times as parts of a whole.
  struct Share {
    std::string title;
    int64_t ns;
  };
  void shares(const char* what, const char* of_what, const std::vector<Share>& shares, int64_t whole_ns);

  // Sections go there as soon as they are whole: a trace can have ten thousand devices, a section each. end() hands
  // on the last.
  using DrawSection = std::function<void(const Section& section)>;
  void draw_with(DrawSection draw) { draw_ = std::move(draw); }
  void end();

  const Json& data() const { return data_; }
  Json take_data() { return std::move(data_); }
  std::vector<Section> take_sections() { return std::move(sections_); }

 private:
  struct Figure {
    std::string key;
    Json value;
    std::string unit;
  };

  // What figures() named for sentences: its cells are read when a sentence names them.
  struct RowFigures {
    TableRow row;
    std::string columns;
  };

  std::optional<Figure> find(std::string_view key) const;
  std::string shown(std::string_view placeholder) const;
  void append(Outline inner);
  void draw_sections(size_t but_last);
  std::vector<Block>& blocks();

  Form form_;
  size_t most_;
  std::string only_;
  std::string id_;
  Json data_ = Json::object();
  std::vector<Figure> figures_;
  std::vector<RowFigures> row_figures_;
  std::vector<Section> sections_;
  DrawSection draw_;
  bool goes_on_ = false;  // the first of the sections is the rest of another
};

}  // namespace aaco::report
