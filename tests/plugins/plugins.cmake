# Plug-ins for tests/cli/plugin_test.cc: a valid one, and one for each reason to refuse a plug-in.
function(latchlab_test_plugin name source)
  latchlab_add_plugin(plugin_${name} plugins/${source}.cc)
  set_target_properties(plugin_${name} PROPERTIES OUTPUT_NAME ${name}
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/plugins)
  target_compile_definitions(plugin_${name} PRIVATE ${ARGN})
  add_dependencies(test_cli plugin_${name})
endfunction()

foreach(name good contradicting incomplete stranger)
  latchlab_test_plugin(${name} ${name})
endforeach()
latchlab_test_plugin(old other_build OTHER_ABI=1 OTHER_VERSION="0.0.1" OTHER_COMPILER="gcc")
latchlab_test_plugin(future other_build OTHER_ABI=99 OTHER_VERSION="9.9.9" OTHER_COMPILER="gcc")
latchlab_test_plugin(foreign other_build OTHER_ABI=1 OTHER_VERSION=LATCHLAB_VERSION
                     OTHER_COMPILER="pathcc")
target_compile_definitions(test_cli PRIVATE
                           LATCHLAB_PLUGIN_DIR="${CMAKE_CURRENT_BINARY_DIR}/plugins")
