# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#
# A library that other projects can use: muster_public_library(golden SOURCE... HEADERS HEADER...
# [COMPONENT tlm]) adds the target muster_golden, which others call muster::golden. HEADERS are those
# that others may include, and are installed; they name each other from the top of the tree. A
# COMPONENT is one that find_package(muster) must be asked for, because it needs more than the rest.
include(GNUInstallDirs)

if(MUSTER_INSTALL)
  add_custom_target(muster_installable)  # builds what the rules of installation need
endif()

function(muster_public_library name)
  cmake_parse_arguments(PARSE_ARGV 1 LIBRARY "" "COMPONENT" "HEADERS")
  add_library(muster_${name} ${LIBRARY_UNPARSED_ARGUMENTS})
  add_library(muster::${name} ALIAS muster_${name})
  set_target_properties(muster_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(muster_${name} PUBLIC cxx_std_17)
  target_sources(muster_${name} PUBLIC
    FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${LIBRARY_HEADERS})
  if(MUSTER_INSTALL)
    add_dependencies(muster_installable muster_${name})
    string(JOIN - export muster ${LIBRARY_COMPONENT} targets)
    install(TARGETS muster_${name} EXPORT ${export}
            INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/muster
            FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/muster)
  endif()
endfunction()
