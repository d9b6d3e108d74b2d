# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#
# The unit's sources for CMake: in the source tree, and below share/muster where it is installed.
# The root of either is two folders above this file.

# Sources, with absolute paths, and options of a file list of the RTL, whose paths count from its own folder.
function(muster_read_file_list file sources options)
  cmake_path(GET file PARENT_PATH root)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} lines REGEX "^[^/#]")
  foreach(line ${lines})
    if(line MATCHES "^\\+incdir\\+(.*)$")
      list(APPEND found_options +incdir+${root}/${CMAKE_MATCH_1})
    elseif(line MATCHES "^\\+")
      list(APPEND found_options ${line})
    else()
      list(APPEND found_sources ${root}/${line})
    endif()
  endforeach()
  set(${sources} ${found_sources} PARENT_SCOPE)
  set(${options} ${found_options} PARENT_SCOPE)
endfunction()

# muster::rtl_files has the unit's sources in the order of their file list (INTERFACE_SOURCES, with
# Verilator's waivers before them), the folders of what they include (INTERFACE_INCLUDE_DIRECTORIES),
# and the file list itself (MUSTER_FILE_LIST).
function(muster_add_rtl_files)
  if(TARGET muster::rtl_files)
    return()
  endif()
  cmake_path(GET CMAKE_CURRENT_FUNCTION_LIST_DIR PARENT_PATH root)
  cmake_path(GET root PARENT_PATH root)
  muster_read_file_list(${root}/rtl/muster.f sources options)
  list(TRANSFORM options REPLACE "^\\+incdir\\+" "")
  add_library(muster::rtl_files INTERFACE IMPORTED GLOBAL)
  set_target_properties(muster::rtl_files PROPERTIES
    INTERFACE_SOURCES "${root}/rtl/muster.vlt;${sources}"
    INTERFACE_INCLUDE_DIRECTORIES "${options}"
    MUSTER_FILE_LIST ${root}/rtl/muster.f)
endfunction()
muster_add_rtl_files()
