// SPDX-License-Identifier: MIT
// A small convolutional network that classifies images: three 3x3 convolutions with ReLU, each of twice as many
// channels, pooling behind each, and a dense layer.
#pragma once

#include <array>

#include "workload/layers/dense.h"

namespace aaco {

struct ImageClassifierShape {
  int64_t image = 0;     // rows and columns, at least 4
  int64_t channels = 0;  // of the first convolution; the image has 3
  int64_t classes = 0;
  Precision precision;
};

struct ImageClassifier {
  ImageClassifierShape shape;
  struct Convolution {
    Tensor weight;  // [out, in, 3, 3]
    Tensor bias;
  };
  std::array<Convolution, 3> convolutions;
  Dense last;
};

// Where some images are worked on, one run at a time.
struct ClassifierBuffers {
  Tensor images;  // [count, 3, image, image]
  std::array<Tensor, 3> convolved;
  std::array<Tensor, 3> pooled;
};

ImageClassifier make_image_classifier(WorkloadBuilder& builder, const ImageClassifierShape& shape);
ClassifierBuffers make_classifier_buffers(WorkloadBuilder& builder, const ImageClassifierShape& shape, int64_t count);

// bytes [count, 3, size, size] to numbers of mean 0 and deviation 1 (by ImageNet's), mirrored where flip [count] says.
ImageArgs images_of(const Tensor& bytes, const Tensor& flip, const Tensor& images);

// buffers.images to logits [count, classes].
void run_image_classifier(Program& program, int32_t stream, const ImageClassifier& network,
                          const ClassifierBuffers& buffers, const Tensor& logits);

}  // namespace aaco
