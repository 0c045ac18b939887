// SPDX-License-Identifier: MIT
#include "base/files/output_file.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <new>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <zlib.h>

#include "base/files/file.h"
#include "base/files/new_file.h"

namespace aaco {

namespace {

constexpr int kLevel = 1;             // the disk is faster than any other
constexpr int kGzipWindow = 15 + 16;  // zlib's word for a gzip header

}  // namespace

void OutputFile::EndDeflate::operator()(z_stream_s* stream) const {
  ::deflateEnd(stream);
  delete stream;
}

OutputFile::OutputFile(std::filesystem::path path, std::filesystem::path written, int fd)
    : path_(std::move(path)), written_(std::move(written)), fd_(fd), buffer_(new char[kBufferBytes]) {}

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::filesystem::path& path, Form form) {
  struct stat info{};
  const bool direct = ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
  NewFile target{path, -1};
  if (!direct) {
    AACO_ASSIGN(target, make_file_beside(path, O_WRONLY));
  } else if (target.descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC); target.descriptor < 0) {
    return file_error(path, "write", errno);
  }
  std::unique_ptr<OutputFile> file(new OutputFile(path, std::move(target.path), target.descriptor));
  if (!direct) {
    file->unfinished_ = UnfinishedPath(file->written_);
  }
  if (form == Form::kGzip) {
    file->deflate_.reset(new z_stream_s());
    file->compressed_.reset(new char[kBufferBytes]);
    if (::deflateInit2(file->deflate_.get(), kLevel, Z_DEFLATED, kGzipWindow, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
      throw std::bad_alloc();
    }
  }
  return file;
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) {
    ::close(fd_);
    if (written_ != path_) {
      ::unlink(written_.c_str());
    }
  }
}

void OutputFile::append_long(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t some = std::min(bytes.size(), kBufferBytes - used_);
    std::memcpy(buffer_.get() + used_, bytes.data(), some);
    used_ += some;
    bytes.remove_prefix(some);
    if (used_ == kBufferBytes) {
      flush();
    }
  }
}

void OutputFile::flush(bool last) {
  if (deflate_) {
    compress(last);
  } else {
    write({buffer_.get(), used_});
  }
  used_ = 0;
}

void OutputFile::compress(bool last) {
  deflate_->next_in = reinterpret_cast<Bytef*>(buffer_.get());
  deflate_->avail_in = static_cast<uInt>(used_);
  do {
    deflate_->next_out = reinterpret_cast<Bytef*>(compressed_.get());
    deflate_->avail_out = kBufferBytes;
    ::deflate(deflate_.get(), last ? Z_FINISH : Z_NO_FLUSH);
    write({compressed_.get(), kBufferBytes - deflate_->avail_out});
  } while (deflate_->avail_out == 0);
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty() && error_ == 0) {
    const ssize_t put = ::write(fd_, bytes.data(), bytes.size());
    if (put < 0 && errno != EINTR) {
      error_ = errno;
    } else if (put > 0) {
      bytes_ += static_cast<uint64_t>(put);
      bytes.remove_prefix(static_cast<size_t>(put));
    }
  }
}

Result<uint64_t> OutputFile::finish() {
  flush(true);
  const bool direct = written_ == path_;
  if (error_ == 0 && !direct && ::fsync(fd_) != 0) {
    error_ = errno;
  }
  if (error_ == 0 && !direct && ::rename(written_.c_str(), path_.c_str()) != 0) {
    error_ = errno;
  }
  if (error_ != 0) {
    return file_error(path_, "write", error_);  // the destructor removes what there is
  }
  ::close(std::exchange(fd_, -1));
  return bytes_;
}

}  // namespace aaco
