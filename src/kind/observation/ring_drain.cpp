// SPDX-License-Identifier: MIT
#include "kind/observation/ring_drain.h"

#include <algorithm>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/attach/target_process.h"
#include "base/clock.h"
#include "base/files/file.h"
#include "base/format.h"
#include "device/observe_variables.h"
#include "kind/observation/recorded_spans.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

std::string text_of(const std::array<char, ActivityRingPage::kTextBytes>& text) {
  return {text.data(), strnlen(text.data(), text.size())};
}

// A process whose parent has not asked how it ended is none.
bool is_alive(int64_t pid) {
  const Result<TargetProcess> process = read_target(static_cast<pid_t>(pid));
  return process && process->is_alive();
}

// The folder may belong to the program's user while aaco is root: no link is followed there, no FIFO waited for, and no
// more is read than a path or a sentence takes.
std::optional<std::string> read_note(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (file < 0) {
    return std::nullopt;
  }
  constexpr size_t kMostBytes = 8192;
  std::string text(kMostBytes, '\0');
  struct stat state{};
  const bool is_regular = ::fstat(file, &state) == 0 && S_ISREG(state.st_mode);
  const ssize_t count = is_regular ? ::read(file, text.data(), text.size()) : -1;
  ::close(file);
  if (count < 0) {
    return std::nullopt;
  }
  text.resize(static_cast<size_t>(count));
  return text;
}

// What the journal stores of it: an event, and a record for each three of its arguments (record/journal).
uint64_t stored_bytes(const ActivityRecord& record) {
  constexpr uint64_t kRowBytes = 56;
  switch (record.kind) {
    case ActivityKind::kKernel:
      return 3 * kRowBytes;
    case ActivityKind::kCopy:
    case ActivityKind::kSet:
      return 2 * kRowBytes;
    default:
      return kRowBytes;
  }
}

// An open range becomes one when it ends, or when nothing more can come.
bool is_event(const ActivityRecord& record, std::map<uint64_t, ActivityRecord>& open_ranges) {
  switch (record.kind) {
    case ActivityKind::kOpenRange:
      open_ranges.insert_or_assign(record.correlation, record);
      return false;
    case ActivityKind::kRange:
      open_ranges.erase(record.correlation);
      return true;
    default:
      return record.kind != ActivityKind::kThreadName;
  }
}

// `stopped_ns`: when the collectors were told that nothing more is wanted. Who has answered has ended its ring.
RecordingState state_of(const ActivityRingPage& page, std::optional<int64_t> stopped_ns) {
  switch (page.state.load(std::memory_order_acquire)) {
    case RingState::kNotAvailable:
      return RecordingState::kNotAvailable;
    case RingState::kOtherProfiler:
      return RecordingState::kOtherProfiler;
    case RingState::kEnded:
      return RecordingState::kWhole;
    case RingState::kStarting:
    case RingState::kRecording:
      break;
  }
  if (stopped_ns && page.made_ns >= *stopped_ns) {  // nothing was wanted of it
    return RecordingState::kWhole;
  }
  return is_alive(page.pid) ? RecordingState::kStillRunning : RecordingState::kCut;
}

}  // namespace

Result<RingDrain> RingDrain::create(fs::path rings, fs::path journals, int64_t limit_bytes) {
  AACO_TRY(make_folders(journals));
  return RingDrain(std::move(rings), std::move(journals), limit_bytes);
}

Result<void> RingDrain::find_rings() {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(rings_, error)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != observe_variable::kRingExtension || recordings_.contains(name)) {
      continue;
    }
    Recording recording;
    Result<std::unique_ptr<ActivityRingReader>> ring = ActivityRingReader::open(entry.path());
    if (!ring) {
      recording.problem = ring.error().message;
      recordings_.emplace(name, std::move(recording));
      continue;
    }
    recording.ring = std::move(*ring);
    recording.journal_path = journals_ / (entry.path().stem().string() + ".jrn");
    AACO_ASSIGN(EventJournalWriter journal, EventJournalWriter::create(recording.journal_path));
    const ActivityRingPage& page = recording.ring->page();
    const ProcessRank told = rank_in({page.launcher.data(), page.launcher.size()});
    recording.rank = told.rank ? told : rank_of_process(page.pid);
    recording.journal =
        std::make_unique<ActivityJournal>(std::move(journal), fmt::format("{} {}", page.pid, text_of(page.program)));
    if (stopped_ns_) {
      recording.ring->stop();
    }
    recordings_.emplace(name, std::move(recording));
  }
  return {};
}

