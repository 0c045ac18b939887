// SPDX-License-Identifier: MIT
// Values by key in a text file that processes share, one "key<TAB>value" a line. For what takes long to find out and
// may always be found out again: where the file cannot be read or written, that is what happens.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace aaco {

class KeptLines {
 public:
  // Empty: nothing is kept. The file is made with the first value, its folder too.
  explicit KeptLines(std::filesystem::path file) : file_(std::move(file)) {}

  // The value kept last for the key that `accepts` takes; else what `make` finds, kept unless it finds nothing. Where
  // several make one at once, all have the one that was kept first. The file is not locked meanwhile: what one waits
  // for while it makes a value may be another that waits for the lock. Neither key nor value has a tab or a newline.
  std::optional<std::string> value_of(const std::string& key,
                                      const std::function<bool(const std::string& value)>& accepts,
                                      const std::function<std::optional<std::string>()>& make) const;

 private:
  std::filesystem::path file_;
};

}  // namespace aaco
