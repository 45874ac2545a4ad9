# What provers under load share: the ledger of memory, what frees it, what goes round, the scheduler.
foreach(part IN ITEMS ledger ledger_threads reclaim schedule)
  pail_add_test(unit_prover_${part} SOURCES ${CMAKE_CURRENT_LIST_DIR}/${part}.c LIBS pail_host)
endforeach()
target_compile_definitions(unit_prover_reclaim PRIVATE _GNU_SOURCE) # mkdtemp, madvise
