# latchlab_units(target...): compiles the sources of each target in units, files that include
# several sources, so that headers are parsed once for all of them. A unit has at most
# LATCHLAB_UNIT_SOURCES, in the order of their paths. Sources with options or definitions of their
# own are compiled alone.
#
# CMake's unity builds would do, if they did not name sources by absolute paths: the compiler cache
# of one checkout could not serve another.
function(latchlab_units)
  if(NOT LATCHLAB_UNITS)
    return()
  endif()
  foreach(target IN LISTS ARGN)
    get_target_property(sources ${target} SOURCES)
    latchlab_may_join(joined ${sources})
    list(REMOVE_ITEM sources ${joined} "")
    list(SORT joined)
    set(unit 0)
    set(count 0)
    set(text)
    foreach(source IN LISTS joined)
      if(count EQUAL LATCHLAB_UNIT_SOURCES)
        latchlab_write_unit(${target} ${unit} "${text}")
        math(EXPR unit "${unit} + 1")
        set(count 0)
        set(text)
      endif()
      math(EXPR count "${count} + 1")
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE name)
      string(APPEND text "#include \"${name}\"\n")
    endforeach()
    if(text)
      latchlab_write_unit(${target} ${unit} "${text}")
      math(EXPR unit "${unit} + 1")
    endif()
    set(units)
    foreach(number RANGE 1 ${unit})
      math(EXPR number "${number} - 1")
      list(APPEND units ${CMAKE_BINARY_DIR}/units/${target}_${number}.cc)
    endforeach()
    set_property(TARGET ${target} PROPERTY SOURCES ${sources} ${units})
  endforeach()
endfunction()

# Of these sources those of this tree that are compiled like the rest of their target.
function(latchlab_may_join variable)
  set(joined)
  foreach(source IN LISTS ARGN)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
    get_source_file_property(alone ${source} SKIP_UNITY_BUILD_INCLUSION)
    if(NOT options AND NOT definitions AND NOT alone AND
       source MATCHES "^${CMAKE_SOURCE_DIR}/.*[.]cc$" AND
       NOT source MATCHES "^${CMAKE_BINARY_DIR}/")
      list(APPEND joined ${source})
    endif()
  endforeach()
  set(${variable} ${joined} PARENT_SCOPE)
endfunction()

# Writes the unit only if its text is new, so that configuring again compiles nothing again.
function(latchlab_write_unit target number text)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/units/${target}_${number}.cc CONTENT "${text}" @ONLY)
endfunction()
