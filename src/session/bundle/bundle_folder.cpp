// SPDX-License-Identifier: MIT
#include "session/bundle/bundle_folder.h"

#include <fmt/format.h>
#include <system_error>

#include "base/files/file.h"

namespace aaco {

Result<void> expect_no_link(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::is_symlink(folder, error)
             ? Result<void>(
                   Error{ErrorKind::kUsage,
                         fmt::format("{} is a link: aaco writes through no link of a session", folder.string()),
                         "remove it, or choose the place with --output"})
             : Result<void>();
}

Result<void> make_bundle_folder(const std::filesystem::path& folder) {
  AACO_TRY(expect_no_link(folder));
  return make_folders(folder);
}

}  // namespace aaco
