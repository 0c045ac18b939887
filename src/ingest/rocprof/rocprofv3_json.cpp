// SPDX-License-Identifier: MIT
#include "ingest/rocprof/rocprofv3_json.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ingest/chrome/json_cursor.h"
#include "ingest/rocprof/rocprofv3_arrays.h"
#include "ingest/rocprof/rocprofv3_names.h"
#include "ingest/table/json_row.h"
#include "ingest/table/table_rows.h"
#include "record/events/track_index.h"

namespace aaco {

namespace {

using chrome::JsonCursor;
using Source = Rocprofv3Names::Source;

constexpr std::string_view kRoot = "rocprofiler-sdk-tool";

Cell integer_cell(int64_t value) {
  Cell cell;
  cell.type = Cell::Type::kInteger;
  cell.integer = value;
  return cell;
}

Cell text_cell(std::string_view text) {
  Cell cell;
  cell.type = Cell::Type::kText;
  cell.text = text;
  return cell;
}

// The records of one process.
class RecordReader {
 public:
  RecordReader(const TraceInput& input, EventTable& into) : input_(input), table_(into), names_(into), tracks_(into) {}

  Rocprofv3Names& names() { return names_; }
  void set_process(int64_t pid) { process_ = std::to_string(pid); }

  void begin_array(std::string_view array, bool of_callbacks) {
    array_ = array;
    of_callbacks_ = of_callbacks;
    kind_ = &rocprofv3_array(array);
    rows_.reset();
    row_number_ = 0;
  }

  void add(JsonRow& row) {
    ++row_number_;
    if (kind_->id.empty()) {
      table_.losses.add(Loss::kUnknownCategory, [&] { return fmt::format("{}: \"{}\"", input_.name, array_); });
    }
    forget_zero_ids(row);
    if (array_ == "counter_collection") {
      take_counters(row);
    }
    if (const auto index = integer_in(row, "inst_index")) {
      take_instruction(row, *index);
    }
    row.append("array", text_cell(array_));
    if (!process_.empty()) {
      row.append("pid", text_cell(process_));
    }
    if (const auto device = device_of(row)) {
      row.append("device", integer_cell(*device));
    }
    rows_for(row).add(row.cells(), row_number_);
    wait_for_name(row);
  }

  void finish() { names_.resolve(input_.name); }

 private:
  // 0 is the profiler's word for "none".
  static void forget_zero_ids(JsonRow& row) {
    for (const std::string_view prefix : {"", "dispatch_data.", "record."}) {
      for (const std::string_view id :
           {"correlation_id.internal", "correlation_id.external", "corr_id.internal", "corr_id.external"}) {
        Cell* cell = row.find(fmt::format("{}{}", prefix, id));
        if (cell != nullptr && cell->type == Cell::Type::kInteger && cell->integer == 0) {
          *cell = {};
        }
      }
    }
  }

  // A dispatch's counters, each the sum over its instances on the device, as rocprofv3's CSV has them.
  void take_counters(JsonRow& row) {
    simdjson::dom::array records;
    if (row.object()["records"].get(records) != simdjson::SUCCESS) {
      return;
    }
    std::map<int64_t, double> sums;
    for (const simdjson::dom::element record : records) {
      int64_t handle = 0;
      double value = 0;
      if (record["counter_id"]["handle"].get(handle) != simdjson::SUCCESS ||
          record["value"].get(value) != simdjson::SUCCESS) {
        return;  // the array stays as it is
      }
      sums[handle] += value;
    }
    *row.find("records") = {};
    for (const auto& [handle, value] : sums) {
      Cell cell;
      cell.type = Cell::Type::kReal;
      cell.real = value;
      row.append(names_.counter(handle), cell);
    }
  }

  // A sample's instruction, as rocprofv3's CSV has it. Negative: the profiler could not decode it.
  void take_instruction(JsonRow& row, int64_t index) {
    instruction_ = std::string(names_.instruction(index).value_or(""));
    if (index >= 0 && !names_.instruction(index)) {
      instruction_ = fmt::format("instruction {}", index);
      table_.losses.add(Loss::kUnknownName, [&] { return fmt::format("{}: {}", input_.name, instruction_); });
    }
    row.append("instruction", text_cell(instruction_));
    const auto line = names_.source_line(index);
    row.append("Instruction_Comment", line && !line->empty() ? text_cell(*line) : Cell());
  }

