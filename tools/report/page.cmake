# Compiles the report page and d3, the library that draws its figures, into the program.
find_file(LATCHLAB_D3 d3.min.js PATHS /usr/share/nodejs/d3/dist /usr/share/javascript/d3
          DOC "The library d3, version 5, as one file")
if(NOT LATCHLAB_D3 OR NOT EXISTS ${LATCHLAB_D3})
  message(FATAL_ERROR "The report page needs d3, version 5: install the Debian package node-d3, or "
                      "say -DLATCHLAB_D3=/path/to/d3.min.js")
endif()
file(GLOB page CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/report/page/*)
latchlab_embed(latchlab report_page ${page})
latchlab_embed(latchlab report_d3 ${LATCHLAB_D3})
