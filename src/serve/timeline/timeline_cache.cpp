// SPDX-License-Identifier: MIT
#include "serve/timeline/timeline_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

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

}  // namespace

std::string timeline_source(const fs::path& bundle) {
  return fmt::format("{} {} {} {} {}", kIndexVersion, bundle.filename().string(), state_of(bundle / layout::kSession),
                     state_of(bundle / layout::kManifest), state_of(bundle / layout::kTraceEvents));
}

fs::path timeline_file(const fs::path& bundle) {
  std::error_code error;
  const fs::path report = (bundle / layout::kReport).parent_path();
  const bool has_link = fs::is_symlink(fs::symlink_status(report, error));
  if (!has_link && ::access(bundle.c_str(), W_OK) == 0) {
    return report / "timeline.index";
  }
  const fs::path whole = fs::absolute(bundle, error);
  constexpr size_t kDigits = 16;
  return cache_folder() / "timelines" / (sha256_of(whole.string()).substr(0, kDigits) + ".index");
}

std::shared_ptr<const TimelineIndex> TimelineCache::find(const fs::path& bundle) {
  const std::string source = timeline_source(bundle);
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
