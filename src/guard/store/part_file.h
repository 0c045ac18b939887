// SPDX-License-Identifier: MIT
// A Parquet file of the history has a checksum of its bytes in its name, part-ID.CHECKSUM.parquet: DuckDB writes no
// checksums of pages, and without one a flipped bit that still reads as a number would go unnoticed. In the name it
// arrives together with the file, and other readers of Parquet need not know of it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace aaco {

// Moves a file that is whole to its name in `folder`. `id`: of the batch that it holds. Errors: of the disk.
Result<void> name_part(const std::filesystem::path& unfinished, const std::filesystem::path& folder,
                       std::string_view id);

// A compaction that was killed may have stored the batch in this folder already.
bool has_part(const std::filesystem::path& folder, std::string_view id);

// Errors: kUsage for a file whose bytes are others than its name says; where the name has no checksum, as of an earlier
// version or another writer, for one without a footer of Parquet.
Result<void> expect_whole_part(const std::filesystem::path& file);

}  // namespace aaco
