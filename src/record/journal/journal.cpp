// SPDX-License-Identifier: MIT
#include "record/journal/journal.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "base/files/file.h"
#include "base/json/json.h"
#include "record/journal/mapped_piece.h"

namespace aaco {

namespace {

constexpr size_t kPage = 4096;
constexpr size_t kPiece = MappedPiece::kBytes;
constexpr size_t kSealBytes = 8;
constexpr size_t kMaxRowBytes = 512;
constexpr size_t kRowsEach = 4096;  // that are read at once

struct Header {
  std::array<char, 8> magic;
  uint32_t row_bytes;
  uint32_t text_bytes;
  uint64_t seal;  // over row_bytes, text_bytes and the text
};
constexpr std::array<char, 8> kMagic{'A', 'A', 'C', 'O', 'J', 'R', 'N', '1'};
constexpr size_t kMaxText = kPage - sizeof(Header);

uint64_t crc_of(uint64_t crc, const char* bytes, size_t count) {
  for (; count >= 8; bytes += 8, count -= 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes, 8);
    crc = _mm_crc32_u64(crc, word);
  }
  auto crc32 = static_cast<uint32_t>(crc);
  for (; count > 0; ++bytes, --count) {
    crc32 = _mm_crc32_u8(crc32, static_cast<unsigned char>(*bytes));
  }
  return crc32;
}

uint64_t header_seal(const Header& header, const char* text) {
  uint64_t crc = _mm_crc32_u64(JournalWriter::kSeed, header.row_bytes);
  crc = _mm_crc32_u64(crc, header.text_bytes);
  return crc_of(crc, text, header.text_bytes);
}

bool row_is_whole(const char* row, size_t row_bytes) {
  uint64_t seal = 0;
  std::memcpy(&seal, row + row_bytes, kSealBytes);
  return seal == (crc_of(JournalWriter::kSeed, row, row_bytes) | (uint64_t{1} << 63));
}

Error not_a_journal(const std::filesystem::path& path, std::string_view why) {
  return {ErrorKind::kUsage, fmt::format("{}: {}", path.string(), why), "the file is damaged, or no journal of aaco"};
}

}  // namespace

Result<JournalWriter> JournalWriter::create(const std::filesystem::path& path, size_t row_bytes,
                                            const Json& description) {
  const std::string text = description.dump();
  if (row_bytes == 0 || row_bytes % 8 != 0 || row_bytes > kMaxRowBytes || text.size() > kMaxText) {
    return Error{ErrorKind::kBug,
                 fmt::format("{}: a journal cannot hold rows of {} bytes with a description of {}", path.string(),
                             row_bytes, text.size()),
                 ""};
  }
  JournalWriter writer;
  writer.path_ = path;
  writer.row_bytes_ = row_bytes;
  writer.fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (writer.fd_ < 0) {
    return file_error(path, "create", errno);
  }
  if (!writer.grow()) {
    ::unlink(path.c_str());
    return writer.error_;
  }
  Header header{kMagic, static_cast<uint32_t>(row_bytes), static_cast<uint32_t>(text.size()), 0};
  header.seal = header_seal(header, text.data());
  std::memcpy(writer.next_, &header, sizeof(header));
  std::memcpy(writer.next_ + sizeof(header), text.data(), text.size());
  writer.next_ += kPage;
  return writer;
}

JournalWriter::JournalWriter(JournalWriter&& other) noexcept { *this = std::move(other); }

JournalWriter& JournalWriter::operator=(JournalWriter&& other) noexcept {
  if (this != &other) {
    release();
    path_ = std::move(other.path_);
    fd_ = std::exchange(other.fd_, -1);
    row_bytes_ = std::exchange(other.row_bytes_, 0);
    mapped_offset_ = std::exchange(other.mapped_offset_, 0);
    map_ = std::exchange(other.map_, nullptr);
    next_ = std::exchange(other.next_, nullptr);
    end_ = std::exchange(other.end_, nullptr);
    ahead_ = std::move(other.ahead_);
    failed_ = std::exchange(other.failed_, false);
    error_ = std::move(other.error_);
  }
  return *this;
}

JournalWriter::~JournalWriter() { release(); }

bool JournalWriter::fail(int error_number) {
  failed_ = true;
  error_ = file_error(path_, "write", error_number);
  return false;
}

// The next piece begins with the last page of the one before, since a row may lie across its end. From the second piece
// on, which few journals need, the next one is mapped ahead.
bool JournalWriter::grow() {
  if (failed_ || fd_ < 0) {
    return false;
  }
  const uint64_t offset = map_ == nullptr ? 0 : mapped_offset_ + kPiece - kPage;
  MappedPiece piece = ahead_ ? ahead_->take() : map_piece(fd_, offset);
  if (piece.failed != 0 && ahead_) {
    piece = map_piece(fd_, offset);  // there may be space by now
  }
  if (piece.failed != 0) {
    return fail(piece.failed);
  }
  next_ = piece.map + (map_ == nullptr ? 0 : next_ - (end_ - kPage));
  char* const full = std::exchange(map_, piece.map);
  mapped_offset_ = offset;
  end_ = map_ + kPiece;
  if (full != nullptr && !ahead_) {
    ahead_ = PieceAhead::start(fd_);
  }
  if (ahead_) {
    ahead_->prepare(offset + kPiece - kPage, full);
  } else {
    unmap_piece(full);
  }
  return true;
}

