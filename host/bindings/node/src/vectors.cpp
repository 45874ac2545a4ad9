// SPDX-License-Identifier: Apache-2.0
/* Vectors of scalars: context.vector(n, curve), context.matrix(...), context.run(operations). */
#include "work.hpp"

#include <tuple>

namespace addon
{

/* vector(n, curve): a promise of a Vector. */
Napi::Value context::vector(const Napi::CallbackInfo &info)
{
    const std::uint64_t n = count_or(info[0], 0, "n");
    const auto curve = static_cast<pail_curve>(number_or(info[1], PAIL_CURVE_BN254, "curve"));
    const auto made = std::make_shared<std::shared_ptr<pail::vector>>();
    return work::queue(
        info.Env(),
        [=, context = owned] {
            *made = std::make_shared<pail::vector>(context->make_vector(curve, n));
        },
        [=](Napi::Env env) { return wrapped<addon::vector>(env, &classes::vector, *made); });
}

/* matrix(row starts, 64 bits each, columns, 32 bits each, values, number of columns, curve,
 * encoding): a promise of a Matrix. */
Napi::Value context::matrix(const Napi::CallbackInfo &info)
{
    const auto values = std::make_shared<copied>(info[2], "values");
    const double columns = integer_or(info[3], 0, 9007199254740991, "nColumns");
    const auto curve = static_cast<pail_curve>(number_or(info[4], PAIL_CURVE_BN254, "curve"));
    const pail_encoding encoding = encoding_of(info[5]);
    const auto made = std::make_shared<std::shared_ptr<pail::matrix>>();
    return work::queue(
        info.Env(),
        [=, context = owned, starts = integers<std::uint64_t>(info[0], "rowStarts"),
         at = integers<std::uint32_t>(info[1], "columns")] {
            *made = std::make_shared<pail::matrix>(context->make_matrix(
                curve, starts, at, values->view(), static_cast<std::uint64_t>(columns), encoding));
        },
        [=](Napi::Env env) { return wrapped<addon::matrix>(env, &classes::matrix, *made); });
}

Napi::Function vector::define(Napi::Env env)
{
    return DefineClass(
        env, "Vector",
        {InstanceMethod<&vector::write>("write"), InstanceMethod<&vector::read>("read"),
         InstanceMethod<&vector::close>("close"), InstanceAccessor<&vector::length>("length"),
         InstanceAccessor<&vector::curve>("curve")});
}

Napi::Function matrix::define(Napi::Env env)
{
    return DefineClass(
        env, "Matrix",
        {InstanceMethod<&matrix::close>("close"), InstanceAccessor<&matrix::length>("length")});
}

/* write(elements, offset, encoding) */
Napi::Value vector::write(const Napi::CallbackInfo &info)
{
    const auto elements = std::make_shared<copied>(info[0], "elements");
    const std::uint64_t offset = count_or(info[1], 0, "offset");
    const pail_encoding encoding = encoding_of(info[2]);
    return work::queue(
        info.Env(), [=, to = held(info.Env())] { to->write(elements->view(), offset, encoding); },
        [](Napi::Env env) { return env.Undefined(); });
}

/* read(offset, n, encoding): a promise of 32 n bytes. Nobody has their array before. */
Napi::Value vector::read(const Napi::CallbackInfo &info)
{
    const auto from = held(info.Env());
    const std::uint64_t offset = count_or(info[0], 0, "offset"), all = from->size();
    const std::uint64_t n = count_or(info[1], offset < all ? all - offset : 0, "n");
    const pail_encoding encoding = encoding_of(info[2]);
    if (offset > all || n > all - offset) /* before memory is taken for them */
        throw refused<Napi::RangeError>(
            info.Env(), "elements " + std::to_string(offset) + " to " + std::to_string(offset) +
                            " + " + std::to_string(n) + " are not in the vector, which has " +
                            std::to_string(all));
    Napi::Uint8Array made = Napi::Uint8Array::New(info.Env(), PAIL_SCALAR_BYTES * n);
    const auto kept = std::make_shared<Napi::Reference<Napi::Uint8Array>>(Napi::Persistent(made));
    return work::queue(
        info.Env(), [=, to = made.Data()] { from->read_to(to, offset, n, encoding); },
        [kept](Napi::Env) { return kept->Value(); });
}

Napi::Value vector::length(const Napi::CallbackInfo &info)
{
    return Napi::Number::New(info.Env(), static_cast<double>(held(info.Env())->size()));
}

Napi::Value vector::curve(const Napi::CallbackInfo &info)
{
    return Napi::Number::New(info.Env(), held(info.Env())->curve());
}

Napi::Value matrix::length(const Napi::CallbackInfo &info)
{
    return Napi::Number::New(info.Env(), static_cast<double>(held(info.Env())->rows()));
}

/* ---- Operations ----------------------------------------------------------------------------- */
using kept = std::vector<std::shared_ptr<const void>>;

/* An operand, which is kept until the operation has started; NULL: there is none. */
template <class Wrap>
static auto operand(const Napi::Object &op, const char *name, kept &keep)
{
    const Napi::Value value = op.Get(name);
    decltype(Wrap::owned) held;
    if (value.IsObject())
        held = Wrap::Unwrap(value.As<Napi::Object>())->held(op.Env());
    keep.push_back(held);
    return held.get();
}

static pail::element element_of(const Napi::Value &value)
{
    const pail::view from = bytes_of(value, "root, shift or scale");
    pail::element made{};
    std::copy_n(static_cast<const std::uint8_t *>(from.data), std::min(from.size, made.size()),
                made.begin());
    return made;
}

static pail::operation op_of(const Napi::Object &from, kept &keep)
{
    const auto kind = static_cast<pail_vector_op_kind>(number_or(from.Get("kind"), 0, "the kind"));
    const auto r = operand<vector>(from, "r", keep), a = operand<vector>(from, "a", keep),
               b = operand<vector>(from, "b", keep), c = operand<vector>(from, "c", keep);
    pail::operation op(kind, *r, a, b, c, operand<matrix>(from, "matrix", keep));
    op.offsets(
        count_or(from.Get("rOffset"), 0, "rOffset"), count_or(from.Get("aOffset"), 0, "aOffset"),
        count_or(from.Get("bOffset"), 0, "bOffset"), count_or(from.Get("cOffset"), 0, "cOffset"));
    op.count(count_or(from.Get("n"), pail::to_the_end, "n"));
    op.bit_reversed(from.Get("bitReversed").ToBoolean());
    if (!from.Get("logN").IsUndefined())
        op.log_n(number_or(from.Get("logN"), 0, "logN"));
    if (!from.Get("root").IsUndefined())
        op.root(element_of(from.Get("root")));
    if (!from.Get("shift").IsUndefined())
        op.shift(element_of(from.Get("shift")));
    if (!from.Get("scale").IsUndefined())
        op.scale(element_of(from.Get("scale")));
    return op;
}

/* run(operations): a promise of their end. */
Napi::Value context::run(const Napi::CallbackInfo &info)
{
    const Napi::Array list = info[0].As<Napi::Array>();
    std::vector<pail::operation> operations;
    kept keep;
    for (std::uint32_t i = 0; i < list.Length(); i++)
        operations.push_back(translated(
            info.Env(), [&] { return op_of(list.Get(i).As<Napi::Object>(), keep); }));
    return work::queue(
        info.Env(),
        [operations, keep, context = owned] {
            if (!operations.empty())
                context->run(operations);
        },
        [](Napi::Env env) { return env.Undefined(); });
}

} // namespace addon
