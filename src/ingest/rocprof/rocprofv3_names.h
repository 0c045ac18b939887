// SPDX-License-Identifier: MIT
// What a process in rocprofv3's results.json says of names and numbers, and the events that wait for theirs until the
// process has been read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/table/json_row.h"
#include "record/events/event_table.h"

namespace aaco {

class Rocprofv3Names {
 public:
  enum class Source : uint8_t { kKernel, kBufferOperation, kCallbackOperation, kMarker };

  struct Agent {
    int64_t number = 0;
    bool is_gpu = false;
  };

  explicit Rocprofv3Names(EventTable& table) : table_(table) {}

  // Elements of the process's lists; what lacks its id or name is left out.
  void add_agent(JsonRow& agent);
  void add_counter(JsonRow& counter);
  void add_symbol(JsonRow& symbol);
  void add_marker(JsonRow& marker);
  // Of sampled instructions, in the order of their indices: their text, and file and line.
  void add_instruction(std::string_view text) { instructions_.push_back(table_.strings.intern(text)); }
  void add_source_line(std::string_view text) { source_lines_.push_back(table_.strings.intern(text)); }
  void add_operations(Source source, JsonRow& kind);  // of the next kind

  std::optional<Agent> agent(int64_t handle) const;
  std::string counter(int64_t handle) const;  // "counter 7" where the list has none

  // Of a sampled instruction; none where the list has none of that index. Good until the next text is added.
  std::optional<std::string_view> instruction(int64_t index) const { return text_at(instructions_, index); }
  std::optional<std::string_view> source_line(int64_t index) const { return text_at(source_lines_, index); }

  // The event will be named: a kernel by its id, an operation by its kind and number, a marker by its correlation.
  void wait(size_t event, Source source, int64_t id, int64_t operation, int64_t marker);
  // Names all that wait; a name that is not in the lists is a number, and a loss.
  void resolve(const std::string& file);

 private:
  struct UnresolvedName {
    size_t event;
    Source source;
    int64_t id;
    int64_t operation;
    int64_t marker;
  };

  const StringId* find(const UnresolvedName& waiting) const;
  std::optional<std::string_view> text_at(const std::vector<StringId>& list, int64_t index) const;

  EventTable& table_;
  std::map<int64_t, Agent> agents_;
  std::map<int64_t, std::string> counters_;
  std::map<int64_t, StringId> kernels_;
  std::map<int64_t, StringId> markers_;
  std::map<std::pair<Source, int64_t>, std::vector<StringId>> operations_;
  std::vector<StringId> instructions_;
  std::vector<StringId> source_lines_;
  std::map<Source, int64_t> kinds_;  // so far
  GrowingArray<UnresolvedName> waiting_;
};

// Of a row's column; none where it is no integer.
std::optional<int64_t> integer_in(JsonRow& row, std::string_view column);

}  // namespace aaco
