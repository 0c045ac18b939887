# Writes ARRAY, C++ that holds the bytes of OBJECT.
file(READ ${OBJECT} hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
file(WRITE ${ARRAY} "#include \"observe/kernel/bpf/program_object.h\"
namespace aaco {
alignas(8) const unsigned char kKernelPrograms[] = {${bytes}};
const size_t kKernelProgramBytes = sizeof(kKernelPrograms);
}  // namespace aaco
")
