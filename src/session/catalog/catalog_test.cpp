// SPDX-License-Identifier: MIT
#include "session/catalog/catalog.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/json/json.h"
#include "base/test_folder.h"
#include "base/test_skip.h"
#include "session/bundle/bundle_lock.h"
#include "session/test_session.h"

namespace aaco {
namespace {

constexpr int64_t kNsPerDay = 86'400'000'000'000;

// A session of only session.json, created `days` ago, and closed unless `status` is kRunning or kIncomplete.
std::filesystem::path session_of_age(const std::filesystem::path& root, int64_t days, SessionStatus status) {
  SessionInfo info = test_info();
  info.t0_wall_ns = wall_clock_ns() - days * kNsPerDay - kNsPerDay / 2;
  Result<SessionWriter> writer = SessionWriter::create(root, info);
  EXPECT_TRUE(writer);
  if (status == SessionStatus::kIncomplete) {
    writer->info().pid_start_ticks += 1;
    EXPECT_TRUE(writer->save());
  } else if (status != SessionStatus::kRunning) {
    EXPECT_TRUE(writer->close(status, ""));
  }
  return writer->path();
}

// Still running on another machine.
std::filesystem::path session_elsewhere(const std::filesystem::path& root, int64_t days) {
  SessionInfo info = test_info();
  info.t0_wall_ns = wall_clock_ns() - days * kNsPerDay - kNsPerDay / 2;
  Result<SessionWriter> writer = SessionWriter::create(root, info);
  EXPECT_TRUE(writer);
  writer->info().boot_id = "another";
  EXPECT_TRUE(writer->save());
  return writer->path();
}

std::filesystem::path damaged_session(const std::filesystem::path& root) {
  const std::filesystem::path path = root / "2020-01-01" / "20200101_000000_abcdef";
  std::filesystem::create_directories(path);
  std::ofstream(path / "session.json") << "{";
  return path;
}

TEST(Catalog, lists_oldest_first_with_effective_status) {
  const TestFolder folder;
  const auto young = session_of_age(folder.path(), 1, SessionStatus::kComplete);
  const auto old = session_of_age(folder.path(), 9, SessionStatus::kIncomplete);
  const auto damaged = damaged_session(folder.path());
  std::filesystem::create_directories(folder.path() / "2021-01-01" / "no_session");
  std::filesystem::create_symlink(young, folder.path() / "2020-01-01" / "link");
  std::ofstream(folder.path() / "a file").flush();
  const Result<std::vector<SessionEntry>> entries = list_sessions(folder.path());
  ASSERT_TRUE(entries) << entries.error().message;
  ASSERT_EQ(entries->size(), 3);
  EXPECT_EQ((*entries)[0].path, damaged);
  EXPECT_EQ((*entries)[0].status, SessionStatus::kDamaged);
  EXPECT_NE((*entries)[0].problem.find("session.json"), std::string::npos);
  EXPECT_EQ((*entries)[1].path, old);
  EXPECT_EQ((*entries)[1].status, SessionStatus::kIncomplete);
  EXPECT_EQ((*entries)[2].status, SessionStatus::kComplete);
  EXPECT_EQ((*entries)[2].info.facts.model_name, "tiny");
}

TEST(Catalog, a_missing_root_is_an_error) {
  const TestFolder folder;
  const std::filesystem::path missing = folder.path() / "missing";
  EXPECT_EQ(list_sessions(missing).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(find_session(missing, "2026").error().kind, ErrorKind::kUsage);
  EXPECT_THAT(find_session(missing, "2026").error().message, ::testing::HasSubstr("no session \"2026\": "));
  EXPECT_EQ(prune_sessions(missing, {1, {}, false}).error().kind, ErrorKind::kUsage);
}

TEST(Catalog, finds_what_a_user_types) {
  const TestFolder folder;
  const auto old = session_of_age(folder.path(), 400, SessionStatus::kComplete);
  const auto young = session_of_age(folder.path(), 1, SessionStatus::kComplete);
  const std::string id = young.filename();
  EXPECT_EQ(*find_session(folder.path(), "latest"), young);
  EXPECT_EQ(*find_session(folder.path(), id), young);
  EXPECT_EQ(*find_session(folder.path(), id.substr(0, 8)), young);
  EXPECT_EQ(*find_session(folder.path(), old.filename().string().substr(0, 15)), old);
  EXPECT_EQ(*find_session("elsewhere", old), old);
  EXPECT_EQ(*find_session("elsewhere", folder.path() / "latest"), young);

  const Result<std::filesystem::path> ambiguous = find_session(folder.path(), "2");
  ASSERT_FALSE(ambiguous);
  EXPECT_NE(ambiguous.error().message.find(id), std::string::npos) << ambiguous.error().message;
  const std::string missing = folder.path() / "missing";
  for (const std::string& text :
       {std::string(), std::string("x"), std::string("../.."), missing, std::string("."), std::string("2026-")}) {
    const Result<std::filesystem::path> path = find_session(folder.path(), text);
    ASSERT_FALSE(path) << text;
    EXPECT_EQ(path.error().kind, ErrorKind::kUsage);
    EXPECT_NE(path.error().hint, "");
  }
  std::filesystem::remove_all(young);
  const Result<std::filesystem::path> dangling = find_session(folder.path(), "latest");
  ASSERT_FALSE(dangling);
  EXPECT_NE(dangling.error().message.find(id), std::string::npos) << dangling.error().message;
}

TEST(Prune, keeps_the_newest_and_what_runs) {
  const TestFolder folder;
  const auto running = session_of_age(folder.path(), 30, SessionStatus::kRunning);
  const auto incomplete = session_of_age(folder.path(), 20, SessionStatus::kIncomplete);
  const auto old = session_of_age(folder.path(), 10, SessionStatus::kComplete);
  const auto young = session_of_age(folder.path(), 5, SessionStatus::kFailed);
  const auto damaged = damaged_session(folder.path());

  const Result<PruneResult> said = prune_sessions(folder.path(), {1, {}, true});
  ASSERT_TRUE(said);
  EXPECT_EQ(said->removed, (std::vector{incomplete, old}));
  EXPECT_GT(said->freed_bytes, 100);
  EXPECT_EQ(list_sessions(folder.path())->size(), 5);

  const Result<PruneResult> done = prune_sessions(folder.path(), {1, {}, false});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->removed, said->removed);
  EXPECT_EQ(done->kept.size(), 2);
  EXPECT_TRUE(std::filesystem::exists(running));
  EXPECT_TRUE(std::filesystem::exists(damaged));
  EXPECT_TRUE(std::filesystem::exists(young));
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_FALSE(std::filesystem::exists(old.parent_path())) << "an empty date folder goes too";
  EXPECT_EQ(*find_session(folder.path(), "latest"), young);
}

TEST(Prune, by_age_and_number_needs_both) {
  const TestFolder folder;
  const auto oldest = session_of_age(folder.path(), 30, SessionStatus::kComplete);
  const auto middle = session_of_age(folder.path(), 20, SessionStatus::kComplete);
  const auto young = session_of_age(folder.path(), 3, SessionStatus::kComplete);
  EXPECT_EQ(prune_sessions(folder.path(), {2, 10.0, true})->removed, std::vector{oldest});
  EXPECT_EQ(prune_sessions(folder.path(), {0, 10.0, true})->removed, (std::vector{oldest, middle}));
  EXPECT_EQ(prune_sessions(folder.path(), {{}, 25.0, true})->removed, std::vector{oldest});
  EXPECT_EQ(prune_sessions(folder.path(), {5, {}, true})->removed.size(), 0);
  EXPECT_EQ(prune_sessions(folder.path(), {0, {}, true})->removed, (std::vector{oldest, middle, young}));
}

TEST(Prune, latest_goes_to_the_newest_left_or_away) {
  const TestFolder folder;
  const auto young = session_of_age(folder.path(), 3, SessionStatus::kComplete);
  const auto old = session_of_age(folder.path(), 9, SessionStatus::kComplete);  // closed later: latest points here
  ASSERT_EQ(*find_session(folder.path(), "latest"), old);
  ASSERT_TRUE(prune_sessions(folder.path(), {{}, 5.0, false}));
  EXPECT_EQ(*find_session(folder.path(), "latest"), young);
  ASSERT_TRUE(prune_sessions(folder.path(), {0, {}, false}));
  EXPECT_FALSE(std::filesystem::is_symlink(folder.path() / "latest"));
}

TEST(Prune, follows_no_link_out_of_the_root) {
  const TestFolder folder;
  const TestFolder outside;
  const auto precious = session_of_age(outside.path(), 9, SessionStatus::kComplete);
  const auto inside = session_of_age(folder.path(), 9, SessionStatus::kComplete);
  std::filesystem::create_symlink(precious, inside.parent_path() / "20200101_000000_000000");
  std::filesystem::create_symlink(precious.parent_path(), folder.path() / "2020-01-01");
  std::filesystem::create_symlink(precious, inside / "link");
  const Result<PruneResult> done = prune_sessions(folder.path(), {0, {}, false});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->removed, std::vector{inside});
  EXPECT_TRUE(std::filesystem::exists(precious / "session.json"));
}

TEST(Prune, a_removal_that_was_cut_short_is_finished) {
  const TestFolder folder;
  const auto young = session_of_age(folder.path(), 1, SessionStatus::kComplete);
  const auto half = young.parent_path() / ".removed_20200101_000000_000000";
  std::filesystem::create_directory(half);
  EXPECT_EQ(list_sessions(folder.path())->size(), 1);
  ASSERT_TRUE(prune_sessions(folder.path(), {1, {}, false}));
  EXPECT_FALSE(std::filesystem::exists(half));
}

TEST(Prune, what_is_being_recorded_stays_whatever_its_process_id_says) {
  const TestFolder folder;
  Result<SessionWriter> writer = SessionWriter::create(folder.path(), test_info());
  ASSERT_TRUE(writer);
  writer->info().pid_start_ticks += 1;  // as a container's process reads from outside
  ASSERT_TRUE(writer->save());
  ASSERT_EQ(list_sessions(folder.path())->front().status, SessionStatus::kIncomplete);
  for (const bool dry_run : {true, false}) {
    const Result<PruneResult> kept = prune_sessions(folder.path(), {0, {}, dry_run});
    ASSERT_TRUE(kept);
    EXPECT_TRUE(kept->removed.empty());
    EXPECT_EQ(kept->kept, std::vector{writer->info().session_id + ": being recorded"});
  }
  ASSERT_TRUE(writer->close(SessionStatus::kFailed, ""));
  EXPECT_EQ(prune_sessions(folder.path(), {0, {}, false})->removed, std::vector{writer->path()});
}

TEST(Prune, a_session_of_another_machine_stays_until_nothing_writes_it) {
  const TestFolder folder;
  const auto path = session_elsewhere(folder.path(), 3);
  const Result<PruneResult> kept = prune_sessions(folder.path(), {0, {}, false});
  ASSERT_TRUE(kept);
  EXPECT_TRUE(kept->removed.empty());
  EXPECT_EQ(kept->kept.size(), 1);
  std::filesystem::last_write_time(path / "session.json",
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(25));
  EXPECT_EQ(prune_sessions(folder.path(), {0, {}, false})->removed, std::vector{path});
}

TEST(Prune, what_cannot_be_removed_is_said_and_the_rest_goes) {
  const TestFolder folder;
  const auto old = session_of_age(folder.path(), 9, SessionStatus::kComplete);
  const auto young = session_of_age(folder.path(), 3, SessionStatus::kComplete);
  // A name that has no room for the prefix which hides it.
  std::filesystem::path stuck = old;
  stuck += std::string(250 - old.filename().string().size(), 'x');
  std::filesystem::rename(old, stuck);
  const Result<PruneResult> done = prune_sessions(folder.path(), {0, {}, false});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->removed, std::vector{young});
  EXPECT_TRUE(done->failed);
  ASSERT_EQ(done->kept.size(), 1);
  EXPECT_NE(done->kept[0].find("cannot remove"), std::string::npos) << done->kept[0];
  EXPECT_EQ(*find_session(folder.path(), "latest"), stuck);
}

