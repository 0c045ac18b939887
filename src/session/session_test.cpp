// SPDX-License-Identifier: MIT
#include "session/session.h"

#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/test_folder.h"
#include "base/test_sanitizer.h"
#include "base/test_skip.h"
#include "record/journal/journal_rows.h"
#include "record/journal/row_journal.h"
#include "session/collected_tables.h"
#include "session/session_info.h"
#include "session/test_session.h"

namespace aaco {
namespace {

// Ends `child` and waits.
void kill_and_reap(pid_t child) {
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

void replace_in(const std::filesystem::path& path, const std::string& from, const std::string& to) {
  std::string text = *read_file(path);
  const size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  ASSERT_TRUE(write_file_atomically(path, text.replace(at, from.size(), to)));
}

void flip_bit(const std::filesystem::path& path, size_t at) {
  std::string bytes = *read_file(path);
  bytes.at(at) = static_cast<char>(bytes.at(at) ^ 4);
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(Session, is_created_running_and_complete_when_closed) {
  const TestFolder folder;
  Result<SessionWriter> writer = start_test_session(folder.path());
  ASSERT_TRUE(writer) << writer.error().message;
  const std::string id = writer->info().session_id;
  EXPECT_TRUE(std::regex_match(id, std::regex("[0-9]{8}_[0-9]{6}_[0-9a-f]{6}"))) << id;
  const std::string date = id.substr(0, 4) + "-" + id.substr(4, 2) + "-" + id.substr(6, 2);
  EXPECT_EQ(writer->path(), folder.path() / date / id);

  const Result<SessionInfo> running = read_session_info(writer->path());
  ASSERT_TRUE(running);
  EXPECT_EQ(running->status, SessionStatus::kRunning);
  EXPECT_EQ(effective_status(*running), SessionStatus::kRunning);
  EXPECT_EQ(running->pid, ::getpid());
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "latest"));

  ASSERT_TRUE(writer->close(SessionStatus::kComplete, ""));
  const Result<OpenSession> open = open_session(folder.path() / "latest");
  ASSERT_TRUE(open) << open.error().message;
  EXPECT_EQ(open->status, SessionStatus::kComplete);
  EXPECT_EQ(open->info.command_line, test_info().command_line);
  EXPECT_EQ(open->recording.facts.batch, 4);
  EXPECT_EQ(open->recording.facts.input_shapes, test_info().facts.input_shapes);
  EXPECT_EQ(open->recording.planes.at("telemetry").state, PlaneStatus::kNotRequested);
  EXPECT_EQ((*open->environment)["kernel"], "test");
  EXPECT_TRUE(open->losses.empty());
  ASSERT_EQ(open->recording.iterations.size(), 100);
  EXPECT_EQ(open->recording.iterations[42].t_end_ns, 84'000);
  EXPECT_EQ(open->recording.iterations[42].phase, IterationPhase::kMeasure);
  ASSERT_EQ(open->recording.collected.rows<SystemRow>().size(), 3);
  EXPECT_EQ(open->recording.collected.rows<SystemRow>()[1].cpu_pct, 50);
  EXPECT_FALSE(open->recording.collected.rows<SystemRow>()[0].cpu_pct);
}

TEST(Session, latest_is_a_relative_link_to_what_was_closed_last) {
  const TestFolder folder;
  ASSERT_TRUE(closed_test_session(folder.path()));
  const Result<SessionWriter> second = closed_test_session(folder.path());
  ASSERT_TRUE(second);
  const std::filesystem::path target = std::filesystem::read_symlink(folder.path() / "latest");
  EXPECT_TRUE(target.is_relative());
  EXPECT_EQ(folder.path() / target, second->path());
}

TEST(Session, latest_that_is_a_folder_is_an_error_and_stays) {
  const TestFolder folder;
  std::filesystem::create_directory(folder.path() / "latest");
  Result<SessionWriter> writer = start_test_session(folder.path());
  ASSERT_TRUE(writer);
  const Result<void> closed = writer->close(SessionStatus::kComplete, "");
  ASSERT_FALSE(closed);
  EXPECT_NE(closed.error().message.find("latest"), std::string::npos);
  EXPECT_EQ(read_session_info(writer->path())->status, SessionStatus::kComplete);
}

TEST(Session, running_needs_the_same_process_and_boot) {
  SessionInfo info;
  info.status = SessionStatus::kRunning;
  info.pid = ::getpid();
  info.pid_start_ticks = own_start_ticks();
  info.boot_id = boot_id();
  EXPECT_EQ(effective_status(info), SessionStatus::kRunning);
  SessionInfo other = info;
  other.pid_start_ticks += 1;
  EXPECT_EQ(effective_status(other), SessionStatus::kIncomplete);
  other = info;
  other.boot_id = "another";
  EXPECT_EQ(effective_status(other), SessionStatus::kIncomplete);
  for (const int64_t pid : {int64_t{0}, int64_t{-1}, int64_t{INT32_MAX}, INT64_MAX}) {
    other = info;
    other.pid = pid;
    EXPECT_EQ(effective_status(other), SessionStatus::kIncomplete) << pid;
  }
  other.status = SessionStatus::kFailed;
  EXPECT_EQ(effective_status(other), SessionStatus::kFailed);
}

TEST(Session, a_killed_recorder_leaves_an_incomplete_session_with_its_rows) {
  const TestFolder folder;
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Result<SessionWriter> writer = SessionWriter::create(folder.path(), test_info());
    const std::filesystem::path journals = writer->path() / layout::kJournals;
    std::filesystem::create_directory(journals);
    // 2 ns a tick: ticks 100 to 105 are 1000 to 1010 ns.
    const TickClock clock({100, 1000}, {200, 1200});
    for (const int64_t process : {10, 2}) {
      const std::filesystem::path path = journals / iteration_journal_name(process);
      Result<JournalWriter> journal = create_iteration_journal(path, process);
      if (!write_journal_clock(path, clock) ||
          !journal->append(IterationJournalRow{100, 105, static_cast<int32_t>(JournalPhase::kMeasure), -1}) ||
          !journal->append(IterationJournalRow{110, 130, static_cast<int32_t>(JournalPhase::kDecode), 7})) {
        ::_exit(1);
      }
      new JournalWriter(std::move(*journal));  // never closed
    }
    SystemRow sample;
    sample.t_ns = 5;
    sample.load_1m = 0.5;
    auto system = RowJournalWriter<SystemRow>::create(writer->path() / collected_journal_path("system_events", "host"));
    system->append(sample);
    [[maybe_unused]] const ssize_t told = ::write(ready[1], "x", 1);
    ::pause();
    ::_exit(1);
  }
  char told = 0;
  ASSERT_EQ(::read(ready[0], &told, 1), 1);
  const std::filesystem::path date = std::filesystem::directory_iterator(folder.path())->path();
  const std::filesystem::path bundle = std::filesystem::directory_iterator(date)->path();
  EXPECT_EQ(open_session(bundle)->status, SessionStatus::kRunning);
  ::kill(child, SIGKILL);
  siginfo_t ended{};
  ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);
  EXPECT_EQ(effective_status(*read_session_info(bundle)), SessionStatus::kIncomplete) << "a zombie records nothing";
  kill_and_reap(child);

