// SPDX-License-Identifier: MIT
#include "ingest/telemetry/amd_smi.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <simdjson.h>
#include <string>

#include "ingest/event_time.h"
#include "ingest/table/json_row.h"
#include "ingest/telemetry/log_lines.h"
#include "ingest/telemetry/readings.h"

namespace aaco {

namespace {

namespace dom = simdjson::dom;

constexpr std::string_view kCard = "card";
constexpr int64_t kSecond = 1'000'000'000;
constexpr size_t kLongestPath = 1000;
constexpr int kDeepest = 16;

bool is_card(std::string_view key) { return key.starts_with(kCard) && integer_at_end(key).has_value(); }

bool is_list_of_objects(dom::element value) {
  dom::array list;
  if (value.get(list) != simdjson::SUCCESS || list.begin() == list.end()) {
    return false;
  }
  return std::all_of(list.begin(), list.end(), [](dom::element each) { return each.is_object(); });
}

using Lists = std::multimap<std::string, dom::array>;  // of objects, by the path of their keys

// Those in an object and in objects within, but with paths too long to stand before the name of each reading.
void find_lists(dom::object object, const std::string& path, int depth, Lists& lists) {
  for (const auto& [key, value] : object) {
    const std::string its_path = path + std::string(key);
    dom::object within;
    if (its_path.size() > kLongestPath) {
      continue;
    }
    if (is_list_of_objects(value)) {
      lists.emplace(its_path, value);
    } else if (depth < kDeepest && value.get(within) == simdjson::SUCCESS) {
      find_lists(within, its_path + ".", depth + 1, lists);
    }
  }
}

class CaptureReader {
 public:
  CaptureReader(const TraceInput& input, EventTable& into)
      : input_(input), table_(into), readings_(into, input.recording) {}

  Result<void> read() {
    AACO_ASSIGN(std::string text, read_capture(input_.bytes, input_.name));
    const size_t log_bytes = log_lines_before_json(text);
    keep_log_lines(std::string_view(text).substr(0, log_bytes), input_.recording, table_);
    text.erase(0, log_bytes);
    dom::parser parser;
    dom::element root;
    if (parser.parse(text).get(root) != simdjson::SUCCESS) {
      return refused("is no whole JSON: cut off or damaged");
    }
    dom::array list;
    if (root.get(list) == simdjson::SUCCESS) {
      return read_list(list);
    }
    dom::object object;
    if (root.get(object) != simdjson::SUCCESS) {
      return refused("neither an object nor a list");
    }
    dom::element devices;
    if (object["gpu_data"].get(devices) != simdjson::SUCCESS) {
      return read_cards(object);
    }
    return devices.get(list) == simdjson::SUCCESS ? read_list(list) : refused("no list of devices");
  }

 private:
  Error refused(std::string_view why) const {
    return {ErrorKind::kUsage, fmt::format("{}: {}", input_.name, why),
            "name what rocm-smi --json or amd-smi --json printed, as a whole"};
  }

  void malformed(std::string_view what) {
    table_.losses.add(Loss::kMalformedEvent, [&] { return fmt::format("{}: {}", input_.name, what); });
  }

  Result<void> read_cards(dom::object cards) {
    for (const auto& [key, value] : cards) {
      dom::object card;
      if (value.get(card) != simdjson::SUCCESS) {
        malformed(key);
        continue;
      }
      readings_.set_device(is_card(key) ? integer_at_end(key).value_or(kNoId) : kNoId, key);
      row_.take(card);
      add_row("", {});
    }
    return {};
  }

  Result<void> read_list(dom::array list) {
    size_t number = 0;
    for (const dom::element element : list) {
      dom::object device;
      if (element.get(device) != simdjson::SUCCESS) {
        malformed(fmt::format("element {}", number));
        continue;
      }
      ++number;
      int64_t id = kNoId;
      int64_t seconds = 0;
      if (device["gpu"].get(id) != simdjson::SUCCESS) {
        id = kNoId;
      }
      readings_.set_device(id, "");
      const bool timed =
          device["timestamp"].get(seconds) == simdjson::SUCCESS && seconds <= kFarthestNs / kSecond && seconds >= 0;
      readings_.set_time(timed ? std::optional(seconds * kSecond) : std::nullopt);
      Lists lists;
      find_lists(device, "", 0, lists);
      row_.take(device);
      add_row("", lists);
      read_lists(lists);
    }
    return {};
  }

  // Which a row gives as one text each.
  void read_lists(const Lists& lists) {
    for (const auto& [path, list] : lists) {
      size_t number = 0;
      for (const dom::element element : list) {
        row_.take(dom::object(element));
        add_row(fmt::format("{}[{}].", path, number++), {});
      }
    }
  }

  // A value with its unit beside it, {"value": 300, "unit": "W"}, is one reading. Names follow `path`; `left_out` are
  // read otherwise.
  void add_row(const std::string& path, const Lists& left_out) {
    const auto columns = row_.columns();
    const auto cells = row_.cells();
    constexpr std::string_view kValue = ".value";
    for (size_t i = 0; i < columns.size(); ++i) {
      if (left_out.contains(columns[i])) {
        continue;
      }
      const std::string name = path + columns[i];
      const std::string quantity = name.ends_with(kValue) ? name.substr(0, name.size() - kValue.size()) : "";
      if (quantity.size() > path.size() && i + 1 < columns.size() && path + columns[i + 1] == quantity + ".unit" &&
          cells[i + 1].type == Cell::Type::kText) {
        readings_.add(quantity, cells[i], cells[i + 1].text);
        ++i;
      } else if (cells[i].type == Cell::Type::kText) {
        readings_.add(name, cells[i].text);
      } else {
        readings_.add(name, cells[i], "");
      }
    }
  }

  const TraceInput& input_;
  EventTable& table_;
  Readings readings_;
  JsonRow row_;
};

}  // namespace

bool is_amd_smi(std::string_view head) {
  head.remove_prefix(log_lines_before_json(head));
  std::string first;  // brackets and the first key, without the space between
  for (size_t i = 0; i < head.size() && first.size() < 16; ++i) {
    if (static_cast<unsigned char>(head[i]) > ' ') {
      first += head[i];
    }
  }
  const std::string_view text = first;
  for (const std::string_view start : {"[{\"gpu\":", "{\"gpu_data\":", "[{\"timestamp\":"}) {
    if (text.starts_with(start)) {
      return true;
    }
  }
  return text.starts_with("{\"card") && text.size() > 6 && text[6] >= '0' && text[6] <= '9';
}

Result<void> read_amd_smi(const TraceInput& input, EventTable& into) { return CaptureReader(input, into).read(); }

}  // namespace aaco
