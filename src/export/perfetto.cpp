// SPDX-License-Identifier: MIT
// Messages and their fields: perfetto.dev, protos/perfetto/trace/track_event.
#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/output_file.h"
#include "base/interrupt.h"
#include "base/json/json.h"
#include "export/categories.h"
#include "export/export_format.h"
#include "export/flow_marks.h"
#include "export/id_arguments.h"
#include "export/layout.h"
#include "export/one_file.h"
#include "export/perfetto/arrows.h"
#include "export/perfetto/async_operations.h"
#include "export/perfetto/counters.h"
#include "export/perfetto/packets.h"
#include "export/perfetto/tracks.h"
#include "export/slice_ends.h"
#include "ingest/perfetto/category.h"

namespace aaco {

namespace {

using perfetto::AsyncMark;
using perfetto::EventType;
using perfetto::Joint;

class PerfettoWriter {
 public:
  PerfettoWriter(const EventTable& events, OutputFile& file)
      : events_(events),
        file_(file),
        layout_(lay_out(events)),
        ends_(slice_ends(events)),
        marks_(flow_marks(events, layout_)),
        calls_(call_arrows(events)),
        arrows_(events, marks_, calls_),
        packets_(file, events.strings),
        tracks_(events, layout_, packets_),
        counters_(events, layout_, packets_, tracks_),
        categories_(events, perfetto::kind_of_perfetto_category),
        ids_(events, kNoId) {}

  // False where it was interrupted or the file failed.
  bool write() {
    packets_.begin_sequence();
    tracks_.describe();
    for (uint32_t row = 0; row < layout_.rows.size(); ++row) {
      if (!write_slices(row)) {
        return false;
      }
    }
    if (!write_marks()) {
      return false;
    }
    write_async();
    write_recordings();
    return !interrupted();
  }

  ExportCounts counts() const;

 private:
  bool write_slices(uint32_t row);
  bool write_marks();
  void write_mark(size_t event);
  void write_metadata(size_t event);
  void write_async();
  void write_recordings();
  void begin_event(EventType type, uint64_t track, size_t event);
  void end_slice(uint32_t row, size_t event);
  bool goes_on() { return ++looks_ % kEventsPerLook != 0 || !(interrupted() || file_.failed()); }
  int64_t shown(int64_t time_ns) const { return time_ns + layout_.shift_ns; }

