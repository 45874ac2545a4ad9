// SPDX-License-Identifier: Apache-2.0
// Time that a call takes, in C and through <pail/pail.hpp>, in one process:  calls
// Prints JSON: ns of a multiplication of no scalars in both, and of a call that is refused with 1
// and with 2^20 scalars.
#include <pail/pail.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using nanoseconds = double;

template <class Call>
static nanoseconds each(int times, Call call)
{
    std::vector<double> rounds;
    for (int round = 0; round < 100; round++) {
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < times; i++)
            call();
        rounds.push_back(
            std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin)
                .count() /
            times);
    }
    return *std::min_element(rounds.begin(), rounds.end());
}

int main()
{
    const pail::context context("cpu");
    std::vector<std::uint8_t> point(64);
    point[0] = 1;
    point[32] = 2;
    const pail::bases bases = context.make_bases(PAIL_CURVE_BN254, PAIL_G1, point);

    pail_bases_desc desc = pail::detail::sized<pail_bases_desc>();
    desc.curve = PAIL_CURVE_BN254;
    desc.group = PAIL_G1;
    desc.points = point.data();
    desc.n_points = 1;
    pail_bases *handle = nullptr;
    if (context.backend()->bases_create(context.handle(), &handle, nullptr, &desc) != PAIL_OK)
        return 1;
    const nanoseconds c = each(200, [&] {
        pail_msm_job job = pail::detail::sized<pail_msm_job>();
        job.bases = handle;
        pail_msm_result result = pail::detail::sized<pail_msm_result>();
        if (pail_msm(context.backend(), context.handle(), &result, nullptr, &job, nullptr) !=
            PAIL_OK)
            std::abort();
    });
    context.backend()->bases_destroy(context.handle(), &handle);

    const nanoseconds cpp = each(200, [&] { bases.msm(pail::view()); });
    const std::vector<std::uint8_t> many(std::size_t{32} << 20);
    const auto refused = [&](std::size_t n) {
        return each(50, [&] {
            try {
                bases.msm(pail::view(many.data(), n * 32), 2);
                std::abort();
            } catch (const pail::error &) {
            }
        });
    };
    std::printf(
        "{\"c_ns\": %.0f, \"call_ns\": %.0f, \"refused_1_ns\": %.0f, \"refused_many_ns\": %.0f}\n",
        c, cpp, refused(1), refused(std::size_t{1} << 20));
    return 0;
}
