// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files/output_file.h"
#include "base/interrupt.h"
#include "export/categories.h"
#include "export/chrome/arguments.h"
#include "export/chrome/flow_ids.h"
#include "export/chrome/header.h"
#include "export/export_format.h"
#include "export/flow_marks.h"
#include "export/json_writer.h"
#include "export/layout.h"
#include "export/one_file.h"
#include "export/slice_ends.h"
#include "ingest/kineto/kineto_category.h"

namespace aaco {

namespace {

using chrome::ArgumentWriter;
using chrome::FlowIds;

class ChromeWriter {
 public:
  ChromeWriter(const EventTable& events, OutputFile& file)
      : events_(events),
        file_(file),
        layout_(lay_out(events)),
        ends_(slice_ends(events)),
        marks_(flow_marks(events, layout_)),
        arrows_(call_arrows(events)),
        json_(file, events.strings),
        categories_(events, kind_of_category),
        arguments_(events, json_, chrome::rank_of_file(events)) {
    for (const ShownRow& row : layout_.rows) {
      places_.push_back(chrome::place_of_row(events, layout_, row));
    }
    see_flow_ids();
    see_counters();
  }

  // False where it was interrupted or the file failed.
  bool write();
  ExportCounts counts() const;

 private:
  void see_flow_ids();
  void see_counters();
  bool write_event(size_t event);
  void begin(std::string_view phase, std::string_view category, StringId name, uint32_t row, int64_t time_ns);
  void write_flow_ends(size_t event);
  void write_counter_id(size_t event);
  void write_arrow(const CallArrow& arrow);
  FlowIds::Scope scope_of(size_t event) const { return {events_.tracks[events_.track[event]].recording, kNoId}; }
  FlowIds::Scope arrow_scope_of(size_t event) const {
    const Track& track = events_.tracks[events_.track[event]];
    return {track.recording, track.rank};
  }

