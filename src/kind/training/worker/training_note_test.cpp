// SPDX-License-Identifier: MIT
#include "kind/training/worker/training_note.h"

#include <chrono>
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <vector>

#include "base/files/temporary_folder.h"
#include "workload/checks/verify.h"

namespace aaco {
namespace {

using namespace std::chrono_literals;

TEST(TrainingNote, ComesBackFromItsFile) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const std::filesystem::path path = training_note_path(folder->path(), 3);
  EXPECT_FALSE(read_note(path)) << "none was left yet";
  ASSERT_TRUE(leave_note(path, {.step = 7, .steps = 55, .loss = 4.25, .tokens_per_s = 1.5e6}));
  const auto note = read_note(path);
  ASSERT_TRUE(note);
  EXPECT_EQ(note_text(*note), "step 7 of 55, loss 4.250, 1.50 Mtokens/s");
  ASSERT_TRUE(leave_note(path, {.step = 8, .steps = 55, .loss = NAN, .tokens_per_s = 1}));
  EXPECT_EQ(read_note(path)->step, 8);
  EXPECT_TRUE(std::isnan(read_note(path)->loss)) << "a loss that is no number is what a user wants to see at once";
  EXPECT_FALSE(leave_note(folder->path() / "absent" / "note", {}));
}

TEST(TrainingNote, HalfAFileIsNone) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const std::filesystem::path path = folder->path() / "note";
  for (const char* const text : {"", "7 55 4.25", "7 55 4.25 100 e", "x 55 4.25 100 end"}) {
    std::ofstream(path) << text;
    EXPECT_FALSE(read_note(path)) << text;
  }
}

TEST(NoteWriter, SaysTheLossOfTheStepThatIsDone) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  TrainingRequest request;
  request.preset = "nano";
  request.device = "cpu:0";
  request.steps = 4;
  request.warmup = 1;
  request.folder = folder->path().string();
  const auto complete = complete_request(request);
  ASSERT_TRUE(complete) << complete.error().message;
  const auto prepared = prepare_training(*complete);
  ASSERT_TRUE(prepared) << prepared.error().message;
  int64_t before = 0;
  const auto dispatcher = make_step_dispatcher(**prepared, DispatchMode::kSingle, before);
  ASSERT_TRUE(dispatcher);
  NoteWriter often(**prepared, *complete, 0, 0, 0ns);
  NoteWriter seldom(**prepared, *complete, 1, 0, 1h);
  for (int64_t step = 1; step <= 2; ++step) {
    ASSERT_TRUE((*dispatcher)->enqueue());
    ASSERT_TRUE(synchronize((*prepared)->target));
    ASSERT_TRUE(often.after_step(step));
    ASSERT_TRUE(seldom.after_step(step));
  }
  const auto note = read_note(training_note_path(folder->path(), 0));
  ASSERT_TRUE(note);
  EXPECT_EQ(note->step, 2);
  EXPECT_EQ(note->steps, 5);
  EXPECT_GT(note->tokens_per_s, 0);
  const auto reader = make_device_reader(*(*prepared)->device);
  ASSERT_TRUE(reader);
  const auto history = (*reader)->floats((*prepared)->training.history);
  ASSERT_TRUE(history);
  EXPECT_NEAR(note->loss, (*history)[1], 1e-6);
  EXPECT_NE((*history)[0], (*history)[1]);
  EXPECT_FALSE(read_note(training_note_path(folder->path(), 1))) << "too soon";
}

TEST(NoteWatch, TellsEachNewNoteOnce) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const std::filesystem::path path = folder->path() / "note";
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int64_t> told;
  const NoteWatch watch(path, [&](const TrainingNote& note) {
    const std::lock_guard lock(mutex);
    told.push_back(note.step);
    changed.notify_all();
  });
  for (const int64_t step : {5, 9}) {
    ASSERT_TRUE(leave_note(path, {.step = step, .steps = 10, .loss = 1, .tokens_per_s = 1}));
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, 60s, [&] { return !told.empty() && told.back() == step; }));
  }
  EXPECT_EQ(told, (std::vector<int64_t>{5, 9}));
}

}  // namespace
}  // namespace aaco
