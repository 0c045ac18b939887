// SPDX-License-Identifier: MIT
// The chain of host work, launches, device work, collectives and waits that took a trace as long as it took. It covers
// the window without gap or overlap: each nanosecond is of one kind. docs/measuring/critical-path.md
// says what an edge weighs.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/timeline/critical_path/critical_graph.h"
#include "base/memory/growing_array.h"
#include "base/text/enum_words.h"
#include "record/intervals.h"

namespace aaco {

enum class PathKind : uint8_t {
  kComputation,  // the first three as WorkClass
  kCommunication,
  kCopy,
  kHostOperator,  // in no call
  kHostCall,
  kHostRange,  // a Python function or an annotation, in no operator
  kSync,       // from the end of what was waited for to the return of the call, or the start of the slice, that waited
  kLaunchDelay,  // from the launching call to the start of what it launched
  kTurnaround,   // from one slice of a stream to the next, which was launched already
  kUnexplained,
};
template <>
inline constexpr EnumWords<PathKind, 10> kWordsOf<PathKind>{{"computation", "communication", "copy", "host_operator",
                                                             "host_call", "host_range", "sync", "launch_delay",
                                                             "turnaround", "unexplained"}};
inline constexpr size_t kPathKinds = 10;

// To the next one's start, or the window's end.
struct PathPart {
  int64_t start_ns = 0;
  StringId name = kEmptyString;  // of what ran, waited or came next; empty where nothing is recorded
  PathKind kind = PathKind::kUnexplained;
};

// As columns: there may be two for each event.
class PathParts {
 public:
  void push_back(const PathPart& part) {
    start_ns_.push_back(part.start_ns);
    name_.push_back(part.name);
    kind_.push_back(part.kind);
  }
  size_t size() const { return kind_.size(); }
  bool empty() const { return kind_.empty(); }
  PathPart operator[](size_t i) const { return {start_ns_[i], name_[i], kind_[i]}; }
  PathPart back() const { return (*this)[size() - 1]; }

 private:
  GrowingArray<int64_t> start_ns_;
  GrowingArray<StringId> name_;
  GrowingArray<PathKind> kind_;
};

struct PathItem {
  PathKind kind = PathKind::kUnexplained;
  StringId name = kEmptyString;
  uint64_t parts = 0;
  int64_t total_ns = 0;
};

using PathShares = std::array<int64_t, kPathKinds>;  // nanoseconds

// A step that the host's annotations mark (ProfilerStep#N), and its part of the path.
struct PathStep {
  StringId name = kEmptyString;
  Span span;  // within the window
  PathShares shares{};
};

// Of one rank of a recording, or of all ranks that collectives join.
struct CriticalPath {
  std::vector<std::pair<uint32_t, int64_t>> ranks;  // recording and rank
  Span window;            // from the first start to the last end of operators, calls and slices
  int64_t length_ns = 0;  // the path's weight: the window but for what weighs nothing
  PathShares shares{};    // add up to the window
  PathParts parts;
  std::vector<PathItem> items;  // longest first
  std::vector<PathStep> steps;
  uint64_t changes_of_rank = 0;  // how often the path goes to another rank
  // Edges on the path that rest on a call alone, which does not say for what its stream waits.
  uint64_t inferred_waits = 0;

  int64_t part_end_ns(size_t part) const { return part + 1 < parts.size() ? parts[part + 1].start_ns : window.end_ns; }
  int64_t part_ns(size_t part) const { return part_end_ns(part) - parts[part].start_ns; }
};

// Of each group of ranks that has device work, in the order of its first rank. `dependencies` of each device.
std::vector<CriticalPath> critical_paths(const CriticalInput& input, std::vector<StreamDependencies> dependencies);

}  // namespace aaco
