// SPDX-License-Identifier: MIT
#include "model/runtime/inference_session.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnxruntime_c_api.h>

#include "model/runtime/load_remedy.h"
#include "model/runtime/ort_handles.h"
#include "model/runtime/ort_library.h"
#include "model/runtime/ort_values.h"
#include "model/runtime/session_options.h"

namespace aaco {

struct InferenceSession::State {
  std::shared_ptr<OrtLibrary> library;
  OrtHandle<OrtSession> session;
  OrtHandle<OrtIoBinding> binding;
  OrtHandle<OrtMemoryInfo> host_memory;
  OrtHandle<OrtMemoryInfo> device_memory;  // null on host providers
  std::vector<PortInfo> inputs;
  std::vector<PortInfo> outputs;
  std::map<std::string, OrtHandle<OrtValue>> bound_inputs;
  OrtStatus* failed = nullptr;
  std::vector<std::string> outputs_on_host;
  bool outputs_checked = false;  // against what the model declares, once after binding
  bool allocates_outputs = false;
  OrtHandle<OrtRunOptions> outside_graph;  // null where nothing is captured
  bool outputs_fixed = false;              // since the last binding
  bool captured = false;                   // what was bound then is in the graph

  const OrtApi& api() const { return library->api(); }
};

namespace {

// Providers' options that make them capture an inference and replay it.
bool replays_graph(const SessionRequest& request) {
  for (const char* option : {"enable_cuda_graph", "trt_cuda_graph_enable"}) {
    const auto set = request.provider_options.find(option);
    if (set != request.provider_options.end() && set->second == "1") {
      return true;
    }
  }
  return request.fixes_outputs;
}

// "gpu_graph_id" -1: ONNX Runtime neither captures nor replays in that run (onnxruntime_run_options_config_keys.h).
Result<OrtHandle<OrtRunOptions>> options_outside_graph(const OrtLibrary& library) {
  OrtRunOptions* run_options = nullptr;
  AACO_TRY(library.check(library.api().CreateRunOptions(&run_options), "make run options", ErrorKind::kBug));
  OrtHandle<OrtRunOptions> options(run_options, library.api().ReleaseRunOptions);
  AACO_TRY(library.check(library.api().AddRunConfigEntry(options.get(), "gpu_graph_id", "-1"), "set a run option",
                         ErrorKind::kBug));
  return options;
}

// Negative: any size. A model that declares no shape has no dimensions there.
bool is_of_shape(const std::vector<int64_t>& dims, const std::vector<int64_t>& declared) {
  return declared.empty() ||
         std::ranges::equal(dims, declared, [](int64_t size, int64_t wanted) { return wanted < 0 || size == wanted; });
}

}  // namespace

InferenceSession::InferenceSession(std::unique_ptr<State> state) : state_(std::move(state)) {}
InferenceSession::InferenceSession(InferenceSession&&) noexcept = default;
InferenceSession& InferenceSession::operator=(InferenceSession&&) noexcept = default;
InferenceSession::~InferenceSession() = default;

Result<InferenceSession> InferenceSession::open(const SessionRequest& request) {
  auto state = std::make_unique<State>();
  AACO_ASSIGN(state->library, OrtLibrary::open(request.ort_library));
  const OrtLibrary& library = *state->library;
  const OrtApi& api = library.api();
  AACO_ASSIGN(OrtHandle<OrtSessionOptions> options, make_session_options(library, request));

  OrtSession* session = nullptr;
  if (auto loaded =
          library.check(api.CreateSession(library.environment(), request.model.c_str(), options.get(), &session),
                        "load " + request.model.string());
      !loaded) {
    Error error = loaded.error();
    const std::string remedy = load_remedy(error.message, library.version());
    error.hint = remedy.empty() ? error.hint : remedy;
    return error;
  }
  state->session = OrtHandle<OrtSession>(session, api.ReleaseSession);
  AACO_ASSIGN(state->inputs, read_ports(library, session, PortKind::kInput));
  AACO_ASSIGN(state->outputs, read_ports(library, session, PortKind::kOutput));

  OrtMemoryInfo* host = nullptr;
  AACO_TRY(library.check(api.CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &host), "describe host memory",
                         ErrorKind::kBug));
  state->host_memory = OrtHandle<OrtMemoryInfo>(host, api.ReleaseMemoryInfo);
  if (const char* device = device_memory_name(request.backend)) {
    OrtMemoryInfo* memory = nullptr;
    AACO_TRY(library.check(
        api.CreateMemoryInfo(device, OrtDeviceAllocator, device_id_of(request), OrtMemTypeDefault, &memory),
        "describe device memory", ErrorKind::kBug));
    state->device_memory = OrtHandle<OrtMemoryInfo>(memory, api.ReleaseMemoryInfo);
  }
  if (replays_graph(request)) {
    AACO_ASSIGN(state->outside_graph, options_outside_graph(library));
  }
  OrtIoBinding* binding = nullptr;
  AACO_TRY(library.check(api.CreateIoBinding(session, &binding), "bind inputs and outputs", ErrorKind::kUnavailable));
  state->binding = OrtHandle<OrtIoBinding>(binding, api.ReleaseIoBinding);
  return InferenceSession(std::move(state));
}

