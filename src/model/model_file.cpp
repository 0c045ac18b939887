// SPDX-License-Identifier: MIT
#include "model/model_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <fmt/format.h>
#include <fstream>

namespace aaco {

namespace {

constexpr size_t kHeadBytes = 4096;
constexpr const char* kExport = "export the model to ONNX (torch.onnx.export, or optimum-cli export onnx)";
constexpr const char* kUnpack = "unpack it, and name the .onnx file inside";

struct Mark {
  size_t at;
  std::string_view bytes;
  const char* what;
  const char* remedy;
};

using namespace std::string_view_literals;

constexpr std::array kMarks{
    Mark{0, "version https://git-lfs.github.com/"sv, "a pointer of Git LFS: the model itself was not downloaded",
         "run `git lfs pull` in its repository, or download the file itself"},
    Mark{0, "GGUF"sv, "a GGUF file (llama.cpp)", kExport},
    Mark{4, "TFL3"sv, "a TensorFlow Lite model",
         "convert it: python -m tf2onnx.convert --tflite MODEL --output x.onnx"},
    Mark{0, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file (Keras)", "convert it: python -m tf2onnx.convert"},
    Mark{0, "ptrt"sv, "a TensorRT engine", "give the ONNX file that it was built from, with --backend tensorrt"},
    Mark{0, "ftrt"sv, "a TensorRT engine", "give the ONNX file that it was built from, with --backend tensorrt"},
    Mark{0,
         "\x7f"
         "ELF"sv,
         "a program or library (ELF)", "give the .onnx file; a library of custom operators goes to --custom-ops"},
    Mark{0, "\x93NUMPY"sv, "a NumPy array", "give the .onnx file; an array goes to --input NAME=FILE.npy"},
    Mark{0, "\x1f\x8b"sv, "compressed with gzip", "gunzip it first"},
    Mark{0, "\x28\xb5\x2f\xfd"sv, "compressed with zstd", "decompress it first: zstd -d"},
    Mark{0,
         "\xfd"
         "7zXZ"sv,
         "compressed with xz", "decompress it first: xz -d"},
    Mark{0, "BZh"sv, "compressed with bzip2", "bunzip2 it first"},
    Mark{0, "7z\xbc\xaf\x27\x1c"sv, "a 7z archive", kUnpack},
    Mark{257, "ustar"sv, "a tar archive", kUnpack},
};

bool starts_so(std::string_view head, std::string_view lower_case) {
  return head.size() >= lower_case.size() && std::ranges::equal(head.substr(0, lower_case.size()), lower_case, {},
                                                                [](unsigned char c) { return std::tolower(c); });
}

// Eight bytes of a length, and a JSON object of it.
bool is_safetensors(std::string_view head, uint64_t size) {
  uint64_t length = 0;
  if (head.size() < 10) {
    return false;
  }
  std::memcpy(&length, head.data(), sizeof length);
  return length >= 2 && length < size && head[8] == '{' && (head[9] == '"' || head[9] == '}');
}

// A protobuf message begins with a tag, which is no printable character but for large field numbers; numbers and
// lengths follow.
bool is_text(std::string_view head) {
  return head.size() >= 3 && std::ranges::all_of(head.substr(0, 512), [](unsigned char c) {
           return c >= 0x20 ? c != 0x7F : c == '\n' || c == '\r' || c == '\t';
         });
}

OtherFile text_file(std::string_view head) {
  constexpr const char* kDownload =
      "download the file itself, not the page about it (Hugging Face: .../resolve/main/...; GitHub: the raw file)";
  const size_t first = head.find_first_not_of(" \t\r\n");
  const std::string_view text = first == std::string_view::npos ? head : head.substr(first);
  if (starts_so(text, "<!doctype html") || starts_so(text, "<html") || starts_so(text, "<head")) {
    return {"an HTML page", kDownload};
  }
  if (starts_so(text, "<?xml") || starts_so(text, "<")) {
    return {"an XML text (a server's answer, or an OpenVINO model)", kDownload};
  }
  if (text.starts_with('{') || text.starts_with('[')) {
    return {"a JSON text", kDownload};
  }
  return {"a text", kDownload};
}

}  // namespace

OtherFile not_a_model(std::string_view head, uint64_t size) {
  if (size == 0) {
    return {"empty", "download or export it again"};
  }
  for (const Mark& mark : kMarks) {
    if (head.size() >= mark.at && head.substr(mark.at).starts_with(mark.bytes)) {
      return {mark.what, mark.remedy};
    }
  }
  if (head.starts_with("PK\x03\x04") || head.starts_with("PK\x05\x06")) {
    return head.find("data.pkl") != std::string_view::npos ? OtherFile{"a PyTorch checkpoint", kExport}
                                                           : OtherFile{"a zip archive", kUnpack};
  }
  if (is_safetensors(head, size)) {
    return {"a safetensors file: weights without a graph", kExport};
  }
  // Protocols 2 to 5 of pickle; no field of a model has this tag.
  if (head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5) {
    return {"a Python pickle (an old PyTorch checkpoint, or a scikit-learn model)", kExport};
  }
  const std::string_view marked = head.starts_with("\xEF\xBB\xBF") ? head.substr(3) : head;
  return is_text(marked) ? text_file(marked) : OtherFile{};
}

Result<void> check_model_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return {};  // opening it says what is wrong
  }
  const uint64_t size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  std::string head(kHeadBytes, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (error || (!file && !file.eof())) {
    return {};
  }
  head.resize(static_cast<size_t>(file.gcount()));
  OtherFile other = not_a_model(head, size);
  return other.what.empty()
             ? Result<void>()
             : Error{ErrorKind::kUsage, fmt::format("{}: not an ONNX model: it is {}", path.string(), other.what),
                     std::move(other.remedy)};
}

}  // namespace aaco
