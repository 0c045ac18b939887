// SPDX-License-Identifier: MIT
#include "model/runtime/ort_values.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>

#include "model/runtime/ort_library.h"

namespace aaco {

namespace {

// ONNX Runtime numbers the element types as ONNX does up to float4e2m1; the last three it has in an order of its own,
// and the header at hand may be older than they are.
constexpr int32_t kFirstOfOtherOrder = 24;
constexpr std::array kOtherOrder{ElementType::kUint2, ElementType::kInt2, ElementType::kFloat8e8m0};
static_assert(static_cast<int>(ElementType::kInt4) == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4);

ElementType from_runtime(ONNXTensorElementDataType type) {
  const auto other = static_cast<size_t>(type - kFirstOfOtherOrder);
  return type >= kFirstOfOtherOrder && other < kOtherOrder.size() ? kOtherOrder[other] : static_cast<ElementType>(type);
}

ONNXTensorElementDataType to_runtime(ElementType type) {
  const auto* const other = std::find(kOtherOrder.begin(), kOtherOrder.end(), type);
  return static_cast<ONNXTensorElementDataType>(
      other == kOtherOrder.end() ? static_cast<int32_t>(type) : kFirstOfOtherOrder + (other - kOtherOrder.begin()));
}

Result<PortInfo> read_tensor_type(const OrtLibrary& library, const OrtTensorTypeAndShapeInfo* shape) {
  const OrtApi& api = library.api();
  PortInfo port;
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  size_t rank = 0;
  AACO_TRY(library.check(api.GetTensorElementType(shape, &type), "read an element type", ErrorKind::kBug));
  AACO_TRY(library.check(api.GetDimensionsCount(shape, &rank), "read a rank", ErrorKind::kBug));
  port.type = from_runtime(type);
  port.dims.resize(rank);
  std::vector<const char*> names(rank);
  AACO_TRY(library.check(api.GetDimensions(shape, port.dims.data(), rank), "read dimensions", ErrorKind::kBug));
  AACO_TRY(
      library.check(api.GetSymbolicDimensions(shape, names.data(), rank), "read dimension names", ErrorKind::kBug));
  port.dim_names.assign(names.begin(), names.end());
  return port;
}

Result<PortInfo> read_port(const OrtLibrary& library, OrtSession* session, PortKind kind, size_t index,
                           OrtAllocator* allocator) {
  const OrtApi& api = library.api();
  const bool input = kind == PortKind::kInput;
  char* name = nullptr;
  AACO_TRY(library.check(input ? api.SessionGetInputName(session, index, allocator, &name)
                               : api.SessionGetOutputName(session, index, allocator, &name),
                         "read a name", ErrorKind::kBug));
  const std::string port_name = name;
  allocator->Free(allocator, name);
  OrtTypeInfo* ort_type_info = nullptr;
  AACO_TRY(library.check(input ? api.SessionGetInputTypeInfo(session, index, &ort_type_info)
                               : api.SessionGetOutputTypeInfo(session, index, &ort_type_info),
                         "read a type", ErrorKind::kBug));
  const OrtHandle<OrtTypeInfo> type_info(ort_type_info, api.ReleaseTypeInfo);
  const OrtTensorTypeAndShapeInfo* shape = nullptr;
  AACO_TRY(library.check(api.CastTypeInfoToTensorInfo(ort_type_info, &shape), "read a type", ErrorKind::kBug));
  PortInfo port;
  if (shape == nullptr) {
    port.is_tensor = false;
  } else {
    AACO_ASSIGN(port, read_tensor_type(library, shape));
  }
  port.name = port_name;
  return port;
}

Result<std::vector<std::string>> read_strings(const OrtLibrary& library, const OrtValue& value, size_t count) {
  const OrtApi& api = library.api();
  std::vector<std::string> strings(count);
  for (size_t i = 0; i < count; ++i) {
    size_t length = 0;
    AACO_TRY(library.check(api.GetStringTensorElementLength(&value, i, &length), "read a string", ErrorKind::kBug));
    strings[i].resize(length);
    AACO_TRY(library.check(api.GetStringTensorElement(&value, length, i, strings[i].data()), "read a string",
                           ErrorKind::kBug));
  }
  return strings;
}

}  // namespace

Result<std::vector<PortInfo>> read_ports(const OrtLibrary& library, OrtSession* session, PortKind kind) {
  const OrtApi& api = library.api();
  size_t count = 0;
  AACO_TRY(library.check(
      kind == PortKind::kInput ? api.SessionGetInputCount(session, &count) : api.SessionGetOutputCount(session, &count),
      "count ports", ErrorKind::kBug));
  OrtAllocator* allocator = nullptr;
  AACO_TRY(library.check(api.GetAllocatorWithDefaultOptions(&allocator), "get the allocator", ErrorKind::kBug));
  std::vector<PortInfo> ports;
  for (size_t i = 0; i < count; ++i) {
    AACO_ASSIGN(PortInfo port, read_port(library, session, kind, i, allocator));
    ports.push_back(std::move(port));
  }
  return ports;
}

Result<OrtHandle<OrtValue>> make_value(const OrtLibrary& library, const OrtMemoryInfo& memory,
                                       const HostTensor& tensor) {
  const OrtApi& api = library.api();
  const ONNXTensorElementDataType type = to_runtime(tensor.type);
  OrtValue* value = nullptr;
  if (tensor.type == ElementType::kString) {
    OrtAllocator* allocator = nullptr;
    AACO_TRY(library.check(api.GetAllocatorWithDefaultOptions(&allocator), "get the allocator", ErrorKind::kBug));
    AACO_TRY(library.check(api.CreateTensorAsOrtValue(allocator, tensor.dims.data(), tensor.dims.size(), type, &value),
                           "make input " + tensor.name));
    OrtHandle<OrtValue> owner(value, api.ReleaseValue);
    for (size_t i = 0; i < tensor.strings.size(); ++i) {
      const std::string& text = tensor.strings[i];  // may hold zeros
      char* buffer = nullptr;
      AACO_TRY(library.check(api.GetResizedStringTensorElementBuffer(value, i, text.size(), &buffer),
                             "fill input " + tensor.name));
      text.copy(buffer, text.size());
    }
    return owner;
  }
  // The runtime's call takes a pointer to non-const, and only reads inputs through it.
  void* data = const_cast<uint8_t*>(tensor.data.data());
  AACO_TRY(library.check(api.CreateTensorWithDataAsOrtValue(&memory, data, tensor.data.size(), tensor.dims.data(),
                                                            tensor.dims.size(), type, &value),
                         "make input " + tensor.name));
  return OrtHandle<OrtValue>(value, api.ReleaseValue);
}

Result<OutputView> view_value(const OrtLibrary& library, const OrtValue& value) {
  const OrtApi& api = library.api();
  OrtTensorTypeAndShapeInfo* ort_tensor_type_and_shape_info = nullptr;
  AACO_TRY(library.check(api.GetTensorTypeAndShape(&value, &ort_tensor_type_and_shape_info), "read an output's shape",
                         ErrorKind::kBug));
  const OrtHandle<OrtTensorTypeAndShapeInfo> shape(ort_tensor_type_and_shape_info, api.ReleaseTensorTypeAndShapeInfo);
  AACO_ASSIGN(const PortInfo port, read_tensor_type(library, ort_tensor_type_and_shape_info));
  OutputView view{port.type, port.dims, nullptr};
  if (view.type != ElementType::kString) {
    void* data = nullptr;
    AACO_TRY(library.check(api.GetTensorMutableData(const_cast<OrtValue*>(&value), &data), "read an output",
                           ErrorKind::kBug));
    view.data = static_cast<const uint8_t*>(data);
  }
  return view;
}

Result<HostTensor> read_value(const OrtLibrary& library, const OrtValue& value) {
  AACO_ASSIGN(const OutputView view, view_value(library, value));
  HostTensor tensor;
  tensor.type = view.type;
  tensor.dims = view.dims;
  const auto bytes = storage_bytes(tensor.type, tensor.dims);
  const auto count = element_count(tensor.dims);
  if (!bytes || !count) {
    return Error{ErrorKind::kUsage, "an output has no definite size",
                 "the model gives a shape that does not fit memory"};
  }
  if (tensor.type == ElementType::kString) {
    AACO_ASSIGN(tensor.strings, read_strings(library, value, static_cast<size_t>(*count)));
  } else if (*bytes > 0) {
    tensor.data.assign(view.data, view.data + *bytes);
  }
  return tensor;
}

Result<std::vector<OrtHandle<OrtValue>>> bound_output_values(const OrtLibrary& library, const OrtIoBinding& binding) {
  const OrtApi& api = library.api();
  OrtAllocator* allocator = nullptr;
  AACO_TRY(library.check(api.GetAllocatorWithDefaultOptions(&allocator), "get the allocator", ErrorKind::kBug));
  OrtValue** values = nullptr;
  size_t count = 0;
  AACO_TRY(library.check(api.GetBoundOutputValues(&binding, allocator, &values, &count), "read the outputs",
                         ErrorKind::kBug));
  std::vector<OrtHandle<OrtValue>> owned;
  for (size_t i = 0; i < count; ++i) {
    owned.emplace_back(values[i], api.ReleaseValue);
  }
  if (values != nullptr) {
    allocator->Free(allocator, static_cast<void*>(values));
  }
  return owned;
}

}  // namespace aaco
