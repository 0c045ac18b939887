// SPDX-License-Identifier: MIT
// The bytes of a file from first to last, compressed or not, in pieces: no file is ever held whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"

namespace aaco {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Fills `into` as far as it can; 0 at the end. Errors: kUsage where the file cannot be read or is damaged here; what
  // came before is good.
  virtual Result<size_t> read(std::span<char> into) = 0;
};

// A plain file, or gzip or zstd (known by its first bytes); a thread of its own inflates gzip ahead of the reader.
// Errors: kUsage where it cannot be opened or is no regular file, kResource where no thread can be started.
Result<std::unique_ptr<ByteSource>> open_bytes(const std::filesystem::path& path);

// The same as UTF-8: a text in UTF-16, known by its first bytes, is converted as it is read.
Result<std::unique_ptr<ByteSource>> open_text(const std::filesystem::path& path);

// `head` again, then the rest of a source from which it was read.
std::unique_ptr<ByteSource> with_head(std::vector<char> head, std::unique_ptr<ByteSource> rest);

// Bytes in memory, which must outlive the source.
std::unique_ptr<ByteSource> bytes_of(std::span<const char> bytes);

}  // namespace aaco