  // Of a copy the GPU that it goes to, or else comes from.
  std::optional<int64_t> device_of(JsonRow& row) const {
    std::optional<int64_t> device;
    for (const std::string_view column :
         {"dispatch_info.agent_id.handle", "dispatch_data.dispatch_info.agent_id.handle", "agent_id.handle",
          "dst_agent_id.handle", "src_agent_id.handle"}) {
      const auto handle = integer_in(row, column);
      const auto agent = handle ? names_.agent(*handle) : std::nullopt;
      if (agent && agent->is_gpu) {
        return agent->number;
      }
      if (handle && !device) {
        device = agent ? agent->number : *handle;
      }
    }
    return device;
  }

  TableRows& rows_for(const JsonRow& row) {
    const auto columns = row.columns();
    if (!rows_ || !std::equal(columns.begin(), columns.end(), columns_.begin(), columns_.end())) {
      columns_.assign(columns.begin(), columns.end());
      const std::vector<std::string_view> views(columns_.begin(), columns_.end());
      rows_ = std::make_unique<TableRows>(*kind_, views, fmt::format("{}: {}", input_.name, array_), input_.recording,
                                          tracks_, table_);
    }
    return *rows_;
  }

  void wait_for_name(JsonRow& row) {
    const size_t event = table_.size() - 1;
    auto kernel = integer_in(row, "dispatch_info.kernel_id");
    kernel = kernel ? kernel : integer_in(row, "dispatch_data.dispatch_info.kernel_id");
    const auto kind = integer_in(row, "kind");
    const auto operation = integer_in(row, "operation");
    if (kernel) {
      names_.wait(event, Source::kKernel, *kernel, 0, 0);
    } else if (kind && operation) {
      const bool marker = array_ == "marker_api";
      const Source source = marker          ? Source::kMarker
                            : of_callbacks_ ? Source::kCallbackOperation
                                            : Source::kBufferOperation;
      names_.wait(event, source, *kind, *operation, integer_in(row, "correlation_id.internal").value_or(kNoId));
    }
  }

  const TraceInput& input_;
  EventTable& table_;
  Rocprofv3Names names_;
  TrackIndex tracks_;
  std::string process_;
  std::string array_;
  std::string instruction_;  // of the sample at hand
  bool of_callbacks_ = false;
  const TableKind* kind_ = nullptr;
  uint64_t row_number_ = 0;
  std::vector<std::string> columns_;
  std::unique_ptr<TableRows> rows_;  // for those columns
};

class ResultsReader {
 public:
  ResultsReader(const TraceInput& input, EventTable& into, size_t window_bytes)
      : input_(input), table_(into), cursor_(input.bytes, window_bytes) {}

  Result<void> read() {
    cursor_.skip_byte_order_mark();
    if (cursor_.next_byte() != '{') {
      return refused("does not begin with {");
    }
    const bool whole = cursor_.each_member([&](const std::string& key) {
      return key == kRoot && cursor_.next_byte() == '[' ? cursor_.each_element([&] { return read_process(); })
                                                        : cursor_.take_value().has_value();
    });
    if (!records_) {
      return refused("has no records of a process");
    }
    if (!whole) {
      truncated();
    } else if (cursor_.next_byte() != JsonCursor::kEnd) {
      table_.losses.add(Loss::kTrailingData, [&] { return fmt::format("{}: byte {}", input_.name, cursor_.offset()); });
    }
    cursor_.read_out();
    if (whole && cursor_.error()) {
      truncated();
    }
    return {};
  }

 private:
  Error refused(const char* why) const {
    return cursor_.error()
               ? *cursor_.error()
               : Error{ErrorKind::kUsage, fmt::format("{}: {} (byte {})", input_.name, why, cursor_.offset()),
                       "name a results.json as rocprofv3 --output-format json writes it"};
  }

  void truncated() {
    table_.losses.add(Loss::kTruncated,
                      [&] { return cursor_.why_it_ended(input_.name, "the file ends or breaks off"); });
  }

  bool read_process() {
    if (cursor_.next_byte() != '{') {
      return malformed();
    }
    RecordReader records(input_, table_);
    const bool whole = cursor_.each_member([&](const std::string& key) { return read_part(key, records); });
    records.finish();
    return whole;
  }

