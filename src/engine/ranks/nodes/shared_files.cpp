// SPDX-License-Identifier: MIT
#include "engine/ranks/nodes/shared_files.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <fstream>
#include <string_view>

#include "base/clock.h"
#include "base/files/file.h"
#include "record/journal/journal_rows.h"

namespace aaco {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kIdPrefix = "rank_id";
constexpr std::string_view kWatchPrefix = "watch_";
constexpr std::string_view kBinary = ".bin";
constexpr std::string_view kEventJournals[] = {"overlapped_p", "one_by_one_p"};  // of rank_journal_name()
constexpr std::string_view kIterationsPrefix = "iterations_p";

bool is_watched(std::string_view name) { return name.starts_with(kWatchPrefix) && name.ends_with(kBinary); }
bool is_shared_name(std::string_view name) {
  return is_watched(name) || (name.starts_with(kIdPrefix) && name.ends_with(kBinary));
}
// Within the folder, and one of ours.
bool is_name(std::string_view name) {
  const bool has_events = std::any_of(std::begin(kEventJournals), std::end(kEventJournals),
                                      [&](std::string_view prefix) { return name.starts_with(prefix); });
  return name.find('/') == std::string_view::npos &&
         (is_shared_name(name) || name.starts_with(kIterationsPrefix) || has_events);
}

// Written beside it and renamed, so that no reader sees half of it; it need not outlive the machine.
Result<void> write_quickly(const fs::path& path, const std::string& content) {
  const fs::path beside = path.string() + ".new";
  std::ofstream file(beside, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  std::error_code error;
  if (file) {
    fs::rename(beside, path, error);
  }
  return !file || error ? file_error(path, "write", error ? error.value() : errno) : Result<void>();
}

}  // namespace

bool is_shared(const SharedFile& file) { return is_shared_name(file.name); }

std::vector<SharedFile> SharedFiles::changed() {
  constexpr int64_t kWatchNs = 500'000'000;
  const int64_t now_ns = monotonic_ns();
  const bool with_watches = now_ns - watched_ns_ > kWatchNs;
  watched_ns_ = with_watches ? now_ns : watched_ns_;
  const std::lock_guard lock(mutex_);
  std::vector<SharedFile> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    if (!is_shared_name(name) || (is_watched(name) && !with_watches)) {
      continue;
    }
    auto content = read_file(entry.path());
    if (!content || foreign_.contains(name) || (known_.contains(name) && known_[name] == *content)) {
      continue;
    }
    known_[name] = *content;
    files.push_back({name, std::move(*content)});
  }
  return files;
}

Result<void> SharedFiles::store(const SharedFile& file) {
  if (!is_name(file.name)) {
    return Error{ErrorKind::kUsage, fmt::format("another node sent a file of the name \"{}\"", file.name),
                 "run it again"};
  }
  const std::lock_guard lock(mutex_);
  foreign_.insert(file.name);
  return write_quickly(folder_ / file.name, file.content);
}

std::vector<SharedFile> files_left_by(const fs::path& folder, int64_t rank) {
  std::vector<SharedFile> files;
  fs::path journal = folder / iteration_journal_name(rank);
  const fs::path watched = folder / fmt::format("{}{}{}", kWatchPrefix, rank, kBinary);
  std::vector<fs::path> paths{journal, fs::path(journal).replace_extension(".clock.json"), watched};
  for (const std::string_view events : kEventJournals) {
    paths.push_back(folder / fmt::format("{}{}.jrn", events, rank));
  }
  for (const fs::path& path : paths) {
    if (auto content = read_file(path)) {
      files.push_back({path.filename().string(), std::move(*content)});
    }
  }
  return files;
}

}  // namespace aaco
