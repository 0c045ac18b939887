// SPDX-License-Identifier: MIT
// Formats are known by how a file begins. Of a folder, what no format takes is named and is no error. Processes that
// share an import each deal all recordings out in the same way, without a word between them, and read their own.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/interrupt.h"
#include "ingest/base_times.h"
#include "ingest/bytes/unread_container.h"
#include "ingest/equal_files.h"
#include "ingest/impossible_times.h"
#include "ingest/trace_format.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr size_t kHeadBytes = size_t{1} << 16;

struct CandidateFile {
  fs::path path;
  const TraceFormat* format = nullptr;  // null: none takes it
  std::string head;                     // how its content begins
};

struct OpenFile {
  CandidateFile file;
  std::unique_ptr<ByteSource> bytes;  // from the start
};

// What a text that no format takes begins with; bytes that cannot be shown are points.
std::string first_text_of(std::string_view head) {
  constexpr size_t kShown = 24;
  std::string first_text(head.substr(0, kShown));
  std::replace_if(first_text.begin(), first_text.end(), [](char c) { return c < ' ' || c > '~'; }, '.');
  return first_text;
}

Result<OpenFile> open_trace(const fs::path& path) {
  AACO_ASSIGN(std::unique_ptr<ByteSource> source, open_text(path));
  std::vector<char> head(kHeadBytes);
  AACO_ASSIGN(const size_t count, source->read(head));
  head.resize(count);
  const std::span<const TraceFormat> formats = all_trace_formats();
  const auto format = std::find_if(formats.begin(), formats.end(), [&](const TraceFormat& each) {
    return each.recognises({head.data(), head.size()});
  });
  std::string start(head.data(), head.size());
  return OpenFile{{path, format == formats.end() ? nullptr : &*format, std::move(start)},
                  with_head(std::move(head), std::move(source))};
}

Error unknown_format(const CandidateFile& file) {
  if (const auto container = unread_container(file.head)) {
    return {ErrorKind::kUsage, fmt::format("{}: is {}, which is not read", file.path.string(), container->what),
            fmt::format("{}; plain, gzip and zstd files are read", container->remedy)};
  }
  std::string known;
  for (const TraceFormat& format : all_trace_formats()) {
    known += std::string(known.empty() ? "" : "; ") + format.what;
  }
  return {ErrorKind::kUsage,
          file.head.empty() ? fmt::format("{}: is empty", file.path.string())
                            : fmt::format("{}: is no trace of a known format (byte 0: \"{}\")", file.path.string(),
                                          first_text_of(file.head)),
          "known: " + known};
}

// Regular files of a folder and those below it, in the order of their names; links are not followed.
Result<std::vector<fs::path>> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->is_regular_file(error) && !entry->is_symlink(error)) {
      files.push_back(entry->path());
    }
  }
  if (error) {
    return Error{ErrorKind::kUsage, fmt::format("{}: {}", folder.string(), error.message()),
                 "name a folder that can be read"};
  }
  std::sort(files.begin(), files.end());
  return files;
}

// What the files of one recording have in common.
using RecordingKey = std::pair<std::string, std::string>;

RecordingKey recording_of(const CandidateFile& file) {
  const TraceFormat* format = file.format;
  const char* const family = format == nullptr ? "" : format->family == nullptr ? format->id : format->family;
  return {family,
          format == nullptr || format->recording_of == nullptr ? file.path.string() : format->recording_of(file.path)};
}

bool is_a_recording_alone(const CandidateFile& file) {
  return file.format != nullptr && file.format->recording_of == nullptr;
}

// Whether rows from `first` on are on a timeline or a device: others describe (the agents of a machine).
bool has_activity(const EventTable& events, size_t first) {
  for (size_t row = first; row < events.size(); ++row) {
    const EventShape shape = events.shape[row];
    if ((shape != EventShape::kUntimed && shape != EventShape::kMetadata) || is_on_device(events.kind[row])) {
      return true;
    }
  }
  return false;
}