TEST(Prune, a_leftover_that_stays_is_said) {
  const TestFolder folder;
  session_of_age(folder.path(), 1, SessionStatus::kComplete);
  const SmallDisk disk(folder.path() / "2020-01-01" / ".removed_20200101_000000_000000" / "disk", "1m");
  if (!disk.mounted()) {
    AACO_SKIP("mounting a small disk needs root");
  }
  const Result<PruneResult> done = prune_sessions(folder.path(), {1, {}, false});
  ASSERT_TRUE(done);
  EXPECT_TRUE(done->failed);
  ASSERT_EQ(done->kept.size(), 1);
  EXPECT_TRUE(done->kept[0].starts_with(".removed_20200101_000000_000000: cannot remove")) << done->kept[0];
}

TEST(Prune, a_session_without_a_time_is_damaged_and_not_old) {
  const TestFolder folder;
  const auto path = damaged_session(folder.path());
  std::ofstream(path / "session.json") << R"({"schema_version": 1, "status": "complete"})";
  EXPECT_EQ(list_sessions(folder.path())->front().status, SessionStatus::kDamaged);
  const Result<PruneResult> done = prune_sessions(folder.path(), {{}, 1.0, false});
  ASSERT_TRUE(done);
  EXPECT_TRUE(done->removed.empty());
  EXPECT_EQ(done->kept.size(), 1);
}