  const EventTable& events_;
  OutputFile& file_;
  Layout layout_;
  SliceEnds ends_;
  std::vector<FlowMark> marks_;
  std::vector<CallArrow> calls_;
  perfetto::Arrows arrows_;
  perfetto::Packets packets_;
  perfetto::Tracks tracks_;
  perfetto::Counters counters_;
  Categories categories_;
  IdArguments ids_;
  std::vector<uint64_t> notes_;  // metadata events that are no track's name
  size_t next_mark_ = 0;
  size_t next_unmatched_ = 0;
  uint64_t looks_ = 0;
  uint64_t written_ = 0;
  uint64_t untimed_ = 0;
  uint64_t on_slices_ = 0;  // ends of arrows
  uint64_t order_ = 0;      // metadata events that order rows
  uint64_t without_value_ = 0;
  uint64_t unended_ = 0;
};

// All that an event says but for its end.
void PerfettoWriter::begin_event(EventType type, uint64_t track, size_t event) {
  const Categories::Category category = categories_.category(event);
  packets_.begin_event(type, track);
  packets_.name(events_.name[event]);
  packets_.category(category.text);
  if (events_.correlation[event] != kNoId && !is_flow(events_.shape[event])) {
    packets_.correlation(events_.correlation[event]);
  }
  for (const Joint& joint : arrows_.joints(event)) {
    packets_.flow(joint.arrow, joint.ends);
  }
  ids_.begin(event);
  for (size_t i = events_.arguments.begin(event); i < events_.arguments.end(event); ++i) {
    const Argument argument = events_.arguments[i];
    packets_.annotation(ids_.says_otherwise(argument) ? IdArguments::kOtherName : "", argument);
  }
  ids_.add_missing([&](std::string_view name, int64_t value) { packets_.annotation(name, value); });
  if (category.changed && events_.category[event] != kEmptyString) {
    packets_.annotation("source category", events_.category[event]);
  }
}

void PerfettoWriter::end_slice(uint32_t row, size_t event) {
  packets_.begin_event(EventType::kEnd, tracks_.row(row));
  const auto end = std::lower_bound(ends_.matched.begin(), ends_.matched.end(), event,
                                    [](const SliceEnd& each, uint64_t slice) { return each.slice < slice; });
  if (end != ends_.matched.end() && end->slice == event) {
    for (size_t i = events_.arguments.begin(end->end); i < events_.arguments.end(end->end); ++i) {
      packets_.annotation("", events_.arguments[i]);
    }
    ++written_;
  }
  packets_.end_event(shown(events_.end_ns(event)));
  ++written_;
}

// A reader takes an end for that of the last begin on its track.
bool PerfettoWriter::write_slices(uint32_t row) {
  std::vector<uint64_t> open;
  const auto close_until = [&](int64_t time_ns) {
    for (; !open.empty() && events_.end_ns(open.back()) <= time_ns; open.pop_back()) {
      end_slice(row, open.back());
    }
  };
  for (const uint64_t slice : layout_.slices_of(layout_.rows[row])) {
    close_until(events_.start_ns[slice]);
    begin_event(EventType::kBegin, tracks_.row(row), slice);
    packets_.end_event(shown(events_.start_ns[slice]));
    open.push_back(slice);
    if (!goes_on()) {
      return false;
    }
  }
  close_until(INT64_MAX);
  return true;
}

bool PerfettoWriter::write_marks() {
  for (size_t i = 0; i < events_.size(); ++i) {
    write_mark(i);
    if (!goes_on()) {
      return false;
    }
  }
  return true;
}

// Names are those of tracks; what else there is is told where the trace begins.
void PerfettoWriter::write_metadata(size_t event) {
  const std::string_view name = events_.strings[events_.name[event]];
  if (name.ends_with("_sort_index")) {
    ++order_;
    return;
  }
  ++written_;
  if (name != "process_name" && name != "thread_name") {
    notes_.push_back(event);
  }
}

void PerfettoWriter::write_mark(size_t event) {
  switch (events_.shape[event]) {
    case EventShape::kSlice:
    case EventShape::kAsync:
      return;
    case EventShape::kUntimed:
      ++untimed_;
      return;
    case EventShape::kMetadata:
      return write_metadata(event);
    case EventShape::kSliceEnd:
      if (next_unmatched_ == ends_.unmatched.size() || ends_.unmatched[next_unmatched_] != event) {
        return;
      }
      ++next_unmatched_;
      break;
    case EventShape::kCounter:
      if (has_number(events_, event)) {
        ++written_;
        return counters_.write(event);
      }
      ++without_value_;
      break;
    case EventShape::kFlowStart:
    case EventShape::kFlowStep:
    case EventShape::kFlowEnd:
      if (marks_[next_mark_++].slice != kNoSlice) {
        ++on_slices_;
        ++written_;
        return;
      }
      break;
    case EventShape::kInstant:
      break;
  }
  begin_event(EventType::kInstant, tracks_.row(layout_.row_of_event[event]), event);
  packets_.end_event(shown(events_.start_ns[event]));
  ++written_;
}

void PerfettoWriter::write_async() {
  uint64_t track = 0;
  for (const AsyncMark& mark : perfetto::async_marks(events_, unended_)) {
    if (mark.first) {
      const uint32_t process = layout_.lines[layout_.line_of_track[events_.track[mark.event]]].process;
      track = tracks_.add(tracks_.process(process), std::string(events_.strings[events_.name[mark.event]]));
    }
    const EventType type = mark.is == AsyncMark::Is::kBegin ? EventType::kBegin
                           : mark.is == AsyncMark::Is::kEnd ? EventType::kEnd
                                                            : EventType::kInstant;
    begin_event(type, track, mark.event);
    packets_.end_event(shown(events_.start_ns[mark.event]));
    ++written_;
  }
}

// What the files say of themselves, as a mark where the trace begins.
void PerfettoWriter::write_recordings() {
  int64_t start_ns = INT64_MAX;
  for (size_t i = 0; i < events_.size(); ++i) {
    start_ns = has_time(events_.shape[i]) ? std::min(start_ns, events_.start_ns[i]) : start_ns;
  }
  start_ns = start_ns == INT64_MAX ? 0 : shown(start_ns);
  std::vector<uint64_t> rows;
  for (uint32_t i = 0; i < events_.recordings.size(); ++i) {
    rows.push_back(tracks_.add(0, events_.recordings[i].name));
    packets_.begin_event(EventType::kInstant, rows.back());
    packets_.name("metadata");
    for (const TraceMetadata& each : events_.metadata) {
      if (each.recording == i) {
        packets_.json_annotation(events_.strings[each.key], events_.strings[each.value]);
      }
    }
    for (const LossTable::Entry& loss : i == 0 ? events_.losses.entries() : std::vector<LossTable::Entry>()) {
      const Json json = {{"count", loss.count}, {"example", loss.example}};
      packets_.json_annotation(fmt::format("import loss: {}", loss_info(loss.loss).name),
                               json.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
    packets_.end_event(start_ns);
  }
  for (const uint64_t event : notes_) {
    const uint32_t recording = events_.tracks[events_.track[event]].recording;
    begin_event(EventType::kInstant, recording < rows.size() ? rows[recording] : 0, event);
    packets_.annotation("process", events_.tracks[events_.track[event]].process);
    packets_.end_event(start_ns);
  }
}

ExportCounts PerfettoWriter::counts() const {
  ExportCounts counts;
  counts.events = written_;
  counts.remark("untimed events", untimed_, true, "they have no place on a timeline: export parquet holds them");
  counts.remark("events that order rows", order_, true, "rows come in the order of the files");
  counts.remark("ends of arrows", on_slices_, false,
                "joined to the slices that they lie on, without names of their own");
  counts.remark("arrows from calls to what they started", calls_.size(), false,
                "made from correlation ids, which the trace holds instead");
  counts.remark("ends without a begin", ends_.unmatched.size(), false, "shown as marks");
  counts.remark("counters without a number", without_value_, false, "shown as marks");
  counts.remark("operations across threads without an end", unended_, false, "shown to the trace's end");
  counts.remark("texts longer than 16 MiB", packets_.cut(), false, "cut there");
  remark_what_all_files_change(events_, layout_, packets_.mended(), counts);
  return counts;
}

}  // namespace

Result<ExportCounts> write_perfetto(const EventTable& events, const std::filesystem::path& path) {
  return write_one_file<PerfettoWriter>(events, path);
}

}  // namespace aaco