  const Result<OpenSession> open = open_session(bundle);
  ASSERT_TRUE(open) << open.error().message;
  EXPECT_EQ(open->status, SessionStatus::kIncomplete);
  ASSERT_EQ(open->recording.iterations.size(), 4);
  const IterationRow& decoded = open->recording.iterations[1];
  EXPECT_EQ(open->recording.iterations[0].process, 2);
  EXPECT_EQ(open->recording.iterations[2].process, 10);
  EXPECT_EQ(open->recording.iterations[0].t_start_ns, 1000);
  EXPECT_EQ(open->recording.iterations[0].t_end_ns, 1010);
  EXPECT_FALSE(open->recording.iterations[0].token_idx);
  EXPECT_EQ(decoded.iter_idx, 1);
  EXPECT_EQ(decoded.phase, IterationPhase::kDecode);
  EXPECT_EQ(decoded.token_idx, 7);
  EXPECT_DOUBLE_EQ(decoded.latency_ms, 40e-6);  // 20 ticks
  ASSERT_EQ(open->recording.collected.rows<SystemRow>().size(), 1);
  EXPECT_EQ(open->recording.collected.rows<SystemRow>()[0].load_1m, 0.5);
  EXPECT_FALSE(open->recording.collected.rows<SystemRow>()[0].cpu_pct);
  EXPECT_FALSE(open->recording.collected.rows<SystemRow>()[0].pid);
  std::string losses;
  for (const std::string& loss : open->losses) {
    losses += loss + "\n";
  }
  EXPECT_NE(losses.find("4 rows of 2 processes"), std::string::npos) << losses;
  EXPECT_NE(losses.find("env.json: missing"), std::string::npos) << losses;

