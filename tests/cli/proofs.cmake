# Commands about proofs and commitments. cli_command is that of cli.cmake.
set(cli_proofs ${cli_command})
list(TRANSFORM cli_proofs REPLACE "/test_pail\\.py$" "/test_proofs.py")
add_test(NAME cli_proofs COMMAND ${cli_proofs} cpu)
set_tests_properties(cli_proofs PROPERTIES LABELS cpu)
