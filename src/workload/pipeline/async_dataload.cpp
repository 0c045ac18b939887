// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "workload/layers/closeness.h"
#include "workload/layers/hand_off.h"
#include "workload/layers/models/image_classifier.h"
#include "workload/layers/stream_share.h"
#include "workload/workload_list.h"

namespace aaco::workloads {

namespace {

constexpr Parameter kParameters[]{{"batch_size", "32", "images of a batch"},
                                  {"image_size", "224", "rows and columns of an image, at least 4"},
                                  {"num_prefetch", "2", "batches of an iteration, each with buffers of its own"},
                                  {"num_classes", "1000", "classes"},
                                  {"channels", "64", "channels of the first convolution"},
                                  kDtypeParameter};
constexpr Parameter kTestParameters[]{
    {"batch_size", "3", ""}, {"image_size", "16", ""}, {"num_classes", "10", ""}, {"channels", "4", ""}};
constexpr Parameter kCpuParameters[]{
    {"batch_size", "4", ""}, {"image_size", "64", ""}, {"num_classes", "100", ""}, {"channels", "8", ""}};

struct Shape {
  int64_t batch = 0;
  int64_t prefetch = 0;
  ImageClassifierShape network;
};

// One batch on its way: from pinned memory through the device's bytes.
struct Slot {
  Tensor host;  // uint8 [batch, 3, size, size]
  Tensor host_flip;
  Tensor bytes;
  Tensor flip;
  Tensor logits;
};

Result<Shape> shape_of(const Parameters& parameters) {
  Shape shape;
  AACO_ASSIGN(shape.batch, parameters.integer("batch_size", 1, 65536));
  AACO_ASSIGN(shape.prefetch, parameters.integer("num_prefetch", 1, 128));
  AACO_ASSIGN(shape.network.image, parameters.integer("image_size", 4, 4096));
  AACO_ASSIGN(shape.network.classes, parameters.integer("num_classes", 1, 1'000'000));
  AACO_ASSIGN(shape.network.channels, parameters.integer("channels", 1, 4096));
  AACO_ASSIGN(shape.network.precision, parameters.precision());
  return shape;
}

Slot make_slot(WorkloadBuilder& builder, const Shape& shape) {
  const int64_t size = shape.network.image;
  Slot slot;
  slot.host = builder.pinned(Dtype::kU8, {shape.batch, 3, size, size});
  slot.host_flip = builder.pinned(Dtype::kU8, {shape.batch});
  slot.bytes = builder.random(Dtype::kU8, {shape.batch, 3, size, size}, 0, 256);
  slot.flip = builder.random(Dtype::kU8, {shape.batch}, 0, 2);
  slot.logits = builder.tensor(shape.network.precision.dtype, {shape.batch, shape.network.classes});
  return slot;
}

// The host is given what setup made on the device, where nothing of it stays; every batch begins with the first one's
// first image.
void fill_host(WorkloadBuilder& builder, const Slot& slot, const Slot& first, const Shape& shape) {
  Program& setup = builder.setup();
  setup.copy(0, slot.host.data, slot.bytes.data, static_cast<size_t>(slot.bytes.bytes()));
  setup.copy(0, slot.host_flip.data, slot.flip.data, static_cast<size_t>(slot.flip.bytes()));
  if (slot.host.data != first.host.data) {
    setup.copy(0, slot.host.data, first.host.data, static_cast<size_t>(slot.host.bytes() / shape.batch));
    setup.copy(0, slot.host_flip.data, first.host_flip.data, 1);
  }
  setup.set(0, slot.bytes.data, 0, static_cast<size_t>(slot.bytes.bytes()));
  setup.set(0, slot.flip.data, 0, static_cast<size_t>(slot.flip.bytes()));
}

// The copying stream goes on to the next iteration's batch when the bytes of this one have been read, while the network
// still works on what was made of them.
void run_slot(WorkloadBuilder& builder, StreamShare streams, const ImageClassifier& network, const Slot& slot,
              const Shape& shape) {
  Program& program = builder.iteration();
  const int64_t parts = std::clamp<int64_t>(streams.count - 1, 1, shape.batch);
  std::vector<int32_t> computing;
  for (int64_t part = 0; part < parts; ++part) {
    computing.push_back(streams.role(static_cast<int32_t>(part) + 1));
  }
  program.copy(streams.first, slot.bytes.data, slot.host.data, static_cast<size_t>(slot.bytes.bytes()));
  program.copy(streams.first, slot.flip.data, slot.host_flip.data, static_cast<size_t>(slot.flip.bytes()));
  hand_off(program, streams.first, computing);
  for (int64_t part = 0; part < parts; ++part) {
    const ItemRange images = item_range(shape.batch, part, parts);
    const int64_t size = shape.network.image;
    const int32_t stream = computing[static_cast<size_t>(part)];
    const ClassifierBuffers buffers = make_classifier_buffers(builder, shape.network, images.count);
    program.op(stream, images_of(slot.bytes.view(images.first * 3 * size * size, {images.count, 3, size, size}),
                                 slot.flip.view(images.first, {images.count}), buffers.images));
    hand_off(program, stream, {streams.first});
    run_image_classifier(program, stream, network, buffers,
                         slot.logits.view(images.first * shape.network.classes, {images.count, shape.network.classes}));
  }
}

// The same image, mirrored the same way, is in every batch; the others differ.
Result<void> check_slots(DeviceReader& reader, const std::vector<Slot>& slots, const Shape& shape) {
  const int64_t classes = shape.network.classes;
  AACO_ASSIGN(const std::vector<float> first, reader.floats(slots.front().logits.view(0, {classes})));
  for (size_t i = 0; i < slots.size(); ++i) {
    AACO_ASSIGN(const std::vector<float> logits, reader.floats(slots[i].logits));
    for (const float value : logits) {
      if (!std::isfinite(value)) {
        return Error{ErrorKind::kInvalid, fmt::format("batch {}: a logit is no number", i),
                     "check the device's health"};
      }
    }
    const std::vector<float> row(logits.begin(), logits.begin() + classes);
    // Parts of different sizes may be convolved by different algorithms.
    AACO_TRY(expect_close(fmt::format("logits of batch {} for the image that every batch begins with", i), row, first,
                          5 * order_tolerance(shape.network.precision)));
    const std::vector<float> last(logits.end() - classes, logits.end());
    if (shape.batch > 1 && last == row) {
      return Error{ErrorKind::kInvalid, fmt::format("batch {}: two different images have the same logits", i),
                   "the device computes something else than asked for: check its health, then report it"};
    }
  }
  return {};
}

Result<void> build(WorkloadBuilder& builder) {
  AACO_ASSIGN(const Shape shape, shape_of(builder.parameters()));
  const ImageClassifier network = make_image_classifier(builder, shape.network);
  std::vector<Slot> slots;
  for (int64_t i = 0; i < shape.prefetch; ++i) {
    slots.push_back(make_slot(builder, shape));
    fill_host(builder, slots.back(), slots.front(), shape);
    run_slot(builder, all_streams(builder).part(i, shape.prefetch), network, slots.back(), shape);
    builder.output("logits " + std::to_string(i), slots.back().logits);
  }
  builder.check([slots, shape](DeviceReader& reader, int64_t) { return check_slots(reader, slots, shape); });
  builder.units(static_cast<double>(shape.prefetch * shape.batch));
  return {};
}

}  // namespace

const WorkloadInfo async_dataload{
    .id = "async_dataload",
    .alias = "",
    .priority = "P3",
    .category = "pipeline",
    .unit = "images",
    .summary = "Batches of images: from pinned memory, to numbers, through a convolutional network, all overlapped",
    .about =
        "Do copies from the host hide behind compute? Two batches of 32 images lie in pinned memory as bytes. A stream "
        "of each copies them, others mirror and normalise them and run the network, a part of the batch on each. The "
        "copy of the next iteration's batch begins when this one's bytes have been read, so that it runs beside the "
        "convolutions. Bytes cross the link, not floats: a quarter of what a loader that normalises on the host would "
        "send. The work does not grow with the streams; more than one for each image and one for each batch are not "
        "used (66 at default sizes). It does not decode files.",
    .recommended_streams = 6,
    .switch_sensitivity = "medium",
    .parameters = kParameters,
    .test_parameters = kTestParameters,
    .cpu_parameters = kCpuParameters,
    .build = build};

}  // namespace aaco::workloads
