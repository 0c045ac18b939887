// SPDX-License-Identifier: MIT
#include "kind/training/worker/training_note.h"

#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <utility>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/format.h"
#include "base/process/thread_start.h"
#include "workload/checks/verify.h"

namespace aaco {

namespace {

constexpr auto kLookEvery = std::chrono::milliseconds(250);

}  // namespace

std::filesystem::path training_note_path(const std::filesystem::path& folder, int64_t process) {
  return folder / fmt::format("training_note_{}", process);
}

Result<void> leave_note(const std::filesystem::path& path, const TrainingNote& note) {
  std::filesystem::path next = path;
  next += ".next";
  {
    std::ofstream file(next);
    file << fmt::format("{} {} {} {} end\n", note.step, note.steps, note.loss, note.tokens_per_s);
    if (!file.flush()) {
      return file_error(next, "write", errno);
    }
  }
  std::error_code error;
  std::filesystem::rename(next, path, error);
  return error ? Result<void>(file_error(path, "write", error.value())) : Result<void>();
}

std::optional<TrainingNote> read_note(const std::filesystem::path& path) {
  std::ifstream file(path);
  TrainingNote note;
  std::string loss, rate, end;  // as words: a stream does not read "nan"
  if (!(file >> note.step >> note.steps >> loss >> rate >> end) || end != "end") {
    return std::nullopt;
  }
  note.loss = std::strtod(loss.c_str(), nullptr);
  note.tokens_per_s = std::strtod(rate.c_str(), nullptr);
  return note;
}

std::string note_text(const TrainingNote& note) {
  return fmt::format("step {} of {}, loss {:.3f}, {}", note.step, note.steps, note.loss,
                     format_si(note.tokens_per_s, "tokens/s"));
}

NoteWriter::NoteWriter(const PreparedTraining& prepared, const TrainingRequest& request, int64_t process,
                       int64_t steps_before, std::chrono::nanoseconds every)
    : prepared_(prepared),
      path_(training_note_path(request.folder, process)),
      steps_before_(steps_before),
      every_ns_(every.count()),
      noted_ns_(monotonic_ns()) {
  note_.steps = std::max(request.warmup, steps_before) + request.steps;
  note_.step = steps_before;
}

Result<void> NoteWriter::after_step(int64_t steps_done) {
  const int64_t now = monotonic_ns();
  if (now - noted_ns_ < every_ns_) {
    return {};
  }
  const int64_t step = steps_before_ + steps_done;
  const int64_t tokens = (step - note_.step) * prepared_.training.config.tokens();
  AACO_ASSIGN(const auto reader, make_device_reader(*prepared_.device));
  AACO_ASSIGN(const std::vector<float> history, reader->floats(prepared_.training.history));
  note_.loss = step >= 1 && step <= static_cast<int64_t>(history.size()) ? history[static_cast<size_t>(step - 1)] : NAN;
  note_.tokens_per_s = static_cast<double>(tokens) / (static_cast<double>(now - noted_ns_) / 1e9);
  note_.step = step;
  noted_ns_ = monotonic_ns();
  return leave_note(path_, note_);
}

NoteWatch::NoteWatch(std::filesystem::path path, std::function<void(const TrainingNote&)> tell)
    : path_(std::move(path)), tell_(std::move(tell)) {
  if (auto started = start_thread([this] { watch(); })) {
    thread_ = std::move(*started);
  }
}

NoteWatch::~NoteWatch() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  over_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void NoteWatch::watch() {
  int64_t told = 0;
  std::unique_lock lock(mutex_);
  while (!over_.wait_for(lock, kLookEvery, [this] { return done_; })) {
    const auto note = read_note(path_);
    if (note && note->step != told) {
      told = note->step;
      tell_(*note);
    }
  }
}

}  // namespace aaco
