// SPDX-License-Identifier: MIT
#include "session/verify_session.h"

#include <fstream>
#include <gtest/gtest.h>
#include <thread>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/test_folder.h"
#include "record/journal/journal_rows.h"
#include "record/journal/row_journal.h"
#include "session/bundle/manifest.h"
#include "session/test_kinds.h"
#include "session/test_session.h"

namespace aaco {
namespace {

const FileCheck* find(const SessionCheck& check, const std::string& file) {
  for (const FileCheck& candidate : check.files) {
    if (candidate.file == file) {
      return &candidate;
    }
  }
  return nullptr;
}

std::string state_of(const SessionCheck& check, const std::string& file) {
  const FileCheck* file_check = find(check, file);
  return file_check == nullptr ? "not listed" : file_state_name(file_check->state);
}

TEST(Verify, a_closed_session_passes) {
  const TestFolder folder;
  const Result<SessionWriter> writer = closed_test_session(folder.path());
  ASSERT_TRUE(writer);
  const Result<SessionCheck> check = verify_session(writer->path());
  ASSERT_TRUE(check) << check.error().message;
  EXPECT_TRUE(check->passed);
  EXPECT_EQ(check->files.size(), 5);  // session, env, manifest, two tables
  for (const FileCheck& file : check->files) {
    EXPECT_EQ(file.state, FileState::kOk) << file.file << ": " << file.detail;
  }
  EXPECT_EQ(find(*check, layout::kIterations)->rows, 100);
  EXPECT_FALSE(find(*check, layout::kSession)->rows);
}

TEST(Verify, every_kind_of_change_is_found) {
  const TestFolder folder;
  const Result<SessionWriter> writer = closed_test_session(folder.path());
  ASSERT_TRUE(writer);
  const std::filesystem::path bundle = writer->path();
  // A bit in the data of a table: it may still open.
  std::string bytes = *read_file(bundle / layout::kIterations);
  bytes[60] = static_cast<char>(bytes[60] ^ 1);
  std::ofstream(bundle / layout::kIterations, std::ios::binary) << bytes;
  std::filesystem::remove(bundle / layout::kSystemEvents);
  std::ofstream(bundle / layout::kEnvironment) << "{";
  std::filesystem::create_directory(bundle / "regress");
  std::ofstream(bundle / layout::kVerdict) << "{}";
  const Result<SessionCheck> check = verify_session(bundle);
  ASSERT_TRUE(check);
  EXPECT_FALSE(check->passed);
  EXPECT_NE(state_of(*check, layout::kIterations), "ok");
  EXPECT_EQ(state_of(*check, layout::kSystemEvents), "missing");
  EXPECT_EQ(state_of(*check, layout::kEnvironment), "damaged");
  EXPECT_EQ(state_of(*check, layout::kVerdict), "extra");
  EXPECT_EQ(state_of(*check, layout::kSession), "ok");
}

TEST(Verify, an_addition_passes_and_an_edit_does_not) {
  const TestFolder folder;
  const Result<SessionWriter> writer = closed_test_session(folder.path());
  ASSERT_TRUE(writer);
  ASSERT_TRUE(write_file_atomically(writer->path() / "note.txt", "later"));
  EXPECT_TRUE(verify_session(writer->path())->passed);
  const std::string text = *read_file(writer->path() / layout::kEnvironment);
  ASSERT_TRUE(write_file_atomically(writer->path() / layout::kEnvironment, text + " "));
  const Result<SessionCheck> check = verify_session(writer->path());
  EXPECT_FALSE(check->passed);
  EXPECT_EQ(state_of(*check, layout::kEnvironment), "changed");
}

// As the index of a timeline that somebody looked at before the session was closed.
TEST(Verify, a_derived_file_that_is_made_anew_is_no_change) {
  const TestFolder folder;
  Result<SessionWriter> writer = start_test_session(folder.path());
  ASSERT_TRUE(writer);
  constexpr const char* kIndex = "report/timeline.index";
  ASSERT_TRUE(make_folders(writer->path() / "report"));
  ASSERT_TRUE(write_file_atomically(writer->path() / kIndex, "half of it"));
  ASSERT_TRUE(writer->close(SessionStatus::kComplete, ""));
  const Result<std::optional<Manifest>> written = read_manifest(writer->path());
  ASSERT_TRUE(written && *written);
  EXPECT_FALSE((*written)->contains(kIndex));
  EXPECT_TRUE((*written)->contains(layout::kEnvironment));
  // As earlier versions wrote it.
  Manifest manifest = **written;
  manifest[kIndex] = {10, "another"};
  manifest[layout::kReport] = {10, "of a page that was removed"};
  ASSERT_TRUE(write_manifest(writer->path(), manifest));
  ASSERT_TRUE(write_file_atomically(writer->path() / kIndex, "all of it"));
  const Result<SessionCheck> check = verify_session(writer->path());
  ASSERT_TRUE(check) << check.error().message;
  EXPECT_TRUE(check->passed) << Json(*check).dump();
  EXPECT_EQ(state_of(*check, kIndex), "extra");
  EXPECT_EQ(state_of(*check, layout::kReport), "not listed");
}

TEST(Verify, a_closed_session_needs_its_manifest) {
  const TestFolder folder;
  const Result<SessionWriter> writer = closed_test_session(folder.path());
  ASSERT_TRUE(writer);
  for (const char* text : {R"({"files": 3})", "{}", "[", ""}) {
    std::ofstream(writer->path() / layout::kManifest) << text;
    const Result<SessionCheck> check = verify_session(writer->path());
    ASSERT_TRUE(check) << text;
    EXPECT_FALSE(check->passed);
    EXPECT_EQ(state_of(*check, layout::kManifest), "damaged") << text;
  }
  std::filesystem::remove(writer->path() / layout::kManifest);
  EXPECT_EQ(state_of(*verify_session(writer->path()), layout::kManifest), "missing");
}

TEST(Verify, a_manifest_cannot_reach_outside) {
  const TestFolder folder;
  const Result<SessionWriter> writer = closed_test_session(folder.path());
  ASSERT_TRUE(writer);
  std::ofstream(writer->path() / layout::kManifest)
      << R"({"files": {"../../../../../etc/hostname": {"bytes": 1, "sha256": ""}}})";
  const Result<SessionCheck> check = verify_session(writer->path());
  ASSERT_TRUE(check);
  EXPECT_EQ(state_of(*check, "../../../../../etc/hostname"), "missing");
}

TEST(Verify, an_open_session_is_opened_and_not_compared) {
  const TestFolder folder;
  const Result<SessionWriter> writer = start_test_session(folder.path());
  ASSERT_TRUE(writer);
  Result<SessionCheck> check = verify_session(writer->path());
  ASSERT_TRUE(check);
  EXPECT_TRUE(check->passed);
  EXPECT_EQ(check->status, SessionStatus::kRunning);
  EXPECT_EQ(check->notes.size(), 1);
  const std::filesystem::path table = writer->path() / layout::kIterations;
  std::filesystem::resize_file(table, 50);
  check = verify_session(writer->path());
  EXPECT_FALSE(check->passed);
  EXPECT_EQ(state_of(*check, layout::kIterations), "damaged");
}

TEST(Verify, a_session_may_rename_and_remove_files_meanwhile) {
  const TestFolder folder;
  const Result<SessionWriter> writer = SessionWriter::create(folder.path(), test_info());
  ASSERT_TRUE(writer);
  const std::jthread busy([&](const std::stop_token& enough) {
    const std::filesystem::path journals = writer->path() / layout::kJournals;
    while (!enough.stop_requested()) {
      std::filesystem::create_directories(journals / "a" / "b");
      EXPECT_TRUE(write_file_atomically(journals / "result.json", "{}"));
      std::filesystem::remove_all(journals);
    }
  });
  for (int i = 0; i < 2000; ++i) {
    const Result<SessionCheck> check = verify_session(writer->path());
    ASSERT_TRUE(check) << check.error().message;
    EXPECT_TRUE(check->passed) << Json(*check).dump();
  }
}

TEST(Verify, a_complete_run_has_iterations) {
  const TestFolder folder;
  Result<SessionWriter> writer = SessionWriter::create(folder.path(), test_info());
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->write_rows<IterationRow>(layout::kIterations, {}));
  ASSERT_TRUE(writer->close(SessionStatus::kComplete, ""));
  EXPECT_EQ(state_of(*verify_session(writer->path()), layout::kIterations), "damaged");
  // Not even the table: neither in the bundle nor in its manifest.
  for (const bool sweep : {false, true}) {
    SessionInfo info = test_info();
    info.kind = sweep ? test_kind::kFiles : test_kind::kMeasured;
    writer = SessionWriter::create(folder.path(), info);
    ASSERT_TRUE(writer->close(SessionStatus::kComplete, ""));
    const Result<SessionCheck> check = verify_session(writer->path());
    ASSERT_TRUE(check);
    EXPECT_EQ(check->passed, sweep);
    EXPECT_EQ(state_of(*check, layout::kIterations), sweep ? "not listed" : "missing");
    const std::string losses = Json(open_session(writer->path())->losses).dump();
    EXPECT_EQ(losses.find(layout::kIterations) == std::string::npos, sweep) << losses;
  }
}

TEST(Verify, a_torn_journal_is_damaged_once_nobody_writes_it) {
  const TestFolder folder;
  Result<SessionWriter> writer = start_test_session(folder.path());
  ASSERT_TRUE(writer);
  constexpr const char* kJournal = "journal/system_events.host.jrn";
  const std::filesystem::path path = writer->path() / kJournal;
  ASSERT_TRUE(make_folders(path.parent_path()));
  ASSERT_TRUE(RowJournalWriter<SystemRow>::create(path)->append({}));
  std::ofstream(path, std::ios::app | std::ios::binary) << "half of a row";
  EXPECT_EQ(state_of(*verify_session(writer->path()), kJournal), "ok");
  ASSERT_TRUE(writer->close(SessionStatus::kInterrupted, ""));
  // It was closed with that journal, and says of itself that it broke off.
  Result<SessionCheck> check = verify_session(writer->path());
  EXPECT_TRUE(check->passed);
  EXPECT_EQ(check->status, SessionStatus::kInterrupted);
  EXPECT_EQ(state_of(*check, kJournal), "ok");
  EXPECT_EQ(find(*check, kJournal)->detail, "torn after 1 rows");
  std::ofstream(path, std::ios::app | std::ios::binary) << "more";
  check = verify_session(writer->path());
  EXPECT_FALSE(check->passed);
  EXPECT_EQ(state_of(*check, kJournal), "changed");
}

TEST(Verify, a_torn_journal_of_a_killed_session_is_damaged) {
  const TestFolder folder;
  Result<SessionWriter> writer = start_test_session(folder.path());
  ASSERT_TRUE(writer);
  constexpr const char* kJournal = "journal/system_events.host.jrn";
  const std::filesystem::path path = writer->path() / kJournal;
  ASSERT_TRUE(make_folders(path.parent_path()));
  ASSERT_TRUE(RowJournalWriter<SystemRow>::create(path)->append({}));
  std::ofstream(path, std::ios::app | std::ios::binary) << "half of a row";
  writer->info().pid_start_ticks += 1;
  ASSERT_TRUE(writer->save());
  const Result<SessionCheck> check = verify_session(writer->path());
  EXPECT_EQ(check->status, SessionStatus::kIncomplete);
  EXPECT_FALSE(check->passed);
  EXPECT_EQ(state_of(*check, kJournal), "damaged");
}

TEST(Verify, a_failed_session_is_as_it_was_left) {
  const TestFolder folder;
  Result<SessionWriter> writer = start_test_session(folder.path());
  ASSERT_TRUE(writer);
  ASSERT_TRUE(make_folders(writer->path() / "profiler"));
  std::ofstream(writer->path() / "profiler" / "cut.json") << "[{\"ts\":";
  ASSERT_TRUE(writer->close(SessionStatus::kFailed, "the device was lost"));
  const Result<SessionCheck> check = verify_session(writer->path());
  EXPECT_TRUE(check->passed) << Json(*check).dump();
  EXPECT_EQ(check->status, SessionStatus::kFailed);
  EXPECT_EQ(find(*check, "profiler/cut.json")->detail, "not valid JSON");
}

}  // namespace
}  // namespace aaco
