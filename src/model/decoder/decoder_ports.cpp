// SPDX-License-Identifier: MIT
#include "model/decoder/decoder_ports.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <set>
#include <string_view>

#include "model/float16.h"

namespace aaco {

namespace {

constexpr std::string_view kPast = "past_key_values.";
constexpr const char* kLogits = "logits";

struct KnownInput {
  const char* name;
  DecoderRole role;
  const char* values;
};

constexpr std::array kKnownInputs{
    KnownInput{"input_ids", DecoderRole::kTokens, "the prompt, then one chosen token at a time"},
    KnownInput{"attention_mask", DecoderRole::kMask, "ones, as many as cached and new tokens"},
    KnownInput{"position_ids", DecoderRole::kPositions, "the new tokens' positions"},
    KnownInput{"cache_position", DecoderRole::kPositions, "the new tokens' positions"},
    KnownInput{"token_type_ids", DecoderRole::kTokenTypes, "zeros"},
    KnownInput{"use_cache_branch", DecoderRole::kCacheBranch, "false for the prompt, then true"},
    KnownInput{"past_sequence_length", DecoderRole::kPastLength, "the number of cached tokens"},
    KnownInput{"past_seq_len", DecoderRole::kPastLength, "the number of cached tokens"},
    KnownInput{"total_sequence_length", DecoderRole::kTotalLength, "the number of cached and new tokens"},
    KnownInput{"total_seq_len", DecoderRole::kTotalLength, "the number of cached and new tokens"},
    KnownInput{"seqlens_k", DecoderRole::kLastIndex, "the number of cached and new tokens, less one"},
};

bool has(const std::vector<PortInfo>& ports, const std::string& name) {
  return std::ranges::any_of(ports, [&](const PortInfo& port) { return port.name == name; });
}

Error cannot_feed(const PortInfo& port, const std::string& reason) {
  return {ErrorKind::kUsage, fmt::format("--tokens: aaco cannot feed input {}: {}", port.name, reason), ""};
}

bool is_integer(ElementType type) {
  return element_bits(type) >= 8 && !is_floating(type) && type != ElementType::kBool &&
         type != ElementType::kComplex64 && type != ElementType::kComplex128;
}

bool is_encoder_cache(const std::string& name) {
  return name.starts_with(kPast) && name.find(".encoder.") != std::string::npos;
}

// The axis along which a cache grows: its open one, behind the batch. Several: the one that is named so.
std::optional<size_t> growing_axis(const PortInfo& port) {
  std::vector<size_t> open;
  for (size_t axis = 1; axis < port.dims.size(); ++axis) {
    if (port.dims[axis] < 0) {
      open.push_back(axis);
    }
  }
  if (open.size() > 1) {
    std::erase_if(open, [&](size_t axis) {
      const std::string& name = port.dim_names[axis];
      return name.find("past") == std::string::npos && name.find("seq") == std::string::npos;
    });
  }
  return open.size() == 1 ? std::optional(open.front()) : std::nullopt;
}

Result<void> check_cache(const PortInfo& port) {
  if (!growing_axis(port)) {
    return cannot_feed(port,
                       "it has no one open axis along which a cache grows (a cache of fixed length, or of an "
                       "open number of heads)");
  }
  for (size_t axis = 1; axis < port.dims.size(); ++axis) {
    if (port.dims[axis] < 0 && axis != *growing_axis(port)) {
      return cannot_feed(port, fmt::format("the model leaves the size of axis {} open, and nothing tells it", axis));
    }
  }
  if (!is_floating(port.type) && !is_integer(port.type)) {
    return cannot_feed(port, fmt::format("a cache of {}", element_name(port.type)));
  }
  return {};
}

Result<void> check_type(const PortInfo& port, DecoderRole role) {
  if (!port.is_tensor) {
    return cannot_feed(port, "it is a sequence, map, optional or sparse tensor");
  }
  const bool any_number = role == DecoderRole::kMask || role == DecoderRole::kCacheBranch;
  if (is_integer(port.type) ||
      (any_number && (is_floating(port.type) || port.type == ElementType::kBool) && element_bits(port.type) >= 16) ||
      (any_number && port.type == ElementType::kBool)) {
    return {};
  }
  return cannot_feed(port, fmt::format("it is {}, where aaco feeds integers", element_name(port.type)));
}

// Its sizes change from run to run, in a way that nothing tells: a name that it shares with what grows.
bool changes_size(const PortInfo& port, const std::set<std::string>& growing) {
  return std::ranges::any_of(port.dim_names, [&](const std::string& name) {
    return std::ranges::any_of(growing, [&](const std::string& grown) {
      return name == grown || name.starts_with(grown + " ") || name.ends_with(" " + grown);
    });
  });
}

std::set<std::string> growing_names(const std::vector<PortInfo>& inputs) {
  std::set<std::string> names;
  for (const PortInfo& port : inputs) {
    const bool sequence = port.name == "input_ids" || port.name == "attention_mask" || port.name == "position_ids";
    if (sequence && port.dims.size() > 1) {
      names.insert(port.dim_names.back());
    } else if (port.name.starts_with(kPast) && !is_encoder_cache(port.name)) {
      if (const auto axis = growing_axis(port)) {
        names.insert(port.dim_names[*axis]);
      }
    }
  }
  names.erase("");
  names.erase("?");
  return names;
}

Result<DecoderInput> classify(const PortInfo& port, const std::set<std::string>& growing) {
  if (port.name.starts_with(kPast)) {
    AACO_TRY(check_cache(port));
    return DecoderInput{port, is_encoder_cache(port.name) ? DecoderRole::kEncoderPast : DecoderRole::kPast};
  }
  const auto known =
      std::ranges::find_if(kKnownInputs, [&](const KnownInput& candidate) { return port.name == candidate.name; });
  if (known != kKnownInputs.end()) {
    AACO_TRY(check_type(port, known->role));
    const size_t rank = port.dims.size();
    if (known->role == DecoderRole::kMask && rank != 2 && rank != 0) {
      return cannot_feed(port,
                         fmt::format("it has {} dimensions, where aaco feeds [batch, cached and new tokens]", rank));
    }
    return DecoderInput{port, known->role};
  }
  if (changes_size(port, growing)) {
    return cannot_feed(port, "it grows with the tokens, and aaco does not know what it holds");
  }
  return DecoderInput{port, DecoderRole::kFixed};
}

void put(HostTensor& tensor, size_t i, int64_t value) {
  const auto store = [&](auto typed) { std::memcpy(tensor.data.data() + i * sizeof typed, &typed, sizeof typed); };
  switch (tensor.type) {
    case ElementType::kDouble:
      return store(static_cast<double>(value));
    case ElementType::kFloat:
      return store(static_cast<float>(value));
    case ElementType::kFloat16:
      return store(float16_bits(static_cast<float>(value)));
    case ElementType::kBfloat16: {
      const auto wide = static_cast<float>(value);
      uint32_t bits = 0;
      std::memcpy(&bits, &wide, sizeof bits);
      return store(static_cast<uint16_t>(bits >> 16));  // exact for the 0 and 1 that a mask has
    }
    default:
      break;
  }
  switch (element_bits(tensor.type)) {
    case 64:
      return store(value);
    case 32:
      return store(static_cast<int32_t>(value));
    case 16:
      return store(static_cast<int16_t>(value));
    default:
      return store(static_cast<int8_t>(value));
  }
}

// The declared shape with `sizes` at the last axes, the batch at open ones before them; [batch, sizes...] where no rank
// is declared.
Result<std::vector<int64_t>> shape_for(const PortInfo& port, int64_t batch, int64_t last) {
  std::vector<int64_t> dims = port.dims.empty() ? std::vector<int64_t>{-1, -1} : port.dims;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    const int64_t wanted = axis + 1 == dims.size() ? last : dims[axis] < 0 ? batch : dims[axis];
    if (dims[axis] >= 0 && dims[axis] != wanted) {
      return cannot_feed(port,
                         fmt::format("the model fixes axis {} to {}, and {} would be fed", axis, dims[axis], wanted));
    }
    dims[axis] = wanted;
  }
  return dims;
}

Result<HostTensor> filled(const PortInfo& port, std::vector<int64_t> dims,
                          const std::function<int64_t(size_t)>& value) {
  HostTensor tensor;
  tensor.name = port.name;
  tensor.type = port.type;
  tensor.dims = std::move(dims);
  tensor.data.resize(static_cast<size_t>(storage_bytes(tensor.type, tensor.dims).value_or(0)));
  for (size_t i = 0; i < static_cast<size_t>(element_count(tensor.dims).value_or(0)); ++i) {
    put(tensor, i, value(i));
  }
  return tensor;
}

// One number, in the shape that the model declares: a scalar, [1], or one for each row.
Result<HostTensor> one_number(const PortInfo& port, int64_t batch, int64_t value) {
  std::vector<int64_t> dims = port.dims;
  for (int64_t& size : dims) {
    size = size < 0 ? batch : size;
  }
  return filled(port, std::move(dims), [value](size_t) { return value; });
}

HostTensor empty_cache(const PortInfo& port, int64_t batch) {
  HostTensor tensor;
  tensor.name = port.name;
  tensor.type = port.type;
  tensor.dims = port.dims;
  tensor.dims[0] = tensor.dims[0] < 0 ? batch : tensor.dims[0];
  tensor.dims[*growing_axis(port)] = 0;
  return tensor;
}

}  // namespace

