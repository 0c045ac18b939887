// SPDX-License-Identifier: MIT
// Looks again and again what processes of this node share, and hands it on.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "experiment/ranks/nodes/shared_files.h"

namespace aaco {

class FileRelay {
 public:
  // `files` outlives it; `tell` is called from a thread of its own.
  FileRelay(SharedFiles& files, std::function<void(const SharedFile&)> tell)
      : thread_([this, &files, tell = std::move(tell)] {
          constexpr auto kPause = std::chrono::milliseconds(20);
          while (!over_) {
            for (const SharedFile& file : files.changed()) {
              tell(file);
            }
            std::this_thread::sleep_for(kPause);
          }
        }) {}
  ~FileRelay() {
    over_ = true;
    thread_.join();
  }
  FileRelay(const FileRelay&) = delete;
  FileRelay& operator=(const FileRelay&) = delete;

 private:
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace aaco
