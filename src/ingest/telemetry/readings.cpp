// SPDX-License-Identifier: MIT
#include "ingest/telemetry/readings.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <iterator>

#include "ingest/bytes/utf8_texts.h"

namespace aaco {

namespace {

constexpr size_t kLongestUnit = 8;

bool is_unit(std::string_view text) {
  return !text.empty() && text.size() <= kLongestUnit && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || c == '/';
  });
}

// Behind digits with nothing between, letters may as well be of a hexadecimal number ("1B", "0C") or of a name: only
// what the programs write so is a unit. "x" is that of a PCIe link's width.
constexpr std::string_view kAttachedUnits[] = {"%",   "W",   "mW",  "V",   "mV",   "Hz",  "kHz",
                                               "KHz", "Mhz", "MHz", "Ghz", "GHz",  "KB",  "MB",
                                               "GB",  "KiB", "MiB", "GiB", "GT/s", "RPM", "x"};

bool is_attached_unit(std::string_view text) {
  return std::find(std::begin(kAttachedUnits), std::end(kAttachedUnits), text) != std::end(kAttachedUnits);
}

bool is_number(const Cell& cell) { return cell.type == Cell::Type::kInteger || cell.type == Cell::Type::kReal; }

// "W" of "Average Graphics Package Power (W)".
std::string_view unit_in(std::string_view name) {
  const size_t open = name.rfind('(');
  const bool closed = open != std::string_view::npos && name.back() == ')';
  const std::string_view unit = closed ? name.substr(open + 1, name.size() - open - 2) : std::string_view();
  return is_unit(unit) ? unit : std::string_view();
}

}  // namespace

void Readings::set_device(int64_t device, std::string_view name) {
  Track track;
  track.recording = recording_;
  track.device = device;
  track.process = table_.strings.intern(name);
  track_ = tracks_.index(track);
}

void Readings::add(std::string_view name, const Cell& value, std::string_view unit) {
  arguments_.clear();
  Argument argument{table_.strings.intern("value"), ArgumentType::kText, 0};
  if (value.type == Cell::Type::kInteger) {
    argument.type = ArgumentType::kInteger;
    argument.bits = static_cast<uint64_t>(value.integer);
  } else if (value.type == Cell::Type::kReal) {
    argument.type = ArgumentType::kReal;
    argument.bits = std::bit_cast<uint64_t>(value.real);
  } else if (value.type == Cell::Type::kText) {
    argument.bits = intern_utf8(table_.strings, value.text);
  } else {
    argument.type = ArgumentType::kNull;
  }
  arguments_.push_back(argument);
  if (!unit.empty()) {
    arguments_.push_back({table_.strings.intern("unit"), ArgumentType::kText, table_.strings.intern(unit)});
  }
  TraceEvent row;
  row.name = intern_utf8(table_.strings, name);
  row.track = track_;
  row.shape = time_ns_ ? EventShape::kCounter : EventShape::kUntimed;
  row.start_ns = time_ns_.value_or(0);
  table_.add(row, arguments_);
}

void Readings::add(std::string_view name, std::string_view text) {
  const bool bracketed = text.size() > 2 && text.front() == '(' && text.back() == ')';
  const std::string_view inner = bracketed ? text.substr(1, text.size() - 2) : text;
  const size_t digits = std::min(inner.find_first_not_of("+-.0123456789"), inner.size());
  const std::string_view behind = inner.substr(digits);
  const bool apart = behind.starts_with(' ');
  const std::string_view unit = apart ? behind.substr(1) : behind;
  const Cell number = cell_of(inner.substr(0, digits), false);
  if (is_number(number) && (apart ? is_unit(unit) : is_attached_unit(unit))) {
    add(name, number, unit);
    return;
  }
  const Cell whole = cell_of(text, false);
  add(name, is_number(whole) ? whole : cell_of(text, true), is_number(whole) ? unit_in(name) : std::string_view());
}

Result<std::string> read_capture(ByteSource& source, const std::string& name) {
  std::string text;
  std::vector<char> piece(size_t{1} << 16);
  for (size_t count = 1; count > 0;) {
    AACO_ASSIGN(count, source.read(piece));
    text.append(piece.data(), count);
    if (text.size() > kLongestCapture) {
      return Error{ErrorKind::kUsage, fmt::format("{}: is longer than {} MiB", name, kLongestCapture >> 20),
                   "name one capture of rocm-smi, amd-smi or nvidia-smi"};
    }
  }
  return text;
}

}  // namespace aaco
