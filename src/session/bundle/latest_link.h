// SPDX-License-Identifier: MIT
// sessions/latest: a relative link to the session that was closed last.
#pragma once

#include <filesystem>
#include <optional>

#include "base/result.h"

namespace aaco {

// Points the link to `bundle` in one step: a reader sees the old target or the new. Errors: kUsage where `latest` is no
// link or links cannot be made, kResource.
Result<void> point_latest_to(const std::filesystem::path& sessions_root, const std::filesystem::path& bundle);

// root/<target>, whether or not that is there; nothing where there is no link.
std::optional<std::filesystem::path> latest_target(const std::filesystem::path& sessions_root);

// Sessions that are recorded while it lives do not become `latest`.
class KeptLatestLink {
 public:
  explicit KeptLatestLink(std::filesystem::path sessions_root);
  KeptLatestLink(const KeptLatestLink&) = delete;
  KeptLatestLink& operator=(const KeptLatestLink&) = delete;
  ~KeptLatestLink();

 private:
  std::filesystem::path sessions_root_;
  std::optional<std::filesystem::path> target_;  // none: there was no link
};

}  // namespace aaco
