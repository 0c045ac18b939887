// SPDX-License-Identifier: MIT
// Looks again and again what processes of this node share, and hands it on.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "base/process/thread_start.h"
#include "engine/ranks/nodes/shared_files.h"

namespace aaco {

class FileRelay {
 public:
  // `files` outlives it; `tell` is called from a thread of its own.
  // Errors: kResource where no thread is to be had.
  static Result<std::unique_ptr<FileRelay>> start(SharedFiles& files, std::function<void(const SharedFile&)> tell) {
    std::unique_ptr<FileRelay> relay(new FileRelay());
    AACO_ASSIGN(relay->thread_, start_thread([&over = relay->over_, &files, tell = std::move(tell)] {
                  constexpr auto kPause = std::chrono::milliseconds(20);
                  while (!over) {
                    for (const SharedFile& file : files.changed()) {
                      tell(file);
                    }
                    std::this_thread::sleep_for(kPause);
                  }
                }));
    return relay;
  }
  ~FileRelay() {
    over_ = true;
    if (thread_.joinable()) {
      thread_.join();
    }
  }
  FileRelay(const FileRelay&) = delete;
  FileRelay& operator=(const FileRelay&) = delete;

 private:
  FileRelay() = default;

  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace aaco
