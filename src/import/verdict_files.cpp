// SPDX-License-Identifier: MIT
#include "import/verdict_files.h"

#include "base/file.h"
#include "base/json.h"
#include "session/layout.h"

namespace aaco::imports {

Result<void> write_verdict_files(const std::filesystem::path& bundle, const Diff& diff, const Json& reference) {
  AACO_TRY(make_folders((bundle / layout::kVerdict).parent_path()));
  AACO_TRY(write_json(bundle / layout::kBaselineRef, reference));
  AACO_TRY(write_json(bundle / layout::kDiff, diff_json(diff)));
  return write_json(bundle / layout::kVerdict, verdict_json(diff));
}

}  // namespace aaco::imports
