# hd_fail_alloc(target): see fail_alloc.h.
function(hd_fail_alloc target)
  target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/fail_alloc.c)
  foreach(name malloc calloc realloc aligned_alloc mmap)
    target_link_options(${target} PRIVATE -Wl,--wrap=${name})
  endforeach()
endfunction()