void RingDrain::drain_ring(Recording& recording) {
  if (!recording.ring || !recording.problem.empty()) {
    return;
  }
  std::vector<ActivityRecord> named;
  const Result<void> read =
      recording.ring->read([&](std::string_view name) { recording.names.push_back(recording.journal->intern(name)); },
                           [&](std::span<const ActivityRecord> records) {
                             if (limit_reached_) {
                               recording.beyond_limit += records.size();
                               return;
                             }
                             named.clear();
                             for (ActivityRecord record : records) {
                               record.name = recording.names[record.name];
                               record.label = record.label != kNoName ? recording.names[record.label] : kNoName;
                               if (is_event(record, recording.open_ranges)) {
                                 recording.bytes += stored_bytes(record);
                                 ++recording.events;
                                 named.push_back(record);
                               } else if (record.kind == ActivityKind::kThreadName) {
                                 named.push_back(record);
                               }
                             }
                             recording.journal->push(named);
                           },
                           [&](int64_t start_ns, int64_t end_ns) { recording.spans.push_back({start_ns, end_ns}); });
  if (!read) {
    recording.problem = read.error().message;
  }
}

// A process removes its ring where it takes aaco for gone; what it did after that came nowhere.
void RingDrain::look_for_file(const std::string& name, Recording& recording) const {
  std::error_code error;
  if (!recording.ring || recording.is_removed || stopped_ns_ || fs::exists(rings_ / name, error) || error) {
    return;
  }
  recording.is_removed = true;
  recording.problem =
      fmt::format("its ring was removed {} after its start: nothing later is in this session",
                  format_duration_ns(static_cast<double>(monotonic_ns() - recording.ring->page().made_ns)));
}

// No end is invented for them: a moment says that they began.
void RingDrain::push_open_ranges(Recording& recording) {
  std::vector<ActivityRecord> ranges;
  for (const auto& [number, range] : recording.open_ranges) {
    ranges.push_back(range);
  }
  recording.events += ranges.size();
  recording.journal->push(ranges);
  recording.journal->lose(Loss::kUnmatchedBegin, ranges.size());
}

Result<void> RingDrain::drain() {
  AACO_TRY(find_rings());
  uint64_t bytes = 0;
  for (auto& [name, recording] : recordings_) {
    drain_ring(recording);
    look_for_file(name, recording);
    bytes += recording.bytes;
  }
  if (!limit_reached_ && bytes >= static_cast<uint64_t>(limit_bytes_)) {
    limit_reached_ = true;
    stop();
  }
  return {};
}

void RingDrain::stop() {
  stopped_ns_ = stopped_ns_.value_or(monotonic_ns());
  for (auto& [name, recording] : recordings_) {
    if (recording.ring) {
      recording.ring->stop();
    }
  }
}

bool RingDrain::is_quiet() const {
  return std::all_of(recordings_.begin(), recordings_.end(), [](const auto& entry) {
    const Recording& recording = entry.second;
    if (!recording.ring || !recording.problem.empty()) {
      return true;
    }
    const ActivityRingPage& page = recording.ring->page();
    const RingState state = page.state.load(std::memory_order_acquire);
    return (state != RingState::kStarting && state != RingState::kRecording) || !is_alive(page.pid);
  });
}

int64_t RingDrain::journal_bytes() const {
  int64_t bytes = 0;
  for (const auto& [name, recording] : recordings_) {
    std::error_code error;
    const auto size = fs::file_size(recording.journal_path, error);
    bytes += error ? 0 : static_cast<int64_t>(size);
  }
  return bytes;
}

