// SPDX-License-Identifier: MIT
// ResNet-50 v1.5 (He et al., CVPR 2016; stride in the 3x3 convolution, as torchvision has it) as torch.onnx.export
// writes it in eval mode: each batch normalisation is folded into the weight and bias of its convolution.
#include <cmath>
#include <fmt/format.h>
#include <string>

#include "model/builtin/builtin.h"
#include "model/builtin/onnx_writer.h"

namespace aaco {

namespace {

struct Conv {
  int64_t in;
  int64_t out;
  int64_t kernel;
  int64_t stride;
};

class Resnet {
 public:
  explicit Resnet(OnnxWriter& writer) : writer_(writer) {}

  // `gain` is the ratio of the output's variance to the input's mean square: 2 keeps the mean square through a ReLU (He
  // et al., ICCV 2015), 1 keeps it without one.
  std::string conv(const std::string& module, const std::string& path, const std::string& input, Conv conv,
                   double gain) {
    const std::vector<int64_t> dims{conv.out, conv.in, conv.kernel, conv.kernel};
    const double fan_in = static_cast<double>(conv.in * conv.kernel * conv.kernel);
    const std::string weight = writer_.add_weight(module + ".weight", dims, {0, std::sqrt(gain / fan_in)});
    const std::string bias = writer_.add_weight(module + ".bias", {conv.out}, {0, 0.05});
    const int64_t pad = conv.kernel / 2;
    return writer_.add_node("Conv", path + "/Conv", {input, weight, bias},
                            {{"dilations", std::vector<int64_t>{1, 1}},
                             {"group", int64_t{1}},
                             {"kernel_shape", std::vector<int64_t>{conv.kernel, conv.kernel}},
                             {"pads", std::vector<int64_t>{pad, pad, pad, pad}},
                             {"strides", std::vector<int64_t>{conv.stride, conv.stride}}});
  }

  std::string relu(const std::string& path, const std::string& input) {
    return writer_.add_node("Relu", path + "/Relu", {input});
  }

  // 1x1 to `width`, 3x3, 1x1 to four times `width`, and the shortcut, which is a convolution in a stage's first block.
  std::string bottleneck(const std::string& module, const std::string& path, const std::string& input, int64_t in,
                         int64_t width, int64_t stride) {
    const int64_t out = 4 * width;
    std::string branch = relu(path + "/relu", conv(module + ".conv1", path + "/conv1", input, {in, width, 1, 1}, 2));
    branch = relu(path + "/relu_1", conv(module + ".conv2", path + "/conv2", branch, {width, width, 3, stride}, 2));
    // A branch adds a quarter of its input's mean square: 16 blocks then stay well inside binary16.
    branch = conv(module + ".conv3", path + "/conv3", branch, {width, out, 1, 1}, 0.25);
    const bool first = in != out;
    const std::string shortcut =
        first ? conv(module + ".downsample.0", path + "/downsample/downsample.0", input, {in, out, 1, stride}, 1)
              : input;
    return relu(path + "/relu_2", writer_.add_node("Add", path + "/Add", {branch, shortcut}));
  }

 private:
  OnnxWriter& writer_;
};

Result<void> build_resnet50(const std::map<std::string, int64_t>&, OnnxWriter& writer) {
  const ElementType type = writer.float_type();
  Resnet resnet(writer);
  std::string x = writer.add_input("input", type, {"batch", 3, 224, 224});
  x = resnet.relu("/relu", resnet.conv("conv1", "/conv1", x, {3, 64, 7, 2}, 2));
  x = writer.add_node("MaxPool", "/maxpool/MaxPool", {x},
                      {{"ceil_mode", int64_t{0}},
                       {"kernel_shape", std::vector<int64_t>{3, 3}},
                       {"pads", std::vector<int64_t>{1, 1, 1, 1}},
                       {"strides", std::vector<int64_t>{2, 2}}});
  constexpr int64_t kBlocks[] = {3, 4, 6, 3};
  int64_t channels = 64;
  for (int64_t stage = 0; stage < 4; ++stage) {
    const int64_t width = int64_t{64} << stage;
    for (int64_t block = 0; block < kBlocks[stage]; ++block) {
      const std::string module = fmt::format("layer{}.{}", stage + 1, block);
      const std::string path = fmt::format("/layer{}/{}", stage + 1, module);
      x = resnet.bottleneck(module, path, x, channels, width, block == 0 && stage > 0 ? 2 : 1);
      channels = 4 * width;
    }
  }
  x = writer.add_node("GlobalAveragePool", "/avgpool/GlobalAveragePool", {x});
  x = writer.add_node("Flatten", "/Flatten", {x}, {{"axis", int64_t{1}}});
  const std::string weight = writer.add_weight("fc.weight", {1000, channels}, {0, std::sqrt(1.0 / 2048)});
  const std::string bias = writer.add_weight("fc.bias", {1000}, {0, 0.05});
  writer.add_node("Gemm", "/fc/Gemm", {x, weight, bias}, {{"alpha", 1.0F}, {"beta", 1.0F}, {"transB", int64_t{1}}},
                  "output");
  writer.add_output("output", type, {"batch", 1000});
  return {};
}

}  // namespace

BuiltinModel resnet50_model() {
  return {"resnet50", "ResNet-50 v1.5, image classification, 25.5 M parameters", {"fp32", "fp16"}, {}, build_resnet50};
}

}  // namespace aaco
