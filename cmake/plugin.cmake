# latchlab_add_plugin(NAME source...): builds a plug-in NAME.so for `latchlab --plugin NAME.so`. It
# links with no library of Latchlab: the program that loads it provides the symbols.
function(latchlab_add_plugin name)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE Latchlab::plugin)
  # Default visibility lets plug-in and program share the inline variables of Latchlab's headers.
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX .so CXX_VISIBILITY_PRESET default
                        CXX_EXTENSIONS OFF)
endfunction()
