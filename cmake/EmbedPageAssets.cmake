# Writes SOURCE, C++ that holds the bytes of each file of FOLDER.
file(GLOB files ${FOLDER}/*.html ${FOLDER}/*.js ${FOLDER}/*.css ${FOLDER}/*.svg)
list(SORT files)
set(arrays)
set(rows)
set(number 0)
foreach(file ${files})
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  get_filename_component(name ${file} NAME)
  string(APPEND arrays "const unsigned char kFile${number}[] = {${bytes}0};\n")
  string(APPEND rows "    {\"${name}\", kFile${number}, sizeof kFile${number} - 1},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${SOURCE} "#include \"serve/assets/page_assets.h\"
namespace aaco::serve {
namespace {
${arrays}const PageAsset kAssets[] = {
${rows}};
}  // namespace
std::span<const PageAsset> page_assets() { return kAssets; }
}  // namespace aaco::serve
")
