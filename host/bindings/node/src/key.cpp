// SPDX-License-Identifier: Apache-2.0
/* Key: prove(path or bytes, r and s, flag), a promise of the texts of a proof and its public
 * values; verifying(). */
#include "work.hpp"

namespace addon
{

Napi::Function key::define(Napi::Env env)
{
    return DefineClass(
        env, "Key",
        {InstanceMethod<&key::prove>("prove"), InstanceMethod<&key::verifying>("verifying")});
}

key::key(const Napi::CallbackInfo &info) : ObjectWrap(info)
{
}

Napi::Value key::prove(const Napi::CallbackInfo &info)
{
    const bool from_file = info[0].IsString();
    const std::string path = from_file ? info[0].As<Napi::String>().Utf8Value() : "";
    const auto wtns = from_file ? std::make_shared<copied>()
                                : std::make_shared<copied>(info[0], "witness, unless a path,");
    std::optional<pail::groth16_blinding> blinding;
    if (!info[1].IsUndefined() && !info[1].IsNull()) {
        const pail::view both = bytes_of(info[1], "blinding");
        if (both.size != 64)
            throw refused<Napi::RangeError>(info.Env(), "blinding has " +
                                                            std::to_string(both.size) +
                                                            " bytes, and is to have 64: r and s");
        const auto *from = static_cast<const std::uint8_t *>(both.data);
        blinding.emplace();
        std::copy(from, from + 32, blinding->r.begin());
        std::copy(from + 32, from + 64, blinding->s.begin());
    }
    struct texts {
        std::string proof, publics;
    };
    const auto made = std::make_shared<texts>();
    const auto abort = flag::of(info[2]);
    return work::queue(
        info.Env(),
        [=, key = owned] {
            const std::uint32_t *const cancel = abort ? &abort->raised : nullptr;
            const pail::groth16_proof proof = from_file
                                                  ? key->prove(path, blinding, cancel)
                                                  : key->prove(wtns->view(), blinding, cancel);
            made->proof = proof.json();
            made->publics = proof.public_json();
        },
        [=](Napi::Env env) {
            Napi::Object both = Napi::Object::New(env);
            both.Set("proof", made->proof);
            both.Set("publics", made->publics);
            return both;
        },
        abort);
}

/* The struct and ic of <pail/groth16.h>, for verify(). */
Napi::Value key::verifying(const Napi::CallbackInfo &info)
{
    const pail_groth16_verifying_key verifying = owned->verifying();
    const std::size_t width = pail::point_bytes(static_cast<pail_curve>(verifying.curve), PAIL_G1);
    Napi::Object made = Napi::Object::New(info.Env());
    made.Set("curve", verifying.curve);
    made.Set("alpha1", bytes(info.Env(), verifying.alpha1, width));
    made.Set("beta2", bytes(info.Env(), verifying.beta2, 2 * width));
    made.Set("gamma2", bytes(info.Env(), verifying.gamma2, 2 * width));
    made.Set("delta2", bytes(info.Env(), verifying.delta2, 2 * width));
    made.Set("ic", bytes(info.Env(), verifying.ic, width * (verifying.n_public + 1)));
    return made;
}

} // namespace addon
