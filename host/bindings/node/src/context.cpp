// SPDX-License-Identifier: Apache-2.0
/* A context: Context(backend, device, threads), bases(...), key(...); vectors.cpp and kzg.cpp have
 * the rest. */
#include "work.hpp"

namespace addon
{

Napi::Function context::define(Napi::Env env)
{
    return DefineClass(
        env, "Context",
        {InstanceAccessor<&context::backend>("backend"), InstanceMethod<&context::bases>("bases"),
         InstanceMethod<&context::key>("key"), InstanceMethod<&context::vector>("vector"),
         InstanceMethod<&context::matrix>("matrix"), InstanceMethod<&context::run>("run"),
         InstanceMethod<&context::kzg>("kzg"), InstanceMethod<&context::kzg_now>("kzgSync")});
}

context::context(const Napi::CallbackInfo &info) : ObjectWrap(info)
{
    pail_context_params params{};
    params.device = number_or(info[1], PAIL_DEVICE_BEST, "device");
    params.threads = number_or(info[2], 0, "threads");
    if (!info[0].IsUndefined() && !info[0].IsNull() && !info[0].IsString())
        throw refused<Napi::TypeError>(info.Env(), std::string("backend is ") + kind_of(info[0]) +
                                                       ", and is to be a string");
    const std::string backend = info[0].IsString() ? info[0].As<Napi::String>().Utf8Value() : "";
    owned =
        translated(info.Env(), [&] { return std::make_shared<pail::context>(backend, &params); });
}

Napi::Value context::backend(const Napi::CallbackInfo &info)
{
    return Napi::String::New(info.Env(), owned->backend_name());
}

/* bases(points, curve, group, encoding, validation): a promise of Bases. */
Napi::Value context::bases(const Napi::CallbackInfo &info)
{
    const auto points = std::make_shared<copied>(info[0], "points");
    const auto curve = static_cast<pail_curve>(number_or(info[1], PAIL_CURVE_BN254, "curve"));
    const auto group = static_cast<pail_group>(number_or(info[2], PAIL_G1, "group"));
    const pail_encoding encoding = encoding_of(info[3]);
    const auto validation =
        static_cast<pail_validation>(number_or(info[4], PAIL_VALIDATE_CURVE, "validation"));
    const auto made = std::make_shared<std::shared_ptr<pail::bases>>();
    return work::queue(
        info.Env(),
        [=, context = owned] {
            *made = std::make_shared<pail::bases>(
                context->make_bases(curve, group, points->view(), validation, encoding));
        },
        [=](Napi::Env env) { return wrapped<addon::bases>(env, &classes::bases, *made); });
}

/* key(path or bytes): a promise of Key. */
Napi::Value context::key(const Napi::CallbackInfo &info)
{
    const bool from_file = info[0].IsString();
    const std::string path = from_file ? info[0].As<Napi::String>().Utf8Value() : "";
    const auto zkey = from_file ? std::make_shared<copied>()
                                : std::make_shared<copied>(info[0], "zkey, unless a path,");
    const auto made = std::make_shared<std::shared_ptr<pail::groth16_key>>();
    return work::queue(
        info.Env(),
        [=, context = owned] {
            *made = from_file ? std::make_shared<pail::groth16_key>(*context, path)
                              : std::make_shared<pail::groth16_key>(*context, zkey->view());
        },
        [=](Napi::Env env) { return wrapped<addon::key>(env, &classes::key, *made); });
}

} // namespace addon
