// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "ingest/trace_format.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr size_t kHeadBytes = size_t{1} << 16;

struct Found {
  fs::path path;
  const TraceFormat* format = nullptr;  // null: none takes it
  std::string begin;                    // of its text, to be shown
};

struct Opened {
  Found found;
  std::unique_ptr<ByteSource> bytes;  // from the start
};

// What a text that no format takes begins with; bytes that cannot be shown are points.
std::string begin_of(std::string_view head) {
  constexpr size_t kShown = 24;
  std::string begin(head.substr(0, kShown));
  std::replace_if(begin.begin(), begin.end(), [](char c) { return c < ' ' || c > '~'; }, '.');
  return begin;
}

Result<Opened> open_trace(const fs::path& path) {
  AACO_ASSIGN(std::unique_ptr<ByteSource> source, open_bytes(path));
  std::vector<char> head(kHeadBytes);
  AACO_ASSIGN(const size_t count, source->read(head));
  head.resize(count);
  const std::span<const TraceFormat> formats = all_trace_formats();
  const auto format = std::find_if(formats.begin(), formats.end(), [&](const TraceFormat& each) {
    return each.recognises({head.data(), head.size()});
  });
  return Opened{{path, format == formats.end() ? nullptr : &*format, begin_of({head.data(), head.size()})},
                with_head(std::move(head), std::move(source))};
}

Error unknown_format(const Found& file) {
  std::string known;
  for (const TraceFormat& format : all_trace_formats()) {
    known += std::string(known.empty() ? "" : "; ") + format.what;
  }
  return {ErrorKind::kUsage,
          file.begin.empty()
              ? fmt::format("{}: is empty", file.path.string())
              : fmt::format("{}: is no trace of a known format (byte 0: \"{}\")", file.path.string(), file.begin),
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

class TraceReader {
 public:
  Result<void> add(const fs::path& path) {
    AACO_ASSIGN(Opened opened, open_trace(path));
    return opened.found.format == nullptr ? unknown_format(opened.found) : read(opened);
  }

  Result<void> add_folder(const fs::path& folder) {
    const size_t before = trace_.files.size();
    AACO_ASSIGN(const std::vector<fs::path> files, files_in(folder));
    for (const fs::path& path : files) {
      AACO_ASSIGN(Opened opened, open_trace(path));
      const size_t events = trace_.events.size();
      const Result<void> done = opened.found.format == nullptr ? unknown_format(opened.found) : read(opened);
      if (!done && (done.error().kind != ErrorKind::kUsage || trace_.events.size() > events)) {
        return done.error();
      }
      if (!done) {  // whatever else lies in the folder: what merely looks like a trace, too
        trace_.unknown.push_back(path);
      }
    }
    if (trace_.files.size() == before) {
      return Error{ErrorKind::kUsage,
                   fmt::format("{}: holds no trace of a known format ({} files)", folder.string(), files.size()),
                   "name the folder that the profiler wrote to"};
    }
    return {};
  }

  ReadTrace take() { return std::move(trace_); }

 private:
  Result<void> read(Opened& opened) {
    const TraceFormat& format = *opened.found.format;
    const fs::path& path = opened.found.path;
    const std::string recording = format.recording_of == nullptr ? path.string() : format.recording_of(path);
    const auto [known, added] =
        recordings_.try_emplace(std::pair(&format, recording), static_cast<uint32_t>(trace_.events.recordings.size()));
    if (added) {
      trace_.events.recordings.push_back({recording, format.id});
    }
    AACO_TRY(format.read({path, path.string(), *opened.bytes, known->second}, trace_.events));
    std::error_code error;
    const uint64_t bytes = fs::file_size(path, error);
    trace_.files.push_back({path, trace_.events.recordings[known->second].format, error ? 0 : bytes});
    return {};
  }

  ReadTrace trace_;
  std::map<std::pair<const TraceFormat*, std::string>, uint32_t> recordings_;
};

}  // namespace

Result<ReadTrace> read_trace(std::span<const fs::path> paths) {
  TraceReader reader;
  for (const fs::path& path : paths) {
    std::error_code error;
    AACO_TRY(fs::is_directory(path, error) ? reader.add_folder(path) : reader.add(path));
  }
  return reader.take();
}

}  // namespace aaco
