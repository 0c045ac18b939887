// SPDX-License-Identifier: MIT
#include "ingest/table/csv_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace aaco {

namespace {

constexpr size_t kMostCells = size_t{1} << 16;  // of a row
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

CsvReader::CsvReader(ByteSource& source, std::string name, LossTable& losses, size_t window_bytes)
    : window_(source, window_bytes, kLongestRow), name_(std::move(name)), losses_(losses), at_(window_.begin()) {}

std::string CsvReader::place() const { return fmt::format("{}: line {}", name_, row_line_); }

// From the opening quote to behind the closing one.
CsvReader::Scan CsvReader::scan_quoted(std::vector<Cell>& cells, const char*& at) {
  const char* const first = ++at;
  std::string* unescaped = nullptr;  // where quotes are doubled
  const char* from = first;
  for (;; ++at) {
    at = std::find(at, window_.end(), '"');
    if (at == window_.end() || (at + 1 == window_.end() && !at_end_)) {
      return Scan::kNeedsMore;
    }
    if (at + 1 == window_.end() || at[1] != '"') {
      break;
    }
    unescaped = unescaped != nullptr ? unescaped : &unescaped_.emplace_back();
    unescaped->append(from, ++at);
    from = at + 1;
  }
  if (unescaped != nullptr) {
    unescaped->append(from, at);
  }
  lines_scanned_ += static_cast<uint64_t>(std::count(first, at, '\n'));
  cells.push_back(cell_of(unescaped != nullptr ? std::string_view(*unescaped) : std::string_view(first, at), true));
  ++at;
  return Scan::kRow;
}

// One row from at_, which it moves behind the line's end; where it needs more, nothing has moved.
CsvReader::Scan CsvReader::scan(std::vector<Cell>& cells) {
  cells.clear();
  unescaped_.clear();
  lines_scanned_ = 0;
  bool malformed = false;
  const char* at = at_;
  for (;;) {
    if (cells.size() == kMostCells) {
      malformed = true;
      cells.clear();
    }
    if (at < window_.end() && *at == '"') {
      if (scan_quoted(cells, at) == Scan::kNeedsMore) {
        return Scan::kNeedsMore;
      }
    } else {
      const char* const first = at;
      at = std::find_if(at, window_.end(), [](char c) { return c == ',' || c == '\n'; });
      const bool carriage_return = at > first && at[-1] == '\r' && (at == window_.end() || *at == '\n');
      cells.push_back(cell_of({first, at - (carriage_return ? 1 : 0)}, false));
    }
    at += at + 1 < window_.end() && at[0] == '\r' && at[1] == '\n' ? 1 : 0;  // behind a quote
    if (at == window_.end() || (at + 1 == window_.end() && *at == '\r')) {
      if (!at_end_) {
        return Scan::kNeedsMore;
      }
      at_ = window_.end();
      return malformed ? Scan::kMalformed : Scan::kRow;  // without a line end
    }
    if (*at == '\n') {
      ++lines_scanned_;
      at_ = at + 1;
      return malformed ? Scan::kMalformed : Scan::kRow;
    }
    if (*at != ',') {  // behind a closing quote
      malformed = true;
      at = std::find_if(at, window_.end(), [](char c) { return c == ',' || c == '\n'; });
      if (at == window_.end() || *at == '\n') {
        continue;
      }
    }
    ++at;
  }
}

Result<bool> CsvReader::next(std::vector<Cell>& cells) {
  for (;;) {
    if (!began_ && (window_.end() - window_.begin() >= static_cast<ptrdiff_t>(kByteOrderMark.size()) || at_end_)) {
      began_ = true;
      at_ += std::string_view(at_, window_.end()).starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    }
    if (at_ == window_.end() && at_end_) {
      return false;
    }
    row_line_ = line_;
    const char* const first = at_;
    const bool had_text = first != window_.end();
    const Scan scanned = began_ && had_text ? scan(cells) : Scan::kNeedsMore;
    if (scanned == Scan::kNeedsMore) {
      if (at_end_) {  // within quotes
        losses_.add(Loss::kTruncated, [&] { return place(); });
        at_ = window_.end();
        return false;
      }
      at_end_ = !window_.refill(at_);
      at_ = window_.begin();
      if (window_.too_long()) {
        return Error{ErrorKind::kUsage, fmt::format("{}: a row of more than {} bytes", place(), kLongestRow),
                     "the file is no table of comma-separated values, or damaged"};
      }
      if (at_end_ && window_.error()) {
        losses_.add(Loss::kTruncated, [&] { return window_.error()->message; });
      }
      continue;
    }
    line_ += lines_scanned_;
    if (scanned == Scan::kMalformed) {
      losses_.add(Loss::kMalformedEvent, [&] { return place(); });
      continue;
    }
    if (cells.size() == 1 && cells[0].type == Cell::Type::kNull) {
      continue;
    }
    row_ = {first, at_};
    row_ended_ = at_[-1] == '\n';
    if (!row_ended_) {
      losses_.add(Loss::kUnendedLine, [&] { return place(); });
    }
    return true;
  }
}

}  // namespace aaco