const std::vector<PortInfo>& InferenceSession::inputs() const { return state_->inputs; }
const std::vector<PortInfo>& InferenceSession::outputs() const { return state_->outputs; }
std::string InferenceSession::runtime_version() const { return state_->library->version(); }
std::filesystem::path InferenceSession::runtime_library() const { return state_->library->path(); }
bool InferenceSession::bound_on_device() const { return state_->device_memory != nullptr; }
bool InferenceSession::allocates_outputs() const { return state_->allocates_outputs; }

Result<void> InferenceSession::bind_input(const HostTensor& tensor) {
  AACO_ASSIGN(OrtHandle<OrtValue> value, make_value(*state_->library, *state_->host_memory, tensor));
  // A provider with memory of its own gets the tensor copied there by this call, once.
  AACO_TRY(state_->library->check(state_->api().BindInput(state_->binding.get(), tensor.name.c_str(), value.get()),
                                  "bind input " + tensor.name));
  state_->bound_inputs.insert_or_assign(tensor.name, std::move(value));
  state_->outputs_fixed = false;
  return {};
}

Result<void> InferenceSession::bind_outputs(std::span<const std::string> on_host) {
  state_->outputs_on_host.assign(on_host.begin(), on_host.end());
  return bind_outputs_anew();
}

Result<void> InferenceSession::bind_outputs_anew() {
  const std::vector<std::string>& on_host = state_->outputs_on_host;
  state_->outputs_fixed = false;
  state_->api().ClearBoundOutputs(state_->binding.get());
  for (const PortInfo& output : state_->outputs) {
    const bool host = !state_->device_memory || !output.is_tensor || output.type == ElementType::kString ||
                      std::find(on_host.begin(), on_host.end(), output.name) != on_host.end();
    const OrtMemoryInfo* memory = host ? state_->host_memory.get() : state_->device_memory.get();
    AACO_TRY(
        state_->library->check(state_->api().BindOutputToDevice(state_->binding.get(), output.name.c_str(), memory),
                               "bind output " + output.name));
  }
  return {};
}

Result<void> InferenceSession::bind(std::span<const HostTensor> inputs) {
  state_->api().ClearBoundInputs(state_->binding.get());
  state_->bound_inputs.clear();
  for (const HostTensor& input : inputs) {
    AACO_TRY(bind_input(input));
  }
  state_->outputs_checked = false;
  return bind_outputs({});
}

// The runtime takes the buffers that the run before left for outputs, and refuses those of another shape than declared.
Result<void> InferenceSession::check_outputs() {
  state_->outputs_checked = true;
  AACO_ASSIGN(const auto values, bound_output_values(*state_->library, *state_->binding));
  for (size_t i = 0; i < values.size() && i < state_->outputs.size(); ++i) {
    if (state_->outputs[i].is_tensor) {
      AACO_ASSIGN(const OutputView view, view_value(*state_->library, *values[i]));
      state_->allocates_outputs = state_->allocates_outputs || !is_of_shape(view.dims, state_->outputs[i].dims);
    }
  }
  return {};
}

// The values that a run outside of the graph made are bound themselves: replays write there.
Result<void> InferenceSession::fix_outputs() {
  AACO_ASSIGN(const auto values, bound_output_values(*state_->library, *state_->binding));
  for (size_t i = 0; i < values.size() && i < state_->outputs.size(); ++i) {
    AACO_TRY(state_->library->check(
        state_->api().BindOutput(state_->binding.get(), state_->outputs[i].name.c_str(), values[i].get()),
        "bind output " + state_->outputs[i].name));
  }
  state_->outputs_fixed = !state_->allocates_outputs;
  return {};
}

