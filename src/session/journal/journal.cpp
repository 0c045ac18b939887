// SPDX-License-Identifier: MIT
#include "session/journal/journal.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/file.h"
#include "base/json.h"

namespace aaco {

namespace {

constexpr size_t kPage = 4096;
constexpr size_t kPiece = size_t{1} << 20;
constexpr size_t kSealBytes = 8;
constexpr size_t kMaxRowBytes = 256;

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

// An open file that is read from front to back; a file that shrinks meanwhile just ends.
class Source {
 public:
  explicit Source(const std::filesystem::path& path)
      : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)), open_error_(fd_ < 0 ? errno : 0) {}
  ~Source() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  // Fills `buffer` from `offset`; less only at the end of the file.
  Result<size_t> read(uint64_t offset, char* buffer, size_t wanted) const {
    if (fd_ < 0) {
      return file_error(path_, "open", open_error_);
    }
    size_t got = 0;
    while (got < wanted) {
      const ssize_t one = ::pread(fd_, buffer + got, wanted - got, static_cast<off_t>(offset + got));
      if (one < 0 && errno == EINTR) {
        continue;
      }
      if (one < 0) {
        return file_error(path_, "read", errno);
      }
      if (one == 0) {
        break;
      }
      got += static_cast<size_t>(one);
    }
    return got;
  }

 private:
  std::filesystem::path path_;
  int fd_;
  int open_error_;
};

int allocate(int fd, uint64_t offset, size_t bytes) {
  int failed = EINTR;
  while (failed == EINTR) {
    failed = ::posix_fallocate(fd, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  }
  return failed;
}

Result<JournalContent> read_header(const Source& source, const std::filesystem::path& path) {
  std::vector<char> page(kPage);
  AACO_ASSIGN(const size_t got, source.read(0, page.data(), page.size()));
  Header header{};
  if (got < sizeof(Header)) {
    return not_a_journal(path, "too short for a journal");
  }
  std::memcpy(&header, page.data(), sizeof(Header));
  const char* text = page.data() + sizeof(Header);
  if (header.magic != kMagic) {
    return not_a_journal(path, "not a journal");
  }
  if (header.text_bytes > got - sizeof(Header) || header.row_bytes == 0 || header.row_bytes > kMaxRowBytes ||
      header.row_bytes % 8 != 0 || header.seal != header_seal(header, text)) {
    return not_a_journal(path, "the journal's header is damaged");
  }
  JournalContent content;
  content.row_bytes = header.row_bytes;
  AACO_ASSIGN(content.description, parse_json(std::string_view(text, header.text_bytes), path.string()));
  return content;
}

// Whether anything but allocated space follows `offset`. A writer allocates at most a piece ahead, so more is not its
// own.
Result<bool> has_more_than_zeros(const Source& source, uint64_t offset, std::vector<char>& buffer) {
  for (uint64_t seen = 0; seen <= kPiece + kPage;) {
    AACO_ASSIGN(const size_t got, source.read(offset + seen, buffer.data(), buffer.size()));
    const auto end = buffer.begin() + static_cast<std::ptrdiff_t>(got);
    if (std::any_of(buffer.begin(), end, [](char byte) { return byte != 0; })) {
      return true;
    }
    if (got < buffer.size()) {
      return false;
    }
    seen += got;
  }
  return true;
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

// Maps the next piece: a page that holds the end of what was written, and a MiB from there.
bool JournalWriter::grow() {
  if (failed_ || fd_ < 0) {
    return false;
  }
  const uint64_t written = mapped_offset_ + static_cast<uint64_t>(next_ - map_);
  const uint64_t offset = written / kPage * kPage;
  if (const int failed = allocate(fd_, offset, kPiece); failed != 0) {
    return fail(failed);
  }
  void* map = ::mmap(nullptr, kPiece, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, static_cast<off_t>(offset));
  if (map == MAP_FAILED) {
    return fail(errno);
  }
  // Page faults are taken here and not in append(); where the file system promised space that it does not have, this
  // says so (EFAULT) and a store would have been SIGBUS. Kernels before 5.14 do not know the advice, which is no error.
  if (::madvise(map, kPiece, MADV_POPULATE_WRITE) != 0 && errno != EINVAL) {
    const int failed = errno == EFAULT ? ENOSPC : errno;
    ::munmap(map, kPiece);
    return fail(failed);
  }
  if (map_ != nullptr) {
    ::munmap(map_, kPiece);
  }
  map_ = static_cast<char*>(map);
  mapped_offset_ = offset;
  next_ = map_ + (written - offset);
  end_ = map_ + kPiece;
  return true;
}

Result<void> JournalWriter::close() {
  if (fd_ >= 0) {
    const uint64_t written = mapped_offset_ + static_cast<uint64_t>(next_ - map_);
    if (map_ != nullptr) {
      ::munmap(map_, kPiece);
    }
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

Result<JournalContent> read_journal(const std::filesystem::path& path) {
  const Source source(path);
  AACO_ASSIGN(JournalContent content, read_header(source, path));
  const size_t stride = content.row_bytes + kSealBytes;
  std::vector<char> block(stride * 4096);
  uint64_t offset = kPage;
  for (;;) {
    AACO_ASSIGN(const size_t got, source.read(offset, block.data(), block.size()));
    size_t used = 0;
    for (; used + stride <= got && row_is_whole(block.data() + used, content.row_bytes); used += stride) {
      content.rows.insert(content.rows.end(), block.data() + used, block.data() + used + content.row_bytes);
      ++content.row_count;
    }
    offset += used;
    if (used < block.size()) {
      break;
    }
  }
  AACO_ASSIGN(content.torn, has_more_than_zeros(source, offset, block));
  return content;
}

}  // namespace aaco