// Surely a session of this program, and yet nobody can read it: as those that were recorded with --tolerance nan.
TEST(Prune, an_unreadable_session_of_its_own_goes) {
  const TestFolder folder;
  const auto unreadable = session_of_age(folder.path(), 9, SessionStatus::kComplete);
  const auto young = session_of_age(folder.path(), 1, SessionStatus::kComplete);
  const auto running = session_of_age(folder.path(), 3, SessionStatus::kRunning);
  for (const auto& path : {unreadable, running}) {
    Json json = *read_json(path / "session.json");
    json["facts"]["process_facts"] = Json::array({{{"load_ms", nullptr}}});
    ASSERT_TRUE(write_json(path / "session.json", json));
    ASSERT_FALSE(read_session_info(path));
  }
  EXPECT_TRUE(prune_sessions(folder.path(), {{}, 10.0, false})->removed.empty()) << "too young";
  const Result<PruneResult> done = prune_sessions(folder.path(), {0, 2.0, false});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->removed, std::vector{unreadable});
  EXPECT_TRUE(std::filesystem::exists(running));
  EXPECT_TRUE(std::filesystem::exists(young));
}

TEST(Prune, what_still_gets_its_report_stays) {
  const TestFolder folder;
  std::filesystem::path session;
  {
    const KeptBundleLocks until_reported;
    session = session_of_age(folder.path(), 3, SessionStatus::kComplete);
    const Result<PruneResult> done = prune_sessions(folder.path(), {0, {}, false});
    EXPECT_TRUE(done->removed.empty());
    ASSERT_EQ(done->kept.size(), 1);
    EXPECT_THAT(done->kept[0], ::testing::EndsWith(": being recorded"));
  }
  EXPECT_EQ(prune_sessions(folder.path(), {0, {}, false})->removed, std::vector{session});
}

