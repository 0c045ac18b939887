// SPDX-License-Identifier: MIT
#include "ingest/bytes/byte_source.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <isa-l/igzip_lib.h>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "base/process/limit_error.h"
#include "ingest/bytes/utf16_bytes.h"
#include "ingest/bytes/zstd_bytes.h"

namespace aaco {

namespace {

class FileBytes : public ByteSource {
 public:
  FileBytes(int file, std::filesystem::path path) : file_(file), path_(std::move(path)) {}
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  ~FileBytes() override { close(file_); }

  Result<size_t> read(std::span<char> into) override {
    size_t done = 0;
    while (done < into.size()) {
      const ssize_t got = ::read(file_, into.data() + done, into.size() - done);
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got < 0) {
        return file_error(path_, "read", errno);
      }
      if (got == 0) {
        break;
      }
      done += static_cast<size_t>(got);
    }
    return done;
  }

 private:
  int file_;
  std::filesystem::path path_;
};

class MemoryBytes : public ByteSource {
 public:
  explicit MemoryBytes(std::span<const char> bytes) : bytes_(bytes) {}

  Result<size_t> read(std::span<char> into) override {
    const size_t count = std::min(into.size(), bytes_.size());
    if (count > 0) {
      std::memcpy(into.data(), bytes_.data(), count);
    }
    bytes_ = bytes_.subspan(count);
    return count;
  }

 private:
  std::span<const char> bytes_;
};

class HeadedBytes : public ByteSource {
 public:
  HeadedBytes(std::vector<char> head, std::unique_ptr<ByteSource> rest)
      : head_(std::move(head)), memory_(head_), rest_(std::move(rest)) {}

  Result<size_t> read(std::span<char> into) override {
    AACO_ASSIGN(const size_t first, memory_.read(into));
    if (first == into.size()) {
      return first;
    }
    Result<size_t> more = rest_->read(into.subspan(first));
    return more ? Result<size_t>(first + *more) : first > 0 ? Result<size_t>(first) : more;
  }

