// SPDX-License-Identifier: Apache-2.0
// Golden values through <pail/pail.hpp>:  golden CASES DATA VECTORS
#include "expect.hpp"

static std::string file(const std::string &path)
{
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

static void multiplications(const std::string &path)
{
    std::ifstream in(path);
    std::string name, points, scalars, expected;
    int n = 0;
    const pail::context context;
    while (in >> name >> points >> scalars >> expected) {
        const pail::bases bases = context.make_bases(PAIL_CURVE_BN254, PAIL_G1, from_hex(points));
        expect(bases.msm(from_hex(scalars)) == from_hex(expected), name);
        pail::pending work = bases.start(from_hex(scalars)); // they go before it is waited for
        while (!work.wait(std::chrono::seconds(1))) {
        }
        pail_stats stats{};
        expect(work.ready() && work.finish(&stats).at(0) == from_hex(expected) && stats.n_jobs == 1,
               name + ", started");
        n++;
    }
    expect(n > 50, "cases of " + path);
}

static pail::bases orphan()
{
    std::uint8_t generators[2][64] = {};
    for (auto &point : generators) {
        point[0] = 1;
        point[32] = 2;
    }
    return pail::context("cpu").make_bases(PAIL_CURVE_BN254, PAIL_G1,
                                           pail::view(generators, sizeof generators));
}

static void lifetimes()
{
    bytes scalars(64);
    scalars[0] = 5;
    scalars[32] = 6;
    pail::bases bases = orphan(); // its context has no other name
    const bytes eleven = bases.msm(scalars);
    expect(eleven.at(0) == 0xef, "bases outlive the name of their context");
    pail::bases moved = std::move(bases);
    expect(moved.msm(scalars) == eleven, "bases that were moved");
    {
        pail::pending dropped = moved.start(scalars);
        pail::pending other = std::move(dropped);
        dropped = moved.start(scalars);
        expect(dropped.finish().at(0) == eleven, "pending work that was assigned");
    } // `other` is abandoned
    expect(moved.info().n_points == 2, "info");
    scalars.resize(32);
    scalars[0] = 11;
    expect(moved.msm(scalars, 1) == eleven, "an offset");
    expect_error([&] { moved.msm(scalars, 2); }, PAIL_ERR_ARGUMENT, "2",
                 "an offset beyond the end");
    scalars.resize(31);
    expect_error([&] { moved.msm(scalars); }, PAIL_ERR_ARGUMENT, "31 bytes", "part of a scalar");
}

/* Threads on one object, of which the last to end destroys it. */
static void threads(const std::string &data)
{
    auto bases = std::make_shared<const pail::bases>(orphan());
    auto key =
        std::make_shared<const pail::groth16_key>(pail::context("cpu"), data + "/ledger.zkey");
    const bytes scalars(64, 7), expected = bases->msm(scalars);
    const std::string proof = file(data + "/ledger.proof.json");
    std::atomic<int> right = 0;
    std::vector<std::thread> all;
    for (int i = 0; i < 4; i++)
        all.emplace_back([&, bases, key] {
            for (int round = 0; round < 5; round++)
                right +=
                    bases->msm(scalars) == expected &&
                    key->prove(data + "/ledger.wtns", pail::groth16_blinding{}).json() == proof;
        });
    bases.reset();
    key.reset();
    for (std::thread &thread : all)
        thread.join();
    expect(right == 20, "threads");
}

static void errors()
{
    const pail::context context("cpu");
    bytes points(128);
    points[64] = 1;
    expect_error([&] { context.make_bases(PAIL_CURVE_BN254, PAIL_G1, points); }, PAIL_ERR_DATA, "1",
                 "a bad point");
    points.pop_back();
    expect_error([&] { context.make_bases(PAIL_CURVE_BN254, PAIL_G1, points); }, PAIL_ERR_ARGUMENT,
                 "127", "part of one");
    expect_error([] { pail::context("nothing"); }, PAIL_ERR_ARGUMENT, "nothing",
                 "an unknown backend");
    const std::string cut("cpu\0more", 8);
    expect_error([&] { pail::context{cut}; }, PAIL_ERR_ARGUMENT, "zero byte",
                 "a backend with a zero byte");
    expect_error([&] { pail::groth16_key(context, cut); }, PAIL_ERR_ARGUMENT, "zero byte",
                 "a path with a zero byte");
    expect_error([&] { pail::groth16_key(context, "/nowhere.zkey"); }, PAIL_ERR_IO, "/nowhere.zkey",
                 "no file");
    expect_error([&] { pail::groth16_key(context, bytes(100)); }, PAIL_ERR_DATA, "the key",
                 "no key");
}

static void proofs(const std::string &data)
{
    const pail::context context;
    const pail::groth16_key key(context, data + "/ledger.zkey");
    expect(key.info().n_public == 3, "public values");
    const std::string wtns = file(data + "/ledger.wtns");
    const pail::groth16_proof fixed = key.prove(data + "/ledger.wtns", pail::groth16_blinding{});
    expect(fixed.json() == file(data + "/ledger.proof.json"), "the proof for r = s = 0");
    expect(fixed.public_json() == file(data + "/ledger.public.json"), "its public values");
    pail::groth16_proof proof = key.prove(pail::view(wtns));
    expect(key.verify(proof) && proof.json() != fixed.json(), "a proof");
    proof.publics[0][0] ^= 1;
    expect(!key.verify(proof), "a proof of something else");
    expect_error([&] { key.prove(pail::view(wtns.data(), 1000)); }, PAIL_ERR_DATA, "witness",
                 "a witness that is cut off");
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    multiplications(argv[1]);
    lifetimes();
    threads(argv[2]);
    errors();
    proofs(argv[2]);
    std::cout << (failures ? "" : "golden values: all as expected\n");
    return failures != 0;
}