struct Deal {
  std::set<RecordingKey> others;       // another share's
  std::map<fs::path, fs::path> equal;  // files that hold what another one holds, which is read
  int64_t filled_shares = 1;
  bool is_first_share = true;
  bool is_part = false;  // there are other shares
};

// The same in all processes that deal: the largest first, to who has least. What cannot be opened is nobody's: it comes
// up when it is read.
Result<Deal> deal(std::span<const fs::path> paths, ReadShare share) {
  std::map<RecordingKey, uint64_t> recordings;
  EqualFiles seen;
  Deal dealt;
  for (const fs::path& path : paths) {
    std::error_code error;
    std::vector<fs::path> files = {path};
    if (fs::is_directory(path, error)) {
      AACO_ASSIGN(files, files_in(path));
    }
    for (const fs::path& file : files) {
      const auto opened = open_trace(file);
      if (!opened || opened->file.format == nullptr) {
        continue;
      }
      const auto equal = is_a_recording_alone(opened->file) ? seen.find(file, opened->file.head) : std::nullopt;
      if (equal && seen.path(equal->file) != file) {
        dealt.equal.try_emplace(file, seen.path(equal->file));
      } else if (!equal) {
        seen.add(file, opened->file.head);
        const uint64_t bytes = fs::file_size(file, error);
        recordings[recording_of(opened->file)] += error ? 0 : bytes;
      }
    }
  }
  std::vector<std::pair<uint64_t, RecordingKey>> largest_first;
  for (const auto& [key, bytes] : recordings) {
    largest_first.emplace_back(bytes, key);
  }
  std::sort(largest_first.begin(), largest_first.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second.second < b.second.second;
  });
  std::vector<uint64_t> of_share(static_cast<size_t>(share.count));
  dealt.filled_shares = std::min(share.count, static_cast<int64_t>(recordings.size()));
  for (const auto& [bytes, key] : largest_first) {
    const auto least = std::min_element(of_share.begin(), of_share.end());
    *least += bytes + 1;
    if (least - of_share.begin() != share.index) {
      dealt.others.insert(key);
    }
  }
  dealt.is_first_share = share.index == 0;
  dealt.is_part = true;
  return dealt;
}

class TraceReader {
 public:
  explicit TraceReader(Deal dealt) : dealt_(std::move(dealt)) { trace_.filled_shares = dealt_.filled_shares; }

  Result<void> add(const fs::path& path) {
    AACO_ASSIGN(OpenFile opened, open_trace(path));
    return opened.file.format == nullptr ? unknown_format(opened.file) : read(opened);
  }

  Result<void> add_folder(const fs::path& folder) {
    const size_t before = known_;
    AACO_ASSIGN(const std::vector<fs::path> files, files_in(folder));
    for (const fs::path& path : files) {
      AACO_ASSIGN(OpenFile opened, open_trace(path));
      const size_t events = trace_.events.size();
      const Result<void> done = opened.file.format == nullptr ? unknown_format(opened.file) : read(opened);
      if (!done && (done.error().kind != ErrorKind::kUsage || trace_.events.size() > events)) {
        return done.error();
      }
      if (!done) {  // whatever else lies in the folder: what merely looks like a trace, too
        trace_.unknown.push_back(path);
        const auto container = unread_container(opened.file.head);
        if (opened.file.format == nullptr && container) {
          trace_.events.losses.add(Loss::kUnknownRecord, [&] {
            return fmt::format("{}: is {}; {}", path.string(), container->what, container->remedy);
          });
        }
      }
    }
    if (known_ == before) {
      return Error{ErrorKind::kUsage,
                   fmt::format("{}: holds no trace of a known format ({} files)", folder.string(), files.size()),
                   "name the folder that the profiler wrote to"};
    }
    return {};
  }

  ReadTrace take() {
    use_base_times(trace_.events, dealt_.is_part);
    return std::move(trace_);
  }

