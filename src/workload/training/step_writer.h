// SPDX-License-Identifier: MIT
// Writes a training step's commands into a program, and what each is for: to which phase, part of the model and layer
// it belongs.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "workload/program.h"

namespace aaco {

enum class StepPhase : uint8_t { kForward, kBackward, kOptimizer };
inline constexpr std::array kStepPhases{"forward", "backward", "optimizer"};

enum class StepPart : uint8_t {
  kEmbedding,
  kProducts,
  kAttention,
  kSwiglu,
  kNorms,
  kRotary,
  kResidual,
  kLoss,
  kUpdate,
  kCommunication
};
inline constexpr std::array kStepParts{"embedding", "products", "attention", "swiglu",    "norms",
                                       "rotary",    "residual", "loss",      "optimizer", "communication"};

// The module of the model that it is of, as a framework would have it: attention has its products, its positions and
// the scores; the norms have the residual sums in front of them, which versions fuse with them.
enum class StepModule : uint8_t { kEmbedding, kAttention, kMlp, kNorms, kHead, kLoss, kOptimizer };
inline constexpr std::array kStepModules{"embedding", "attention", "mlp", "norms", "head", "loss", "optimizer"};

struct StepLabel {
  StepPhase phase = StepPhase::kForward;
  StepPart part = StepPart::kEmbedding;
  StepModule module = StepModule::kEmbedding;
  int32_t layer = -1;  // -1: none of the layers
};

class StepWriter {
 public:
  // `labels` gets one for each command of `program`.
  StepWriter(Program& program, std::vector<StepLabel>& labels) : program_(program), labels_(labels) {}

  void phase(StepPhase phase) { at_.phase = phase; }
  void layer(int32_t layer) { at_.layer = layer; }
  // Whose products, positions and sums come from here on. What a part tells (norms, loss, ...) needs none.
  void module(StepModule module) { module_ = module; }
  void stream(int32_t stream) { stream_ = stream; }
  int32_t stream() const { return stream_; }
  // What is written from here on begins after all that `other` was given so far.
  void after(int32_t other) {
    program_.after(stream_, other);
    labels_.resize(program_.commands().size(), at_);
  }
  // A mark behind what this stream was given so far, and what waits for it.
  int32_t record() {
    const int32_t event = program_.record(stream_);
    labels_.resize(program_.commands().size(), at_);
    return event;
  }
  void wait(int32_t event) {
    program_.wait(stream_, event);
    labels_.resize(program_.commands().size(), at_);
  }

  void copy(void* to, const void* from, size_t bytes) {
    program_.copy(stream_, to, from, bytes);
    labels_.resize(program_.commands().size(), at_);
  }
  void collective(CollectiveCommand command) {
    at_.part = StepPart::kCommunication;
    program_.collective(std::move(command));
    labels_.resize(program_.commands().size(), at_);
  }

  // Whatever `write(program, stream)` adds.
  template <class Write>
  void program(StepPart part, const Write& write) {
    at_.part = part;
    write(program_, stream_);
    labels_.resize(program_.commands().size(), at_);
  }

  template <class Args>
  void op(StepPart part, const Args& args) {
    at_.part = part;
    at_.module = module_of(part);
    program_.op(stream_, args);
    labels_.resize(program_.commands().size(), at_);
  }

 private:
  StepModule module_of(StepPart part) const {
    switch (part) {
      case StepPart::kEmbedding:
        return StepModule::kEmbedding;
      case StepPart::kNorms:
        return StepModule::kNorms;
      case StepPart::kLoss:
        return StepModule::kLoss;
      case StepPart::kUpdate:
        return StepModule::kOptimizer;
      default:
        return module_;
    }
  }

  Program& program_;
  std::vector<StepLabel>& labels_;
  StepLabel at_;
  StepModule module_ = StepModule::kEmbedding;
  int32_t stream_ = 0;
};

}  // namespace aaco
