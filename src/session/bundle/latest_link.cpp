// SPDX-License-Identifier: MIT
#include "session/bundle/latest_link.h"

#include <cerrno>
#include <unistd.h>
#include <utility>

#include "base/files/file.h"
#include "base/files/new_file.h"
#include "session/bundle/layout.h"

namespace aaco {

Result<void> point_latest_to(const std::filesystem::path& sessions_root, const std::filesystem::path& bundle) {
  const std::filesystem::path link = sessions_root / layout::kLatest;
  const std::filesystem::path temporary = temporary_name(link);
  const std::filesystem::path target = bundle.lexically_relative(sessions_root);
  if (::symlink(target.c_str(), temporary.c_str()) != 0) {
    return file_error(link, "link", errno);
  }
  if (::rename(temporary.c_str(), link.c_str()) != 0) {
    const int failed = errno;
    ::unlink(temporary.c_str());
    return file_error(link, "link", failed);
  }
  return {};
}

std::optional<std::filesystem::path> latest_target(const std::filesystem::path& sessions_root) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::read_symlink(sessions_root / layout::kLatest, error);
  return error ? std::nullopt : std::optional(sessions_root / target);
}

KeptLatestLink::KeptLatestLink(std::filesystem::path sessions_root)
    : sessions_root_(std::move(sessions_root)), target_(latest_target(sessions_root_)) {}

KeptLatestLink::~KeptLatestLink() {
  std::error_code error;
  if (target_ && std::filesystem::exists(*target_, error)) {
    (void)point_latest_to(sessions_root_, *target_);  // else `latest` is a newer session, as after any recording
  }
}

}  // namespace aaco
