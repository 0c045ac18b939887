// SPDX-License-Identifier: MIT
// Where the index of a session's timeline is kept: in its bundle, beside the page of the report, where that can be
// written; else in the user's cache. A session without a manifest may still be recorded on another machine that shares
// the folder: its index goes to the cache, and is another one whenever its journals have grown.
#pragma once

#include <filesystem>
#include <list>
#include <memory>
#include <string>
#include <utility>

#include "serve/timeline/timeline_index.h"

namespace aaco::serve {

// Changes whenever the session does, or the index's format.
std::string timeline_source(const std::filesystem::path& bundle);
std::filesystem::path timeline_file(const std::filesystem::path& bundle);

// The indexes that were used last, mapped.
class TimelineCache {
 public:
  static constexpr size_t kMost = 4;

  // Null where there is none that is whole, or it is of another session, or of what this one was before.
  std::shared_ptr<const TimelineIndex> find(const std::filesystem::path& bundle);
  // The same of what the session was when timeline_source() gave `source`.
  std::shared_ptr<const TimelineIndex> find(const std::filesystem::path& bundle, const std::string& source);

 private:
  struct OpenIndex {
    std::filesystem::path bundle;
    std::string state;  // of its file
    std::shared_ptr<const TimelineIndex> index;
  };
  std::list<OpenIndex> open_;  // the last used first
};

}  // namespace aaco::serve