Result<std::vector<ProcessRecording>> RingDrain::finish() {
  std::vector<ProcessRecording> processes;
  for (auto& [name, recording] : recordings_) {
    if (!recording.ring) {
      continue;
    }
    const ActivityRingPage& page = recording.ring->page();
    push_open_ranges(recording);
    ProcessRecording process;
    process.open_ranges = recording.open_ranges.size();
    process.ranges = page.ranges;
    process.ranges_ns = page.ranges_ns;
    process.nvtx_libraries = page.nvtx_libraries;
    process.graph_work = {page.graph_named,       page.graph_outside, page.graph_unseen,
                          page.graph_ambiguous,   page.captures,      page.unwatched_captures,
                          page.compiled_captures, page.modules_ns,    page.operators_ns};
    process.pid = page.pid;
    process.parent_pid = page.parent_pid;
    process.program = text_of(page.program);
    process.state = recording.is_removed ? RecordingState::kCut : state_of(page, stopped_ns_);
    recording.ring->stop();  // of a process that still runs
    process.note = recording.problem.empty() ? text_of(page.note) : recording.problem;
    process.from_ns = page.made_ns;
    if (const int64_t flush_ns = page.last_flush_ns; flush_ns != 0) {
      process.last_flush_ns = flush_ns;
    }
    if (const int64_t since_ns = page.other_since_ns; since_ns != 0) {
      process.other_since_ns = since_ns;
    }
    const size_t gaps = std::min<size_t>(page.gap_count.load(std::memory_order_acquire), page.gaps.size());
    for (const RecordingGap& gap : std::span(page.gaps).first(gaps)) {
      process.gaps.push_back({gap.from_ns, gap.until_ns});
    }
    process.events = recording.events;
    process.lost = page.lost;
    process.dropped = page.dropped;
    process.beyond_limit = recording.beyond_limit;
    if (const uint64_t collector_ns = page.collector_ns; collector_ns != 0) {
      process.collector_ns = collector_ns;
    }
    process.flush_ns = page.flush_ns;
    process.cost_ns = static_cast<int64_t>(page.cost_ns.load());
    process.rank = recording.rank;
    if (const uint64_t missing = process.lost + process.dropped + process.beyond_limit; missing > 0) {
      recording.journal->dropped(missing);
    }
    AACO_TRY(recording.journal->close());
    if (!recording.spans.empty()) {
      AACO_TRY(keep_steps(recording));
      process.spans = recording.spans;
      process.events = recording.events;
    }
    processes.push_back(std::move(process));
  }
  return processes;
}

Result<void> RingDrain::keep_steps(Recording& recording) {
  AACO_ASSIGN(EventTable events, read_event_journal(recording.journal_path));
  const EventTable kept = keep_whole_steps(std::move(events), recording.spans, &recording.events);
  fs::path beside = recording.journal_path;  // the only copy stays until the other is whole
  beside += ".new";
  std::error_code error;
  if (const Result<void> written = write_event_journal(beside, kept); !written) {
    fs::remove(beside, error);
    return written.error();
  }
  fs::rename(beside, recording.journal_path, error);
  if (error) {
    return file_error(recording.journal_path, "rename", error.value());
  }
  return {};
}

std::vector<std::string> RingDrain::inner_sessions() const {
  std::vector<std::string> sessions;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(rings_, error)) {
    if (entry.path().extension() == observe_variable::kInnerExtension) {
      if (const std::optional<std::string> session = read_note(entry.path()); session) {
        sessions.push_back(*session);
      }
    }
  }
  std::sort(sessions.begin(), sessions.end());
  return sessions;
}

std::vector<std::string> RingDrain::problems() const {
  std::vector<std::string> problems;
  for (const auto& [name, recording] : recordings_) {
    if (!recording.ring) {
      problems.push_back(recording.problem);
    } else if (recording.is_removed) {
      problems.push_back(fmt::format("process {}: {}", recording.ring->page().pid, recording.problem));
    }
  }
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(rings_, error)) {
    if (entry.path().extension() == observe_variable::kProblemExtension) {
      const std::optional<std::string> text = read_note(entry.path());
      problems.push_back(fmt::format("process {}: {}", entry.path().stem().string(),
                                     text && !text->empty() ? *text : "no room for its records"));
    }
  }
  return problems;
}

Result<void> RingDrain::read_events(EventTable& events) const {
  for (const auto& [name, recording] : recordings_) {
    if (recording.journal) {
      AACO_ASSIGN(EventJournalReader reader, EventJournalReader::open(recording.journal_path));
      const size_t first_track = events.tracks.size();
      AACO_TRY(reader.read(events));
      for (size_t track = first_track; track < events.tracks.size(); ++track) {
        events.tracks[track].rank = recording.rank.rank.value_or(kNoId);
      }
    }
  }
  return {};
}

}  // namespace aaco
