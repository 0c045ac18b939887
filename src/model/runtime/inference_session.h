// SPDX-License-Identifier: MIT
// An ONNX model loaded into ONNX Runtime, with its inputs and outputs bound where the provider wants them. run() is the
// measured call: nothing else happens in it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/tensor.h"

namespace aaco {

struct SessionRequest {
  std::filesystem::path model;
  std::string ort_library;  // "" for the default
  std::string backend = "cpu";
  std::map<std::string, std::string> provider_options;  // by the provider's own names (sort_options)
  std::map<std::string, std::string> session_entries;
  std::vector<std::string> custom_ops;  // libraries of custom operators
  // The provider replays a graph, which reads and writes where it did when it was captured: outputs stay where the
  // first run after their binding put them. So it is too where a provider option asks for graphs.
  bool fixes_outputs = false;
  int intra_op_threads = 0;  // 0: ONNX Runtime's choice
  int inter_op_threads = 0;
  std::filesystem::path profile_prefix;   // empty: not profiled
  std::filesystem::path optimized_model;  // empty: not written
};

// A tensor in the runtime's memory.
struct OutputView {
  ElementType type = ElementType::kUndefined;
  std::vector<int64_t> dims;
  const uint8_t* data = nullptr;
};

// One profile file and the clock it is in.
struct ProfileFile {
  std::filesystem::path path;
  int64_t start_wall_ns = 0;  // CLOCK_REALTIME of the profile's time zero
};

class InferenceSession {
 public:
  // Errors: kUsage for a model that ONNX Runtime refuses, kUnavailable for a provider that is not there or cannot load.
  static Result<InferenceSession> open(const SessionRequest& request);
  InferenceSession(InferenceSession&&) noexcept;
  InferenceSession& operator=(InferenceSession&&) noexcept;
  ~InferenceSession();

  const std::vector<PortInfo>& inputs() const;
  const std::vector<PortInfo>& outputs() const;
  std::string runtime_version() const;
  std::filesystem::path runtime_library() const;  // as it was opened; a bare name where the loader found it
  // True when inputs and outputs live in device memory while run() works.
  bool bound_on_device() const;
  // True once a run gave an output of another shape than the model declares: outputs are then allocated in each run.
  bool allocates_outputs() const;

  // Copies the inputs to where the provider wants them and binds outputs there. The tensors must stay until rebound.
  // The runtime keeps the buffers of bound outputs, so that later runs of the same shapes allocate none.
  Result<void> bind(std::span<const HostTensor> inputs);
  // One inference, outputs synchronised. False on failure; `failure()` then tells. With a graph, the first run after
  // binding is outside of it, the second captures; once captured, runs after another binding stay outside.
  bool run();
  Error failure();

  // All tensor outputs in host memory, of one more run. Rebinds the outputs.
  Result<std::vector<HostTensor>> fetch_outputs();
  // An output of the last run that is bound to host memory, where it lies; valid until the next run or rebinding.
  Result<OutputView> view_output(const std::string& name);

  // Moves the last run's output `from` to be the next run's input `to`, where it is, without a copy.
  Result<void> feed_back(const std::map<std::string, std::string>& output_to_input);
  // Rebinds one input from host memory.
  Result<void> bind_input(const HostTensor& tensor);
  // Binds one output to host memory (logits that the host looks at), the rest where the provider wants them.
  Result<void> bind_outputs(std::span<const std::string> on_host);

  // Ends profiling and names the file. Errors: kResource when it could not be written.
  Result<ProfileFile> end_profile();

 private:
  struct State;
  Result<void> check_outputs();
  Result<void> bind_outputs_anew();
  Result<void> fix_outputs();
  explicit InferenceSession(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace aaco
