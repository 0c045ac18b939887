// SPDX-License-Identifier: MIT
#include "export/xlsx/zip_archive.h"

#include <array>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <utility>
#include <zlib.h>

namespace aaco {

namespace {

constexpr uint64_t kMostBytes = std::numeric_limits<uint32_t>::max();
constexpr size_t kMostEntries = std::numeric_limits<uint16_t>::max();
constexpr uint32_t kLocalHeader = 0x04034B50;
constexpr uint32_t kCentralHeader = 0x02014B50;
constexpr uint32_t kEndOfDirectory = 0x06054B50;
constexpr uint16_t kVersion = 20;   // 2.0: deflate
constexpr uint16_t kDeflated = 8;   // method
constexpr uint16_t kNoDate = 0x21;  // 1980-01-01, the earliest there is
constexpr size_t kPieceBytes = size_t{1} << 30;

void put16(uint64_t value, std::string& bytes) {
  bytes += static_cast<char>(value & 0xFF);
  bytes += static_cast<char>(value >> 8 & 0xFF);
}

void put32(uint64_t value, std::string& bytes) {
  put16(value & 0xFFFF, bytes);
  put16(value >> 16, bytes);
}

}  // namespace

ZipArchive::~ZipArchive() = default;

void ZipArchive::EndDeflate::operator()(z_stream_s* stream) const {
  ::deflateEnd(stream);
  delete stream;  // NOLINT(cppcoreguidelines-owning-memory)
}

void ZipArchive::put(std::string_view bytes) {
  file_.append(bytes);
  written_ += bytes.size();
}

void ZipArchive::begin(std::string name) {
  entries_.push_back({.name = std::move(name), .offset = written_});
  packed_.clear();
  stream_.reset(new z_stream_s{});
  // Without zlib's own header: 15 bits of window, negative.
  ::deflateInit2(stream_.get(), Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
}

void ZipArchive::deflate_bytes(std::string_view bytes, int flush) {
  std::array<char, size_t{1} << 16> buffer;
  stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // NOLINT: zlib does not write there
  stream_->avail_in = static_cast<uInt>(bytes.size());
  do {
    stream_->next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_->avail_out = static_cast<uInt>(buffer.size());
    ::deflate(stream_.get(), flush);
    packed_.append(buffer.data(), buffer.size() - stream_->avail_out);
  } while (stream_->avail_out == 0);
}

void ZipArchive::append(std::string_view bytes) {
  Entry& entry = entries_.back();
  entry.bytes += bytes.size();
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kPieceBytes))) {
    const std::string_view piece = bytes.substr(0, kPieceBytes);
    entry.crc = static_cast<uint32_t>(
        ::crc32(entry.crc, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(piece.size())));
    deflate_bytes(piece, Z_NO_FLUSH);
  }
}

// What local and central header have in common.
std::string ZipArchive::fields_of(const Entry& entry) {
  std::string fields;
  put16(kVersion, fields);
  put16(0, fields);  // flags
  put16(kDeflated, fields);
  put16(0, fields);  // time
  put16(kNoDate, fields);
  put32(entry.crc, fields);
  put32(entry.packed_bytes, fields);
  put32(entry.bytes, fields);
  put16(entry.name.size(), fields);
  put16(0, fields);  // extra field
  return fields;
}

Result<void> ZipArchive::end() {
  Entry& entry = entries_.back();
  deflate_bytes("", Z_FINISH);
  entry.packed_bytes = packed_.size();
  if (entry.bytes > kMostBytes || written_ + entry.packed_bytes > kMostBytes || entries_.size() > kMostEntries) {
    return Error{ErrorKind::kResource, fmt::format("{}: larger than a ZIP archive holds (4 GiB)", entry.name),
                 "export a part of the trace, or --format parquet"};
  }
  std::string header;
  put32(kLocalHeader, header);
  put(header + fields_of(entry) + entry.name);
  put(packed_);
  packed_.clear();
  return {};
}

void ZipArchive::add(std::string name, std::string_view bytes) {
  begin(std::move(name));
  append(bytes);
  static_cast<void>(end());  // too short to fail; an archive that is too large fails at its next sheet or its directory
}

Result<void> ZipArchive::finish() {
  const uint64_t start = written_;
  std::string directory;
  for (const Entry& entry : entries_) {
    put32(kCentralHeader, directory);
    put16(kVersion, directory);  // made by
    directory += fields_of(entry);
    put16(0, directory);  // comment
    put16(0, directory);  // disk
    put16(0, directory);  // internal attributes
    put32(0, directory);  // external ones
    put32(entry.offset, directory);
    directory += entry.name;
  }
  if (start + directory.size() > kMostBytes) {
    return Error{ErrorKind::kResource, "larger than a ZIP archive holds (4 GiB)", "--format parquet holds any size"};
  }
  const size_t bytes = directory.size();
  put32(kEndOfDirectory, directory);
  put32(0, directory);  // disks
  put16(entries_.size(), directory);
  put16(entries_.size(), directory);
  put32(bytes, directory);
  put32(start, directory);
  put16(0, directory);  // comment
  put(directory);
  return {};
}

}  // namespace aaco
