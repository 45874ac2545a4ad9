// SPDX-License-Identifier: Apache-2.0
/* KZG: context.kzg(path or bytes, memory budget), a promise of a Kzg, or kzgSync; start(operation,
 * want, inputs, indices, many), a promise of outputs, or run in the calling thread; sizes; close().
 * kzg.js has the operations' names. */
#include "work.hpp"

#include <pail/kzg.h>

namespace addon
{

/* An opened setup, which keeps its context. */
struct kzg_setup {
    kzg_setup(std::shared_ptr<pail::context> of, const pail_kzg_params &params)
        : context(std::move(of))
    {
        pail::detail::sentence sentence;
        sentence.check(pail_kzg_open(&handle, context->backend(), context->handle(), &params,
                                     sentence.text, sizeof sentence.text));
        (void)pail_kzg_get_info(handle, &info);
    }
    kzg_setup(const kzg_setup &) = delete;
    kzg_setup &operator=(const kzg_setup &) = delete;
    ~kzg_setup()
    {
        pail_kzg_close(&handle);
    }
    std::shared_ptr<pail::context> context;
    pail_kzg *handle = nullptr;
    pail_kzg_info info = pail::detail::sized<pail_kzg_info>();
};

/* ---- Setups ---------------------------------------------------------------------------------- */
using opening = std::function<std::shared_ptr<kzg_setup>()>;

/* Makes a function that opens the setup, in whichever thread: bytes are copied. */
static opening opening_of(const Napi::CallbackInfo &info, std::shared_ptr<pail::context> context)
{
    const bool from_file = info[0].IsString();
    const std::string path = from_file ? info[0].As<Napi::String>().Utf8Value() : "";
    const auto setup = from_file ? std::make_shared<copied>()
                                 : std::make_shared<copied>(info[0], "the setup, unless a path,");
    const std::uint64_t budget = count_or(info[1], 0, "memoryBudget");
    return [=] {
        pail_kzg_params params = pail::detail::sized<pail_kzg_params>();
        if (from_file) {
            params.path = pail::detail::c_text(path, "the path");
        } else {
            params.bytes = setup->view().data;
            params.n_bytes = setup->view().size;
        }
        params.memory_budget = budget;
        return std::make_shared<kzg_setup>(context, params);
    };
}

Napi::Value context::kzg(const Napi::CallbackInfo &info)
{
    const auto made = std::make_shared<std::shared_ptr<kzg_setup>>();
    return work::queue(
        info.Env(), [made, open = opening_of(info, owned)] { *made = open(); },
        [made](Napi::Env env) { return wrapped<addon::kzg>(env, &classes::kzg, *made); });
}

Napi::Value context::kzg_now(const Napi::CallbackInfo &info)
{
    const opening open = opening_of(info, owned);
    return wrapped<addon::kzg>(info.Env(), &classes::kzg, translated(info.Env(), open));
}

Napi::Function kzg::define(Napi::Env env)
{
    return DefineClass(env, "Kzg",
                       {InstanceMethod<&kzg::run>("run"), InstanceMethod<&kzg::start>("start"),
                        InstanceMethod<&kzg::close>("close"),
                        InstanceAccessor<&kzg::sizes>("sizes")});
}

Napi::Value kzg::sizes(const Napi::CallbackInfo &info)
{
    const pail_kzg_info &of = held(info.Env())->info;
    Napi::Object made = Napi::Object::New(info.Env());
    made.Set("blob", static_cast<double>(of.n * of.scalar_bytes));
    made.Set("scalar", of.scalar_bytes);
    made.Set("point", of.point_bytes);
    made.Set("cell", of.cell_elements * of.scalar_bytes);
    made.Set("cells", of.n_cells);
    return made;
}

/* ---- Operations ------------------------------------------------------------------------------ */
enum array { BLOBS, COMMITMENTS, POINTS, VALUES, PROOFS, CELLS, ARRAYS };

static const struct {
    const char *one, *many; /* names of arguments */
    const void *pail_kzg_request::*in;
    void *pail_kzg_result::*out;
} arrays[ARRAYS] = {
    {"blob", "blobs", &pail_kzg_request::blobs, nullptr},
    {"commitment", "commitments", &pail_kzg_request::commitments, &pail_kzg_result::commitments},
    {"z", "zs", &pail_kzg_request::points, nullptr},
    {"y", "ys", &pail_kzg_request::values, &pail_kzg_result::values},
    {"proof", "proofs", &pail_kzg_request::proofs, &pail_kzg_result::proofs},
    {"cell", "cells", &pail_kzg_request::cells, &pail_kzg_result::cells},
};

/* The arguments of an operation, in the order of c-kzg's functions, but for indices. */
static std::vector<array> inputs_of(std::uint32_t operation)
{
    switch (operation) {
    case PAIL_KZG_PROVE:
        return {BLOBS, POINTS};
    case PAIL_KZG_PROVE_BLOB:
        return {BLOBS, COMMITMENTS};
    case PAIL_KZG_VERIFY:
        return {COMMITMENTS, POINTS, VALUES, PROOFS};
    case PAIL_KZG_VERIFY_BLOBS:
        return {BLOBS, COMMITMENTS, PROOFS};
    case PAIL_KZG_RECOVER:
        return {CELLS};
    case PAIL_KZG_VERIFY_CELLS:
        return {COMMITMENTS, CELLS, PROOFS};
    default:
        return {BLOBS};
    }
}

static std::vector<array> outputs_of(std::uint32_t operation, std::uint32_t want)
{
    switch (operation) {
    case PAIL_KZG_COMMIT:
        return {COMMITMENTS};
    case PAIL_KZG_PROVE:
        return {PROOFS, VALUES};
    case PAIL_KZG_PROVE_BLOB:
        return {PROOFS};
    case PAIL_KZG_CELLS:
    case PAIL_KZG_RECOVER:
        return want == PAIL_KZG_WANT_CELLS ? std::vector<array>{CELLS}
                                           : std::vector<array>{CELLS, PROOFS};
    default:
        return {};
    }
}

static bool makes_cells(std::uint32_t operation)
{
    return operation == PAIL_KZG_CELLS || operation == PAIL_KZG_RECOVER;
}

static std::size_t bytes_of(const pail_kzg_info &of, array kind)
{
    if (kind == BLOBS)
        return of.n * of.scalar_bytes;
    if (kind == CELLS)
        return std::size_t{of.cell_elements} * of.scalar_bytes;
    return kind == COMMITMENTS || kind == PROOFS ? of.point_bytes : of.scalar_bytes;
}

/* An operation with its arguments. It is destroyed by whoever carries it out, and copies are wiped
 * then. */
struct kzg_call {
    std::shared_ptr<kzg_setup> setup;
    pail_kzg_request request = pail::detail::sized<pail_kzg_request>();
    pail_kzg_result result = pail::detail::sized<pail_kzg_result>();
    std::vector<std::unique_ptr<copied>> copies;
    std::vector<std::uint64_t> indices, starts;

