// SPDX-License-Identifier: MIT
// The rows of leaf pages, as ids and records: whole runs of pages are read at a time, rows that go on in overflow pages
// are put together.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ingest/sqlite/database/page_file.h"

namespace aaco {

// What all readers of a file may do together: a damaged tree can name its pages as often as it likes.
struct ReadBudget {
  std::atomic<int64_t> rows;            // of all tables, each read as often as it is needed
  std::atomic<int64_t> overflow_bytes;  // likewise
};

class LeafRows {
 public:
  // In this order; all outlive it.
  LeafRows(const PageFile& file, std::span<const uint32_t> pages, ReadBudget& budget);

  // False at the end, and at damage.
  bool next();
  int64_t id() const { return id_; }
  // kPagePadding bytes more can be loaded. Valid until the next call.
  std::span<const uint8_t> record() const { return record_; }
  const std::string& damage() const { return damage_; }  // empty: none

 private:
  bool next_page();
  bool read_run();
  bool read_overflow(std::span<const uint8_t> start, uint64_t bytes, uint32_t page);
  bool damaged(std::string what);

  const PageFile& file_;
  std::span<const uint32_t> pages_;  // behind the one at hand
  ReadBudget& budget_;
  std::vector<uint8_t> run_;  // consecutive pages
  uint32_t run_first_ = 0;
  size_t run_pages_ = 0;
  std::span<const uint8_t> page_;  // its usable bytes
  PageHead head_;
  size_t cell_ = 0;
  int64_t id_ = 0;
  std::span<const uint8_t> record_;
  std::vector<uint8_t> whole_;  // of a record that has overflow pages
  std::string damage_;
};

}  // namespace aaco