  // A torn tail and a lost clock are named; the rest is still there.
  std::filesystem::remove(bundle / "journal/iterations_p10.clock.json");
  flip_bit(bundle / "journal/iterations_p2.jrn", 4096 + 32 + 3);
  const Result<OpenSession> damaged = open_session(bundle);
  ASSERT_TRUE(damaged);
  EXPECT_EQ(damaged->recording.iterations.size(), 1);
  losses.clear();
  for (const std::string& loss : damaged->losses) {
    losses += loss + "\n";
  }
  EXPECT_NE(losses.find("iterations_p2.jrn: torn after 1 rows"), std::string::npos) << losses;
  EXPECT_NE(losses.find("iterations_p10.clock.json"), std::string::npos) << losses;
}

TEST(Session, one_that_closes_while_it_is_read_is_read_again) {
  const TestFolder folder;
  Result<SessionWriter> writer = SessionWriter::create(folder.path(), test_info());
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->write_json_file(layout::kEnvironment, Json::object()));
  const std::filesystem::path journals = writer->path() / layout::kJournals;
  std::filesystem::create_directory(journals);
  // The first takes long enough to read for the session to close before the second is opened.
  constexpr size_t kRows = 1'000'000;
  for (const int64_t process : {0, 1}) {
    const std::filesystem::path path = journals / iteration_journal_name(process);
    Result<JournalWriter> journal = create_iteration_journal(path, process);
    ASSERT_TRUE(journal && write_journal_clock(path, TickClock({100, 1000}, {200, 1200})));
    for (size_t i = 0; i < (process == 0 ? kRows : 1); ++i) {
      ASSERT_TRUE(journal->append(IterationJournalRow{100, 105, static_cast<int32_t>(JournalPhase::kMeasure), -1}));
    }
  }
  const std::filesystem::path table = folder.path() / "table.parquet";
  ASSERT_TRUE(write_parquet_rows<IterationRow>(table, test_iterations(100)));
  const int watch = ::inotify_init1(IN_CLOEXEC);
  ASSERT_GE(::inotify_add_watch(watch, (journals / iteration_journal_name(0)).c_str(), IN_OPEN), 0);
  std::thread closer([&] {
    std::array<char, 4096> event{};
    EXPECT_GT(::read(watch, event.data(), event.size()), 0);
    std::filesystem::create_directory((writer->path() / layout::kIterations).parent_path());
    std::filesystem::rename(table, writer->path() / layout::kIterations);
    EXPECT_TRUE(writer->close(SessionStatus::kComplete, ""));
  });
  const Result<OpenSession> open = open_session(writer->path());
  closer.join();
  ::close(watch);
  ASSERT_TRUE(open) << open.error().message;
  // A reader that is through before the session closes has all rows of the journals.
  const bool complete = open->status == SessionStatus::kComplete;
  EXPECT_EQ(open->recording.iterations.size(), complete ? 100 : kRows + 1);
  EXPECT_EQ(open->losses.empty(), complete);
}

TEST(Session, an_interrupted_session_keeps_its_journals) {
  const TestFolder folder;
  for (const SessionStatus status : {SessionStatus::kComplete, SessionStatus::kInterrupted}) {
    Result<SessionWriter> writer = start_test_session(folder.path());
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->write_text("journal/notes.txt", "x"));
    ASSERT_TRUE(writer->close(status, "why"));
    EXPECT_EQ(std::filesystem::exists(writer->path() / "journal/notes.txt"), status == SessionStatus::kInterrupted);
    EXPECT_EQ(open_session(writer->path())->info.status_reason, "why");
  }
}

