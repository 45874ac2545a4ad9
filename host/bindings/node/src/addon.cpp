// SPDX-License-Identifier: Apache-2.0
/* Exports of the addon. index.js, snarkjs.js and kzg.js build the users' interface on them. */
#include "work.hpp"

namespace addon
{

static void copy_into(std::uint8_t *to, std::size_t room, const Napi::Value &value)
{
    const pail::view from = bytes_of(value, "a point");
    if (from.size > room)
        throw refused<Napi::RangeError>(value.Env(), "a point has " + std::to_string(from.size) +
                                                         " bytes, more than " +
                                                         std::to_string(room));
    std::copy_n(static_cast<const std::uint8_t *>(from.data), from.size, to);
}

/* verify({curve, alpha1, beta2, gamma2, delta2, ic}, {a, b, c}, publics): a promise of a boolean.
 */
static Napi::Value verify(const Napi::CallbackInfo &info)
{
    struct state {
        pail_groth16_verifying_key key = pail::detail::sized<pail_groth16_verifying_key>();
        std::vector<std::uint8_t> ic;
        pail::groth16_proof proof;
        bool valid = false;
    };
    const auto all = std::make_shared<state>();
    const auto key = info[0].As<Napi::Object>(), proof = info[1].As<Napi::Object>();
    all->key.curve = all->proof.proof.curve = number_or(key.Get("curve"), 0, "curve");
    copy_into(all->key.alpha1, sizeof all->key.alpha1, key.Get("alpha1"));
    copy_into(all->key.beta2, sizeof all->key.beta2, key.Get("beta2"));
    copy_into(all->key.gamma2, sizeof all->key.gamma2, key.Get("gamma2"));
    copy_into(all->key.delta2, sizeof all->key.delta2, key.Get("delta2"));
    copy_into(all->proof.proof.a, sizeof all->proof.proof.a, proof.Get("a"));
    copy_into(all->proof.proof.b, sizeof all->proof.proof.b, proof.Get("b"));
    copy_into(all->proof.proof.c, sizeof all->proof.proof.c, proof.Get("c"));
    const pail::view ic = bytes_of(key.Get("ic"), "ic"),
                     publics = bytes_of(info[2], "the public values");
    const std::size_t width = pail::point_bytes(static_cast<pail_curve>(all->key.curve), PAIL_G1);
    if (width == 0 || ic.size % width != 0 || ic.size == 0 || publics.size % 32 != 0)
        throw refused<Napi::RangeError>(info.Env(),
                                        "ic or the public values have a wrong number of bytes");
    const auto *points = static_cast<const std::uint8_t *>(ic.data);
    all->ic.assign(points, points + ic.size);
    all->key.ic = all->ic.data();
    all->key.n_public = ic.size / width - 1;
    all->proof.publics.resize(publics.size / 32);
    const auto *values = static_cast<const std::uint8_t *>(publics.data);
    for (std::size_t i = 0; i < all->proof.publics.size(); i++)
        std::copy(values + 32 * i, values + 32 * (i + 1), all->proof.publics[i].begin());
    return work::queue(
        info.Env(), [=] { all->valid = pail::groth16_verify(all->key, all->proof); },
        [=](Napi::Env env) { return Napi::Boolean::New(env, all->valid); });
}

/* rootOfUnity(curve, log n): 32 bytes. */
static Napi::Value root_of_unity(const Napi::CallbackInfo &info)
{
    std::uint8_t root[PAIL_SCALAR_BYTES];
    const std::uint32_t curve = number_or(info[0], PAIL_CURVE_BN254, "curve");
    const std::uint32_t log_n = number_or(info[1], 0, "logN");
    if (pail_root_of_unity(root, curve, log_n) != PAIL_OK)
        throw refused<Napi::RangeError>(info.Env(), "curve " + std::to_string(curve) +
                                                        " has no root of unity of order 2^" +
                                                        std::to_string(log_n));
    return bytes(info.Env(), root, sizeof root);
}

static Napi::Value version(const Napi::CallbackInfo &info)
{
    return Napi::String::New(info.Env(), pail_version());
}

static Napi::Object init(Napi::Env env, Napi::Object exports)
{
    auto *all = new classes;
    env.SetInstanceData(all);
    const auto define = [&](const char *name, Napi::FunctionReference &reference,
                            const Napi::Function &made) {
        reference = Napi::Persistent(made);
        exports.Set(name, made);
    };
    define("Context", all->context, context::define(env));
    define("Bases", all->bases, bases::define(env));
    define("Key", all->key, key::define(env));
    define("Flag", all->flag, flag::define(env));
    define("Vector", all->vector, vector::define(env));
    define("Matrix", all->matrix, matrix::define(env));
    define("Kzg", all->kzg, kzg::define(env));
    exports.Set("rootOfUnity", Napi::Function::New(env, root_of_unity));
    exports.Set("verify", Napi::Function::New(env, verify));
    exports.Set("version", Napi::Function::New(env, version));
    return exports;
}

} // namespace addon

// The macro takes a name without a namespace.
static Napi::Object init_addon(Napi::Env env, Napi::Object exports)
{
    return addon::init(env, exports);
}
NODE_API_MODULE(pail_node, init_addon)