TEST(Prune, rules_must_make_sense) {
  const TestFolder folder;
  session_of_age(folder.path(), 1, SessionStatus::kComplete);
  for (const PruneRules& rules : {PruneRules{}, PruneRules{-1, {}, false}, PruneRules{{}, -0.5, false}}) {
    EXPECT_EQ(prune_sessions(folder.path(), rules).error().kind, ErrorKind::kUsage);
  }
  EXPECT_EQ(list_sessions(folder.path())->size(), 1);
}

TEST(SessionCatalog, ReadsAgainWhatHasChangedAndNothingElse) {
  const TestFolder folder;
  const auto first = session_of_age(folder.path(), 2, SessionStatus::kComplete);
  const auto second = session_of_age(folder.path(), 1, SessionStatus::kComplete);
  SessionCatalog catalog(folder.path());
  ASSERT_TRUE(catalog.refresh());
  ASSERT_EQ(catalog.entries().size(), 2);
  EXPECT_EQ(catalog.entries()[0].info.facts.model_name, "tiny");

  // In place, at the same length and time: nobody notices, which shows that it is not read.
  const std::filesystem::path file = first / "session.json";
  std::string text = *read_file(file);
  text.replace(text.find("\"tiny\"", text.find("model_name")), 6, "\"tall\"");
  const auto written = std::filesystem::last_write_time(file);
  std::ofstream(file) << text;
  std::filesystem::last_write_time(file, written);
  ASSERT_TRUE(catalog.refresh());
  EXPECT_EQ(catalog.entries()[0].info.facts.model_name, "tiny");
  std::filesystem::last_write_time(file, written + std::chrono::seconds(1));
  ASSERT_TRUE(catalog.refresh());
  EXPECT_EQ(catalog.entries()[0].info.facts.model_name, "tall");

  std::filesystem::remove_all(first);
  const auto third = session_of_age(folder.path(), 0, SessionStatus::kComplete);
  ASSERT_TRUE(catalog.refresh());
  ASSERT_EQ(catalog.entries().size(), 2);
  EXPECT_EQ(catalog.entries()[0].path, second);
  EXPECT_EQ(catalog.entries()[1].path, third);
  std::filesystem::remove_all(folder.path());
  EXPECT_FALSE(catalog.refresh());
  EXPECT_TRUE(catalog.entries().empty());
}

