// SPDX-License-Identifier: MIT
#include "session/parquet/duckdb_library.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>
#include <span>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "base/files/installation.h"

namespace aaco {

namespace {

constexpr const char* kFileName = "libduckdb.so";
constexpr const char* kHint = "run scripts/setup, or set AACO_DUCKDB_LIBRARY to a libduckdb.so of version 1.4 or newer";

// Files that are there; the bare name, which the loader resolves, comes last.
std::vector<std::filesystem::path> candidates() {
  if (const char* chosen = std::getenv("AACO_DUCKDB_LIBRARY"); chosen != nullptr && *chosen != '\0') {
    return {chosen};
  }
  std::vector<std::filesystem::path> places;
  for (const std::filesystem::path& folder : library_folders()) {
    places.push_back(folder / kFileName);
  }
  for (std::filesystem::path folder = program_folder(); folder.has_relative_path(); folder = folder.parent_path()) {
    places.push_back(folder / ".deps" / "duckdb" / "lib" / kFileName);
  }
  std::erase_if(places, [](const std::filesystem::path& place) {
    std::error_code error;
    return !std::filesystem::exists(place, error);
  });
  places.emplace_back(kFileName);
  return places;
}

Result<DuckDb> load_functions(void* handle, std::filesystem::path library) {
  DuckDb api;
  api.library = std::move(library);
  const char* missing = nullptr;
#define AACO_DUCKDB_LOAD(name)                                                     \
  api.name = reinterpret_cast<decltype(api.name)>(dlsym(handle, "duckdb_" #name)); \
  missing = api.name == nullptr ? "duckdb_" #name : missing;
  AACO_DUCKDB_FUNCTIONS(AACO_DUCKDB_LOAD)
#undef AACO_DUCKDB_LOAD
  if (missing != nullptr) {
    return Error{ErrorKind::kUnavailable, fmt::format("{} lacks {}", api.library.string(), missing), kHint};
  }
  return api;
}

Result<DuckDb> load() {
  std::vector<std::string> failures;
  for (const std::filesystem::path& place : candidates()) {
    // Of its functions, which are a third of its symbols, few are called: to bind all takes longer than to read a file.
    if (void* handle = dlopen(place.c_str(), RTLD_LAZY | RTLD_LOCAL); handle != nullptr) {
      return load_functions(handle, place);
    }
    failures.emplace_back(dlerror());
  }
  return Error{ErrorKind::kUnavailable,
               fmt::format("cannot load DuckDB, which Parquet files need: {}", fmt::join(failures, "; ")), kHint};
}

// Of the library that `function` belongs to.
int give_back_pages(dl_phdr_info* info, size_t /*size*/, void* function) {
  const auto address = reinterpret_cast<uintptr_t>(function);
  const auto start_of = [&](const ElfW(Phdr) & part) { return info->dlpi_addr + part.p_vaddr; };
  const std::span parts(info->dlpi_phdr, info->dlpi_phnum);
  const bool contains = std::any_of(parts.begin(), parts.end(), [&](const ElfW(Phdr) & part) {
    return part.p_type == PT_LOAD && address >= start_of(part) && address < start_of(part) + part.p_memsz;
  });
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (const ElfW(Phdr) & part : parts) {
    if (contains && part.p_type == PT_LOAD && (part.p_flags & PF_W) == 0) {
      const uintptr_t start = start_of(part) / page * page;
      char* const first = static_cast<char*>(function) + static_cast<ptrdiff_t>(start - address);
      (void)::madvise(first, start_of(part) + part.p_memsz - start, MADV_DONTNEED);  // where it fails, they stay
    }
  }
  return contains ? 1 : 0;
}

}  // namespace

Result<const DuckDb*> load_duckdb() {
  static const Result<DuckDb> api = load();
  if (!api) {
    return api.error();
  }
  return &*api;
}

Result<DuckDbDatabase> DuckDbDatabase::open() {
  AACO_ASSIGN(const DuckDb* api, load_duckdb());
  DuckDbDatabase result(api);
  duckdb_config config = nullptr;
  bool accepted = api->create_config(&config) == DuckDBSuccess;
  for (const auto& [name, value] : {std::pair{"threads", "1"},
                                    {"memory_limit", "512MB"},
                                    {"temp_directory", ""},
                                    {"enable_external_file_cache", "false"},  // a descriptor's path names many files
                                    {"autoinstall_known_extensions", "false"},
                                    {"autoload_known_extensions", "false"},
                                    {"allow_community_extensions", "false"}}) {
    accepted = accepted && api->set_config(config, name, value) == DuckDBSuccess;
  }
  char* reason = nullptr;
  const bool opened = accepted && api->open_ext(nullptr, &result.database_, config, &reason) == DuckDBSuccess &&
                      api->connect(result.database_, &result.connection_) == DuckDBSuccess;
  api->destroy_config(&config);
  if (!opened) {
    Error error{ErrorKind::kUnavailable,
                fmt::format("cannot start DuckDB {} ({}): {}", api->library_version(), api->library.string(),
                            reason != nullptr ? reason : "it refused a setting or a connection"),
                kHint};
    api->free(reason);
    return error;
  }
  result.give_back_code();
  return result;
}

void DuckDbDatabase::give_back_code() const {
  dl_iterate_phdr(give_back_pages, reinterpret_cast<void*>(api_->open_ext));
}

DuckDbDatabase::DuckDbDatabase(DuckDbDatabase&& other) noexcept
    : api_(other.api_),
      database_(std::exchange(other.database_, nullptr)),
      connection_(std::exchange(other.connection_, nullptr)) {}

DuckDbDatabase::~DuckDbDatabase() {
  if (connection_ != nullptr) {
    api_->disconnect(&connection_);
  }
  if (database_ != nullptr) {
    api_->close(&database_);
  }
}

Result<void> expect_descriptor_paths() {
  if (::access("/proc/self/fd", F_OK) != 0) {
    return Error{ErrorKind::kUnavailable, "no /proc/self/fd here, by which Parquet files are opened",
                 "mount /proc: mount -t proc proc /proc"};
  }
  return {};
}

int errno_in(std::string_view text) {
  for (const int number : {ENOSPC, EDQUOT, EFBIG, EIO, EMFILE, ENFILE, ENOMEM}) {
    if (text.find(std::strerror(number)) != std::string_view::npos) {
      return number;
    }
  }
  return 0;
}

std::string sql_literal(std::string_view text) {
  std::string literal = "'";
  for (const char c : text) {
    literal += c;
    if (c == '\'') {
      literal += c;
    }
  }
  return literal + "'";
}

}  // namespace aaco
