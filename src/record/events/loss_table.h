// SPDX-License-Identifier: MIT
// What could not be read, joined or believed, counted: no ingestor and no analysis drops anything without a line here.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aaco {

enum class Loss : uint8_t {
  kTruncated,        // the file ends early
  kTrailingData,     // something follows what the format ends with
  kMalformedEvent,   // no event as the format defines it
  kUnknownPhase,     // a mark that no timeline has
  kUnknownCategory,  // kept, as kind "other"
  kNoTime,           // an event without a readable time
  kSubNanosecond,    // digits beyond the nanosecond
  kTimeRange,        // a time beyond 73 years
  kNegativeDuration,
  kZeroDuration,         // of a slice on the device
  kUnmatchedBegin,       // a begin without its end, or the reverse
  kNotUtf8,              // a text that is no UTF-8
  kTooLong,              // an array or object too long to look into
  kUnmatchedFlow,        // an arrow with one end only
  kNoLaunch,             // a device event whose launching call is not in the file
  kOverlap,              // slices of one stream that overlap
  kDuplicateKey,         // of one event: the last one counts
  kUnendedLine,          // the last line of a text has no line end
  kShortRow,             // a row of a table that lacks its last values
  kUnknownRecord,        // of a kind that is not read here
  kUnknownName,          // a name that stands elsewhere in the file, and does not
  kDropped,              // by the profiler, which says so
  kSampleWithoutKernel,  // of the program counter: its kernel is not in the trace, or not the only one
  kUnrecordedReplay,     // a launch of a graph without a record of what it ran
  kAmbiguousLaunch,      // several calls could have launched it
  kBeforeLaunch,         // it starts before the call that launched it
  kImpossibleTime,       // proved: it cannot have run then, or for so long
  kUnrecordedLaunch,     // a launch of a kernel without a record of the kernel
  kBadArgument,          // an argument that is no value of the format: its event is kept
  kBadField,             // likewise of a member that figures need
  kMendedJson,           // no valid JSON, and yet nothing is lost
  kTooDeep,              // an array or object nested too deeply to look into
  kSameFile,             // a file that holds what another one holds
  kNoBaseTime,           // a file that does not say what its times count from, while others do
  kAmbiguousNumber,      // separators that can be of decimals or of thousands
  kUnknownLane,          // slices on lanes named like a device's, in a file of which nothing else is device work
};
inline constexpr size_t kLosses = 36;

enum class LossSeverity : uint8_t { kNote, kWarning, kSevere };

struct LossInfo {
  const char* name;  // "truncated tail", ...
  LossSeverity severity;
  const char* meaning;  // what it does to the figures
  const char* remedy;   // what the user can do
};
const LossInfo& loss_info(Loss loss);
std::optional<Loss> find_loss(std::string_view name);
const char* severity_name(LossSeverity severity);  // "note", "warning", "severe"

class LossTable {
 public:
  struct Entry {
    Loss loss;
    uint64_t count = 0;
    std::string example;                                   // the first: where, and what was there
    std::optional<int64_t> device_time_ns = std::nullopt;  // recorded of all of them; nullopt where none is known
  };

  void add(Loss loss, uint64_t count = 1) { counts_[static_cast<size_t>(loss)] += count; }
  // With an example, which is made only the first time.
  template <std::invocable MakeExample>
  void add(Loss loss, MakeExample&& example) {
    const auto at = static_cast<size_t>(loss);
    if (counts_[at]++ == 0) {
      examples_[at] = example();
    }
  }
  // What these lost events took on the device, as recorded. Adds up.
  void add_device_time(Loss loss, int64_t ns);
  void add_all(const LossTable& other);
  uint64_t count(Loss loss) const { return counts_[static_cast<size_t>(loss)]; }
  std::vector<Entry> entries() const;  // those with a count, the most severe first
  bool in_part() const;                // one is severe: something of the trace is in no figure

 private:
  uint64_t counts_[kLosses] = {};
  std::string examples_[kLosses];
  std::optional<int64_t> device_time_ns_[kLosses];
};

}  // namespace aaco
