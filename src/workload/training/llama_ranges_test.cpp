// SPDX-License-Identifier: MIT
// Ranges around the commands of a real step, in each way of dispatch.
#include "workload/training/llama_ranges.h"

#include <gmock/gmock.h>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "device/backend.h"
#include "workload/checks/verify.h"
#include "workload/dispatch.h"
#include "workload/training/llama_step.h"

namespace aaco {
namespace {

// What each thread opened and closed; paths of what was open, "forward/layer 1".
class OpenedRanges {
 public:
  RangeListener listener() {
    return {"test", [this](const char* name) { push(name); }, [this] { pop(); }};
  }
  std::set<std::string> paths() const { return paths_; }
  bool balanced() const {
    return !underflow_ && std::all_of(open_.begin(), open_.end(),
                                      [](const auto& thread_ranges) { return thread_ranges.second.empty(); });
  }
  size_t threads() const { return open_.size(); }

 private:
  void push(const char* name) {
    const std::lock_guard lock(mutex_);
    std::vector<std::string>& open = open_[std::this_thread::get_id()];
    open.emplace_back(open.empty() ? name : open.back() + "/" + name);
    paths_.insert(open.back());
  }
  void pop() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string>& open = open_[std::this_thread::get_id()];
    underflow_ = underflow_ || open.empty();
    if (!open.empty()) {
      open.pop_back();
    }
  }

  std::mutex mutex_;
  std::map<std::thread::id, std::vector<std::string>> open_;
  std::set<std::string> paths_;
  bool underflow_ = false;
};

struct Step {
  std::vector<std::unique_ptr<Stream>> streams;
  LlamaTraining training;
  ProgramTarget target;
};

Result<std::unique_ptr<Step>> make_step(int32_t version) {
  auto step = std::make_unique<Step>();
  LlamaConfig config;
  config.shape = {.vocabulary = 16, .hidden = 8, .layers = 2, .heads = 2, .kv_heads = 1, .inner = 16};
  config.fusions = llama_versions()[static_cast<size_t>(version - 1)].fusions;
  config.sequences = 1;
  config.length = 4;
  config.batches = 2;
  config.steps = 8;
  AACO_ASSIGN(Device * device, open_device("cpu:0"));
  for (int32_t i = 0; i < llama_streams(config.fusions); ++i) {
    AACO_ASSIGN(step->streams.emplace_back(), device->make_stream(0));
    step->target.streams.push_back(step->streams.back().get());
    step->target.devices.push_back(device);
  }
  AACO_ASSIGN(step->training, build_llama(*device, config));
  AACO_TRY(run_setup(*step->training.instance, step->target));
  return step;
}

Result<void> run(Step& step, DispatchMode mode, OpenedRanges& heard) {
  const ProfilerRanges ranges({heard.listener()});
  const CommandRanges commands = llama_ranges(step.training.labels);
  AACO_ASSIGN(const auto dispatcher,
              make_dispatcher(mode, step.training.instance->iteration, step.target, {&commands, &ranges}));
  AACO_TRY(dispatcher->enqueue());
  return synchronize(step.target);
}

TEST(LlamaRanges, EachPhaseAndLayerIsOpenedAndClosed) {
  const auto step = make_step(1);
  ASSERT_TRUE(step) << step.error().message;
  OpenedRanges heard;
  const auto ran = run(**step, DispatchMode::kSingle, heard);
  ASSERT_TRUE(ran) << ran.error().message;
  EXPECT_THAT(heard.paths(), testing::IsSupersetOf({"forward", "forward/layer 0", "forward/layer 1", "backward",
                                                    "backward/layer 0", "backward/layer 1", "optimizer"}));
  EXPECT_THAT(heard.paths(), testing::Not(testing::Contains("forward/layer 2")));
  EXPECT_TRUE(heard.balanced());
}

// The update beside the backward pass has a stream, and so a thread, of its own.
TEST(LlamaRanges, EachThreadOpensItsOwn) {
  const auto step = make_step(4);
  ASSERT_TRUE(step) << step.error().message;
  OpenedRanges heard;
  const auto ran = run(**step, DispatchMode::kThreads, heard);
  ASSERT_TRUE(ran) << ran.error().message;
  EXPECT_EQ(heard.threads(), (*step)->streams.size());
  EXPECT_TRUE(heard.balanced());
  EXPECT_THAT(heard.paths(), testing::IsSupersetOf({"forward", "backward", "optimizer"}));
}

TEST(LlamaRanges, AReplayedGraphHasNoneInside) {
  const auto step = make_step(1);
  ASSERT_TRUE(step) << step.error().message;
  OpenedRanges heard;
  const auto ran = run(**step, DispatchMode::kGraph, heard);
  ASSERT_TRUE(ran) << ran.error().message;
  EXPECT_THAT(heard.paths(), testing::IsEmpty());
}

}  // namespace
}  // namespace aaco
