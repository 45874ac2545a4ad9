/* Work in a thread of node's pool, as a promise. */
#ifndef PAIL_NODE_WORK_HPP
#define PAIL_NODE_WORK_HPP

#include <napi.h>
#include <pail/pail.hpp>

#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace addon
{

/* An error of JavaScript with `code`, the name of the status. */
inline Napi::Error js_error(Napi::Env env, const pail::error &error)
{
    Napi::Error made = Napi::Error::New(env, error.what());
    made.Set("code", Napi::String::New(env, pail_status_name(error.status())));
    return made;
}

/* What a call of Pail's throws becomes an exception of JavaScript. */
template <class Call>
decltype(auto) translated(Napi::Env env, Call call)
{
    try {
        return call();
    } catch (const pail::error &error) {
        throw js_error(env, error);
    } catch (const Napi::Error &) {
        throw;
    } catch (const std::exception &error) {
        throw Napi::Error::New(env, error.what());
    }
}

/* Memory of a typed array that stays where it is. Only the object is kept: nobody may transfer its
 * buffer meanwhile. */
class borrowed
{
  public:
    borrowed() = default;
    explicit borrowed(const Napi::Value &value)
    {
        if (!value.IsTypedArray())
            throw Napi::TypeError::New(value.Env(),
                                       "bytes are to be a Uint8Array, or another typed array");
        const Napi::TypedArray array = value.As<Napi::TypedArray>();
        if (array.TypedArrayType() == napi_float32_array ||
            array.TypedArrayType() == napi_float64_array)
            throw Napi::TypeError::New(value.Env(), "a typed array of floats is no bytes");
        /* Of a SharedArrayBuffer Node-API does not tell the memory. */
        if (!array.ArrayBuffer().IsArrayBuffer())
            throw Napi::TypeError::New(value.Env(), "the typed array is over a SharedArrayBuffer");
        if (array.ArrayBuffer().IsDetached())
            throw Napi::TypeError::New(value.Env(),
                                       "the typed array's buffer was transferred to others");
        object_ = Napi::Persistent(value.As<Napi::Object>());
        view_ = pail::view(static_cast<const std::uint8_t *>(array.ArrayBuffer().Data()) +
                               array.ByteOffset(),
                           array.ByteLength());
    }
    pail::view view() const
    {
        return view_;
    }

  private:
    Napi::ObjectReference object_;
    pail::view view_;
};

/* Runs `execute` in the pool and settles a promise with what `result` makes of it. Objects that
 * both need are captured. */
class work : public Napi::AsyncWorker
{
  public:
    using executed = std::function<void()>;
    using made = std::function<Napi::Value(Napi::Env)>;

    static Napi::Value queue(Napi::Env env, executed execute, made result)
    {
        auto *self = new work(env, std::move(execute), std::move(result));
        const Napi::Promise promise = self->deferred_.Promise();
        self->Queue();
        return promise;
    }

  private:
    work(Napi::Env env, executed execute, made result)
        : AsyncWorker(env), deferred_(env), execute_(std::move(execute)), result_(std::move(result))
    {
    }
    void Execute() override
    {
        try {
            execute_();
        } catch (const pail::error &error) {
            failure_ = std::make_unique<pail::error>(error);
            SetError(error.what());
        } catch (const std::exception &error) {
            SetError(error.what());
        }
    }
    void OnOK() override
    {
        deferred_.Resolve(result_(Env()));
    }
    void OnError(const Napi::Error &error) override
    {
        deferred_.Reject(failure_ ? js_error(Env(), *failure_).Value() : error.Value());
    }

    Napi::Promise::Deferred deferred_;
    executed execute_;
    made result_;
    std::unique_ptr<pail::error> failure_;
};

/* An integer of JavaScript's from 0 to `most`, or what stands for it where there is none. */
inline double integer_or(const Napi::Value &value, double otherwise, double most, const char *what)
{
    if (value.IsUndefined() || value.IsNull())
        return otherwise;
    if (!value.IsNumber())
        throw Napi::TypeError::New(value.Env(), std::string(what) + " is no number");
    const double number = value.As<Napi::Number>().DoubleValue();
    if (!(number >= 0 && number <= most && number == std::floor(number)))
        throw Napi::RangeError::New(value.Env(),
                                    std::string(what) + " is no integer from 0 to " +
                                        std::to_string(static_cast<std::uint64_t>(most)));
    return number;
}

inline std::uint32_t number_or(const Napi::Value &value, std::uint32_t otherwise, const char *what)
{
    return static_cast<std::uint32_t>(integer_or(value, otherwise, UINT32_MAX, what));
}

inline Napi::Value bytes(Napi::Env env, const std::uint8_t *from, std::size_t n)
{
    Napi::Uint8Array array = Napi::Uint8Array::New(env, n);
    std::copy(from, from + n, array.Data());
    return array;
}

/* The constructors of the classes, for every environment (a worker has its own). */
struct classes {
    Napi::FunctionReference context, bases, key, flag;
};

/* Said by JavaScript's AbortSignal to work that is under way. */
class flag : public Napi::ObjectWrap<flag>
{
  public:
    static Napi::Function define(Napi::Env env)
    {
        return DefineClass(env, "Flag", {InstanceMethod<&flag::raise>("raise")});
    }
    explicit flag(const Napi::CallbackInfo &info)
        : ObjectWrap(info), raised(std::make_shared<std::atomic<bool>>(false))
    {
    }
    Napi::Value raise(const Napi::CallbackInfo &info)
    {
        *raised = true;
        return info.Env().Undefined();
    }
    std::shared_ptr<std::atomic<bool>> raised;
};

class context : public Napi::ObjectWrap<context>
{
  public:
    static Napi::Function define(Napi::Env env);
    explicit context(const Napi::CallbackInfo &info);
    std::shared_ptr<pail::context> owned;

  private:
    Napi::Value backend(const Napi::CallbackInfo &info);
    Napi::Value bases(const Napi::CallbackInfo &info);
    Napi::Value key(const Napi::CallbackInfo &info);
};

class bases : public Napi::ObjectWrap<bases>
{
  public:
    static Napi::Function define(Napi::Env env);
    explicit bases(const Napi::CallbackInfo &info);
    std::shared_ptr<pail::bases> owned;

  private:
    Napi::Value msm(const Napi::CallbackInfo &info);
    Napi::Value msm_now(const Napi::CallbackInfo &info);
    Napi::Value length(const Napi::CallbackInfo &info);
};

class key : public Napi::ObjectWrap<key>
{
  public:
    static Napi::Function define(Napi::Env env);
    explicit key(const Napi::CallbackInfo &info);
    std::shared_ptr<pail::groth16_key> owned;

  private:
    Napi::Value prove(const Napi::CallbackInfo &info);
    Napi::Value verifying(const Napi::CallbackInfo &info);
};

/* An object of one of the classes around what the library made. */
template <class Wrap, class Owned>
Napi::Value wrapped(Napi::Env env, Napi::FunctionReference classes::*of,
                    std::shared_ptr<Owned> owned)
{
    const Napi::Object made = (env.GetInstanceData<classes>()->*of).New({});
    Wrap::Unwrap(made)->owned = std::move(owned);
    return made;
}

} // namespace addon

#endif /* PAIL_NODE_WORK_HPP */
