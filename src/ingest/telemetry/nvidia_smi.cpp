// SPDX-License-Identifier: MIT
#include "ingest/telemetry/nvidia_smi.h"

#include <ctime>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <optional>
#include <pugixml.hpp>
#include <string>

#include "ingest/event_time.h"
#include "ingest/telemetry/readings.h"

namespace aaco {

namespace {

constexpr int kDeepest = 32;
constexpr size_t kLongestPath = 1000;  // each leaf's is kept as its name
constexpr const char* kRoot = "nvidia_smi_log";

// "Fri Apr 10 10:23:01 2026".
std::optional<int64_t> time_of(const char* text) {
  std::tm time{};
  const char* end = strptime(text, "%a %b %d %H:%M:%S %Y", &time);
  if (end == nullptr || *end != '\0') {
    return std::nullopt;
  }
  const time_t seconds = timegm(&time);
  constexpr int64_t kSecond = 1'000'000'000;
  return seconds < 0 || seconds > kFarthestNs / kSecond ? std::nullopt : std::optional(int64_t{seconds} * kSecond);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t start = text.find_first_not_of(kSpace);
  return start == std::string_view::npos ? "" : text.substr(start, text.find_last_not_of(kSpace) - start + 1);
}

// A capture may be of chosen devices (-i 3), and none says its number: the minor number is that of its file in /dev,
// whose order is another one on some machines. Only where all are there is a device's place its number. Of a single one
// the count may be that of what was chosen: its minor number has to agree.
bool holds_all_devices(pugi::xml_node root) {
  const auto gpus = root.children("gpu");
  const auto count = std::distance(gpus.begin(), gpus.end());
  const auto is = [](pugi::xml_node parent, const char* name, const std::string& number) {
    return trimmed(parent.child_value(name)) == number;
  };
  return is(root, "attached_gpus", std::to_string(count)) && (count > 1 || is(root.child("gpu"), "minor_number", "0"));
}

class CaptureReader {
 public:
  CaptureReader(const TraceInput& input, EventTable& into)
      : input_(input), table_(into), readings_(into, input.recording) {}

  Result<void> read() {
    AACO_ASSIGN(std::string text, read_capture(input_.bytes, input_.name));
    pugi::xml_document document;  // document types are passed over: no entity but XML's own five is known
    const pugi::xml_parse_result parsed = document.load_buffer_inplace(text.data(), text.size());
    const pugi::xml_node root = document.child(kRoot);
    const auto place = [&] {
      return fmt::format("{}: {} (byte {})", input_.name, parsed.description(), parsed.offset);
    };
    if (!root.first_child()) {
      return Error{ErrorKind::kUsage, place(), "name what nvidia-smi -q -x printed"};
    }
    if (!parsed) {
      table_.losses.add(Loss::kTruncated, place);
    }
    readings_.set_time(time_of(root.child_value("timestamp")));
    readings_.set_device(kNoId, "");
    for (const pugi::xml_node part : root.children()) {
      if (std::string_view(part.name()) != "gpu") {
        read_element(part, part.name(), 0);
      }
    }
    const bool numbered = holds_all_devices(root);
    int64_t device = 0;
    for (const pugi::xml_node gpu : root.children("gpu")) {
      readings_.set_device(numbered ? device++ : kNoId, gpu.attribute("id").value());
      read_children(gpu, "", 0);
    }
    return {};
  }

 private:
  void read_children(pugi::xml_node parent, const std::string& path, int depth) {
    struct Siblings {
      uint64_t count = 0;
      uint64_t read = 0;
    };
    std::map<std::string_view, Siblings> named;
    for (const pugi::xml_node child : parent.children()) {
      named[child.name()].count += child.type() == pugi::node_element ? 1 : 0;
    }
    for (const pugi::xml_node child : parent.children()) {
      if (child.type() == pugi::node_element) {
        Siblings& siblings = named[child.name()];
        const std::string name =
            siblings.count > 1 ? fmt::format("{}[{}]", child.name(), siblings.read++) : std::string(child.name());
        read_element(child, path.empty() ? name : path + "." + name, depth);
      }
    }
  }

  void read_element(pugi::xml_node element, const std::string& path, int depth) {
    if (depth > kDeepest || path.size() > kLongestPath) {
      table_.losses.add(Loss::kTooDeep, [&] {
        return fmt::format("{}: {} (beyond {} levels or {} letters)", input_.name, path.substr(0, 80), kDeepest,
                           kLongestPath);
      });
      return;
    }
    for (const pugi::xml_attribute attribute : element.attributes()) {
      readings_.add(path + "." + attribute.name(), std::string_view(attribute.value()));
    }
    const bool leaf =
        element.find_child([](pugi::xml_node child) { return child.type() == pugi::node_element; }).empty();
    if (leaf) {
      readings_.add(path, trimmed(element.child_value()));
    } else {
      read_children(element, path, depth + 1);
    }
  }

  const TraceInput& input_;
  EventTable& table_;
  Readings readings_;
};

}  // namespace

bool is_nvidia_smi(std::string_view head) {
  const size_t start = head.find_first_not_of("\xEF\xBB\xBF \t\r\n");
  return start != std::string_view::npos && head[start] == '<' &&
         head.substr(0, 4096).find(fmt::format("<{}", kRoot)) != std::string_view::npos;
}

Result<void> read_nvidia_smi(const TraceInput& input, EventTable& into) { return CaptureReader(input, into).read(); }

}  // namespace aaco
