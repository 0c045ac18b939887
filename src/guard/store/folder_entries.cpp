// SPDX-License-Identifier: MIT
#include "guard/store/folder_entries.h"

#include <system_error>

#include "base/files/file.h"

namespace aaco {

namespace fs = std::filesystem;

Result<std::vector<fs::directory_entry>> folder_entries(const fs::path& folder) {
  std::vector<fs::directory_entry> entries;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    entries.push_back(*entry);
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return file_error(folder, "read", error.value());
  }
  return entries;
}

}  // namespace aaco
