// SPDX-License-Identifier: MIT
// What `aaco observe` saw of a program beside the events themselves: how it ended, its processes, what was lost and
// what observing cost. metrics/observation.json of its session.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "base/text/enum_words.h"
#include "kind/observation/rank/process_rank.h"
#include "observe/processes/process_tree.h"

namespace aaco {

enum class RecordingState : uint8_t {
  kWhole,          // until the process ended by itself, or answered that nothing more is wanted
  kCut,            // it was killed, or left without its exit handlers: what came after the last flush is missing
  kStillRunning,   // when recording ended, without an answer to that: likewise
  kNotAvailable,   // no collector: the note says why
  kOtherProfiler,  // another one was there first
};
template <>
inline constexpr EnumWords<RecordingState, 5> kWordsOf<RecordingState>{
    {"whole", "cut", "still_running", "not_available", "other_profiler"}};

// Work of replayed graphs, by what is known of where it was captured.
struct GraphWork {
  uint64_t named = 0;
  uint64_t outside = 0;             // captured while no range was open
  uint64_t unseen = 0;              // captured before it was watched
  uint64_t ambiguous = 0;           // two captures claim it
  uint64_t captures = 0;            // that a framework told of
  uint64_t unwatched_captures = 0;  // while another profiler was subscribed
  uint64_t compiled_captures = 0;   // of code without modules, which torch.compile made
  uint64_t modules_ns = 0;          // that the hook in Python took while captures ran
  uint64_t operators_ns = 0;        // likewise, for --torch-ops

  uint64_t unnamed() const { return outside + unseen + ambiguous; }
};
void to_json(Json& json, const GraphWork& work);
void from_json(const Json& json, GraphWork& work);

// Another profiler had the records of a process then.
struct ObservationGap {
  int64_t from_ns = 0;
  int64_t until_ns = 0;
};
void to_json(Json& json, const ObservationGap& gap);
void from_json(const Json& json, ObservationGap& gap);
// From when to when a recording with pauses was at work.
struct RecordedSpan {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  uint64_t steps = 0;         // whole ones, that were kept; 0: nothing repeats, all of the span was
  uint64_t step_kernels = 0;  // of each
  uint64_t left_out = 0;      // events behind the last whole step
};
void to_json(Json& json, const RecordedSpan& span);
void from_json(const Json& json, RecordedSpan& span);

// A process that used CUDA. Times are of the session's clock.
struct ProcessRecording {
  int64_t pid = 0;
  int64_t parent_pid = 0;
  std::string program;  // its command line, as much as was kept
  RecordingState state = RecordingState::kWhole;
  std::string note;
  int64_t from_ns = 0;                    // CUDA's initialisation
  std::optional<int64_t> last_flush_ns;   // up to which records are complete
  std::optional<int64_t> other_since_ns;  // another profiler of the process had the records from then on
  std::vector<ObservationGap> gaps;       // others had them and gave them back
  uint64_t events = 0;                    // stored in the session
  uint64_t lost = 0;                      // for want of room on the way here
  uint64_t dropped = 0;                   // by CUPTI, or without their times
  uint64_t beyond_limit = 0;              // not stored: --limit was reached
  std::optional<uint64_t> collector_ns;   // of the collector, in CUPTI's threads, where it was told
  uint64_t flush_ns = 0;                  // of its own flushing thread
  int64_t cost_ns = 0;                    // of both, what is in both once; of recordings with a budget
  uint64_t ranges = 0;                    // of NVTX, and marks, as the process counted them
  uint64_t ranges_ns = 0;                 // that recording them took in its threads
  uint64_t open_ranges = 0;               // that had not ended when the recording did
  uint64_t nvtx_libraries = 0;            // with NVTX built in, whose ranges and marks came
  GraphWork graph_work;
  ProcessRank rank;
  std::vector<RecordedSpan> spans;  // of a recording with a budget, which pauses; else empty
};
void to_json(Json& json, const ProcessRecording& process);
void from_json(const Json& json, ProcessRecording& process);

inline constexpr const char* kAttachedByPtrace = "ptrace";
inline constexpr const char* kAttachedByDormant = "dormant";
inline constexpr const char* kAttachedToHostOnly = "host_only";  // nothing was loaded into the program

struct ObservationDocument {
  static constexpr const char* kKind = "observation";
  std::string version;  // of the program
  std::string bundle;
  std::string created_utc;
  std::vector<std::string> command;
  int64_t pid = 0;
  std::optional<int64_t> exit_code;  // 128 and the signal's number where a signal ended it; none: not known, or it runs
  int64_t signal = 0;
  bool interrupted = false;
  int64_t interrupt_signal = 0;  // that came to aaco first; 0: none
  int64_t from_ns = 0;           // the command's start, or when it was attached to
  int64_t to_ns = 0;             // and its end, or when it was left
  // Of a program that ran already.
  std::string attached_by;        // a word of kAttachedBy...; "": aaco started the command
  bool outlived = false;          // it ran on when the recording ended
  int64_t thread_stops = 0;       // until a thread was where it could be interrupted
  int64_t stopped_thread_ns = 0;  // how long these stood still, together
  // Of the command and the children that it waited for, where aaco started it and saw its end.
  std::optional<double> user_seconds;
  std::optional<double> system_seconds;
  std::optional<int64_t> peak_memory_bytes;
  bool whole_graphs = false;         // replays of CUDA graphs are recorded, what ran within them is not
  int64_t budget_ppm = 0;            // of the time, that the collector might take; 0: no limit
  std::optional<double> duration_s;  // as asked: what came later was not recorded
  int64_t limit_bytes = 0;
  bool limit_reached = false;         // the oldest events are kept
  std::optional<int64_t> stopped_ns;  // when recording was stopped, where the command went on
  int64_t journal_bytes = 0;
  bool wants_device_plane = true;  // it was asked for
  bool has_device_plane = false;   // a process of the program used CUDA
  std::string no_device_reason;    // why there is no library for it; empty: there is
  std::string injection;           // the library
  std::string chained_injection;   // that the program's environment named before; "": none
  std::string chained_nvtx;        // likewise, of NVTX
  bool is_recovered = false;       // its observer was killed: how the program ended is not known
  std::optional<HostUse> host;     // where the host was watched
  std::vector<ProcessRecording> processes;
  std::vector<std::string> inner_sessions;     // of observers within the command, which had what they observed
  std::vector<std::string> unrecorded_planes;  // that were asked for by name, each with its reason and remedy
  std::vector<std::string> problems;           // of processes whose records could not come

  uint64_t events() const;
  uint64_t missing() const;  // lost on the way, dropped, or beyond the limit
  // Time of the collector by event; none where no process told it. What CUPTI itself takes is not in it.
  std::optional<double> collector_ns_per_event() const;
  std::optional<double> bytes_per_event() const;
  std::optional<double> ns_per_range() const;  // in the program's threads
  bool has_pauses() const;                     // a recording of a process was paused, for the budget
};

Json observation_json(const ObservationDocument& document);
// Errors: kUsage naming the source.
Result<ObservationDocument> read_observation(const Json& json, std::string_view source);

}  // namespace aaco