  bool read_part(const std::string& key, RecordReader& records) {
    Rocprofv3Names& names = records.names();
    const int first = cursor_.next_byte();
    if (first == '{' && (key == "buffer_records" || key == "callback_records")) {
      records_ = true;
      return cursor_.each_member([&](const std::string& array) {
        records.begin_array(array, key == "callback_records");
        return each_row([&](JsonRow& row) { records.add(row); });
      });
    }
    if (first == '{' && key == "strings") {
      return cursor_.each_member([&](const std::string& list) { return read_strings(list, names); });
    }
    if (key == "metadata") {
      return read_metadata(records);
    }
    if (key == "agents") {
      return each_row([&](JsonRow& row) {
        names.add_agent(row);
        table_.metadata.push_back(
            {input_.recording, table_.strings.intern("agent"), table_.strings.intern(simdjson::minify(row.object()))});
      });
    }
    if (key == "counters") {
      return each_row([&](JsonRow& row) { names.add_counter(row); });
    }
    if (key == "kernel_symbols") {
      return each_row([&](JsonRow& row) { names.add_symbol(row); });
    }
    return skip();
  }

  bool read_strings(const std::string& list, Rocprofv3Names& names) {
    if (list == "buffer_records") {
      return each_row([&](JsonRow& row) { names.add_operations(Source::kBufferOperation, row); });
    }
    if (list == "callback_records") {
      return each_row([&](JsonRow& row) { names.add_operations(Source::kCallbackOperation, row); });
    }
    if (list == "pc_sample_instructions") {
      return each_text([&](std::string_view text) { names.add_instruction(text); });
    }
    if (list == "pc_sample_comments") {
      return each_text([&](std::string_view text) { names.add_source_line(text); });
    }
    return list == "marker_api" ? each_row([&](JsonRow& row) { names.add_marker(row); }) : skip();
  }

  bool read_metadata(RecordReader& records) {
    const auto json = cursor_.take_value();
    if (json && row_.parse(*json)) {
      if (const auto pid = integer_in(row_, "pid")) {
        records.set_process(*pid);
      }
      table_.metadata.push_back({input_.recording, table_.strings.intern("metadata"),
                                 table_.strings.intern(simdjson::minify(row_.object()))});
    }
    return json.has_value();
  }

  // A list of anything, element by element, so that no more than one is in memory.
  bool skip() {
    return cursor_.next_byte() == '[' ? cursor_.each_element([&] { return cursor_.take_value().has_value(); })
                                      : cursor_.take_value().has_value();
  }

  template <class Take>
  bool each_row(Take take) {
    if (cursor_.next_byte() != '[') {
      return malformed();
    }
    return cursor_.each_element([&] {
      const uint64_t offset = cursor_.offset();
      const auto json = cursor_.take_value();
      if (json && row_.parse(*json)) {
        take(row_);
      } else if (json) {
        table_.losses.add(Loss::kMalformedEvent,
                          [&] { return fmt::format("{}: no record at byte {}", input_.name, offset); });
      }
      return json.has_value();
    });
  }

  // Anything else among them has an empty text: what follows keeps its index.
  template <class Take>
  bool each_text(Take take) {
    if (cursor_.next_byte() != '[') {
      return malformed();
    }
    return cursor_.each_element([&] {
      const auto json = cursor_.take_value();
      std::string_view text;
      if (json && text_parser_.parse(json->data(), json->size(), false).get(text) != simdjson::SUCCESS) {
        text = {};
      }
      take(text);
      return json.has_value();
    });
  }

  bool malformed() {
    table_.losses.add(Loss::kMalformedEvent, [&] {
      return fmt::format("{}: not as the format has it at byte {}", input_.name, cursor_.offset());
    });
    return cursor_.take_value().has_value();
  }

  const TraceInput& input_;
  EventTable& table_;
  JsonCursor cursor_;
  JsonRow row_;
  simdjson::dom::parser text_parser_;
  bool records_ = false;
};

}  // namespace

bool is_rocprofv3_json(std::string_view head) {
  const size_t start = head.find('{');
  if (start == std::string_view::npos || head.find_first_not_of("\xEF\xBB\xBF \t\r\n") != start) {
    return false;
  }
  head.remove_prefix(start + 1);
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  return head.starts_with(fmt::format("\"{}\"", kRoot));
}

Result<void> read_rocprofv3_json(const TraceInput& input, EventTable& into, size_t window_bytes) {
  return ResultsReader(input, into, window_bytes).read();
}

}  // namespace aaco
