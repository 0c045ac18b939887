// SPDX-License-Identifier: MIT
#include "ingest/table/table_rows.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "ingest/bytes/calendar.h"
#include "ingest/bytes/decimal.h"
#include "ingest/bytes/utf8_texts.h"
#include "ingest/event_time.h"

namespace aaco {

namespace {

constexpr int64_t kMicrosecond = 1000;
constexpr int64_t kMillisecond = 1000 * kMicrosecond;
constexpr size_t kLastingTexts = 1024;

std::string text_of_cell(const Cell& cell) {
  switch (cell.type) {
    case Cell::Type::kInteger:
      return std::to_string(cell.integer);
    case Cell::Type::kReal:
      return cell.text.empty() ? fmt::format("{}", cell.real) : std::string(cell.text);
    default:
      return std::string(cell.text);
  }
}

// As nanoseconds_of_microseconds, but of any unit. A number in powers of ten whose digits end above the unit
// ("8.1097E+14", as spreadsheets write it back) tells no time.
Nanoseconds nanoseconds_of_text(std::string_view text, int64_t ns_per_unit) {
  const size_t power = std::min(text.find_first_of("eE"), text.size());
  int64_t exponent = 0;
  if (power < text.size()) {
    const char* const digits = text.data() + power + (text.substr(power + 1).starts_with('+') ? 2 : 1);
    const auto [end, error] = std::from_chars(digits, text.data() + text.size(), exponent);
    const size_t point = std::min(text.find('.'), power);
    const auto fraction = static_cast<int64_t>(point == power ? 0 : power - point - 1);
    if (error != std::errc() || exponent > fraction) {
      return {};
    }
  }
  const int shift = ns_per_unit == 1 ? -3 : ns_per_unit == kMicrosecond ? 0 : ns_per_unit == kMillisecond ? 3 : 6;
  return nanoseconds_of_microseconds(fmt::format("{}e{}", text.substr(0, power), exponent + shift));
}

// Real numbers without a text come from a database, which holds doubles: exact up to 2^53.
Nanoseconds nanoseconds_of(const Cell& cell, int64_t ns_per_unit) {
  constexpr double kExactIn = 9007199254740992.0;
  if (cell.type == Cell::Type::kInteger) {
    int64_t product = 0;
    const bool fits = !__builtin_mul_overflow(cell.integer, ns_per_unit, &product);
    return {product, fits ? DecimalState::kExact : DecimalState::kOutOfRange};
  }
  if (cell.type != Cell::Type::kReal) {
    return cell.type == Cell::Type::kText ? nanoseconds_of_calendar(cell.text) : Nanoseconds{};
  }
  if (!cell.text.empty()) {
    return nanoseconds_of_text(cell.text, ns_per_unit);
  }
  const double ns = cell.real * static_cast<double>(ns_per_unit);
  if (!(std::abs(ns) <= kExactIn)) {
    return {0, DecimalState::kOutOfRange};
  }
  return {static_cast<int64_t>(ns), ns == std::trunc(ns) ? DecimalState::kExact : DecimalState::kCut};
}

}  // namespace

std::optional<Argument> argument_of(StringId key, const Cell& cell, StringTable& strings) {
  switch (cell.type) {
    case Cell::Type::kInteger:
      return Argument{key, ArgumentType::kInteger, static_cast<uint64_t>(cell.integer)};
    case Cell::Type::kReal:
      return Argument{key, ArgumentType::kReal, std::bit_cast<uint64_t>(cell.real)};
    case Cell::Type::kText:
      return Argument{key, ArgumentType::kText, intern_utf8(strings, cell.text)};
    case Cell::Type::kNull:
      break;
  }
  return std::nullopt;
}

TableRows::TableRows(const TableKind& kind, std::span<const std::string_view> columns, std::string name,
                     uint32_t recording, TrackIndex& tracks, EventTable& into)
    : kind_(kind),
      name_(std::move(name)),
      recording_(recording),
      tracks_(tracks),
      table_(into),
      lasting_(kLastingTexts) {
  for (const std::string_view column : columns) {
    keys_.push_back(table_.strings.intern(column));
  }
  roles_.resize(columns.size());
  for (const ColumnMapping& known : kind.columns) {
    auto& slot = column_of_[static_cast<size_t>(known.role)];
    for (size_t i = 0; i < columns.size() && !slot; ++i) {
      if (same_column(columns[i], known.name)) {
        slot = i;
        roles_[i] = known.role;
      }
    }
  }
}

std::string TableRows::place_of(uint64_t row) const { return fmt::format("{}: row {}", name_, row); }

const Cell* TableRows::cell_of(ColumnRole role, std::span<const Cell> cells) const {
  const auto& column = column_of_[static_cast<size_t>(role)];
  return column && cells[*column].type != Cell::Type::kNull ? &cells[*column] : nullptr;
}

int64_t TableRows::id_of(ColumnRole role, std::span<const Cell> cells) const {
  const Cell* cell = cell_of(role, cells);
  if (cell == nullptr || cell->type == Cell::Type::kReal) {
    return kNoId;
  }
  if (cell->type == Cell::Type::kInteger) {
    return cell->integer;
  }
  const bool is_device = role == ColumnRole::kDevice || role == ColumnRole::kSource || role == ColumnRole::kDestination;
  return is_device ? integer_at_end(cell->text).value_or(kNoId) : kNoId;
}

StringId TableRows::text_of(ColumnRole role, std::span<const Cell> cells, std::string_view otherwise) {
  const Cell* cell = cell_of(role, cells);
  ColumnCache& remembered = remembered_[static_cast<size_t>(role)];
  if (cell == nullptr) {
    if (!remembered.otherwise) {
      remembered.otherwise = table_.strings.intern(otherwise);
    }
    return *remembered.otherwise;
  }
  if (cell->type == Cell::Type::kInteger) {
    if (remembered.integer != cell->integer) {
      remembered.integer = cell->integer;
      remembered.text = table_.strings.intern(text_of_cell(*cell));
    }
    return remembered.text;
  }
  return cell->type == Cell::Type::kText ? intern(*cell) : table_.strings.intern(text_of_cell(*cell));
}

StringId TableRows::intern(const Cell& text) {
  if (!text.is_lasting) {
    return intern_utf8(table_, text.text, name_);
  }
  const auto address = reinterpret_cast<uintptr_t>(text.text.data());
  LastingText& known = lasting_[(address ^ (address >> 10)) % kLastingTexts];
  if (known.text.data() != text.text.data() || known.text.size() != text.text.size()) {
    known = {text.text, intern_utf8(table_, text.text, name_)};
  }
  return known.id;
}

std::optional<int64_t> TableRows::time_of(ColumnRole role, std::span<const Cell> cells, uint64_t row) {
  const Cell* cell = cell_of(role, cells);
  if (cell == nullptr) {
    return std::nullopt;
  }
  if (cell->type == Cell::Type::kInteger && kind_.ns_per_unit == 1 && std::abs(cell->integer / 2) < kFarthestNs / 2) {
    return cell->integer;
  }
  return time_or_loss(nanoseconds_of(*cell, kind_.ns_per_unit), table_.losses,
                      [&] { return fmt::format("{}: \"{}\"", place_of(row), text_of_cell(*cell).substr(0, 40)); });
}

TableRows::Times TableRows::times_of(std::span<const Cell> cells, uint64_t row) {
  const auto start_ns = time_of(ColumnRole::kStart, cells, row);
  const auto lacks = [&](ColumnRole role) { return cell_of(role, cells) == nullptr; };
  const bool unread = !start_ns && !lacks(ColumnRole::kStart);  // which is a loss already
  const auto end_ns = unread ? std::nullopt : time_of(ColumnRole::kEnd, cells, row);
  const auto length_ns = time_of(ColumnRole::kDuration, cells, row);
  const auto where = [&] { return place_of(row); };
  const bool is_slice = kind_.shape == EventShape::kSlice;
  if (kind_.zero_is_no_start && start_ns == 0) {
    table_.losses.add(Loss::kNoTime, where);
    return {};
  }
  if (!start_ns || (is_slice && !end_ns && !length_ns)) {
    const bool has_start = column_of_[static_cast<size_t>(ColumnRole::kStart)].has_value();
    if (has_start && (start_ns ? lacks(ColumnRole::kEnd) && lacks(ColumnRole::kDuration) : lacks(ColumnRole::kStart))) {
      table_.losses.add(Loss::kNoTime, where);
    }
    return {0, std::max<int64_t>(length_ns.value_or(0), 0), false};
  }
  const int64_t written_ns = end_ns ? *end_ns - *start_ns : length_ns.value_or(0);
  const auto duration_ns = duration_or_loss(*start_ns, written_ns, table_.losses, where);
  return duration_ns ? Times{*start_ns, *duration_ns, true} : Times{};
}

int64_t TableRows::device_of(std::string_view name, std::span<const Cell> cells) const {
  const int64_t device = id_of(ColumnRole::kDevice, cells);
  if (device != kNoId) {
    return device;
  }
  const bool from_source = kind_.from_source != nullptr && kind_.from_source(name);
  return id_of(from_source ? ColumnRole::kSource : ColumnRole::kDestination, cells);
}

uint32_t TableRows::track_of(const TraceEvent& event, std::span<const Cell> cells) {
  Track track;
  track.recording = recording_;
  track.process = text_of(ColumnRole::kProcess, cells, "");
  track.rank = id_of(ColumnRole::kRank, cells);
  if (has_device(event.kind)) {
    track.device = device_of(table_.strings[event.name], cells);
    const int64_t stream = id_of(ColumnRole::kStream, cells);
    track.stream = stream != kNoId ? stream : id_of(ColumnRole::kQueue, cells);
  } else {
    track.thread = text_of(ColumnRole::kThread, cells, "");
  }
  return tracks_.index(track);
}

// Whether the columns of the event table hold a cell as it was written.
bool TableRows::holds(ColumnRole role, const Cell& cell, const TraceEvent& event) const {
  const bool timed = event.shape != EventShape::kUntimed;
  const auto is_time = [&](int64_t ns) {
    if (cell.type == Cell::Type::kInteger && kind_.ns_per_unit == 1) {
      return cell.integer == ns;
    }
    const Nanoseconds written = nanoseconds_of(cell, kind_.ns_per_unit);
    return written.state == DecimalState::kExact && written.value == ns;
  };
  switch (role) {
    case ColumnRole::kStart:
      return timed && !kind_.keeps_times && is_time(event.start_ns);
    case ColumnRole::kEnd:
      return timed && !kind_.keeps_times && is_time(event.start_ns + event.duration_ns);
    case ColumnRole::kDuration:
      return is_time(event.duration_ns);
    case ColumnRole::kName:
    case ColumnRole::kCategory:
    case ColumnRole::kProcess:
      return true;
    case ColumnRole::kThread:
      return !has_device(event.kind);
    case ColumnRole::kCorrelation:
    case ColumnRole::kExternalId:
    case ColumnRole::kRank:
      return cell.type == Cell::Type::kInteger;
    case ColumnRole::kDevice:
    case ColumnRole::kStream:
      return has_device(event.kind) && cell.type == Cell::Type::kInteger;
    case ColumnRole::kSource:
    case ColumnRole::kDestination:
    case ColumnRole::kQueue:
    case ColumnRole::kValueName:
    case ColumnRole::kValue:
      return false;
  }
  return false;
}

void TableRows::add(std::span<const Cell> cells, uint64_t row, std::span<const Argument> values) {
  TraceEvent event;
  event.name = text_of(ColumnRole::kName, cells, kind_.name);
  event.category = text_of(ColumnRole::kCategory, cells, kind_.category);
  event.kind =
      kind_.kind_of == nullptr ? kind_.kind : kind_.kind_of(table_.strings[event.category], table_.strings[event.name]);
  const Times times = times_of(cells, row);
  event.start_ns = times.start_ns;
  event.duration_ns = times.duration_ns;
  event.shape = times.timed ? kind_.shape : EventShape::kUntimed;
  event.correlation = id_of(ColumnRole::kCorrelation, cells);
  event.external_id = id_of(ColumnRole::kExternalId, cells);
  event.track = track_of(event, cells);
  if (event.shape == EventShape::kSlice && times.duration_ns == 0 && is_on_device(event.kind)) {
    table_.losses.add(Loss::kZeroDuration, [&] { return place_of(row); });
  }

  table_.add(event);
  add_arguments(event, cells, values);
}

void TableRows::add_arguments(const TraceEvent& event, std::span<const Cell> cells, std::span<const Argument> values) {
  const ArgumentStore::Places places = table_.arguments.places(roles_.size() + values.size());
  size_t used = 0;
  const auto put = [&](StringId key, ArgumentType type, uint64_t bits) {
    places.keys[used] = key;
    places.types[used] = type;
    places.bits[used] = bits;
    ++used;
  };
  for (size_t i = 0; i < cells.size() && i < roles_.size(); ++i) {
    const Cell& cell = cells[i];
    if (cell.type == Cell::Type::kNull || (roles_[i] && holds(*roles_[i], cell, event))) {
      continue;
    }
    if (cell.type == Cell::Type::kInteger) {
      put(keys_[i], ArgumentType::kInteger, static_cast<uint64_t>(cell.integer));
    } else if (cell.type == Cell::Type::kReal) {
      put(keys_[i], ArgumentType::kReal, std::bit_cast<uint64_t>(cell.real));
    } else {
      put(keys_[i], ArgumentType::kText, intern(cell));
    }
  }
  for (const Argument& value : values) {
    put(value.key, value.type, value.bits);
  }
  table_.arguments.end_event(places, used);
}

}  // namespace aaco
