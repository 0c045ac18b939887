// SPDX-License-Identifier: MIT
#include <cerrno>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/interrupt.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/version.h"
#include "session/bundle/latest_link.h"
#include "session/bundle/layout.h"
#include "session/bundle/manifest.h"
#include "session/session.h"
#include "session/session_info.h"
#include "session/session_tags.h"

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

// Everything but session.json, which is not final yet, the manifest itself, what is derived from the rest and, on
// request, the journals.
Result<Manifest> manifest_of(const std::filesystem::path& bundle, bool with_journals) {
  const std::string journals = std::string(layout::kJournals) + "/";
  AACO_ASSIGN(const std::vector<std::string> files, files_of(bundle));
  Manifest manifest;
  for (const std::string& file : files) {
    if (file != layout::kSession && file != layout::kManifest && !is_derived(file) &&
        (with_journals || !file.starts_with(journals))) {
      AACO_ASSIGN(manifest[file], describe_file(bundle / file));
    }
  }
  return manifest;
}

// session.json as it can be read again. Errors: kBug where it cannot: a number that is none would make the session
// unreadable for ever.
Result<std::string> readable_text(const std::filesystem::path& bundle, const SessionInfo& info) {
  std::string text = indented_json_text(info);
  const std::string source = (bundle / layout::kSession).string();
  AACO_ASSIGN(const Json json, parse_own_json(text, source));
  if (const Result<SessionInfo> read = from_json_value<SessionInfo>(json, source); !read) {
    return Error{ErrorKind::kBug, fmt::format("{}: could not be read again", source),
                 "this is a bug in aaco: please report the command line"};
  }
  return text;
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
  AACO_ASSIGN(info.tags, TagsOfNewSessions::now());
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
  await_close();
  return writer;
}

Result<SessionWriter> SessionWriter::reopen(const std::filesystem::path& bundle) {
  AACO_ASSIGN(SessionInfo info, read_session_info(bundle));
  begin_recording(info);
  SessionWriter writer(bundle, std::move(info));
  AACO_TRY(writer.save());
  await_close();
  return writer;
}

Result<std::filesystem::path> SessionWriter::prepare(const std::filesystem::path& relative) const {
  AACO_TRY(expect_folder());
  std::filesystem::path target = path_ / relative;
  AACO_TRY(make_folders(target.parent_path()));
  return target;
}

Result<void> SessionWriter::expect_recorded() const {
  AACO_TRY(expect_folder());
  return written_.expect_there(path_);
}

Result<void> SessionWriter::expect_folder() const {
  return lock_.is_at(path_) ? Result<void>() : lost_recording(path_, "was removed");
}

Result<void> SessionWriter::write_json_file(const char* relative, const Json& value) {
  return write_text(relative, indented_json_text(value));
}

Result<void> SessionWriter::write_text(const std::filesystem::path& relative, std::string_view text) {
  AACO_ASSIGN(const std::filesystem::path target, prepare(relative));
  AACO_TRY(write_file_atomically(target, text));
  return note_file(relative);
}

Result<void> SessionWriter::save() {
  AACO_ASSIGN(const std::string text, readable_text(path_, info_));
  return write_text(layout::kSession, text);
}

Result<void> SessionWriter::close(SessionStatus status, const std::string& reason) {
  const Result<void> closed = close_as(status, reason);
  if (!closed && status == SessionStatus::kComplete && info_.status != SessionStatus::kComplete) {
    (void)close_as(status_after(closed.error()), closed.error().message);  // as far as there is a place for it
  }
  return closed;
}

Result<void> SessionWriter::close_as(SessionStatus status, const std::string& reason) {
  const bool complete = status == SessionStatus::kComplete;
  SessionInfo closed = info_;
  closed.status = status;
  closed.status_reason = reason;
  Result<std::string> readable = readable_text(path_, closed);
  if (!readable && !complete) {
    closed.facts = RunFacts();  // a number that cannot be read again is among them
    readable = readable_text(path_, closed);
  }
  if (!readable) {
    return readable.error();
  }
  const std::string& text = *readable;
  AACO_TRY(complete ? expect_recorded() : expect_folder());

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
  close_done();
  if (complete) {  // once more: from here on the session says that all is there
    AACO_TRY(expect_recorded());
  }
  info_ = std::move(closed);
  KeptBundleLocks::keep(path_, std::exchange(lock_, BundleLock()));
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
