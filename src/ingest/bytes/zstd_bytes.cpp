// SPDX-License-Identifier: MIT
#include "ingest/bytes/zstd_bytes.h"

#include <cstdint>
#include <fmt/format.h>
#include <new>
#include <optional>
#include <utility>
#include <vector>
#include <zstd.h>
#include <zstd_errors.h>

namespace aaco {

namespace {

struct FreeStream {
  void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

class ZstdBytes : public ByteSource {
 public:
  ZstdBytes(std::unique_ptr<ByteSource> compressed, std::string name)
      : compressed_(std::move(compressed)),
        name_(std::move(name)),
        stream_(ZSTD_createDStream()),
        buffer_(ZSTD_DStreamInSize()) {
    if (stream_ == nullptr) {
      throw std::bad_alloc();
    }
  }

  Result<size_t> read(std::span<char> into) override {
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    while (out.pos < out.size && !error_ && !ended_) {
      error_ = step(out);
    }
    decompressed_ += out.pos;
    return out.pos == 0 && error_ ? Result<size_t>(*error_) : out.pos;
  }

 private:
  std::optional<Error> step(ZSTD_outBuffer& out) {
    if (input_.pos == input_.size) {
      Result<size_t> got = compressed_->read(buffer_);
      if (!got) {
        return got.error();
      }
      input_ = {buffer_.data(), *got, 0};
      input_ended_ = *got == 0;
    }
    if (input_ended_ && frame_done_) {
      ended_ = true;
      return std::nullopt;
    }
    const size_t before = out.pos;
    const size_t left = ZSTD_decompressStream(stream_.get(), &out, &input_);
    if (ZSTD_isError(left) != 0) {
      return refused(ZSTD_getErrorCode(left), out.pos);
    }
    frame_done_ = left == 0;
    if (input_ended_ && !frame_done_ && out.pos == before) {
      return damaged("ends early", out.pos);
    }
    return std::nullopt;
  }

  Error refused(ZSTD_ErrorCode code, size_t more) const {
    switch (code) {
      case ZSTD_error_frameParameter_windowTooLarge:
        return {ErrorKind::kUsage, name_ + ": zstd needs a window of more than 128 MiB for it",
                "decompress it first: zstd -d --long=31 FILE"};
      case ZSTD_error_dictionary_wrong:
        return {ErrorKind::kUsage, name_ + ": is compressed with a dictionary of zstd",
                "decompress it first: zstd -d -D DICTIONARY FILE"};
      case ZSTD_error_memory_allocation:
        return {ErrorKind::kResource, name_ + ": no memory to decompress", "free some memory"};
      default:
        return damaged("is damaged", more);
    }
  }

  Error damaged(const char* what, size_t more) const {
    return {ErrorKind::kUsage,
            fmt::format("{}: the zstd data {} after {} decompressed bytes", name_, what, decompressed_ + more),
            "copy the file again; what came before was read"};
  }

  std::unique_ptr<ByteSource> compressed_;
  std::string name_;
  std::unique_ptr<ZSTD_DStream, FreeStream> stream_;
  std::vector<char> buffer_;
  ZSTD_inBuffer input_{nullptr, 0, 0};
  bool input_ended_ = false;
  bool frame_done_ = true;  // none is open
  bool ended_ = false;
  uint64_t decompressed_ = 0;
  std::optional<Error> error_;
};

}  // namespace

bool is_zstd(std::span<const unsigned char> head) {
  if (head.size() < 4) {
    return false;
  }
  const uint32_t magic = head[0] | uint32_t{head[1]} << 8 | uint32_t{head[2]} << 16 | uint32_t{head[3]} << 24;
  return magic == ZSTD_MAGICNUMBER || (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

std::unique_ptr<ByteSource> zstd_bytes(std::unique_ptr<ByteSource> compressed, std::string name) {
  return std::make_unique<ZstdBytes>(std::move(compressed), std::move(name));
}

}  // namespace aaco
