// SPDX-License-Identifier: MIT
// A ZIP archive (PKWARE's APPNOTE.TXT 6.3.3, without ZIP64), one entry after the other. Entries carry no time, so that
// the same content is the same file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/output_file.h"
#include "base/result.h"

struct z_stream_s;

namespace aaco {

class ZipArchive {
 public:
  // `file` has to outlive it, and is the caller's to finish.
  explicit ZipArchive(OutputFile& file) : file_(file) {}
  ~ZipArchive();
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;

  // An entry's name is ASCII; its compressed bytes are kept in memory until it ends.
  void begin(std::string name);
  void append(std::string_view bytes);
  // Errors: kResource for an entry or an archive beyond 4 GiB, which has no place in its fields.
  Result<void> end();
  void add(std::string name, std::string_view bytes);  // a short entry whole
  Result<void> finish();                               // the directory

 private:
  struct Entry {
    std::string name;
    uint32_t crc = 0;
    uint64_t packed_bytes = 0;
    uint64_t bytes = 0;
    uint64_t offset = 0;
  };
  struct EndDeflate {
    void operator()(z_stream_s* stream) const;
  };

  void deflate_bytes(std::string_view bytes, int flush);
  void put(std::string_view bytes);
  static std::string fields_of(const Entry& entry);

  OutputFile& file_;
  uint64_t written_ = 0;
  std::vector<Entry> entries_;
  std::string packed_;
  std::unique_ptr<z_stream_s, EndDeflate> stream_;
};

}  // namespace aaco
