/* Bases: msm(scalars, offset, encoding, flag), a promise of a point; length. */
#include "work.hpp"

namespace addon
{

using point = std::vector<std::uint8_t>;

Napi::Function bases::define(Napi::Env env)
{
    return DefineClass(env, "Bases",
                       {InstanceMethod<&bases::msm>("msm"),
                        InstanceMethod<&bases::msm_now>("msmSync"),
                        InstanceAccessor<&bases::length>("length")});
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

static std::size_t offset_of(const Napi::Value &value)
{
    const double most = 9007199254740991; /* what a number is exact up to */
    return static_cast<std::size_t>(integer_or(value, 0, most, "the offset"));
}

Napi::Value bases::msm(const Napi::CallbackInfo &info)
{
    const auto scalars = std::make_shared<borrowed>(info[0]);
    const std::size_t offset = offset_of(info[1]);
    const auto encoding =
        static_cast<pail_encoding>(number_or(info[2], PAIL_ENCODING_CANONICAL, "the encoding"));
    const auto stop =
        info[3].IsObject() ? flag::Unwrap(info[3].As<Napi::Object>())->raised : nullptr;
    const auto result = std::make_shared<point>();
    return work::queue(
        info.Env(),
        [=, bases = owned] {
            if (stop && *stop) // before the pool came to it
                throw pail::error(PAIL_ERR_STOPPED, "the multiplication was aborted");
            pail::pending pending = bases->start(scalars->view(), offset, encoding);
            while (!pending.wait(std::chrono::milliseconds(stop ? 5 : 1000)))
                if (stop && *stop)
                    throw pail::error(PAIL_ERR_STOPPED, "the multiplication was aborted");
            *result = pending.finish().at(0);
        },
        [=](Napi::Env env) { return bytes(env, result->data(), result->size()); });
}

/* The same in the thread of the call, for multiplications that are shorter than what a promise
 * takes. */
Napi::Value bases::msm_now(const Napi::CallbackInfo &info)
{
    const borrowed scalars(info[0]);
    const std::size_t offset = offset_of(info[1]);
    const auto encoding =
        static_cast<pail_encoding>(number_or(info[2], PAIL_ENCODING_CANONICAL, "the encoding"));
    const point result =
        translated(info.Env(), [&] { return owned->msm(scalars.view(), offset, encoding); });
    return bytes(info.Env(), result.data(), result.size());
}

} // namespace addon