 private:
  std::vector<char> head_;
  MemoryBytes memory_;
  std::unique_ptr<ByteSource> rest_;
};

// Inflates into a ring of blocks, a few ahead of the reader.
class GzipBytes : public ByteSource {
 public:
  GzipBytes(std::unique_ptr<ByteSource> compressed, std::string name)
      : compressed_(std::move(compressed)), name_(std::move(name)), thread_([this] { inflate_all_or_say_why(); }) {}
  GzipBytes(const GzipBytes&) = delete;
  GzipBytes& operator=(const GzipBytes&) = delete;
  ~GzipBytes() override {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  Result<size_t> read(std::span<char> into) override {
    size_t done = 0;
    while (done < into.size()) {
      Block* block = wait_for_full();
      if (block == nullptr) {
        if (done == 0 && error_) {
          return *error_;
        }
        break;
      }
      const size_t count = std::min(into.size() - done, block->size - taken_);
      std::memcpy(into.data() + done, block->bytes.data() + taken_, count);
      done += count;
      taken_ += count;
      if (taken_ == block->size) {
        taken_ = 0;
        const std::lock_guard lock(mutex_);
        ++read_;
        changed_.notify_all();
      }
    }
    return done;
  }

 private:
  static constexpr size_t kBlocks = 4;
  static constexpr size_t kBlockBytes = size_t{1} << 20;
  static constexpr size_t kInputBytes = size_t{1} << 17;

  struct Block {
    std::vector<char> bytes = std::vector<char>(kBlockBytes);
    size_t size = 0;
  };

  Block* wait_for_full() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return written_ > read_ || ended_; });
    return written_ > read_ ? &ring_[read_ % kBlocks] : nullptr;
  }

  Block* wait_for_free() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return written_ - read_ < kBlocks || stop_; });
    return stop_ ? nullptr : &ring_[written_ % kBlocks];
  }

  void hand_over() {
    const std::lock_guard lock(mutex_);
    ++written_;
    changed_.notify_all();
  }

  void end(std::optional<Error> error) {
    const std::lock_guard lock(mutex_);
    error_ = std::move(error);
    ended_ = true;
    changed_.notify_all();
  }

  Error damaged(const char* what) const {
    return {ErrorKind::kUsage, fmt::format("{}: the gzip data {} after {} inflated bytes", name_, what, inflated_),
            "copy the file again; what came before was read"};
  }

  // An exception must not leave the thread.
  void inflate_all_or_say_why() {
    try {
      inflate_all();
    } catch (const std::bad_alloc&) {
      end(Error{ErrorKind::kResource, name_ + ": no memory to inflate", "free some memory"});
    }
  }

  void inflate_all() {
    const auto state = std::make_unique<inflate_state>();
    std::vector<char> input(kInputBytes);
    isal_inflate_init(state.get());
    end(run(*state, input));
  }

  std::optional<Error> run(inflate_state& state, std::vector<char>& input) {
    isal_gzip_header header{};
    bool member_open = false;
    bool in_header = false;
    bool input_ended = false;
    while (Block* block = wait_for_free()) {
      block->size = 0;
      while (block->size < kBlockBytes) {
        if (state.avail_in == 0 && !input_ended) {
          Result<size_t> got = compressed_->read(input);
          if (!got) {
            return flush(block, got.error());
          }
          input_ended = *got == 0;
          state.next_in = reinterpret_cast<uint8_t*>(input.data());
          state.avail_in = static_cast<uint32_t>(*got);
        }
        if (!member_open) {
          if (skip_padding(state)) {
            if (input_ended) {
              return flush(block, std::nullopt);
            }
            continue;
          }
          isal_inflate_reset(&state);
          state.crc_flag = ISAL_GZIP_NO_HDR_VER;
          isal_gzip_header_init(&header);
          member_open = true;
          in_header = true;
        }
        if (in_header) {  // kept here: isal_inflate() forgets the header's checksum where the input is cut
          const int code = isal_read_gzip_header(&state, &header);
          if (code != ISAL_DECOMP_OK && code != ISAL_END_INPUT) {
            return flush(block, damaged("is damaged"));
          }
          if (code == ISAL_END_INPUT && input_ended) {
            return flush(block, damaged("ends early"));
          }
          in_header = code == ISAL_END_INPUT;
          continue;
        }
        state.next_out = reinterpret_cast<uint8_t*>(block->bytes.data() + block->size);
        state.avail_out = static_cast<uint32_t>(kBlockBytes - block->size);
        const bool had_input = state.avail_in > 0;
        const int code = isal_inflate(&state);
        const size_t produced = kBlockBytes - block->size - state.avail_out;
        block->size += produced;
        inflated_ += produced;
        if (code < ISAL_DECOMP_OK) {
          return flush(block, damaged("is damaged"));
        }
        if (state.block_state == ISAL_BLOCK_FINISH) {
          member_open = false;  // another may follow
        } else if (produced == 0 && !had_input && input_ended) {
          return flush(block, damaged("ends early"));
        }
      }
      hand_over();
    }
    return std::nullopt;
  }

  // Zeros may follow a member, to fill a tape's block. Whether all of the input was such.
  static bool skip_padding(inflate_state& state) {
    while (state.avail_in > 0 && *state.next_in == 0) {
      ++state.next_in;
      --state.avail_in;
    }
    return state.avail_in == 0;
  }

  std::optional<Error> flush(const Block* block, std::optional<Error> error) {
    if (block->size > 0) {
      hand_over();
    }
    return error;
  }

  std::unique_ptr<ByteSource> compressed_;
  std::string name_;
  std::array<Block, kBlocks> ring_;
  size_t taken_ = 0;       // of the block being read
  uint64_t inflated_ = 0;  // the thread's

  std::mutex mutex_;
  std::condition_variable changed_;
  size_t written_ = 0;  // blocks, all time
  size_t read_ = 0;
  bool ended_ = false;
  bool stop_ = false;
  std::optional<Error> error_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_bytes(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe without a writer does not block
  if (file < 0) {
    return file_error(path, "open", errno);
  }
  auto bytes = std::make_unique<FileBytes>(file, path);
  struct stat status{};
  if (fstat(file, &status) != 0) {
    return file_error(path, "open", errno);
  }
  if (!S_ISREG(status.st_mode)) {
    return Error{ErrorKind::kUsage, path.string() + " is no regular file", "name a file; write a pipe to one first"};
  }
  std::array<unsigned char, 4> magic{};
  const ssize_t known = pread(file, magic.data(), magic.size(), 0);
  if (known == static_cast<ssize_t>(magic.size()) && is_zstd(magic)) {
    return zstd_bytes(std::move(bytes), path.string());
  }
  if (known >= 2 && magic[0] == 0x1F && magic[1] == 0x8B) {
    try {
      return std::unique_ptr<ByteSource>(std::make_unique<GzipBytes>(std::move(bytes), path.string()));
    } catch (const std::system_error& error) {
      return Error{ErrorKind::kResource,
                   fmt::format("{}: {}", path.string(),
                               limit_error("start a thread to inflate it", error.code().value()).message),
                   "free some memory, or inflate the file first"};
    }
  }
  return std::unique_ptr<ByteSource>(std::move(bytes));
}

Result<std::unique_ptr<ByteSource>> open_text(const std::filesystem::path& path) {
  constexpr size_t kHeadBytes = 64;
  AACO_ASSIGN(std::unique_ptr<ByteSource> source, open_bytes(path));
  std::vector<char> head(kHeadBytes);
  AACO_ASSIGN(const size_t count, source->read(head));
  head.resize(count);
  const auto order = utf16_order({head.data(), head.size()});
  source = with_head(std::move(head), std::move(source));
  return order ? utf8_of_utf16(std::move(source), *order, path.string()) : std::move(source);
}

std::unique_ptr<ByteSource> with_head(std::vector<char> head, std::unique_ptr<ByteSource> rest) {
  return std::make_unique<HeadedBytes>(std::move(head), std::move(rest));
}

std::unique_ptr<ByteSource> bytes_of(std::span<const char> bytes) { return std::make_unique<MemoryBytes>(bytes); }

}  // namespace aaco
