// SPDX-License-Identifier: MIT
#include "verdict/verdict_files.h"

#include "base/files/file.h"
#include "base/json/json.h"
#include "session/bundle/bundle_folder.h"
#include "session/bundle/layout.h"

namespace aaco::imports {

Result<void> write_verdict_files(const std::filesystem::path& folder, const Json& reference, const Json& diff,
                                 const Json& verdict) {
  const auto file_named_as = [&](const char* in_a_bundle) {
    return folder / std::filesystem::path(in_a_bundle).filename();
  };
  AACO_TRY(make_bundle_folder(folder));
  AACO_TRY(write_json(file_named_as(layout::kBaselineRef), reference));
  if (!diff.is_null()) {
    AACO_TRY(write_json(file_named_as(layout::kDiff), diff));
  }
  return write_json(file_named_as(layout::kVerdict), verdict);
}

}  // namespace aaco::imports
