# Writes ARRAY, C++ that defines NAME and NAMEBytes, declared in HEADER, as the bytes of FILE.
file(READ ${FILE} hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
file(WRITE ${ARRAY} "#include \"${HEADER}\"
namespace aaco {
alignas(8) const unsigned char ${NAME}[] = {${bytes}};
const size_t ${NAME}Bytes = sizeof(${NAME});
}  // namespace aaco
")
