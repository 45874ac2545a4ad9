/* Vectors of scalars: context.vector(n, curve), context.matrix(...), context.run(operations). */
#include "vectors.hpp"

namespace addon
{

static void check(const pail::context &context, pail_status status)
{
    if (status != PAIL_OK)
        throw pail::error(status, context.backend()->error(context.handle()));
}

/* A slot that is missing must not be called. */
static const pail_backend &backend_of(const pail::context &context)
{
    if (!PAIL_HAS(context.backend(), vector_start))
        throw pail::error(PAIL_ERR_UNSUPPORTED, std::string("the backend ") +
                                                    context.backend_name() + " has no vectors");
    return *context.backend();
}

/* vector(n, curve): a promise of a Vector. */
Napi::Value context::vector(const Napi::CallbackInfo &info)
{
    const std::uint64_t n = count_or(info[0], 0, "the length");
    const std::uint32_t curve = number_or(info[1], PAIL_CURVE_BN254, "the curve");
    const auto made = std::make_shared<std::shared_ptr<stored<pail_vector>>>();
    return work::queue(
        info.Env(),
        [=, context = owned] {
            pail_vector *handle = nullptr;
            check(*context, backend_of(*context).vector_create(context->handle(), &handle, curve, n));
            *made = std::make_shared<stored<pail_vector>>(context, handle, curve, n);
        },
        [=](Napi::Env env) {
            return wrapped<addon::vector>(env, &classes::vector, std::move(*made));
        });
}

/* matrix(row starts, 64 bits each, columns, 32 bits each, values, columns' number, curve,
 * encoding): a promise of a Matrix. */
Napi::Value context::matrix(const Napi::CallbackInfo &info)
{
    const auto starts = std::make_shared<copied>(info[0]),
               columns = std::make_shared<copied>(info[1]),
               values = std::make_shared<copied>(info[2]);
    pail_matrix_desc desc = pail::detail::sized<pail_matrix_desc>();
    desc.n_columns = count_or(info[3], 0, "the number of columns");
    desc.curve = number_or(info[4], PAIL_CURVE_BN254, "the curve");
    desc.encoding = encoding_of(info[5]);
    desc.n_rows = starts->view().size / 8 - 1;
    desc.row_starts = static_cast<const std::uint64_t *>(starts->view().data);
    desc.columns = static_cast<const std::uint32_t *>(columns->view().data);
    desc.values = values->view().data;
    const auto made = std::make_shared<std::shared_ptr<stored<pail_matrix>>>();
    return work::queue(
        info.Env(),
        [=, context = owned, keep = std::make_tuple(starts, columns, values)] {
            pail_matrix *handle = nullptr;
            check(*context, backend_of(*context).matrix_create(context->handle(), &handle, nullptr,
                                                               &desc));
            *made = std::make_shared<stored<pail_matrix>>(context, handle, desc.curve, desc.n_rows);
        },
        [=](Napi::Env env) {
            return wrapped<addon::matrix>(env, &classes::matrix, std::move(*made));
        });
}

Napi::Function vector::define(Napi::Env env)
{
    return defined(env,
                   {InstanceMethod<&vector::write>("write"), InstanceMethod<&vector::read>("read")});
}

/* write(elements, offset, encoding) */
Napi::Value vector::write(const Napi::CallbackInfo &info)
{
    const auto elements = std::make_shared<copied>(info[0]);
    const std::uint64_t offset = count_or(info[1], 0, "the offset");
    const pail_encoding encoding = encoding_of(info[2]);
    return work::queue(
        info.Env(),
        [=, to = held(info.Env())] {
            const std::size_t size = elements->view().size;
            if (size % PAIL_SCALAR_BYTES != 0)
                throw pail::error(PAIL_ERR_ARGUMENT, "elements have " + std::to_string(size) +
                                                         " bytes, which is no multiple of 32");
            check(*to->context, backend_of(*to->context)
                                        .vector_write(to->handle, offset, elements->view().data,
                                                      size / PAIL_SCALAR_BYTES, encoding));
        },
        [](Napi::Env env) { return env.Undefined(); });
}

/* read(offset, n, encoding): a promise of 32 n bytes. */
Napi::Value vector::read(const Napi::CallbackInfo &info)
{
    const std::uint64_t offset = count_or(info[0], 0, "the offset"), n = count_or(info[1], 0, "n");
    const pail_encoding encoding = encoding_of(info[2]);
    const auto from = held(info.Env());
    if (offset > from->n || n > from->n - offset) /* before memory is taken for them */
        throw refused<Napi::RangeError>(info.Env(), "elements " + std::to_string(offset) + " to " +
                                                        std::to_string(offset) + " + " +
                                                        std::to_string(n) +
                                                        " are not in the vector, which has " +
                                                        std::to_string(from->n));
    const auto room = std::make_shared<Napi::Reference<Napi::Uint8Array>>();
    Napi::Uint8Array made = Napi::Uint8Array::New(info.Env(), PAIL_SCALAR_BYTES * n);
    std::uint8_t *const to = made.Data();
    *room = Napi::Persistent(made);
    return work::queue(
        info.Env(),
        [=] {
            check(*from->context,
                  backend_of(*from->context).vector_read(from->handle, to, offset, n, encoding));
        },
        [room](Napi::Env) { return room->Value(); });
}

Napi::Function matrix::define(Napi::Env env)
{
    return defined(env);
}

/* ---- Operations ----------------------------------------------------------------------------- */
using kept = std::vector<std::shared_ptr<const void>>;

/* The handle of an operand; NULL: the operation has none. It is kept until the work has ended. */
template <class Wrap>
static auto operand(const Napi::Object &op, const char *name, const pail::context &context,
                    kept &keep) -> decltype(Wrap::Unwrap(op)->held(op.Env())->handle)
{
    const Napi::Value value = op.Get(name);
    if (!value.IsObject())
        return nullptr;
    const auto held = Wrap::Unwrap(value.As<Napi::Object>())->held(op.Env());
    if (held->context->handle() != context.handle()) /* other backends have other structs */
        throw js_error(op.Env(),
                       pail::error(PAIL_ERR_ARGUMENT,
                                   std::string("operand ") + name + " is of another context"));
    keep.push_back(held);
    return held->handle;
}

static void number_into(std::uint8_t *to, const Napi::Value &value)
{
    if (!value.IsTypedArray())
        return; /* the default */
    const pail::view from = bytes_of(value);
    std::copy_n(static_cast<const std::uint8_t *>(from.data),
                std::min<std::size_t>(from.size, PAIL_SCALAR_BYTES), to);
}

static pail_vector_op op_of(const Napi::Object &from, const pail::context &context, kept &keep)
{
    pail_vector_op op = pail::detail::sized<pail_vector_op>();
    op.kind = number_or(from.Get("kind"), 0, "the kind");
    op.flags = number_or(from.Get("flags"), 0, "flags");
    op.log_n = number_or(from.Get("logN"), 0, "logN");
    op.r = operand<vector>(from, "r", context, keep);
    op.a = operand<vector>(from, "a", context, keep);
    op.b = operand<vector>(from, "b", context, keep);
    op.c = operand<vector>(from, "c", context, keep);
    op.matrix = operand<matrix>(from, "matrix", context, keep);
    op.r_offset = count_or(from.Get("rOffset"), 0, "rOffset");
    op.a_offset = count_or(from.Get("aOffset"), 0, "aOffset");
    op.b_offset = count_or(from.Get("bOffset"), 0, "bOffset");
    op.c_offset = count_or(from.Get("cOffset"), 0, "cOffset");
    op.n = count_or(from.Get("n"), 0, "n");
    number_into(op.root, from.Get("root"));
    number_into(op.shift, from.Get("shift"));
    number_into(op.scale, from.Get("scale"));
    return op;
}

/* run(operations): a promise of nothing. */
Napi::Value context::run(const Napi::CallbackInfo &info)
{
    const Napi::Array list = info[0].As<Napi::Array>();
    std::vector<pail_vector_op> ops;
    kept keep;
    for (std::uint32_t i = 0; i < list.Length(); i++)
        ops.push_back(op_of(list.Get(i).As<Napi::Object>(), *owned, keep));
    return work::queue(
        info.Env(),
        [ops, keep, context = owned] {
            const pail_backend &backend = backend_of(*context);
            pail_pending *pending = nullptr;
            if (ops.empty())
                return;
            check(*context,
                  backend.vector_start(context->handle(), &pending, ops.data(), ops.size()));
            check(*context, backend.vector_finish(&pending, nullptr));
        },
        [](Napi::Env env) { return env.Undefined(); });
}

} // namespace addon
