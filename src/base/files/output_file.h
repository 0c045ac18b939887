// SPDX-License-Identifier: MIT
// A file written in pieces that appears whole or not at all, plain or as gzip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "base/unfinished_path.h"

struct z_stream_s;

namespace aaco {

// Pieces go to a temporary file beside the target, which finish() renames; without it nothing is left, and the target
// keeps its old content. What is there and is no regular file (a pipe, /dev/stdout) is written to directly.
class OutputFile {
 public:
  enum class Form : uint8_t { kPlain, kGzip };

  // Errors: as of file_error.
  static Result<std::unique_ptr<OutputFile>> create(const std::filesystem::path& path, Form form = Form::kPlain);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // An error is kept for finish(); what is appended behind it goes nowhere.
  void append(std::string_view bytes) {
    if (bytes.size() > kBufferBytes - used_) {
      append_long(bytes);
    } else if (!bytes.empty()) {
      std::memcpy(buffer_.get() + used_, bytes.data(), bytes.size());
      used_ += bytes.size();
    }
  }
  // Room for `most` bytes, at most kBufferBytes; advance() says how many were put there.
  char* room(size_t most) {
    if (kBufferBytes - used_ < most) {
      flush();
    }
    return buffer_.get() + used_;
  }
  void advance(size_t bytes) { used_ += bytes; }

  bool failed() const { return error_ != 0; }

  // Everything on the disk under its name; the number of bytes there.
  Result<uint64_t> finish();

  static constexpr size_t kBufferBytes = size_t{1} << 20;

 private:
  struct EndDeflate {
    void operator()(z_stream_s* stream) const;
  };

  OutputFile(std::filesystem::path path, std::filesystem::path written, int fd);
  void append_long(std::string_view bytes);
  void flush() { flush(false); }
  void flush(bool last);
  void compress(bool last);
  void write(std::string_view bytes);

  std::filesystem::path path_;
  std::filesystem::path written_;  // the temporary file, or path_ itself
  UnfinishedPath unfinished_;      // the temporary file
  int fd_;
  int error_ = 0;  // of errno
  std::unique_ptr<char[]> buffer_;
  size_t used_ = 0;
  uint64_t bytes_ = 0;  // on disk
  std::unique_ptr<z_stream_s, EndDeflate> deflate_;
  std::unique_ptr<char[]> compressed_;
};

}  // namespace aaco