 private:
  Result<void> read(OpenFile& opened) {
    const TraceFormat& format = *opened.file.format;
    const fs::path& path = opened.file.path;
    const RecordingKey key = recording_of(opened.file);
    if (left_out(opened.file, key)) {
      ++known_;
      return {};
    }
    EventTable& events = trace_.events;
    const size_t rows = events.size();
    const LossTable earlier = std::exchange(events.losses, {});
    const size_t recordings = events.recordings.size();
    const size_t tracks = events.tracks.size();
    const size_t metadata = events.metadata.size();
    const auto [known, added] = recordings_.try_emplace(key, static_cast<uint32_t>(recordings));
    if (added) {
      events.recordings.push_back({key.second, format.id});
    }
    const TraceRecording own = events.recordings[known->second];
    const Result<void> done = format.read({path, path.string(), *opened.bytes, known->second}, events);
    if (interrupted()) {  // what is read then is cut
      return Error{ErrorKind::kInterrupted, "interrupted", ""};
    }
    if (!done) {  // as if it had not been there
      events.recordings[known->second] = own;
      events.recordings.resize(recordings);
      if (added) {
        recordings_.erase(known);
      }
      events.losses = earlier;
      events.tracks.resize(tracks);
      events.metadata.resize(metadata);
      return done.error();
    }
    const LossTable loss_table = std::exchange(events.losses, earlier);
    events.losses.add_all(loss_table);
    ++known_;
    seen_.add(path, opened.file.head);
    seen_recordings_.push_back({key, has_activity(events, rows)});
    std::error_code error;
    const uint64_t bytes = fs::file_size(path, error);
    trace_.files.push_back({path, trace_.events.recordings[known->second].format, error ? 0 : bytes});
    return {};
  }

  // Another share's, or what another file holds. Where files of one recording have its process in their names, equal
  // ones of two processes are both read (the agents of one machine, for one); so that a copy is what has activity and
  // its name too, or is of the same recording.
  bool left_out(const CandidateFile& file, const RecordingKey& key) {
    if (const auto equal = dealt_.equal.find(file.path); equal != dealt_.equal.end()) {
      if (dealt_.is_first_share) {
        add_equal(file.path, equal->second);
      }
      return true;
    }
    if (dealt_.others.contains(key)) {
      return true;
    }
    const auto equal = seen_.find(file.path, file.head);
    if (!equal) {
      return false;
    }
    const RecordingState& other = seen_recordings_[equal->file];
    const bool is_of_one = other.key == key || seen_.path(equal->file).filename() == file.path.filename();
    const bool is_copy = other.has_activity && is_of_one;
    const bool is_left_out = equal->is_the_same_file || is_a_recording_alone(file) || is_copy;
    if (is_left_out) {
      add_equal(file.path, seen_.path(equal->file));
    }
    return is_left_out;
  }

  void add_equal(const fs::path& path, const fs::path& other) {
    trace_.events.losses.add(Loss::kSameFile, [&] { return fmt::format("{}: as {}", path.string(), other.string()); });
  }

  // Of the files that were read.
  struct RecordingState {
    RecordingKey key;
    bool has_activity = false;
  };

  ReadTrace trace_;
  Deal dealt_;
  EqualFiles seen_;
  std::vector<RecordingState> seen_recordings_;
  std::map<RecordingKey, uint32_t> recordings_;
  size_t known_ = 0;  // files of a known format, those left out among them
};

}  // namespace

Result<ReadTrace> read_trace(std::span<const fs::path> paths, ReadShare share) {
  Deal dealt;
  if (share.count > 1) {
    AACO_ASSIGN(dealt, deal(paths, share));
  }
  TraceReader reader(std::move(dealt));
  for (const fs::path& path : paths) {
    std::error_code error;
    AACO_TRY(fs::is_directory(path, error) ? reader.add_folder(path) : reader.add(path));
  }
  ReadTrace trace = reader.take();
  set_impossible_times_aside(trace.events);
  return trace;
}

}  // namespace aaco
