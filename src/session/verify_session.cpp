// SPDX-License-Identifier: MIT
#include "session/verify_session.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <fstream>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/text/enum_words.h"
#include "record/journal/journal.h"
#include "session/bundle/layout.h"
#include "session/bundle/manifest.h"
#include "session/parquet/parquet.h"
#include "session/session.h"
#include "session/session_info.h"

namespace aaco {

namespace {

constexpr int kLooks = 3;  // more, at a file of a session that is still written
constexpr EnumWords<FileState, 5> kStates{{"ok", "extra", "changed", "missing", "damaged"}};

constexpr const char* kNoIteration = "a complete run without an iteration";

// Rows of a file that has rows, nothing for one that has none, or why it cannot be opened. `torn`: set where rows of a
// journal are lost.
Result<std::optional<int64_t>> open_file(const std::filesystem::path& path, bool& torn) {
  int64_t rows = 0;
  if (path.extension() == ".json") {
    // Checked as a stream: a profiler's raw output can be larger than memory should be.
    std::ifstream text(path, std::ios::binary);
    if (!text) {
      return file_error(path, "open", errno);
    }
    if (!Json::accept(text)) {
      return Error{ErrorKind::kUsage, "not valid JSON", "the file is damaged"};
    }
    return std::optional<int64_t>();
  }
  if (path.extension() == ".parquet") {
    AACO_TRY(read_parquet_pieces(path, path.stem().string(), [&](const Table& piece) -> Result<void> {
      rows += static_cast<int64_t>(piece.row_count);
      return {};
    }));
    return std::optional(rows);
  }
  if (path.extension() == ".jrn") {
    AACO_ASSIGN(const JournalContent content, read_journal(path));
    torn = content.torn;
    return std::optional(static_cast<int64_t>(content.row_count));
  }
  return std::optional<int64_t>();
}

void fail(FileCheck& check, FileState state, std::string detail) {
  check.state = state;
  check.detail = std::move(detail);
}

Result<FileCheck> check_file(const std::filesystem::path& bundle, const std::string& file, const SessionInfo& info,
                             const std::optional<Manifest>& manifest) {
  FileCheck check{file, FileState::kOk, "", std::nullopt};
  const std::filesystem::path path = bundle / file;
  bool torn = false;
  const bool listed = manifest && manifest->contains(file);
  if (manifest && !listed) {
    fail(check, FileState::kExtra, is_derived(file) ? "made from the session" : "added after the session was closed");
  }
  Result<std::optional<int64_t>> opened = open_file(path, torn);
  if (!opened && (opened.error().kind == ErrorKind::kUnavailable || opened.error().kind == ErrorKind::kResource)) {
    return opened.error();  // no DuckDB or no more descriptors here: that says nothing about the file
  }
  // The row that a running session is just storing is not lost.
  const SessionStatus status = effective_status(info);
  check.rows = opened ? *opened : std::nullopt;
  if (!opened) {
    fail(check, FileState::kDamaged, opened.error().message);
  } else if (torn && status != SessionStatus::kRunning) {
    fail(check, FileState::kDamaged, fmt::format("torn after {} rows", *check.rows));
  }
  const bool broke_off = is_closed(status) && status != SessionStatus::kComplete;
  if (listed && (check.state != FileState::kDamaged || broke_off)) {
    AACO_ASSIGN(const ManifestFile manifest_file, describe_file(path));
    const ManifestFile& expected = manifest->at(file);
    if (manifest_file.bytes != expected.bytes) {
      fail(check, FileState::kChanged,
           fmt::format("{} bytes, {} when it was closed", manifest_file.bytes, expected.bytes));
    } else if (manifest_file.sha256 != expected.sha256) {
      fail(check, FileState::kChanged, "same size, other content than when it was closed");
    } else {
      check.state = FileState::kOk;  // as what ended the recording left it: `detail` says where it broke off
    }
  }
  if (needs_iterations(info) && file == layout::kIterations && check.state == FileState::kOk && check.rows == 0) {
    fail(check, FileState::kDamaged, kNoIteration);
  }
  return check;
}

// The manifest of a closed session; without one there is a check that fails. Earlier versions listed derived files
// too, which say nothing about the recording: a page that was made anew is no damage.
std::optional<Manifest> take_manifest(const std::filesystem::path& bundle, SessionCheck& result) {
  Result<std::optional<Manifest>> read = read_manifest(bundle);
  FileCheck check{layout::kManifest, FileState::kOk, "", std::nullopt};
  if (!read) {
    fail(check, FileState::kDamaged, read.error().message);
  } else if (!*read) {
    fail(check, FileState::kMissing, "nothing can be checked against it");
  }
  result.files.push_back(std::move(check));
  std::optional<Manifest> manifest = read ? *std::move(read) : std::nullopt;
  if (manifest) {
    std::erase_if(*manifest, [](const auto& entry) { return is_derived(entry.first); });
  }
  return manifest;
}

}  // namespace

const char* file_state_name(FileState state) { return kStates.word(state); }

void to_json(Json& json, const SessionCheck& check) {
  Json files = Json::array();
  for (const FileCheck& file : check.files) {
    files.push_back(
        {{"file", file.file}, {"state", file_state_name(file.state)}, {"detail", file.detail}, {"rows", file.rows}});
  }
  json = {{"session_id", check.session_id},
          {"status", check.status},
          {"files", std::move(files)},
          {"notes", check.notes},
          {"passed", check.passed}};
}

Result<SessionCheck> verify_session(const std::filesystem::path& path) {
  AACO_ASSIGN(const SessionInfo info, read_session_info(path));
  SessionCheck result;
  result.session_id = info.session_id;
  result.status = effective_status(info);
  const bool closed = is_closed(result.status);
  std::optional<Manifest> manifest;
  if (closed) {
    manifest = take_manifest(path, result);
  } else {
    result.notes.push_back(
        fmt::format("the session is {}: it has no final manifest, so that its files were only opened",
                    session_status_name(result.status)));
  }
  AACO_ASSIGN(const std::vector<std::string> files, files_of(path));
  for (const std::string& file : files) {
    if (file != layout::kManifest) {
      AACO_ASSIGN(FileCheck check, check_file(path, file, info, manifest));
      // A session that is still written renames files, removes its journals, and may write them anew: damaged is what
      // is so each time.
      std::error_code error;
      for (int again = 0;
           again < kLooks && !closed && check.state != FileState::kOk && std::filesystem::exists(path / file, error);
           ++again) {
        AACO_ASSIGN(check, check_file(path, file, info, manifest));
      }
      if (closed || check.state == FileState::kOk || std::filesystem::exists(path / file, error)) {
        result.files.push_back(std::move(check));
      }
    }
  }
  for (const auto& [file, described] : manifest.value_or(Manifest())) {
    if (!std::binary_search(files.begin(), files.end(), file)) {
      result.files.push_back(
          {file, FileState::kMissing, fmt::format("{} bytes when it was closed", described.bytes), std::nullopt});
    }
  }
  const bool has_iterations = std::binary_search(files.begin(), files.end(), layout::kIterations);
  if (needs_iterations(info) && !has_iterations && !(manifest && manifest->contains(layout::kIterations))) {
    result.files.push_back({layout::kIterations, FileState::kMissing, kNoIteration, std::nullopt});
  }
  result.passed = std::all_of(result.files.begin(), result.files.end(), [](const FileCheck& check) {
    return check.state == FileState::kOk || check.state == FileState::kExtra;
  });
  return result;
}

}  // namespace aaco