Result<DecoderPorts> find_decoder_ports(const std::vector<PortInfo>& inputs, const std::vector<PortInfo>& outputs) {
  DecoderPorts ports;
  const auto missing = [](const std::string& what) {
    return Error{ErrorKind::kUsage, fmt::format("--tokens: the model has no {}", what),
                 "it needs a decoder exported with its KV cache (built in: tiny-llama)"};
  };
  if (!has(inputs, "input_ids")) {
    return missing("input named input_ids");
  }
  if (!has(outputs, kLogits)) {
    return missing("output named logits");
  }
  const std::set<std::string> growing = growing_names(inputs);
  for (const PortInfo& input : inputs) {
    if (input.name.starts_with(kPast)) {
      const std::string present = "present." + input.name.substr(kPast.size());
      if (!has(outputs, present)) {
        return missing("output named " + present);
      }
      (is_encoder_cache(input.name) ? ports.encoder_present_to_past : ports.present_to_past)[present] = input.name;
    }
    AACO_ASSIGN(DecoderInput classified, classify(input, growing));
    ports.inputs.push_back(std::move(classified));
  }
  if (ports.present_to_past.empty()) {
    return missing("inputs named past_key_values.*");
  }
  return ports;
}

Result<HostTensor> decoder_tensor(const DecoderInput& input, const DecoderStep& step,
                                  const std::vector<int64_t>& tokens) {
  const PortInfo& port = input.port;
  const int64_t total = step.past + step.fresh;
  switch (input.role) {
    case DecoderRole::kTokens: {
      AACO_ASSIGN(auto dims, shape_for(port, step.batch, step.fresh));
      return filled(port, std::move(dims), [&](size_t i) { return tokens[i]; });
    }
    case DecoderRole::kMask: {
      AACO_ASSIGN(auto dims, shape_for(port, step.batch, total));
      return filled(port, std::move(dims), [](size_t) { return 1; });
    }
    case DecoderRole::kPositions: {
      AACO_ASSIGN(auto dims, shape_for(port, step.batch, step.fresh));
      return filled(port, std::move(dims), [&](size_t i) { return step.past + static_cast<int64_t>(i) % step.fresh; });
    }
    case DecoderRole::kTokenTypes: {
      AACO_ASSIGN(auto dims, shape_for(port, step.batch, step.fresh));
      return filled(port, std::move(dims), [](size_t) { return 0; });
    }
    case DecoderRole::kCacheBranch:
      return one_number(port, 1, step.past > 0 ? 1 : 0);
    case DecoderRole::kPastLength:
      return one_number(port, step.batch, step.past);
    case DecoderRole::kTotalLength:
      return one_number(port, step.batch, total);
    case DecoderRole::kLastIndex:
      return one_number(port, step.batch, total - 1);
    case DecoderRole::kPast:
    case DecoderRole::kEncoderPast:
      return empty_cache(port, step.batch);
    case DecoderRole::kFixed:
      break;
  }
  return Error{ErrorKind::kBug, fmt::format("input {} has no tensor of its own", port.name), ""};
}

std::string decoder_values(DecoderRole role) {
  if (role == DecoderRole::kPast) {
    return "empty for the prompt, then what the run before gave";
  }
  if (role == DecoderRole::kEncoderPast) {
    return "empty for the prompt, then what the prompt's run gave";
  }
  const auto* const known =
      std::ranges::find_if(kKnownInputs, [&](const KnownInput& candidate) { return candidate.role == role; });
  return known == kKnownInputs.end() ? "" : known->values;
}

}  // namespace aaco
