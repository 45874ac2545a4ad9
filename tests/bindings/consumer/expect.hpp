// SPDX-License-Identifier: Apache-2.0
// Checks that the programs of this folder share.
#ifndef PAIL_TESTS_BINDINGS_EXPECT_HPP
#define PAIL_TESTS_BINDINGS_EXPECT_HPP

#include <pail/pail.hpp>

#include <atomic>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>

using bytes = std::vector<std::uint8_t>;

static int failures = 0;

static void expect(bool good, const std::string &what)
{
    if (!good) {
        std::cout << "failed: " << what << '\n';
        failures++;
    }
}

template <class Call>
static void expect_error(Call call, pail_status status, const std::string &part,
                         const std::string &what)
{
    try {
        call();
        expect(false, what + ": no exception");
    } catch (const pail::error &error) {
        expect(error.status() == status &&
                   std::string(error.what()).find(part) != std::string::npos,
               what + ": " + pail_status_name(error.status()) + ", " + error.what());
    }
}

static bytes from_hex(const std::string &text)
{
    bytes made;
    for (std::size_t i = 0; text != "-" && i < text.size(); i += 2)
        made.push_back(static_cast<std::uint8_t>(std::stoi(text.substr(i, 2), nullptr, 16)));
    return made;
}

#endif // PAIL_TESTS_BINDINGS_EXPECT_HPP
