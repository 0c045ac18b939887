// SPDX-License-Identifier: MIT
#include "base/files/file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/output_file.h"

namespace aaco {

namespace {

// Closes a descriptor at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

// Calls `take(bytes)` for each piece of the file. A pipe in its place would block and a device might never end, so that
// both are refused.
template <class Take>
Result<void> for_each_piece(const std::filesystem::path& path, Take take) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info{};
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0) {
    return file_error(path, "open", errno);
  }
  if (S_ISDIR(info.st_mode)) {
    return file_error(path, "read", EISDIR);
  }
  if (!S_ISREG(info.st_mode)) {
    return Error{ErrorKind::kUsage, fmt::format("{}: not a regular file", path.string()),
                 "check that this is the right file"};
  }
  std::array<char, 1 << 16> buffer;
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return file_error(path, "read", errno);
    }
    if (got == 0) {
      return {};
    }
    AACO_TRY(take(std::string_view(buffer.data(), static_cast<size_t>(got))));
  }
}

struct DigestDeleter {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

// SHA-256 fed piece by piece.
class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new()) { EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr); }
  void add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }
  std::string hex() {
    std::array<unsigned char, 32> digest{};
    EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr);
    std::string text;
    for (const unsigned char byte : digest) {
      text += fmt::format("{:02x}", byte);
    }
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, DigestDeleter> context_;
};

}  // namespace

Error file_error(const std::filesystem::path& path, std::string_view action, int error_number) {
  const bool of_limits = error_number == EMFILE || error_number == ENFILE || error_number == ENOMEM;
  const bool resource =
      error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG || error_number == EIO || of_limits;
  std::string hint;
  switch (error_number) {
    case ENOENT:
      hint = "check the path";
      break;
    case EACCES:
    case EPERM:
    case EROFS:
      hint = "check the permissions, or choose another folder";
      break;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      hint = "free some space, or choose a folder on another disk";
      break;
    case EMFILE:
    case ENFILE:
      hint = "close some files, or raise the limit (ulimit -n)";
      break;
    case ENOMEM:
      hint = "close other programs, or raise the limit (ulimit -v)";
      break;
    default:
      hint = "check the file system";
  }
  return {resource ? ErrorKind::kResource : ErrorKind::kUsage,
          fmt::format("cannot {} {}: {}", action, path.string(), std::strerror(error_number)), hint};
}

Result<std::string> read_file(const std::filesystem::path& path, uint64_t limit_bytes) {
  std::string content;
  AACO_TRY(for_each_piece(path, [&](std::string_view piece) -> Result<void> {
    if (content.size() + piece.size() > limit_bytes) {
      return Error{ErrorKind::kUsage, fmt::format("{}: larger than {} bytes", path.string(), limit_bytes),
                   "check that this is the right file"};
    }
    content += piece;
    return {};
  }));
  return content;
}

Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  AACO_ASSIGN(const std::unique_ptr<OutputFile> file, OutputFile::create(path));
  file->append(content);
  AACO_TRY(file->finish());
  return {};
}

Result<void> make_folders(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    return file_error(path, "create folder", error.value());
  }
  return {};
}

Result<void> gzip_file(const std::filesystem::path& source, const std::filesystem::path& target) {
  AACO_ASSIGN(const std::unique_ptr<OutputFile> file, OutputFile::create(target, OutputFile::Form::kGzip));
  AACO_TRY(for_each_piece(source, [&](std::string_view piece) -> Result<void> {
    file->append(piece);
    return {};
  }));
  AACO_TRY(file->finish());
  return {};
}

Result<std::string> sha256_of_file(const std::filesystem::path& path) {
  Sha256 digest;
  AACO_TRY(for_each_piece(path, [&](std::string_view piece) -> Result<void> {
    digest.add(piece);
    return {};
  }));
  return digest.hex();
}

std::string sha256_of(std::string_view content) {
  Sha256 digest;
  digest.add(content);
  return digest.hex();
}

std::filesystem::path program_folder() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

}  // namespace aaco