    void take(const Napi::CallbackInfo &info, bool in_place);
    bool run();

  private:
    std::size_t take_array(const Napi::Value &value, array kind, bool many, bool in_place);
};

/* Takes an argument: one typed array, or, if many, a list of them. kzg.js has made a plain array of
 * it, so that reading it runs no JavaScript. Returns their number. */
std::size_t kzg_call::take_array(const Napi::Value &value, array kind, bool many, bool in_place)
{
    const std::size_t wanted = bytes_of(setup->info, kind);
    std::vector<pail::view> parts;
    const auto take_one = [&](const Napi::Value &one, const std::string &name) {
        parts.push_back(addon::bytes_of(one, name.c_str()));
        if (parts.back().size != wanted)
            throw refused<Napi::RangeError>(value.Env(),
                                            name + " has " + std::to_string(parts.back().size) +
                                                " bytes, and is to have " + std::to_string(wanted));
    };
    if (!many) {
        take_one(value, arrays[kind].one);
    } else if (!value.IsArray()) {
        throw refused<Napi::TypeError>(value.Env(), std::string(arrays[kind].many) + " is " +
                                                        kind_of(value) + ", and is to be an array");
    } else {
        const Napi::Array list = value.As<Napi::Array>();
        for (std::uint32_t i = 0; i < list.Length(); i++)
            take_one(list.Get(i), std::string(arrays[kind].many) + "[" + std::to_string(i) + "]");
    }
    if (in_place && parts.size() == 1) {
        request.*arrays[kind].in = parts[0].data;
    } else {
        copies.push_back(std::make_unique<copied>(value.Env(), parts));
        request.*arrays[kind].in = copies.back()->view().data;
    }
    return parts.size();
}

void kzg_call::take(const Napi::CallbackInfo &info, bool in_place)
{
    request.operation = number_or(info[0], 0, "the operation");
    request.want = number_or(info[1], 0, "want");
    const Napi::Array given = info[2].As<Napi::Array>();
    const bool many = info[4].ToBoolean(), recovers = request.operation == PAIL_KZG_RECOVER;
    std::uint32_t at = 0;
    const char *first = nullptr;
    const auto counted = [&](std::size_t n, const char *name) {
        if (first != nullptr && n != request.n)
            throw refused<Napi::RangeError>(
                info.Env(), name + (" has the length " + std::to_string(n)) + ", but " + first +
                                " has " + std::to_string(request.n));
        if (first == nullptr)
            first = name;
        request.n = n;
    };
    for (const array kind : inputs_of(request.operation))
        counted(take_array(given.Get(at++), kind, many, in_place), arrays[kind].many);
    if (recovers || request.operation == PAIL_KZG_VERIFY_CELLS) {
        indices = integers<std::uint64_t>(info[3], "cellIndices");
        counted(indices.size(), "cellIndices");
        request.indices = indices.data();
    }
    if (recovers) {
        starts = {0, request.n};
        request.starts = starts.data();
        request.n = 1;
    }
}

/* Returns what a verification says. */
bool kzg_call::run()
{
    pail::detail::sentence sentence;
    sentence.check(
        pail_kzg_run(setup->handle, &result, &request, sentence.text, sizeof sentence.text));
    return result.valid == 1;
}

/* Arrays for the outputs, which nobody has before the call ends. */
static Napi::Array make_outputs(Napi::Env env, kzg_call &call)
{
    const Napi::Array made = Napi::Array::New(env);
    for (const array kind : outputs_of(call.request.operation, call.request.want)) {
        const std::size_t each =
            bytes_of(call.setup->info, kind) *
            (makes_cells(call.request.operation) ? call.setup->info.n_cells : 1);
        Napi::Uint8Array output =
            Napi::Uint8Array::New(env, static_cast<std::size_t>(call.request.n) * each);
        call.result.*arrays[kind].out = output.Data();
        made.Set(made.Length(), output);
    }
    return made;
}

/* An array of outputs, or, of a verification, whether all is valid. */
static Napi::Value returned(Napi::Env env, const Napi::Array &outputs, bool valid)
{
    if (outputs.Length() > 0)
        return outputs;
    return Napi::Boolean::New(env, valid);
}

Napi::Value kzg::run(const Napi::CallbackInfo &info)
{
    return translated(
        info.Env(),
        [&] {
            kzg_call call;
            call.setup = held(info.Env());
            call.take(info, true);
            const Napi::Array outputs = make_outputs(info.Env(), call);
            return returned(info.Env(), outputs, call.run());
        });
}

Napi::Value kzg::start(const Napi::CallbackInfo &info)
{
    return translated(
        info.Env(),
        [&] {
            const auto call = std::make_shared<kzg_call>();
            call->setup = held(info.Env());
            call->take(info, false);
            const auto outputs = std::make_shared<Napi::ObjectReference>(
                Napi::Persistent(make_outputs(info.Env(), *call).As<Napi::Object>()));
            const auto valid = std::make_shared<bool>(false);
            return work::queue(
                info.Env(), [call, valid] { *valid = call->run(); },
                [outputs, valid](Napi::Env env) {
                    return returned(env, outputs->Value().As<Napi::Array>(), *valid);
                });
        });
}

} // namespace addon
