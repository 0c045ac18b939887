// SPDX-License-Identifier: MIT
#include "ingest/sqlite/database/read_only_vfs.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <new>
#include <random>
#include <sqlite3.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace aaco {

namespace {

constexpr const char* kName = "aaco-read-only";
constexpr std::string_view kPrefix = "fd:";
constexpr int kLongestName = 32;
constexpr size_t kHeaderBytes = 100;

struct OpenFile : sqlite3_file {
  int file;
  sqlite3_int64 bytes;
};

OpenFile& open_file(sqlite3_file* file) { return *static_cast<OpenFile*>(file); }

int close_file(sqlite3_file* /*file*/) { return SQLITE_OK; }

int read_bytes(sqlite3_file* file, void* into, int count, sqlite3_int64 offset) {
  auto* bytes = static_cast<char*>(into);
  int done = 0;
  while (done < count) {
    const ssize_t got = pread(open_file(file).file, bytes + done, static_cast<size_t>(count - done), offset + done);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return SQLITE_IOERR_READ;
    }
    if (got == 0) {
      std::fill(bytes + done, bytes + count, '\0');
      return SQLITE_IOERR_SHORT_READ;
    }
    done += static_cast<int>(got);
  }
  return SQLITE_OK;
}

int write_bytes(sqlite3_file* /*file*/, const void* /*from*/, int /*count*/, sqlite3_int64 /*offset*/) {
  return SQLITE_READONLY;
}
int truncate_file(sqlite3_file* /*file*/, sqlite3_int64 /*bytes*/) { return SQLITE_READONLY; }
int sync_file(sqlite3_file* /*file*/, int /*flags*/) { return SQLITE_OK; }
int file_bytes(sqlite3_file* file, sqlite3_int64* bytes) {
  *bytes = open_file(file).bytes;
  return SQLITE_OK;
}
int lock_file(sqlite3_file* /*file*/, int /*level*/) { return SQLITE_OK; }
int is_reserved(sqlite3_file* /*file*/, int* reserved) {
  *reserved = 0;
  return SQLITE_OK;
}
int control_file(sqlite3_file* /*file*/, int /*operation*/, void* /*argument*/) { return SQLITE_NOTFOUND; }
int sector_bytes(sqlite3_file* /*file*/) { return 4096; }
int properties(sqlite3_file* /*file*/) { return SQLITE_IOCAP_IMMUTABLE; }

constexpr sqlite3_io_methods kMethods = {
    1,         close_file, read_bytes,  write_bytes,  truncate_file, sync_file,  file_bytes,
    lock_file, lock_file,  is_reserved, control_file, sector_bytes,  properties, nullptr,
    nullptr,   nullptr,    nullptr,     nullptr,      nullptr,
};

int open_file(sqlite3_vfs* /*vfs*/, const char* name, sqlite3_file* file, int flags, int* flags_taken) {
  file->pMethods = nullptr;
  const std::string_view text = name == nullptr ? std::string_view() : std::string_view(name);
  int descriptor = -1;
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0 || !text.starts_with(kPrefix) ||
      std::from_chars(text.data() + kPrefix.size(), text.data() + text.size(), descriptor).ec != std::errc()) {
    return SQLITE_CANTOPEN;
  }
  struct stat status{};
  if (fstat(descriptor, &status) != 0) {
    return SQLITE_CANTOPEN;
  }
  file->pMethods = &kMethods;
  open_file(file).file = descriptor;
  open_file(file).bytes =
      std::max<sqlite3_int64>(status.st_size, static_cast<sqlite3_int64>(claimed_bytes(descriptor)));
  if (flags_taken != nullptr) {
    *flags_taken = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
  }
  return SQLITE_OK;
}

int delete_file(sqlite3_vfs* /*vfs*/, const char* /*name*/, int /*sync*/) { return SQLITE_READONLY; }
int access_file(sqlite3_vfs* /*vfs*/, const char* /*name*/, int /*flags*/, int* exists) {
  *exists = 0;
  return SQLITE_OK;
}
int full_name(sqlite3_vfs* /*vfs*/, const char* name, int bytes, char* into) {
  const size_t length = std::strlen(name) + 1;
  if (length > static_cast<size_t>(bytes)) {
    return SQLITE_CANTOPEN;
  }
  std::memcpy(into, name, length);
  return SQLITE_OK;
}
int random_bytes(sqlite3_vfs* /*vfs*/, int count, char* into) {
  std::random_device device;
  std::generate(into, into + count, [&] { return static_cast<char>(device()); });
  return count;
}
int sleep_microseconds(sqlite3_vfs* /*vfs*/, int microseconds) { return microseconds; }
int current_time(sqlite3_vfs* /*vfs*/, double* julian_day) {
  *julian_day = 0;  // nothing that is read here depends on it
  return SQLITE_OK;
}

int register_vfs() {
  static sqlite3_vfs vfs{};
  vfs.iVersion = 1;
  vfs.szOsFile = sizeof(OpenFile);
  vfs.mxPathname = kLongestName;
  vfs.zName = kName;
  vfs.xOpen = open_file;
  vfs.xDelete = delete_file;
  vfs.xAccess = access_file;
  vfs.xFullPathname = full_name;
  vfs.xRandomness = random_bytes;
  vfs.xSleep = sleep_microseconds;
  vfs.xCurrentTime = current_time;
  return sqlite3_vfs_register(&vfs, 0);
}

}  // namespace

const char* read_only_vfs() {
  static const int registered = register_vfs();
  return registered == SQLITE_OK ? kName : nullptr;
}

std::string name_for_vfs(int file) { return std::string(kPrefix) + std::to_string(file); }

// SQLite's file format, "The Database Header": big-endian page size at 16 (1 is 65536), number of pages at 28, which
// counts where the change counters at 24 and 92 agree.
uint64_t claimed_bytes(int file) {
  std::array<unsigned char, kHeaderBytes> header{};
  if (pread(file, header.data(), header.size(), 0) != static_cast<ssize_t>(header.size())) {
    return 0;
  }
  const auto number = [&](size_t at, size_t bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; ++i) {
      value = (value << 8) | header[at + i];
    }
    return value;
  };
  const uint64_t page_bytes = number(16, 2) == 1 ? 65536 : number(16, 2);
  return number(24, 4) == number(92, 4) ? page_bytes * number(28, 4) : 0;
}

}  // namespace aaco