Result<void> JournalWriter::close() {
  if (fd_ >= 0) {
    const uint64_t written = mapped_offset_ + static_cast<uint64_t>(next_ - map_);
    ahead_.reset();
    unmap_piece(map_);
    map_ = next_ = end_ = nullptr;
    mapped_offset_ = 0;
    if (::ftruncate(fd_, static_cast<off_t>(written)) != 0 && !failed_) {
      fail(errno);
    }
    ::close(std::exchange(fd_, -1));
  }
  return failed_ ? Result<void>(error_) : Result<void>();
}

void JournalWriter::release() {
  if (auto closed = close(); !closed) {
    // The error stays in error_; nobody is left to read it where the writer itself goes away.
    failed_ = true;
  }
}

JournalReader::JournalReader(JournalReader&& other) noexcept { *this = std::move(other); }

JournalReader& JournalReader::operator=(JournalReader&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) {
      ::close(fd_);
    }
    path_ = std::move(other.path_);
    fd_ = std::exchange(other.fd_, -1);
    description_ = std::move(other.description_);
    row_bytes_ = other.row_bytes_;
    offset_ = other.offset_;
    block_ = std::move(other.block_);
  }
  return *this;
}

JournalReader::~JournalReader() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

Result<JournalReader> JournalReader::open(const std::filesystem::path& path) {
  JournalReader reader;
  reader.path_ = path;
  reader.fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (reader.fd_ < 0) {
    return file_error(path, "open", errno);
  }
  AACO_TRY(reader.read_header());
  reader.block_.resize((reader.row_bytes_ + kSealBytes) * kRowsEach);
  reader.offset_ = kPage;
  return reader;
}

// Fills `buffer` from `offset`; less only at the end of the file, which may shrink meanwhile.
Result<size_t> JournalReader::read_at(uint64_t offset, char* buffer, size_t wanted) const {
  size_t got = 0;
  while (got < wanted) {
    const ssize_t count = ::pread(fd_, buffer + got, wanted - got, static_cast<off_t>(offset + got));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return file_error(path_, "read", errno);
    }
    if (count == 0) {
      break;
    }
    got += static_cast<size_t>(count);
  }
  return got;
}

Result<void> JournalReader::read_header() {
  std::vector<char> page(kPage);
  AACO_ASSIGN(const size_t got, read_at(0, page.data(), page.size()));
  Header header{};
  if (got < sizeof(Header)) {
    return not_a_journal(path_, "too short for a journal");
  }
  std::memcpy(&header, page.data(), sizeof(Header));
  const char* text = page.data() + sizeof(Header);
  if (header.magic != kMagic) {
    return not_a_journal(path_, "not a journal");
  }
  if (header.text_bytes > got - sizeof(Header) || header.row_bytes == 0 || header.row_bytes > kMaxRowBytes ||
      header.row_bytes % 8 != 0 || header.seal != header_seal(header, text)) {
    return not_a_journal(path_, "the journal's header is damaged");
  }
  row_bytes_ = header.row_bytes;
  AACO_ASSIGN(description_, parse_json(std::string_view(text, header.text_bytes), path_.string()));
  return {};
}

Result<size_t> JournalReader::read(std::vector<char>& rows) {
  const size_t stride = row_bytes_ + kSealBytes;
  AACO_ASSIGN(const size_t got, read_at(offset_, block_.data(), block_.size()));
  size_t used = 0;
  for (; used + stride <= got && row_is_whole(block_.data() + used, row_bytes_); used += stride) {
    rows.insert(rows.end(), block_.data() + used, block_.data() + used + row_bytes_);
  }
  offset_ += used;
  return used / stride;
}

// A writer allocates at most two pieces ahead, the one that it fills and the next; more than that is not its own.
Result<bool> JournalReader::torn() {
  for (uint64_t seen = 0; seen <= 2 * kPiece + kPage;) {
    AACO_ASSIGN(const size_t got, read_at(offset_ + seen, block_.data(), block_.size()));
    const auto end = block_.begin() + static_cast<std::ptrdiff_t>(got);
    if (std::any_of(block_.begin(), end, [](char byte) { return byte != 0; })) {
      return true;
    }
    if (got < block_.size()) {
      return false;
    }
    seen += got;
  }
  return true;
}

Result<JournalContent> read_journal(const std::filesystem::path& path) {
  AACO_ASSIGN(JournalReader reader, JournalReader::open(path));
  JournalContent content;
  content.description = reader.description();
  content.row_bytes = reader.row_bytes();
  for (size_t count = 1; count > 0; content.row_count += count) {
    AACO_ASSIGN(count, reader.read(content.rows));
  }
  AACO_ASSIGN(content.torn, reader.torn());
  return content;
}

}  // namespace aaco
