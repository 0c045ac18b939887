// SPDX-License-Identifier: MIT
#include "workload/layers/models/image_classifier.h"

namespace aaco {

namespace {

// Rows and columns that convolution `layer` works on: halved behind the first and the second.
int64_t size_at(const ImageClassifierShape& shape, size_t layer) { return shape.image >> layer; }
int64_t channels_at(const ImageClassifierShape& shape, size_t layer) { return shape.channels << layer; }

ConvArgs convolution(const ImageClassifier& network, size_t layer, const Tensor& in, const Tensor& out) {
  ConvArgs args;
  args.in = in.data;
  args.weight = network.convolutions[layer].weight.data;
  args.bias = network.convolutions[layer].bias.data;
  args.out = out.data;
  args.n = static_cast<int32_t>(in.dims[0]);
  args.c = static_cast<int32_t>(in.dims[1]);
  args.h = static_cast<int32_t>(in.dims[2]);
  args.w = static_cast<int32_t>(in.dims[3]);
  args.o = static_cast<int32_t>(out.dims[1]);
  args.r = 3;
  args.s = 3;
  args.pad = 1;
  args.relu = 1;
  args.dtype = in.dtype;
  args.math = network.shape.precision.math;
  return args;
}

PoolArgs pooling(const Tensor& in, const Tensor& out, int64_t window, PoolKind kind) {
  PoolArgs args;
  args.in = in.data;
  args.out = out.data;
  args.planes = in.dims[0] * in.dims[1];
  args.h = static_cast<int32_t>(in.dims[2]);
  args.w = static_cast<int32_t>(in.dims[3]);
  args.window = static_cast<int32_t>(window);
  args.kind = kind;
  args.dtype = in.dtype;
  return args;
}

}  // namespace

ImageClassifier make_image_classifier(WorkloadBuilder& builder, const ImageClassifierShape& shape) {
  ImageClassifier network;
  network.shape = shape;
  const Dtype dtype = shape.precision.dtype;
  for (size_t layer = 0; layer < network.convolutions.size(); ++layer) {
    const int64_t in = layer == 0 ? 3 : channels_at(shape, layer - 1);
    const int64_t out = channels_at(shape, layer);
    const double bound = 1 / std::sqrt(static_cast<double>(in * 9));
    network.convolutions[layer] = {builder.random(dtype, {out, in, 3, 3}, -bound, bound),
                                   builder.random(dtype, {out}, -bound, bound)};
  }
  network.last = make_dense(builder, shape.precision, channels_at(shape, 2), shape.classes);
  return network;
}

ClassifierBuffers make_classifier_buffers(WorkloadBuilder& builder, const ImageClassifierShape& shape, int64_t count) {
  const Dtype dtype = shape.precision.dtype;
  ClassifierBuffers buffers;
  buffers.images = builder.tensor(dtype, {count, 3, shape.image, shape.image});
  for (size_t layer = 0; layer < buffers.convolved.size(); ++layer) {
    const int64_t size = size_at(shape, layer);
    const int64_t pooled = layer == 2 ? 1 : size / 2;
    buffers.convolved[layer] = builder.tensor(dtype, {count, channels_at(shape, layer), size, size});
    buffers.pooled[layer] = builder.tensor(dtype, {count, channels_at(shape, layer), pooled, pooled});
  }
  return buffers;
}

ImageArgs images_of(const Tensor& bytes, const Tensor& flip, const Tensor& images) {
  ImageArgs args;
  args.in = bytes.as<uint8_t>();
  args.flip = flip.as<uint8_t>();
  args.out = images.data;
  args.n = static_cast<int32_t>(images.dims[0]);
  args.c = static_cast<int32_t>(images.dims[1]);
  args.h = static_cast<int32_t>(images.dims[2]);
  args.w = static_cast<int32_t>(images.dims[3]);
  constexpr std::array<float, 3> kMean{0.485F, 0.456F, 0.406F};
  constexpr std::array<float, 3> kDeviation{0.229F, 0.224F, 0.225F};
  for (size_t channel = 0; channel < kMean.size(); ++channel) {
    args.mean[channel] = kMean[channel];
    args.deviation[channel] = kDeviation[channel];
  }
  args.dtype = images.dtype;
  return args;
}

void run_image_classifier(Program& program, int32_t stream, const ImageClassifier& network,
                          const ClassifierBuffers& buffers, const Tensor& logits) {
  for (size_t layer = 0; layer < buffers.convolved.size(); ++layer) {
    const bool last = layer + 1 == buffers.convolved.size();
    const Tensor& in = layer == 0 ? buffers.images : buffers.pooled[layer - 1];
    program.op(stream, convolution(network, layer, in, buffers.convolved[layer]));
    program.op(stream, pooling(buffers.convolved[layer], buffers.pooled[layer],
                               last ? size_at(network.shape, layer) : 2, last ? PoolKind::kMean : PoolKind::kMax));
  }
  const Tensor features = buffers.pooled.back().reshaped({logits.rows(), channels_at(network.shape, 2)});
  program.op(stream, forward(network.last, features, logits, network.shape.precision));
}

}  // namespace aaco