TEST(Session, a_changed_file_of_a_closed_session_is_an_error) {
  const TestFolder folder;
  for (const char* file : {layout::kIterations, layout::kSystemEvents, layout::kEnvironment, layout::kSession}) {
    const Result<SessionWriter> writer = closed_test_session(folder.path());
    ASSERT_TRUE(writer);
    const std::filesystem::path path = writer->path() / file;
    if (path.extension() == ".json") {
      replace_in(path, "\n", " \n");
    } else {
      flip_bit(path, 60);  // in the data, which no checksum of Parquet's covers
    }
    const Result<OpenSession> open = open_session(writer->path());
    ASSERT_FALSE(open) << file;
    EXPECT_EQ(open.error().kind, ErrorKind::kUsage);
    EXPECT_NE(open.error().message.find(path.string()), std::string::npos) << open.error().message;
  }
}

TEST(Session, a_missing_file_of_a_closed_session_is_a_loss) {
  const TestFolder folder;
  const Result<SessionWriter> writer = closed_test_session(folder.path());
  ASSERT_TRUE(writer);
  std::filesystem::remove(writer->path() / layout::kIterations);
  const Result<OpenSession> open = open_session(writer->path());
  ASSERT_TRUE(open);
  EXPECT_EQ(open->losses, std::vector<std::string>{"metrics/inference_iters.parquet: missing"});
}

TEST(Session, a_damaged_parquet_of_an_unclosed_session_is_named) {
  const TestFolder folder;
  const Result<SessionWriter> writer = start_test_session(folder.path());
  ASSERT_TRUE(writer);
  const std::filesystem::path path = writer->path() / layout::kIterations;
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 10);
  const Result<OpenSession> open = open_session(writer->path());
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().kind, ErrorKind::kUsage);
  EXPECT_NE(open.error().message.find(path.string()), std::string::npos) << open.error().message;
}

TEST(Session, a_newer_schema_is_refused) {
  const TestFolder folder;
  const Result<SessionWriter> writer = closed_test_session(folder.path());
  ASSERT_TRUE(writer);
  replace_in(writer->path() / layout::kSession, "\"schema_version\": 1", "\"schema_version\": 2");
  const Result<OpenSession> open = open_session(writer->path());
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().kind, ErrorKind::kUsage);
  EXPECT_NE(open.error().message.find("newer aaco"), std::string::npos);
  EXPECT_NE(open.error().message.find("up to 1"), std::string::npos);
  EXPECT_NE(open.error().hint.find("upgrade"), std::string::npos);
}

TEST(Session, a_status_that_is_not_known_is_an_error_that_names_it) {
  const TestFolder folder;
  const Result<SessionWriter> writer = closed_test_session(folder.path());
  ASSERT_TRUE(writer);
  replace_in(writer->path() / layout::kSession, "\"status\": \"complete\"", "\"status\": \"paused\"");
  const Result<SessionInfo> info = read_session_info(writer->path());
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().kind, ErrorKind::kUsage);
  EXPECT_NE(info.error().message.find("session.json: \"paused\" is no status"), std::string::npos)
      << info.error().message;
}

