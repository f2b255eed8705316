# latchlab_add_plugin(NAME source...): a plug-in NAME.so for `latchlab --plugin NAME.so`. What it
# uses of Latchlab it finds in the program; it links with nothing.
function(latchlab_add_plugin name)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE Latchlab::plugin)
  # Inline variables of our headers must be one with the program's.
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX .so CXX_VISIBILITY_PRESET default
                        CXX_EXTENSIONS OFF)
endfunction()
