// SPDX-License-Identifier: Apache-2.0
/* Bases: msm(scalars, offset, encoding, flag), a promise of a point; length. */
#include "work.hpp"

namespace addon
{

using point = std::vector<std::uint8_t>;

Napi::Function bases::define(Napi::Env env)
{
    return DefineClass(
        env, "Bases",
        {InstanceMethod<&bases::msm>("msm"), InstanceMethod<&bases::msm_vector>("msmVector"),
         InstanceMethod<&bases::msm_now>("msmSync"), InstanceAccessor<&bases::length>("length")});
}

bases::bases(const Napi::CallbackInfo &info) : ObjectWrap(info)
{
}

Napi::Value bases::length(const Napi::CallbackInfo &info)
{
    return translated(
        info.Env(),
        [&] { return Napi::Number::New(info.Env(), static_cast<double>(owned->info().n_points)); });
}

/* A promise of the point that `start` makes. */
template <class Start>
static Napi::Value promised(const Napi::CallbackInfo &info, std::shared_ptr<abortion> abort,
                            Start start)
{
    const auto result = std::make_shared<point>();
    return work::queue(
        info.Env(),
        [=] {
            if (abort && abort->is_raised())
                abortion::stop();
            pail::pending pending = start();
            while (abort && !pending.wait(std::chrono::milliseconds(2)))
                if (abort->is_raised())
                    abortion::stop(); /* ~pending ends the work */
            *result = pending.finish().at(0);
        },
        [=](Napi::Env env) { return bytes(env, result->data(), result->size()); }, abort);
}

Napi::Value bases::msm(const Napi::CallbackInfo &info)
{
    const auto scalars = std::make_shared<copied>(info[0], "scalars");
    const std::size_t offset = count_or(info[1], 0, "offset");
    const pail_encoding encoding = encoding_of(info[2]);
    pail_msm_config config = pail::detail::sized<pail_msm_config>();
    config.flags = PAIL_MSM_STABLE_SCALARS; /* they are a copy already */
    return promised(info, flag::of(info[3]), [=, bases = owned] {
        return bases->start(scalars->view(), offset, encoding, &config);
    });
}

/* msmVector(vector, offset, scalar offset, n, flag) */
Napi::Value bases::msm_vector(const Napi::CallbackInfo &info)
{
    const auto scalars = vector::Unwrap(info[0].As<Napi::Object>())->held(info.Env());
    const std::size_t offset = count_or(info[1], 0, "offset");
    const std::uint64_t from = count_or(info[2], 0, "scalarOffset");
    const std::uint64_t n = count_or(info[3], pail::to_the_end, "n");
    return promised(info, flag::of(info[4]),
                    [=, bases = owned] { return bases->start(*scalars, offset, from, n); });
}

/* The same in the thread of the call, for multiplications that are shorter than what a promise
 * takes. */
Napi::Value bases::msm_now(const Napi::CallbackInfo &info)
{
    const pail::view scalars = bytes_of(info[0], "scalars");
    const std::size_t offset = count_or(info[1], 0, "offset");
    const pail_encoding encoding = encoding_of(info[2]);
    const point result =
        translated(info.Env(), [&] { return owned->msm(scalars, offset, encoding); });
    return bytes(info.Env(), result.data(), result.size());
}

} // namespace addon