TEST(Session, what_is_no_session_is_named) {
  const TestFolder folder;
  const std::filesystem::path file = folder.path() / layout::kSession;
  EXPECT_EQ(open_session(folder.path()).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(open_session(folder.path() / "nothing").error().kind, ErrorKind::kUsage);
  for (const char* text : {"", "{", "[]", "3", "{}", R"({"schema_version": "1"})", R"({"schema_version": -1})",
                           R"({"schema_version": 1, "planes": 3})", R"({"schema_version": 1, "pid": "x"})",
                           R"({"schema_version": 99999999999999999999})"}) {
    std::ofstream(file) << text;
    const Result<OpenSession> open = open_session(folder.path());
    ASSERT_FALSE(open) << text;
    EXPECT_EQ(open.error().kind, ErrorKind::kUsage) << text;
    EXPECT_NE(open.error().message.find(file.string()), std::string::npos) << open.error().message;
    EXPECT_NE(open.error().hint, "");
  }
}

TEST(Session, a_pipe_in_place_of_a_file_does_not_block) {
  const TestFolder folder;
  const Result<SessionWriter> writer = closed_test_session(folder.path());
  ASSERT_TRUE(writer);
  for (const char* file : {layout::kIterations, layout::kEnvironment, layout::kManifest, layout::kSession}) {
    std::filesystem::remove(writer->path() / file);
    ASSERT_EQ(::mkfifo((writer->path() / file).c_str(), 0600), 0);
    const Result<OpenSession> open = open_session(writer->path());
    EXPECT_TRUE(!open || !open->losses.empty()) << file;
  }
  // What reports and lists read on their own.
  for (const char* file : {layout::kVerdict, layout::kSummary, layout::kSweep}) {
    std::filesystem::create_directories((writer->path() / file).parent_path());
    ASSERT_EQ(::mkfifo((writer->path() / file).c_str(), 0600), 0);
    EXPECT_FALSE(read_json(writer->path() / file)) << file;
  }
}

TEST(Session, an_unwritable_root_is_an_error_and_leaves_nothing) {
  const Result<SessionWriter> below_proc = SessionWriter::create("/proc/nothing", test_info());
  ASSERT_FALSE(below_proc);
  EXPECT_EQ(below_proc.error().kind, ErrorKind::kUsage);
  const TestFolder folder;
  std::ofstream(folder.path() / "file").flush();
  const Result<SessionWriter> below_file = SessionWriter::create(folder.path() / "file", test_info());
  ASSERT_FALSE(below_file);
  EXPECT_EQ(below_file.error().kind, ErrorKind::kUsage);
}

TEST(Session, a_full_disk_leaves_earlier_sessions_intact) {
  const TestFolder folder;
  const SmallDisk disk(folder.path() / "disk", "2m");
  if (!disk.mounted()) {
    AACO_SKIP("mounting a small disk needs root");
  }
  const Result<SessionWriter> first = closed_test_session(disk.path());
  ASSERT_TRUE(first) << first.error().message;
  Result<SessionWriter> second = start_test_session(disk.path());
  ASSERT_TRUE(second);
  const Result<void> written = second->write_text("profiler/raw.txt", std::string(4 << 20, 'x'));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::kResource);
  EXPECT_NE(written.error().message.find("raw.txt"), std::string::npos);
  // Not even a folder fits, so that a session cannot start either.
  std::ofstream filler(disk.path() / "filler");
  while (filler << std::string(4096, 'x') << std::flush) {
  }
  const Result<void> closed = second->close(SessionStatus::kFailed, "the disk is full");
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().kind, ErrorKind::kResource);
  const Result<SessionWriter> third = SessionWriter::create(disk.path(), test_info());
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().kind, ErrorKind::kResource) << third.error().message;
  EXPECT_EQ(open_session(disk.path() / "latest")->info.session_id, (*first).path().filename());
  EXPECT_EQ(open_session(first->path())->recording.iterations.size(), 100);
}

// One million rows are 88 MB in memory; the way to disk and back adds pieces, not copies.
TEST(Session, a_million_iterations_need_bounded_memory) {
  if (kAddressSanitizer || kThreadSanitizer) {
    AACO_SKIP("sanitizers multiply the memory");
  }
  const TestFolder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Result<SessionWriter> writer = SessionWriter::create(folder.path(), test_info());
    const bool written = writer && writer->write_rows<IterationRow>(layout::kIterations, test_iterations(1'000'000)) &&
                         writer->write_json_file(layout::kEnvironment, Json::object()) &&
                         writer->close(SessionStatus::kComplete, "");
    const Result<OpenSession> open = open_session(folder.path() / "latest");
    ::_exit(written && open && open->recording.iterations.size() == 1'000'000 &&
                    open->recording.iterations.back().t_end_ns == 2000 * int64_t{999'999}
                ? 0
                : 1);
  }
  int status = 0;
  rusage usage{};
  ASSERT_EQ(::wait4(child, &status, 0, &usage), child);
  EXPECT_EQ(status, 0);
  EXPECT_LT(usage.ru_maxrss, 400 * 1024) << "KiB";
  RecordProperty("max_rss_kib", static_cast<int>(usage.ru_maxrss));
}

}  // namespace
}  // namespace aaco
