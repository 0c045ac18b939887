// SPDX-License-Identifier: MIT
#include "cli/overlap/launched_ranks.h"

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

#include "base/files/file.h"
#include "engine/orchestrator.h"
#include "engine/ranks/nodes/node_agent.h"
#include "engine/ranks/nodes/node_group.h"
#include "kind/sharded/config/rank_place.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr auto kPatience = std::chrono::minutes(1);
constexpr auto kPoll = std::chrono::milliseconds(50);

// When a process began, in clock ticks since boot: with its number, a name that no other process gets.
std::string begin_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  constexpr int kStartTime = 20;  // behind the name: proc(5)
  std::string field;
  for (int i = 0; i < kStartTime; ++i) {
    fields >> field;
  }
  return field;
}

// The launcher's processes on a node have one parent.
fs::path meeting_file() {
  const pid_t parent = ::getppid();
  std::error_code none;
  const fs::path folder = fs::temp_directory_path(none);
  return (none ? fs::path("/tmp") : folder) /
         fmt::format("aaco-overlap-{}-{}-{}", ::getuid(), parent, begin_of(parent));
}

class OpenFile {
 public:
  OpenFile(const fs::path& path, int flags)
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

fs::path readers_of(const fs::path& path) { return path.string() + ".read"; }

// Until all others have read how it ended, so that nothing stays for a later job of the same launcher.
void leave(const fs::path& path, int32_t others) {
  constexpr auto kLongest = std::chrono::seconds(10);
  const auto begun = std::chrono::steady_clock::now();
  std::error_code none;
  while (std::chrono::steady_clock::now() - begun < kLongest) {
    const auto read = fs::file_size(readers_of(path), none);
    if (!none && read >= static_cast<uintmax_t>(others)) {
      break;
    }
    std::this_thread::sleep_for(kPoll);
  }
  fs::remove(path, none);
  fs::remove(readers_of(path), none);
}

Result<void> append(int descriptor, const fs::path& path, std::string_view text) {
  return ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size())
             ? Result<void>()
             : file_error(path, "write", errno);
}

// Holds the file as long as it trains, so that the others see also a crash.
Result<int> lead(const fs::path& path, int32_t others, const std::function<Result<int>()>& train) {
  std::error_code none;
  fs::remove(readers_of(path), none);
  Result<int> ended = 0;
  {
    const OpenFile file(path, O_RDWR | O_CREAT);
    if (file.descriptor() < 0 || ::flock(file.descriptor(), LOCK_EX) != 0 || ::ftruncate(file.descriptor(), 0) != 0) {
      return file_error(path, "lock", errno);
    }
    AACO_TRY(append(file.descriptor(), path, "begun\n"));
    ended = train();
    AACO_TRY(append(file.descriptor(), path, fmt::format("{}\n", ended ? *ended : ended.error().exit_code())));
  }
  leave(path, others);
  return ended;
}

// Rank 0 has made the file and written that it has begun, with the lock in its hands.
Result<void> wait_for_begin(const fs::path& path) {
  const auto begun = std::chrono::steady_clock::now();
  std::error_code none;
  while (fs::file_size(path, none) == 0 || none) {
    AACO_TRY(check_interrupt());
    if (std::chrono::steady_clock::now() - begun > kPatience) {
      return Error{ErrorKind::kResource, "the first process of this node did not begin within a minute",
                   "see its own output; all ranks of a node must be started by one launcher"};
    }
    std::this_thread::sleep_for(kPoll);
  }
  return {};
}

Result<int> follow(const fs::path& path) {
  AACO_TRY(wait_for_begin(path));
  const OpenFile file(path, O_RDONLY);
  while (::flock(file.descriptor(), LOCK_SH | LOCK_NB) != 0) {
    AACO_TRY(check_interrupt());
    std::this_thread::sleep_for(kPoll);
  }
  AACO_ASSIGN(const std::string text, read_file(path));
  const OpenFile readers(readers_of(path), O_WRONLY | O_CREAT | O_APPEND);
  AACO_TRY(append(readers.descriptor(), readers_of(path), "."));
  const size_t line = text.find('\n');
  int code = 0;
  const char* const end = text.data() + text.size();
  if (line == std::string::npos || std::from_chars(text.data() + line + 1, end, code).ec != std::errc()) {
    return Error{ErrorKind::kResource, "the first process of this node ended without saying how", "see its own output"};
  }
  return code;
}

const char* variable(const char* name) { return std::getenv(name); }

// As rank 0's process, or that of another node's first rank.
Result<int> lead_node(const sharded::RankPlace& place, const std::vector<std::string>& devices, int64_t limit_ns,
                      const std::function<Result<int>(NodeGroup*)>& train) {
  const std::string secret = sharded::job_secret(variable);
  const int32_t port = sharded::rendezvous_port(place);
  const NodeFacts own{place.rank, place.local_ranks, place.ranks, devices};
  if (place.rank != 0) {
    return serve_node({place.address, port}, own, secret, limit_ns);
  }
  if (place.local_ranks == place.ranks) {
    return train(nullptr);
  }
  AACO_ASSIGN(const auto nodes, NodeGroup::gather({place.address, port}, own, secret, limit_ns));
  Result<int> ended = train(nodes.get());
  nodes->end(ended ? *ended : ended.error().exit_code());
  return ended;
}

}  // namespace

Result<std::optional<sharded::RankPlace>> launched_rank() { return sharded::rank_place(variable); }

Result<int> as_launched(const std::optional<sharded::RankPlace>& place, const std::vector<std::string>& devices,
                        int64_t limit_ns, const std::function<Result<int>(NodeGroup*)>& train) {
  if (!place || place->ranks == 1) {
    return train(nullptr);
  }
  if (place->local_rank != 0) {
    return follow(meeting_file());
  }
  const auto work = [&] { return lead_node(*place, devices, limit_ns, train); };
  return place->local_ranks == 1 ? work() : lead(meeting_file(), place->local_ranks - 1, work);
}

}  // namespace aaco
