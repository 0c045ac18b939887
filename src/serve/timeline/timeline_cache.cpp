// SPDX-License-Identifier: MIT
#include "serve/timeline/timeline_cache.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/files/cache_folder.h"
#include "base/files/file.h"
#include "session/bundle/layout.h"

namespace aaco::serve {

namespace {

namespace fs = std::filesystem;

constexpr int kIndexVersion = 2;

std::string state_of(const fs::path& file) {
  struct stat status{};
  return ::stat(file.c_str(), &status) == 0
             ? fmt::format("{}:{}.{:09}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
             : "none";
}

// How much there is of the journals, and when the newest was written to.
std::string state_of_journals(const fs::path& bundle) {
  std::pair<int64_t, int64_t> newest{};  // seconds and nanoseconds
  int64_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator entry(bundle / layout::kJournals, error), end; !error && entry != end;
       entry.increment(error)) {
    struct stat status{};
    if (::stat(entry->path().c_str(), &status) == 0) {
      newest = std::max(newest, {status.st_mtim.tv_sec, status.st_mtim.tv_nsec});
      bytes += status.st_size;
    }
  }
  return fmt::format("{}:{}.{:09}", bytes, newest.first, newest.second);
}

bool has_manifest(const fs::path& bundle) {
  std::error_code error;
  return fs::exists(bundle / layout::kManifest, error);
}

}  // namespace

std::string timeline_source(const fs::path& bundle) {
  std::string source =
      fmt::format("{} {} {} {} {}", kIndexVersion, bundle.filename().string(), state_of(bundle / layout::kSession),
                  state_of(bundle / layout::kManifest), state_of(bundle / layout::kTraceEvents));
  if (!has_manifest(bundle)) {
    source += " " + state_of_journals(bundle);
  }
  return source;
}

fs::path timeline_file(const fs::path& bundle) {
  std::error_code error;
  const fs::path report = (bundle / layout::kReport).parent_path();
  const bool has_link = fs::is_symlink(fs::symlink_status(report, error));
  if (!has_link && has_manifest(bundle) && ::access(bundle.c_str(), W_OK) == 0) {
    return report / "timeline.index";
  }
  const fs::path whole = fs::absolute(bundle, error);
  constexpr size_t kDigits = 16;
  return cache_folder() / "timelines" / (sha256_of(whole.string()).substr(0, kDigits) + ".index");
}

std::shared_ptr<const TimelineIndex> TimelineCache::find(const fs::path& bundle) {
  return find(bundle, timeline_source(bundle));
}

std::shared_ptr<const TimelineIndex> TimelineCache::find(const fs::path& bundle, const std::string& source) {
  const fs::path file = timeline_file(bundle);
  const std::string state = state_of(file);
  for (auto known = open_.begin(); known != open_.end(); ++known) {
    if (known->bundle != bundle) {
      continue;
    }
    if (known->index->outline().source == source && known->state == state) {
      open_.splice(open_.begin(), open_, known);
      return open_.front().index;
    }
    open_.erase(known);
    break;
  }
  const Result<std::shared_ptr<const TimelineIndex>> index = TimelineIndex::open(file);
  if (!index || (*index)->outline().source != source) {
    return nullptr;
  }
  open_.push_front({bundle, state, *index});
  if (open_.size() > kMost) {
    open_.pop_back();
  }
  return *index;
}

}  // namespace aaco::serve
