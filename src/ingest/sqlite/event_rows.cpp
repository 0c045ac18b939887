// SPDX-License-Identifier: MIT
#include "ingest/sqlite/event_rows.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/interrupt.h"

namespace aaco {

namespace {

bool one_holds(const SqliteTest& test, const Cell& cell) {
  if (!test.values.empty()) {
    return cell.type == Cell::Type::kInteger &&
           std::find(test.values.begin(), test.values.end(), cell.integer) != test.values.end();
  }
  return test.text.empty() ? cell.type == Cell::Type::kNull : cell.type == Cell::Type::kText && cell.text == test.text;
}

}  // namespace

EventRows::KindTest::KindTest(const SqliteRowKind& kind, const JoinedTable& table) : tests(kind.tests) {
  for (const SqliteTest& test : tests) {
    columns.push_back(table.find(test.column));
  }
}

bool EventRows::KindTest::holds(std::span<const Cell> cells) const {
  for (size_t i = 0; i < tests.size(); ++i) {
    if (!one_holds(tests[i], columns[i] ? cells[*columns[i]] : Cell{})) {
      return false;
    }
  }
  return true;
}

EventRows::EventRows(const Source& source, TrackIndex& tracks, EventTable& into, RecordingOf recording_of)
    : source_(source),
      into_(into),
      recording_of_(std::move(recording_of)),
      recording_(recording_of_(std::nullopt)),
      rows_(source.table, into),
      key_(source.table.find(source.events.key)),
      renumbered_(source.values.size()) {
  for (const SqliteRowKind& kind : source.events.kinds) {
    tests_.emplace_back(kind, source.table);
    tables_.emplace_back(kind.kind, source.table.columns(), source.where, recording_, tracks, into);
  }
}

void EventRows::read() {
  while (!interrupted() && rows_.next()) {
    add_row();
  }
}

void EventRows::add_row() {
  const std::span<const Cell> cells = rows_.cells();
  const auto test = std::find_if(tests_.begin(), tests_.end(), [&](const KindTest& each) { return each.holds(cells); });
  const auto place = [&] { return fmt::format("{} row {}", source_.where, rows_.row()); };
  if (test == tests_.end()) {
    into_.losses.add(Loss::kUnknownRecord, place);
    return;
  }
  const auto kind = static_cast<size_t>(test - tests_.begin());
  if (source_.events.kinds[kind].loss) {
    into_.losses.add(*source_.events.kinds[kind].loss, place);
  }
  values_.clear();
  if (key_ && cells[*key_].type == Cell::Type::kInteger) {
    for (size_t i = 0; i < renumbered_.size(); ++i) {
      source_.values[i]->append(cells[*key_].integer, into_.strings, renumbered_[i], values_);
    }
  }
  if (source_.process) {
    const Cell& process = cells[*source_.process];
    const auto number = process.type == Cell::Type::kInteger ? std::optional(process.integer) : std::nullopt;
    if (number != process_) {
      process_ = number;
      recording_ = recording_of_(number);
    }
    tables_[kind].set_recording(recording_);
  }
  rows_.drop_resolved();
  tables_[kind].add(cells, static_cast<uint64_t>(rows_.row()), values_);
}

ApartRows::ApartRows(const EventRows::Source& source)
    : tracks_(part_.table()),
      rows_(source, tracks_, part_.table(), [this](std::optional<int64_t> process) { return number_of(process); }) {}

uint32_t ApartRows::number_of(std::optional<int64_t> process) {
  const auto [entry, added] = numbers_.try_emplace(process, static_cast<uint32_t>(processes_.size()));
  if (added) {
    processes_.push_back(process);
  }
  return entry->second;
}

void ApartRows::read(size_t part) {
  rows_.scan().start(part);
  rows_.read();
}

bool ApartRows::move_to(EventTable& into, TrackIndex& tracks, const RecordingOf& recording_of,
                        std::optional<int64_t>& last) {
  if (!rows_.scan().follows(last)) {
    part_.table().clear_events();
  }
  std::vector<uint32_t> recordings;
  std::transform(processes_.begin(), processes_.end(), std::back_inserter(recordings), recording_of);
  part_.append_to(into, tracks, recordings);
  return !rows_.scan().damaged();
}

}  // namespace aaco
