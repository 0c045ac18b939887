// SPDX-License-Identifier: MIT
// A page that a program keeps in memory while the library in it sleeps (`aaco observe --dormant`), and by which aaco
// wakes it: /dev/shm/aaco_dormant_USER/PID_START. The program's user owns folder and page, and nobody else may write
// there.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace aaco {

struct DormantPage {
  static constexpr std::array<char, 8> kMagic{'A', 'A', 'C', 'O', 'D', 'O', 'R', '1'};
  static constexpr size_t kTextBytes = 2048;

  std::array<char, 8> magic = kMagic;
  std::atomic<uint32_t> bell = 0;        // rung when `text` is there
  std::atomic<uint32_t> taken_bell = 0;  // the bell's value whose text was read
  std::array<char, kTextBytes> text{};
};

inline constexpr const char* kDormantRoot = "/dev/shm";

// The program's side.
class DormantSleeper {
 public:
  // Of this process. Null where no page can be made.
  static std::unique_ptr<DormantSleeper> create(const std::filesystem::path& root = kDormantRoot);
  DormantSleeper(const DormantSleeper&) = delete;
  DormantSleeper& operator=(const DormantSleeper&) = delete;
  ~DormantSleeper();

  // The next text. Takes no time of a processor meanwhile.
  std::string wait();
  // The process ends.
  void remove() const;

 private:
  DormantSleeper(DormantPage* page, std::filesystem::path path) : page_(page), path_(std::move(path)) {}

  DormantPage* page_;
  std::filesystem::path path_;
  uint32_t heard_ = 0;
};

// aaco's side. Whether the process has such a page, took the text, and when: false where it did not within 2 s.
bool wake_dormant(pid_t pid, uint64_t start_ticks, uid_t user, std::string_view text,
                  const std::filesystem::path& root = kDormantRoot);

// Field 22 of /proc/PID/stat: with the pid it names a process for good.
std::optional<uint64_t> start_ticks_of(pid_t pid);

}  // namespace aaco
