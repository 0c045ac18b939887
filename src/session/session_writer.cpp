// SPDX-License-Identifier: MIT
#include <cerrno>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/json_text.h"
#include "base/version.h"
#include "session/latest_link.h"
#include "session/layout.h"
#include "session/manifest.h"
#include "session/session.h"
#include "session/session_info.h"

namespace aaco {

namespace {

// Makes a folder that was not there, drawing names until one is free, and sets the session's id.
Result<std::filesystem::path> make_bundle_folder(const std::filesystem::path& date_folder, const std::tm& utc,
                                                 SessionInfo& info) {
  std::random_device random;
  for (;;) {
    info.session_id = fmt::format("{:%Y%m%d_%H%M%S}_{:06x}", utc, random() & 0xFFFFFF);
    const std::filesystem::path folder = date_folder / info.session_id;
    if (::mkdir(folder.c_str(), 0777) == 0) {
      return folder;
    }
    if (errno != EEXIST) {
      return file_error(folder, "create folder", errno);
    }
  }
}

// Everything but session.json, which is not final yet, the manifest itself and, on request, the journals.
Result<Manifest> manifest_of(const std::filesystem::path& bundle, bool with_journals) {
  const std::string journals = std::string(layout::kJournals) + "/";
  AACO_ASSIGN(const std::vector<std::string> files, files_of(bundle));
  Manifest manifest;
  for (const std::string& file : files) {
    if (file != layout::kSession && file != layout::kManifest && (with_journals || !file.starts_with(journals))) {
      AACO_ASSIGN(manifest[file], describe_file(bundle / file));
    }
  }
  return manifest;
}

// As recorded by this process, from now on.
void begin_recording(SessionInfo& info) {
  info.status = SessionStatus::kRunning;
  info.status_reason.clear();
  info.pid = ::getpid();
  info.pid_start_ticks = own_start_ticks();
  info.boot_id = boot_id();
}

}  // namespace

Result<SessionWriter> SessionWriter::create(const std::filesystem::path& sessions_root, SessionInfo info) {
  if (info.t0_monotonic_ns == 0) {
    info.t0_monotonic_ns = monotonic_ns();
  }
  if (info.t0_wall_ns == 0) {
    info.t0_wall_ns = wall_clock_ns();
  }
  const std::tm utc = fmt::gmtime(static_cast<std::time_t>(info.t0_wall_ns / 1'000'000'000));
  info.schema_version = layout::kSchemaVersion;
  info.created_utc = format_utc(info.t0_wall_ns);
  info.aaco_version = program_version();
  begin_recording(info);

  const std::filesystem::path date_folder = sessions_root / fmt::format("{:%Y-%m-%d}", utc);
  AACO_TRY(make_folders(date_folder));
  Result<std::filesystem::path> folder = make_bundle_folder(date_folder, utc, info);
  if (!folder) {
    ::rmdir(date_folder.c_str());
    return folder.error();
  }
  SessionWriter writer(*folder, std::move(info));
  if (Result<void> saved = writer.save(); !saved) {
    ::rmdir(folder->c_str());
    ::rmdir(date_folder.c_str());
    return saved.error();
  }
  return writer;
}

Result<SessionWriter> SessionWriter::reopen(const std::filesystem::path& bundle) {
  AACO_ASSIGN(SessionInfo info, read_session_info(bundle));
  begin_recording(info);
  SessionWriter writer(bundle, std::move(info));
  AACO_TRY(writer.save());
  return writer;
}

Result<std::filesystem::path> SessionWriter::prepare(const std::filesystem::path& relative) const {
  std::filesystem::path target = path_ / relative;
  AACO_TRY(make_folders(target.parent_path()));
  return target;
}

Result<void> SessionWriter::write_json_file(const char* relative, const Json& value) {
  return write_text(relative, indented_json_text(value));
}

Result<void> SessionWriter::write_text(const std::filesystem::path& relative, std::string_view text) {
  AACO_ASSIGN(const std::filesystem::path target, prepare(relative));
  return write_file_atomically(target, text);
}

Result<void> SessionWriter::save() { return write_json_file(layout::kSession, info_); }

Result<void> SessionWriter::close(SessionStatus status, const std::string& reason) {
  const bool complete = status == SessionStatus::kComplete;
  SessionInfo closed = info_;
  closed.status = status;
  closed.status_reason = reason;
  const std::string text = indented_json_text(closed);

  // session.json is written last of all: its status is what says that the rest is there.
  Result<void> outcome;
  if (Result<Manifest> manifest = manifest_of(path_, !complete); manifest) {
    (*manifest)[layout::kSession] = {static_cast<int64_t>(text.size()), sha256_of(text)};
    outcome = write_manifest(path_, *manifest);
  } else {
    outcome = manifest.error();
  }
  if (complete && !outcome) {
    return outcome;
  }
  if (Result<void> saved = write_text(layout::kSession, text); !saved) {
    return outcome ? saved : outcome;
  }
  info_ = std::move(closed);
  lock_ = BundleLock();
  if (complete) {
    std::error_code error;
    std::filesystem::remove_all(path_ / layout::kJournals, error);
    if (error) {
      return file_error(path_ / layout::kJournals, "remove", error.value());
    }
  }
  const Result<void> linked = point_latest_to(path_.parent_path().parent_path(), path_);
  return outcome ? linked : outcome;
}

}  // namespace aaco
