# latchlab_embed(TARGET FUNCTION file...): defines `std::span<const EmbeddedFile> FUNCTION()` in
# namespace latchlab::tool (tools/report/embedded.h) and links it into TARGET. It returns the
# files' contents at build time, so that an installed program needs no source tree.
function(latchlab_embed target function)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/embedded/${function}.cc)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DFUNCTION=${function} "-DFILES=${ARGN}"
            -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    COMMENT "Embedding ${function}" VERBATIM)
  set_source_files_properties(${out} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # same names in all
  target_sources(${target} PRIVATE ${out})
endfunction()

# The script that the command above runs.
if(CMAKE_SCRIPT_MODE_FILE)
  set(arrays)
  set(table)
  set(number 0)
  foreach(file IN LISTS FILES)
    get_filename_component(name ${file} NAME)
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "((.....)(.....)(.....)(.....)(.....)(.....)(.....)(.....))" "\\1\n"
           bytes "${bytes}")
    string(APPEND arrays "constexpr unsigned char file_${number}[] = {\n${bytes}0};\n")
    string(APPEND table "    {\"${name}\", {reinterpret_cast<const char*>(file_${number}),\n"
           "      sizeof file_${number} - 1}},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  file(WRITE ${OUT} "#include \"tools/report/embedded.h\"\n\n"
       "namespace latchlab::tool {\n\nnamespace {\n\n${arrays}\n}  // namespace\n\n"
       "std::span<const EmbeddedFile> ${FUNCTION}() {\n"
       "  static const EmbeddedFile files[] = {\n${table}  };\n  return files;\n}\n\n"
       "}  // namespace latchlab::tool\n")
endif()