  const EventTable& events_;
  OutputFile& file_;
  Layout layout_;
  SliceEnds ends_;
  std::vector<FlowMark> marks_;
  std::vector<CallArrow> arrows_;
  JsonWriter json_;
  Categories categories_;
  ArgumentWriter arguments_;
  FlowIds flow_ids_;
  std::vector<std::string> places_;                       // by row
  std::set<std::pair<uint32_t, StringId>> shared_names_;  // process and name of counters on several rows of it
  size_t next_end_ = 0;
  size_t next_unmatched_ = 0;
  size_t next_mark_ = 0;
  uint64_t written_ = 0;
  uint64_t untimed_ = 0;
  uint64_t without_value_ = 0;
};

void ChromeWriter::see_flow_ids() {
  for (const FlowMark& mark : marks_) {
    if (events_.correlation[mark.event] != kNoId) {
      flow_ids_.see(scope_of(mark.event), events_.correlation[mark.event]);
    }
  }
  for (const CallArrow& arrow : arrows_) {
    flow_ids_.see(arrow_scope_of(arrow.slice), events_.correlation[arrow.slice]);
  }
  flow_ids_.finish();
}

// Viewers tell counters apart by process, name and id.
void ChromeWriter::see_counters() {
  std::map<std::pair<uint32_t, StringId>, uint32_t> rows;
  for (size_t i = 0; i < events_.size(); ++i) {
    if (events_.shape[i] == EventShape::kCounter) {
      const uint32_t row = layout_.row_of_event[i];
      const std::pair key(layout_.lines[layout_.rows[row].line].process, events_.name[i]);
      if (rows.try_emplace(key, row).first->second != row) {
        shared_names_.insert(key);
      }
    }
  }
}

void ChromeWriter::begin(std::string_view phase, std::string_view category, StringId name, uint32_t row,
                         int64_t time_ns) {
  json_.next_element();
  json_.raw("{\"ph\":\"");
  json_.raw(phase);
  if (!category.empty()) {
    json_.raw("\",\"cat\":");
    json_.text(category);
    json_.raw(",\"name\":");
  } else {
    json_.raw("\",\"name\":");
  }
  json_.text(name);
  json_.raw(places_[row]);
  if (phase != "M") {
    json_.raw(",\"ts\":");
    json_.microseconds(time_ns + layout_.shift_ns);
  }
}

void ChromeWriter::write_flow_ends(size_t event) {
  if (events_.correlation[event] != kNoId) {
    json_.raw(",\"id\":");
    json_.integer(flow_ids_.number(scope_of(event), events_.correlation[event]));
  }
  const uint64_t slice = marks_[next_mark_].slice;
  if (events_.shape[event] == EventShape::kFlowEnd && arguments_.member(event, "bp").empty() && slice != kNoSlice &&
      events_.start_ns[slice] <= events_.start_ns[event]) {
    json_.raw(",\"bp\":\"e\"");  // the slice around it, not the next one
  }
}

void ChromeWriter::write_counter_id(size_t event) {
  const ShownRow& row = layout_.rows[layout_.row_of_event[event]];
  if (arguments_.member(event, "id").empty() &&
      shared_names_.contains({layout_.lines[row.line].process, events_.name[event]})) {
    json_.raw(",\"id\":");
    json_.text(name_of_row(events_, layout_, row));
  }
}

// False where it is not written, or as part of another one.
bool ChromeWriter::write_event(size_t event) {
  const EventShape shape = events_.shape[event];
  if (shape == EventShape::kUntimed) {
    ++untimed_;
    return false;
  }
  if (shape == EventShape::kSliceEnd) {
    if (next_unmatched_ == ends_.unmatched.size() || ends_.unmatched[next_unmatched_] != event) {
      return true;
    }
    ++next_unmatched_;
  }
  uint32_t row = layout_.row_of_event[event];
  if (is_flow(shape) && marks_[next_mark_].slice != kNoSlice) {
    row = layout_.row_of_event[marks_[next_mark_].slice];
  }
  const Categories::Category category = categories_.category(event);
  const bool curve = shape == EventShape::kCounter && has_number(events_, event);
  without_value_ += shape == EventShape::kCounter && !curve ? 1 : 0;
  begin(shape == EventShape::kCounter && !curve ? "i" : arguments_.phase(event), category.text, events_.name[event],
        row, events_.start_ns[event]);
  std::optional<uint64_t> end;
  if (shape == EventShape::kSlice) {
    json_.raw(",\"dur\":");
    json_.microseconds(events_.duration_ns[event]);
    if (next_end_ < ends_.matched.size() && ends_.matched[next_end_].slice == event) {
      end = ends_.matched[next_end_++].end;
    }
  } else if (is_flow(shape)) {
    write_flow_ends(event);
    ++next_mark_;
  } else if (curve) {
    write_counter_id(event);
  }
  arguments_.write(event, category, end);
  json_.raw("}");
  return true;
}

// As PyTorch's profiler writes them: from the call's start to the start of what it started.
void ChromeWriter::write_arrow(const CallArrow& arrow) {
  const int64_t id = flow_ids_.number(arrow_scope_of(arrow.slice), events_.correlation[arrow.slice]);
  for (const uint64_t slice : {arrow.call, arrow.slice}) {
    json_.next_element();
    json_.raw(slice == arrow.call ? "{\"ph\":\"s\"" : "{\"ph\":\"f\",\"bp\":\"e\"");
    json_.raw(",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":");
    json_.integer(id);
    json_.raw(places_[layout_.row_of_event[slice]]);
    json_.raw(",\"ts\":");
    json_.microseconds(events_.start_ns[slice] + layout_.shift_ns);
    json_.raw("}");
  }
}

bool ChromeWriter::write() {
  json_.raw("{");
  chrome::write_root(events_, layout_, json_);
  json_.raw("\"traceEvents\":[");
  chrome::write_names(events_, layout_, places_, json_);
  for (size_t i = 0; i < events_.size(); ++i) {
    written_ += write_event(i) ? 1 : 0;
    if (i % kEventsPerLook == 0 && (interrupted() || file_.failed())) {
      return false;
    }
  }
  for (const CallArrow& arrow : arrows_) {
    write_arrow(arrow);
  }
  json_.raw("\n]}\n");
  return !interrupted();
}

ExportCounts ChromeWriter::counts() const {
  ExportCounts counts;
  counts.events = written_;
  counts.remark("untimed events", untimed_, true, "they have no place on a timeline: export parquet holds them");
  counts.remark("ends without a begin", ends_.unmatched.size(), false, "shown as marks");
  counts.remark("counters without a number", without_value_, false, "shown as marks");
  counts.remark("arrows from calls to what they started", arrows_.size(), false,
                "made from correlation ids, which the trace holds instead");
  counts.remark("numbers that are none", json_.no_numbers(), false, "JSON has no NaN and no infinity: they are texts");
  remark_what_all_files_change(events_, layout_, json_.mended(), counts);
  return counts;
}

}  // namespace

Result<ExportCounts> write_chrome(const EventTable& events, const std::filesystem::path& path) {
  return write_one_file<ChromeWriter>(events, path);
}

}  // namespace aaco
