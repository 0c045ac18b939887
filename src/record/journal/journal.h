// SPDX-License-Identifier: MIT
// The append-only journal that rows go to while a run measures. Rows of a fixed size are stored into a mapped file,
// each with its own CRC-32C: a `kill -9` at any moment loses nothing that was stored, and a reader stops at the first
// row whose checksum does not hold. Space is allocated ahead (1 MiB at a time, of long journals in a thread of their
// own), so that a full disk is an error here and never a signal. It does not promise to survive a power cut: nothing is
// synced while a run measures.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nmmintrin.h>
#include <type_traits>
#include <vector>

#include "base/json/json_value.h"
#include "base/result.h"

namespace aaco {

class PieceAhead;

// The file: a header page (magic "AACOJRN1", row size, length and CRC of the JSON description, then that text), then
// the rows, each followed by its seal. One writer, one thread; a file that is there is overwritten.
class JournalWriter {
 public:
  // `row_bytes`: the payload of a row, a multiple of 8, at most 512. `description`: what the rows are, free form, under
  // 4 KiB as text. Errors: kUsage or kResource naming the file.
  static Result<JournalWriter> create(const std::filesystem::path& path, size_t row_bytes, const Json& description);
  JournalWriter(JournalWriter&& other) noexcept;
  JournalWriter& operator=(JournalWriter&& other) noexcept;
  ~JournalWriter();

  // Stores one row. A few nanoseconds; the call that crosses into the next 1 MiB waits where that is not
  // mapped yet. False when the disk is full
  // (`error()` then says so) and on every later call.
  template <class Row>
  bool append(const Row& row) {
    static_assert(std::is_trivially_copyable_v<Row> && sizeof(Row) % 8 == 0);
    assert(sizeof(Row) == row_bytes_);
    if (static_cast<size_t>(end_ - next_) < sizeof(Row) + 8 && !grow()) [[unlikely]] {
      return false;
    }
    uint64_t crc = kSeed;
    std::array<uint64_t, sizeof(Row) / 8> words;
    std::memcpy(words.data(), &row, sizeof(Row));
    for (const uint64_t word : words) {
      crc = _mm_crc32_u64(crc, word);
    }
    std::memcpy(next_, words.data(), sizeof(Row));
    // Never zero, so that a row of zeros differs from space not yet written.
    const uint64_t seal = crc | (uint64_t{1} << 63);
    std::memcpy(next_ + sizeof(Row), &seal, 8);
    next_ += sizeof(Row) + 8;
    return true;
  }

  const Error& error() const { return error_; }
  // Cuts the file to what was written; the error of a failed append, if there was one. The destructor does the same.
  Result<void> close();

  static constexpr uint64_t kSeed = 0xAAC0;

 private:
  JournalWriter() = default;
  bool grow();
  bool fail(int error_number);
  void release();

  std::filesystem::path path_;
  int fd_ = -1;
  size_t row_bytes_ = 0;
  uint64_t mapped_offset_ = 0;  // of the mapped piece in the file
  char* map_ = nullptr;
  char* next_ = nullptr;
  char* end_ = nullptr;
  std::unique_ptr<PieceAhead> ahead_;
  bool failed_ = false;
  Error error_;
};

struct JournalContent {
  JsonValue description;
  size_t row_bytes = 0;
  uint64_t row_count = 0;
  bool torn = false;       // bytes after the last whole row that are neither zero nor a row
  std::vector<char> rows;  // row_count * row_bytes

  // Row `index`; `Row` is the type that was appended.
  template <class Row>
  Row row(uint64_t index) const {
    assert(sizeof(Row) == row_bytes && index < row_count);
    Row result;
    std::memcpy(&result, rows.data() + index * row_bytes, sizeof(Row));
    return result;
  }
};

// Reads a journal from front to back, as far as it is whole; may go on while the writer is at work.
class JournalReader {
 public:
  // Errors: kUsage when it is no journal or its header is damaged.
  static Result<JournalReader> open(const std::filesystem::path& path);
  JournalReader(JournalReader&& other) noexcept;
  JournalReader& operator=(JournalReader&& other) noexcept;
  ~JournalReader();

  const JsonValue& description() const { return description_; }
  size_t row_bytes() const { return row_bytes_; }
  // Appends some of the next rows to `rows`, without their seals, and says how many. 0: there are no more, or not yet.
  Result<size_t> read(std::vector<char>& rows);
  // Bytes behind the last whole row that was read are neither zero nor a row.
  Result<bool> torn();

 private:
  JournalReader() = default;
  Result<void> read_header();
  Result<size_t> read_at(uint64_t offset, char* buffer, size_t wanted) const;

  std::filesystem::path path_;
  int fd_ = -1;
  JsonValue description_;
  size_t row_bytes_ = 0;
  uint64_t offset_ = 0;  // of the next row
  std::vector<char> block_;
};

// May be called while the writer is at work. Errors: kUsage when it is no journal or its header is damaged. A torn tail
// is not an error.
Result<JournalContent> read_journal(const std::filesystem::path& path);

}  // namespace aaco
