// SPDX-License-Identifier: Apache-2.0
// Cases of vectors through <pail/pail.hpp>:  vectors CASES DATA VECTORS. The format of VECTORS is
// in tests/bindings/vector_cases.py.
#include "expect.hpp"

#include <map>

using words = std::vector<std::string>;

static words split(const std::string &text, char separator)
{
    words parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);)
        parts.push_back(part);
    return parts;
}

template <class Number>
static std::vector<Number> numbers(const std::string &text)
{
    std::vector<Number> made;
    for (const std::string &word : split(text, ','))
        made.push_back(static_cast<Number>(std::stoull(word)));
    return made;
}

static pail::element element_of(const std::string &text)
{
    pail::element made{};
    const bytes content = from_hex(text);
    std::copy(content.begin(), content.end(), made.begin());
    return made;
}

static pail::element small(std::uint8_t value)
{
    return pail::element{value};
}

struct operands {
    std::map<std::string, pail::vector> vectors;
    std::optional<pail::matrix> matrix;
};

static pail::operation operation_of(operands &from, const std::string &text)
{
    static const std::map<std::string, pail_vector_op_kind> kinds = {
        {"ntt", PAIL_VECTOR_OP_NTT},         {"intt", PAIL_VECTOR_OP_INTT},
        {"spmv", PAIL_VECTOR_OP_SPMV},       {"add", PAIL_VECTOR_OP_ADD},
        {"sub", PAIL_VECTOR_OP_SUB},         {"mul", PAIL_VECTOR_OP_MUL},
        {"mul_sub", PAIL_VECTOR_OP_MUL_SUB}, {"powers", PAIL_VECTOR_OP_POWERS},
        {"copy", PAIL_VECTOR_OP_COPY}};
    std::map<std::string, std::string> settings;
    const std::size_t colon = text.find(':');
    for (const std::string &setting : split(text.substr(colon + 1), ',')) {
        const std::size_t equals = setting.find('=');
        settings[setting.substr(0, equals)] = setting.substr(equals + 1);
    }
    const auto operand = [&](const char *name) {
        const auto found = settings.find(name);
        return found == settings.end() ? nullptr : &from.vectors.at(found->second);
    };
    const auto number = [&](const char *name) {
        const auto found = settings.find(name);
        return found == settings.end() ? 0 : std::stoull(found->second);
    };
    const pail_vector_op_kind kind = kinds.at(text.substr(0, colon));
    pail::operation made(kind, *operand("r"), operand("a"), operand("b"), operand("c"),
                         kind == PAIL_VECTOR_OP_SPMV ? &*from.matrix : nullptr);
    made.offsets(number("r_offset"), number("a_offset"), number("b_offset"), number("c_offset"));
    if (settings.count("n"))
        made.count(number("n"));
    if (settings.count("log_n"))
        made.log_n(static_cast<std::uint32_t>(number("log_n")));
    if (settings.count("root"))
        made.root(element_of(settings["root"]));
    if (settings.count("shift"))
        made.shift(element_of(settings["shift"]));
    if (settings.count("scale"))
        made.scale(element_of(settings["scale"]));
    return made.bit_reversed(number("bit_reversed") != 0);
}

static const char *const letters[] = {"x", "y", "z"};

static void run(const pail::context &context, operands &with, const words &given)
{
    const auto encoding = static_cast<pail_encoding>(std::stoi(given[1]));
    for (std::size_t i = 0; i < 3; i++) {
        if (given[2 + i] == "-")
            continue;
        const auto curve = static_cast<pail_curve>(given[2 + i][0] - '0');
        const bytes content = from_hex(given[2 + i].substr(2));
        with.vectors.emplace(letters[i], context.make_vector(curve, content.size() / 32));
        with.vectors.at(letters[i]).write(content, 0, encoding);
    }
    if (given[5] != "-") {
        const words parts = split(given[5], ':');
        with.matrix = context.make_matrix(
            static_cast<pail_curve>(std::stoi(parts[0])), numbers<std::uint64_t>(parts[2]),
            numbers<std::uint32_t>(parts[3]), from_hex(parts[4]), std::stoull(parts[1]));
    }
    std::vector<pail::operation> list;
    for (const std::string &text : split(given[6], ';'))
        list.push_back(operation_of(with, text));
    context.run(list);
}

static pail_status status_named(const std::string &name)
{
    return name == "PAIL_ERR_DATA" ? PAIL_ERR_DATA : PAIL_ERR_ARGUMENT;
}

