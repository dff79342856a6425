# What is installed where: headers, libraries, the command, packages for CMake and pkg-config.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/carom)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The .pc files find the prefix from where they lie, so that an installed tree can be moved.
file(RELATIVE_PATH up_to_prefix /prefix/${pkgconfig_dir} /prefix)
string(REGEX REPLACE "/$" "" up_to_prefix "${up_to_prefix}")
function(carom_install_pc name)
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${pkgconfig_dir})
endfunction()
# Who links a static library needs what it needs; a shared one carries that itself.
if(BUILD_SHARED_LIBS)
  set(pc_libm "\nLibs.private: -lm")
  set(pc_cholmod "\nLibs.private: -lcholmod")
  set(pc_jansson "\nRequires.private: jansson")
  if(CAROM_ENSEMBLE)
    string(APPEND pc_jansson ", sqlite3")
  endif()
  set(pc_cairo "\nRequires.private: cairo")
else()
  set(pc_libm " -lm")
  set(pc_cholmod " -lcholmod -lm")
  set(pc_jansson ", jansson")
  if(CAROM_ENSEMBLE)
    string(APPEND pc_jansson ", sqlite3")
  endif()
  if(CAROM_STUDY)
    string(APPEND pc_jansson ", cminpack")
  endif()
  set(pc_cairo ", cairo")
endif()
set(pc_below_scene "carom")

install(TARGETS carom EXPORT carom-targets)
install(EXPORT carom-targets NAMESPACE carom:: DESTINATION ${package_dir})
set(carom_headers carom base billiards contact derivative impact judge pile plan reflect rod shape world)
list(APPEND carom_headers soft pickup) # scene.h needs their types, whether the library is there or not
list(TRANSFORM carom_headers REPLACE "(.+)" "include/carom/\\1.h")
install(FILES ${carom_headers}
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/carom)
carom_install_pc(carom)

# A library with a header and a package of its own, which needs what Find${package}.cmake finds.
function(carom_install_component name package)
  install(TARGETS carom_${name} EXPORT carom-${name}-targets)
  install(EXPORT carom-${name}-targets NAMESPACE carom:: DESTINATION ${package_dir})
  install(FILES include/carom/${name}.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/carom)
  install(FILES cmake/Find${package}.cmake DESTINATION ${package_dir})
  carom_install_pc(carom-${name})
endfunction()
if(CAROM_SOFT)
  carom_install_component(soft cholmod)
  set(pc_below_scene "carom-soft")
endif()

if(CAROM_SCENE)
  install(TARGETS carom_cli)
  carom_install_component(scene jansson)
  if(CAROM_ENSEMBLE)
    install(FILES cmake/Findsqlite3.cmake DESTINATION ${package_dir})
  endif()
  if(CAROM_STUDY)
    install(FILES cmake/Findcminpack.cmake DESTINATION ${package_dir})
  endif()
  install(FILES include/carom/study.h include/carom/ensemble.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/carom)
endif()
if(TARGET carom_plot)
  carom_install_component(plot cairo)
endif()

if(CAROM_STUDY AND CAROM_SCENE)
  set(needs_cminpack cminpack)
endif()
configure_package_config_file(cmake/carom-config.cmake.in
  ${PROJECT_BINARY_DIR}/carom-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/carom-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/carom-config.cmake
  ${PROJECT_BINARY_DIR}/carom-config-version.cmake DESTINATION ${package_dir})

install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(FILES README.md LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
install(DIRECTORY examples schema DESTINATION ${CMAKE_INSTALL_DATADIR}/carom)

# ---- What the command brings along ---------------------------------------------------------------

if(CAROM_SCENE)
  install(FILES completion/carom.bash RENAME carom
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES completion/_carom DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  if(NOT CMAKE_CROSSCOMPILING AND NOT CAROM_SANITIZE) # the command writes its own pages
    add_custom_command(TARGET carom_cli POST_BUILD
      COMMAND ${CMAKE_COMMAND} -D CAROM=$<TARGET_FILE:carom_cli> -D FOLDER=${PROJECT_BINARY_DIR}/man
              -P ${PROJECT_SOURCE_DIR}/cmake/man_pages.cmake VERBATIM)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
      FILES_MATCHING PATTERN "*.1")
  endif()
endif()

# ---- A Debian package: make package --------------------------------------------------------------

if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_NAME carom)
  set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
  set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  # Who makes the package, by the variables of Debian's own tools.
  if(DEFINED ENV{DEBEMAIL})
    set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
  else()
    set(CPACK_PACKAGE_CONTACT "Built from source <root@localhost>")
  endif()
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "impact mechanics: the command carom and its libraries")
  set(CPACK_PACKAGE_DESCRIPTION "Collisions with friction and restitution, solved in closed form where there is one:
 single impacts, networks of contacts, Newton's cradle, billiards, batting,
 elastic rods and soft objects. The package has the command, the static
 libraries with their headers, the documentation and the example scenes.")
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "pkg-config, libjansson-dev, libsqlite3-dev, libcminpack-dev, libcairo2-dev, libsuitesparse-dev")
  set(CPACK_STRIP_FILES ON)
  include(CPack)
endif()