bool InferenceSession::run() {
  if (state_->allocates_outputs) [[unlikely]] {
    if (const Result<void> bound = bind_outputs_anew(); !bound) {
      state_->failed = state_->api().CreateStatus(ORT_FAIL, bound.error().message.c_str());
      return false;
    }
  }
  const bool outside = state_->outside_graph && !state_->outputs_fixed;
  state_->captured = state_->captured || (state_->outside_graph && !outside);
  // It returns after the providers have synchronised their streams: the run option that leaves that out is not set.
  OrtStatus* status = state_->api().RunWithBinding(
      state_->session.get(), outside ? state_->outside_graph.get() : nullptr, state_->binding.get());
  if (status != nullptr) [[unlikely]] {
    state_->failed = status;
    return false;
  }
  if (outside && !state_->captured) [[unlikely]] {
    if (const Result<void> fixed = fix_outputs(); !fixed) {
      state_->failed = state_->api().CreateStatus(ORT_FAIL, fixed.error().message.c_str());
      return false;
    }
  }
  if (!state_->outputs_checked) [[unlikely]] {
    if (const Result<void> checked = check_outputs(); !checked) {
      state_->failed = state_->api().CreateStatus(ORT_FAIL, checked.error().message.c_str());
      return false;
    }
  }
  return true;
}

Error InferenceSession::failure() {
  const Result<void> said = state_->library->check(std::exchange(state_->failed, nullptr), "run the model");
  return said ? Error{ErrorKind::kBug, "a run failed without a reason", ""} : said.error();
}

Result<std::vector<HostTensor>> InferenceSession::fetch_outputs() {
  // Produced once more into fresh host memory: on a device they are not here, and operators on strings append to what a
  // bound output already holds.
  std::vector<std::string> all;
  for (const PortInfo& output : state_->outputs) {
    all.push_back(output.name);
  }
  AACO_TRY(bind_outputs(all));
  if (!run()) {
    return failure();
  }
  AACO_ASSIGN(const auto values, bound_output_values(*state_->library, *state_->binding));
  std::vector<HostTensor> tensors;
  for (size_t i = 0; i < values.size() && i < state_->outputs.size(); ++i) {
    if (!state_->outputs[i].is_tensor) {
      continue;
    }
    AACO_ASSIGN(HostTensor tensor, read_value(*state_->library, *values[i]));
    tensor.name = state_->outputs[i].name;
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

Result<OutputView> InferenceSession::view_output(const std::string& name) {
  AACO_ASSIGN(const auto values, bound_output_values(*state_->library, *state_->binding));
  for (size_t i = 0; i < values.size() && i < state_->outputs.size(); ++i) {
    if (state_->outputs[i].name == name) {
      // The binding keeps the value alive after this handle to it is gone.
      return view_value(*state_->library, *values[i]);
    }
  }
  return Error{ErrorKind::kBug, "no output " + name, ""};
}

Result<void> InferenceSession::feed_back(const std::map<std::string, std::string>& output_to_input) {
  AACO_ASSIGN(auto values, bound_output_values(*state_->library, *state_->binding));
  for (size_t i = 0; i < values.size() && i < state_->outputs.size(); ++i) {
    const auto target = output_to_input.find(state_->outputs[i].name);
    if (target == output_to_input.end()) {
      continue;
    }
    AACO_TRY(
        state_->library->check(state_->api().BindInput(state_->binding.get(), target->second.c_str(), values[i].get()),
                               "feed back " + target->first));
    state_->bound_inputs.insert_or_assign(target->second, std::move(values[i]));
  }
  // A fixed output would be written where the next run reads it.
  return state_->outside_graph ? bind_outputs_anew() : Result<void>();
}

Result<ProfileFile> InferenceSession::end_profile() {
  const OrtApi& api = state_->api();
  ProfileFile file;
  uint64_t start = 0;
  AACO_TRY(state_->library->check(api.SessionGetProfilingStartTimeNs(state_->session.get(), &start),
                                  "read the profile's start", ErrorKind::kBug));
  OrtAllocator* allocator = nullptr;
  AACO_TRY(
      state_->library->check(api.GetAllocatorWithDefaultOptions(&allocator), "get the allocator", ErrorKind::kBug));
  char* name = nullptr;
  AACO_TRY(state_->library->check(api.SessionEndProfiling(state_->session.get(), allocator, &name), "write the profile",
                                  ErrorKind::kResource));
  file.path = name;
  file.start_wall_ns = static_cast<int64_t>(start);
  allocator->Free(allocator, name);
  return file;
}

}  // namespace aaco