static void cases(const pail::context &context, const std::string &path)
{
    std::ifstream in(path);
    int n = 0;
    for (std::string line; std::getline(in, line); n++) {
        const words given = split(line, ' ');
        operands with;
        if (given[7][0] == '!') {
            std::string part = given[7].substr(given[7].find(':') + 1);
            std::replace(part.begin(), part.end(), '_', ' ');
            expect_error([&] { run(context, with, given); },
                         status_named(given[7].substr(1, given[7].find(':') - 1)), part, given[0]);
            continue;
        }
        run(context, with, given);
        for (std::size_t i = 0; i < 3; i++)
            if (given[7 + i] != "-")
                expect(with.vectors.at(letters[i])
                               .read(0, pail::to_the_end,
                                     static_cast<pail_encoding>(std::stoi(given[1]))) ==
                           from_hex(given[7 + i].substr(2)),
                       given[0]);
    }
    expect(n > 50, "cases of " + path);
}

static pail::vector orphan(std::uint8_t first, std::uint8_t second)
{
    bytes content(64);
    content[0] = first;
    content[32] = second;
    pail::vector made = pail::context("cpu").make_vector(PAIL_CURVE_BN254, 2);
    made.write(content);
    return made;
}

/* A temporary is refused by the compiler. */
static_assert(!std::is_constructible_v<pail::detail::lasting<pail::vector>, pail::vector>);
static_assert(std::is_constructible_v<pail::detail::lasting<pail::vector>, const pail::vector &>);

static void calls()
{
    pail::vector alone = orphan(5, 6); // its context has no other name
    alone.ntt();
    alone.intt();
    expect(alone.read().at(32) == 6 && alone.read(1).size() == 32, "a transform and back");
    expect_error([&] { alone.read(1, 2); }, PAIL_ERR_ARGUMENT, "1 to 1 + 2", "a range");
    expect_error([&] { alone.write(bytes(31)); }, PAIL_ERR_ARGUMENT, "31 bytes", "part of one");
    expect_error([] { pail::root_of_unity(PAIL_CURVE_BN254, 29); }, PAIL_ERR_ARGUMENT, "2^29",
                 "no root");
    expect(pail::root_of_unity(PAIL_CURVE_BN254, 0) == small(1), "the root of order 1");
    expect_error([&] { pail::powers(alone, alone).scale(small(0)); }, PAIL_ERR_ARGUMENT,
                 "scale is 0", "a scale of 0");

    const pail::context context("cpu");
    bytes generators(128);
    generators[0] = generators[64] = 1;
    generators[32] = generators[96] = 2;
    const pail::bases bases = context.make_bases(PAIL_CURVE_BN254, PAIL_G1, generators);
    expect_error([&] { bases.msm(alone); }, PAIL_ERR_ARGUMENT, "another context",
                 "scalars of another context");
    expect_error([&] { context.run({pail::ntt(alone)}); }, PAIL_ERR_ARGUMENT, "another context",
                 "an operand of another context");
    pail::vector scalars = context.make_vector(PAIL_CURVE_BN254, 3);
    bytes content(96);
    content[32] = 5;
    content[64] = 6;
    scalars.write(content);
    const bytes eleven = bases.msm(pail::view(content.data() + 32, 64));
    expect(bases.msm(scalars, 0, 1) == eleven, "scalars of a vector");
    expect(bases.msm(scalars, 1, 2, 1) == bases.msm(pail::view(content.data() + 64, 32), 1),
           "some of them");
    pail::vector moved = std::move(scalars);
    pail::pending work = bases.start(moved, 0, 1);
    pail::pending_operations sum = context.start({pail::add(moved, moved, moved)});
    scalars = context.make_vector(PAIL_CURVE_BN254, 3);
    moved = std::move(scalars); // the vector that both use is destroyed with `scalars`
    scalars = context.make_vector(PAIL_CURVE_BN254, 1);
    while (!sum.wait(std::chrono::seconds(1))) {
    }
    pail_stats stats{};
    sum.finish(&stats);
    expect(work.finish().at(0) == eleven, "work goes on without its vector");
    expect_error([&] { sum.finish(); }, PAIL_ERR_ARGUMENT, "", "finished twice");
    const std::shared_ptr<pail::vector> shared =
        std::make_shared<pail::vector>(context.make_vector(PAIL_CURVE_BN254, 1 << 12));
    context.start({pail::ntt(*shared)}); // abandoned
    std::vector<std::thread> threads;    // the last of them to end destroys the vector
    for (int i = 0; i < 4; i++)
        threads.emplace_back([shared, &context] {
            for (int round = 0; round < 10; round++)
                context.run({pail::add(*shared, *shared, *shared)});
        });
    for (std::thread &thread : threads)
        thread.join();
    expect(shared->read() == bytes(32 << 12), "threads on one vector");
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    cases(pail::context(), argv[3]);
    calls();
    std::cout << (failures ? "" : "vectors: all as expected\n");
    return failures != 0;
}
