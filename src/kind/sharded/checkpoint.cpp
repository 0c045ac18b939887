// SPDX-License-Identifier: MIT
#include "kind/sharded/checkpoint.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "workload/checks/verify.h"

namespace aaco {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kStepFolder = "step_";
constexpr uint64_t kMostBytes = uint64_t{1} << 40;
constexpr size_t kPieceBytes = size_t{16} << 20;
constexpr size_t kDigestLetters = 64;

// What a checkpoint must fit, and its size, before the arrays; the digest of all of it stands behind.
struct CheckpointHeader {
  std::array<char, 8> magic{'a', 'a', 'c', 'o', 'c', 'k', 'p', '2'};
  int64_t step = 0;
  int64_t rank = 0;
  int64_t ranks = 0;
  int64_t shards = 0;
  int64_t vocabulary = 0;
  int64_t hidden = 0;
  int64_t layers = 0;
  int64_t inner = 0;
  int64_t kv_width = 0;
  int64_t elements = 0;  // of this rank's part
  int64_t losses = 0;

  friend bool operator==(const CheckpointHeader&, const CheckpointHeader&) = default;
};

CheckpointHeader header_of(const ShardedTraining& training, int64_t step) {
  const LlamaConfig& llama = training.config.llama;
  CheckpointHeader header;
  header.step = step;
  header.rank = llama.rank;
  header.ranks = llama.ranks;
  header.shards = training.config.shards() ? 1 : 0;
  header.vocabulary = llama.shape.vocabulary;
  header.hidden = llama.shape.hidden;
  header.layers = llama.shape.layers;
  header.inner = llama.shape.inner;
  header.kv_width = llama.shape.kv_width();
  header.elements = training.weights.masters.elements();
  header.losses = training.history.elements();
  return header;
}

std::vector<Tensor> arrays_of(const ShardedTraining& training) {
  const ShardedWeights& weights = training.weights;
  return {weights.masters, weights.first, weights.second, training.clock, training.history};
}

fs::path file_of(const fs::path& folder, int64_t rank) { return folder / fmt::format("rank_{}.bin", rank); }

bool is_whole(const fs::path& folder, int64_t ranks) {
  std::error_code error;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    if (!fs::is_regular_file(file_of(folder, rank), error)) {
      return false;
    }
  }
  return true;
}

std::optional<int64_t> step_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  int64_t step = 0;
  if (!name.starts_with(kStepFolder)) {
    return std::nullopt;
  }
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + kStepFolder.size(), end, step);
  return error == std::errc() && rest == end ? std::optional(step) : std::nullopt;
}

// Host memory to the device, through memory that a copy may read.
Result<void> fill(Device& device, const Tensor& tensor, const char* from) {
  AACO_ASSIGN(const auto stream, device.make_stream(device.properties().lowest_priority));
  AACO_ASSIGN(const auto staging, device.allocate(kPieceBytes, MemoryKind::kPinnedHost));
  const auto bytes = static_cast<size_t>(tensor.bytes());
  for (size_t at = 0; at < bytes; at += kPieceBytes) {
    const size_t piece = std::min(kPieceBytes, bytes - at);
    std::memcpy(staging->data(), from + at, piece);
    stream->copy(static_cast<char*>(tensor.data) + at, staging->data(), piece);
    AACO_TRY(stream->synchronize());
  }
  return {};
}

// What products read follows from what the optimiser changes.
Result<void> make_values(Device& device, const ShardedWeights& weights) {
  if (weights.values.data == weights.masters.data) {
    return {};
  }
  AACO_ASSIGN(const auto stream, device.make_stream(device.properties().lowest_priority));
  UnaryArgs cast{weights.masters.data, weights.values.data, weights.masters.elements()};
  cast.out_dtype = weights.values.dtype;
  stream->launch(cast);
  return stream->synchronize();
}

Error damaged(const fs::path& file) {
  return {ErrorKind::kUsage, fmt::format("{}: a damaged checkpoint", file.string()),
          "resume from the folder of the step before"};
}

}  // namespace

Result<CheckpointPlace> find_checkpoint(const fs::path& folder, int64_t ranks) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return Error{ErrorKind::kUsage, fmt::format("{}: no folder of checkpoints", folder.string()),
                 "training.checkpoint_interval writes some; name their folder"};
  }
  if (const auto step = step_of(folder); step && is_whole(folder, ranks)) {
    return CheckpointPlace{folder, *step};
  }
  std::optional<CheckpointPlace> newest;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const auto step = step_of(entry.path());
    if (step && is_whole(entry.path(), ranks) && (!newest || *step > newest->step)) {
      newest = CheckpointPlace{entry.path(), *step};
    }
  }
  if (!newest) {
    return Error{ErrorKind::kUsage, fmt::format("{}: holds no checkpoint of {} ranks", folder.string(), ranks),
                 "train with as many ranks as it was written by"};
  }
  return *newest;
}

Result<void> write_checkpoint(const fs::path& folder, Device& device, const ShardedTraining& training, int64_t step) {
  const fs::path of_step = folder / fmt::format("{}{:06}", kStepFolder, step);
  AACO_TRY(make_folders(of_step));
  const CheckpointHeader header = header_of(training, step);
  std::string content(reinterpret_cast<const char*>(&header), sizeof header);
  AACO_ASSIGN(const auto reader, make_device_reader(device));
  for (const Tensor& array : arrays_of(training)) {
    const size_t at = content.size();
    content.resize(at + static_cast<size_t>(array.bytes()));
    AACO_TRY(reader->bytes(content.data() + at, array.data, static_cast<size_t>(array.bytes())));
  }
  content += sha256_of(content);
  return write_file_atomically(file_of(of_step, header.rank), content);
}

Result<void> read_checkpoint(const CheckpointPlace& place, Device& device, const ShardedTraining& training) {
  const CheckpointHeader expected = header_of(training, place.step);
  const fs::path file = file_of(place.folder, expected.rank);
  AACO_ASSIGN(const std::string content, read_file(file, kMostBytes));
  size_t bytes = sizeof(CheckpointHeader);
  for (const Tensor& array : arrays_of(training)) {
    bytes += static_cast<size_t>(array.bytes());
  }
  CheckpointHeader found;
  if (content.size() < sizeof found + kDigestLetters) {
    return damaged(file);
  }
  std::memcpy(&found, content.data(), sizeof found);
  if (found.magic != expected.magic ||
      sha256_of(std::string_view(content).substr(0, content.size() - kDigestLetters)) !=
          std::string_view(content).substr(content.size() - kDigestLetters)) {
    return damaged(file);
  }
  if (found != expected || content.size() != bytes + kDigestLetters) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: the checkpoint of another training (rank {} of {}, {} layers of {}, {} steps)",
                             file.string(), found.rank, found.ranks, found.layers, found.hidden, found.losses),
                 "resume with the model, mode, ranks and steps that it was written with"};
  }
  size_t at = sizeof(CheckpointHeader);
  for (const Tensor& array : arrays_of(training)) {
    AACO_TRY(fill(device, array, content.data() + at));
    at += static_cast<size_t>(array.bytes());
  }
  return make_values(device, training.weights);
}

}  // namespace aaco
