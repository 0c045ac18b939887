// SPDX-License-Identifier: MIT
#include "kind/sharded/step_log.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fmt/format.h>

#include "base/files/file.h"

namespace aaco {

std::string step_line(int64_t epoch, int64_t step, double loss, double step_ns) {
  return fmt::format("epoch={} step={} loss={:.6g} ms={:.3f}", epoch, step, loss, step_ns / 1e6);
}

Result<StepLog> StepLog::open(const sharded::ShardedRunConfig& config, const ShardedTraining& training) {
  StepLog log(training);
  if (config.logging_level != "DEBUG" && config.logging_level != "INFO") {
    return log;
  }
  const std::filesystem::path folder = config.training.output_dir;
  AACO_TRY(make_folders(folder));
  const LlamaConfig& llama = training.config.llama;
  const std::filesystem::path path = folder / fmt::format("rank{}.log", llama.rank);
  log.file_.open(path, std::ios::trunc);
  if (!log.file_) {
    return file_error(path, "write", errno);
  }
  log.interval_ = config.training.log_interval;
  log.epoch_steps_ =
      std::max<int64_t>(1, config.dataset.num_samples / (llama.sequences * training.config.micro_steps * llama.ranks));
  return log;
}

Result<void> StepLog::write(int64_t step, double step_ns, DeviceReader& reader) {
  float loss = 0;
  AACO_TRY(reader.bytes(&loss, training_->history.as<float>() + (step - 1), sizeof loss));
  file_ << step_line((step - 1) / epoch_steps_, step, static_cast<double>(loss), step_ns) << '\n' << std::flush;
  return {};
}

}  // namespace aaco
