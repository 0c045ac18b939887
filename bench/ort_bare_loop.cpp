// SPDX-License-Identifier: MIT
// ort_bare_loop LIBRARY cpu|cuda MODEL THREADS WARMUP ITERATIONS INPUTS [SIZE ...]: the least that a program can do to
// time a model with ONNX Runtime; aaco is compared with it. INPUTS is a folder with the bytes of each input as
// NAME.bin. Each SIZE is taken by the next dimension that has none, later ones are 1. All is bound on the device.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <fstream>
#include <onnxruntime_c_api.h>
#include <string>
#include <string_view>
#include <vector>

static const OrtApi* api = nullptr;

static void check(OrtStatus* status) {
  if (status != nullptr) {
    std::fprintf(stderr, "ort_bare_loop: %s\n", api->GetErrorMessage(status));
    std::exit(2);
  }
}

static double now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return double(now.tv_sec * 1'000'000'000 + now.tv_nsec);
}

int main(int argc, char** argv) {
  void* library = argc < 8 ? nullptr : dlopen(argv[1], RTLD_NOW);
  if (library == nullptr) {
    std::fprintf(stderr, "ort_bare_loop: %s\n",
                 argc < 8 ? "LIBRARY cpu|cuda MODEL THREADS WARMUP ITERATIONS INPUTS [SIZE ...]" : dlerror());
    return 3;
  }
  const bool cuda = std::string_view(argv[2]) == "cuda";
  api = reinterpret_cast<const OrtApiBase* (*)()>(dlsym(library, "OrtGetApiBase"))()->GetApi(ORT_API_VERSION);
  OrtEnv* environment = nullptr;
  OrtSessionOptions* options = nullptr;
  OrtSession* session = nullptr;
  OrtIoBinding* binding = nullptr;
  OrtMemoryInfo *host = nullptr, *device = nullptr;
  OrtAllocator *names = nullptr, *memory = nullptr;
  check(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "bare", &environment));
  check(api->CreateSessionOptions(&options));
  check(api->SetIntraOpNumThreads(options, std::stoi(argv[4])));
  if (cuda) {
    OrtCUDAProviderOptionsV2* provider = nullptr;
    check(api->CreateCUDAProviderOptions(&provider));
    check(api->SessionOptionsAppendExecutionProvider_CUDA_V2(options, provider));
  }
  check(api->CreateSession(environment, argv[3], options, &session));
  check(api->CreateIoBinding(session, &binding));
  check(api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &host));
  check(api->CreateMemoryInfo(cuda ? "Cuda" : "Cpu", OrtDeviceAllocator, 0, OrtMemTypeDefault, &device));
  check(api->GetAllocatorWithDefaultOptions(&names));
  check(api->CreateAllocator(session, device, &memory));

  size_t inputs = 0, outputs = 0;
  check(api->SessionGetInputCount(session, &inputs));
  check(api->SessionGetOutputCount(session, &outputs));
  std::vector<std::vector<char>> buffers;  // inputs stay while they are bound
  for (size_t i = 0, next_size = 8; i < inputs; ++i) {
    char* name = nullptr;
    OrtTypeInfo* type = nullptr;
    const OrtTensorTypeAndShapeInfo* tensor = nullptr;
    ONNXTensorElementDataType element{};
    size_t rank = 0, count = 1;
    check(api->SessionGetInputName(session, i, names, &name));
    check(api->SessionGetInputTypeInfo(session, i, &type));
    check(api->CastTypeInfoToTensorInfo(type, &tensor));
    check(api->GetTensorElementType(tensor, &element));
    check(api->GetDimensionsCount(tensor, &rank));
    std::vector<int64_t> shape(rank);
    check(api->GetDimensions(tensor, shape.data(), rank));
    for (int64_t& size : shape) {
      size = size >= 0 ? size : next_size < size_t(argc) ? std::stoll(argv[next_size++]) : 1;
      count *= size_t(size);
    }
    const std::string path = std::string(argv[7]) + "/" + name + ".bin";
    const size_t bytes = count * (element == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64     ? 8
                                  : element == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16 ? 2
                                                                                     : 4);
    std::ifstream file(path, std::ios::binary);
    buffers.emplace_back(bytes);
    void* data = buffers.back().data();
    if (!file.read(buffers.back().data(), std::streamsize(bytes)) || file.peek() != EOF) {
      std::fprintf(stderr, "ort_bare_loop: %s does not hold %zu bytes\n", path.c_str(), bytes);
      return 2;
    }
    OrtValue* value = nullptr;
    if (cuda) {
      void* copy = nullptr;
      check(api->AllocatorAlloc(memory, bytes, &copy));
      const auto memcpy_any =
          reinterpret_cast<int (*)(void*, const void*, size_t, int)>(dlsym(RTLD_DEFAULT, "cudaMemcpy"));
      if (memcpy_any == nullptr || memcpy_any(copy, data, bytes, 1) != 0) {
        std::fputs("ort_bare_loop: cudaMemcpy failed: put libcudart on LD_PRELOAD\n", stderr);
        return 3;
      }
      data = copy;
    }
    check(api->CreateTensorWithDataAsOrtValue(device, data, bytes, shape.data(), rank, element, &value));
    check(api->BindInput(binding, name, value));
  }
  for (size_t i = 0; i < outputs; ++i) {
    char* name = nullptr;
    check(api->SessionGetOutputName(session, i, names, &name));
    check(api->BindOutputToDevice(binding, name, device));
  }

  const int warmup = std::stoi(argv[5]), iterations = std::stoi(argv[6]);
  std::vector<double> times, starts;
  times.reserve(size_t(iterations));
  starts.reserve(size_t(iterations));
  for (int i = -warmup; i < iterations; ++i) {
    const double began = now_ns();
    check(api->RunWithBinding(session, nullptr, binding));
    const double ended = now_ns();
    if (i >= 0) {
      times.push_back(ended - began);
      starts.push_back(began);
    }
  }
  std::printf("{\"start_ns\": [");
  for (size_t i = 0; i < starts.size(); ++i) {
    std::printf("%s%.0f", i == 0 ? "" : ",", starts[i]);
  }
  std::printf("], \"latency_ns\": [");
  for (size_t i = 0; i < times.size(); ++i) {
    std::printf("%s%.0f", i == 0 ? "" : ",", times[i]);
  }
  std::sort(times.begin(), times.end());
  const size_t half = times.size() / 2;
  std::printf("], \"median_ns\": %.1f}\n", times.empty() ? 0.0 : (times[half] + times[(times.size() - 1) / 2]) / 2);
  return times.empty() ? 2 : 0;
}