TEST(SessionCatalog, NoticesThatARecordingProcessHasEnded) {
  const TestFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  SessionInfo info = test_info();
  Result<SessionWriter> writer = SessionWriter::create(folder.path(), info);
  ASSERT_TRUE(writer);
  const std::string stat = *read_file(fmt::format("/proc/{}/stat", child));
  std::istringstream fields(stat.substr(stat.rfind(')') + 2));
  std::string field;
  for (int number = 3; number < 22; ++number) {
    fields >> field;
  }
  fields >> writer->info().pid_start_ticks;
  writer->info().pid = child;
  ASSERT_TRUE(writer->save());
  SessionCatalog catalog(folder.path());
  ASSERT_TRUE(catalog.refresh());
  EXPECT_EQ(catalog.entries().at(0).status, SessionStatus::kRunning);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(catalog.refresh());
  EXPECT_EQ(catalog.entries().at(0).status, SessionStatus::kIncomplete);
}

// Listing and pruning read JSON only; DuckDB is 70 MB that they do without. Checked in a process of its own.
TEST(Catalog, does_without_duckdb) {
  if (std::getenv("AACO_TEST_IN_FRESH_PROCESS") == nullptr) {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string again =
        "AACO_TEST_IN_FRESH_PROCESS=1 '" + program + "' --gtest_filter=Catalog.does_without_duckdb >/dev/null";
    EXPECT_EQ(std::system(again.c_str()), 0);  // NOLINT(bugprone-command-processor): our own path alone
    return;
  }
  const TestFolder folder;
  session_of_age(folder.path(), 1, SessionStatus::kComplete);
  ASSERT_TRUE(list_sessions(folder.path()));
  ASSERT_TRUE(find_session(folder.path(), "latest"));
  ASSERT_TRUE(prune_sessions(folder.path(), {0, {}, false}));
  EXPECT_EQ(read_file("/proc/self/maps")->find("libduckdb"), std::string::npos);
  ASSERT_TRUE(duckdb_version());
  EXPECT_NE(read_file("/proc/self/maps")->find("libduckdb"), std::string::npos);
}

}  // namespace
}  // namespace aaco
