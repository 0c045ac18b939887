// SPDX-License-Identifier: MIT
// How far a process is that trains: it leaves a note in its folder about once a second, between two steps; the parent
// reads that while it waits, and says so.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "kind/training/document/training_request.h"
#include "kind/training/worker/prepared_training.h"

namespace aaco {

struct TrainingNote {
  int64_t step = 0;         // done, warm-up included
  int64_t steps = 0;        // there will be
  double loss = 0;          // of that step
  double tokens_per_s = 0;  // since the note before
};

std::filesystem::path training_note_path(const std::filesystem::path& folder, int64_t process);
// The file is there with the whole note, or as it was before. It is not forced to the disk. Errors: naming the file.
Result<void> leave_note(const std::filesystem::path& path, const TrainingNote& note);
// None where there is none yet, or what is there is no note.
std::optional<TrainingNote> read_note(const std::filesystem::path& path);
// "step 120 of 300, loss 4.213, 61.4 ktokens/s"
std::string note_text(const TrainingNote& note);

// In the process that trains.
class NoteWriter {
 public:
  NoteWriter(const PreparedTraining& prepared, const TrainingRequest& request, int64_t process, int64_t steps_before,
             std::chrono::nanoseconds every = std::chrono::seconds(1));
  // Behind a step; does nothing so soon after the note before. Errors: the device's; of the file.
  Result<void> after_step(int64_t steps_done);

 private:
  const PreparedTraining& prepared_;
  std::filesystem::path path_;
  int64_t steps_before_;  // of the loss history, before the first that is told here
  int64_t every_ns_;
  TrainingNote note_;
  int64_t noted_ns_;
};

// In its parent: calls back, from a thread of its own, with each new note until it goes.
class NoteWatch {
 public:
  NoteWatch(std::filesystem::path path, std::function<void(const TrainingNote&)> tell);
  ~NoteWatch();
  NoteWatch(const NoteWatch&) = delete;
  NoteWatch& operator=(const NoteWatch&) = delete;

 private:
  void watch();

  std::filesystem::path path_;
  std::function<void(const TrainingNote&)> tell_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace aaco
