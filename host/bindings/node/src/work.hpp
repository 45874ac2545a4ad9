// SPDX-License-Identifier: Apache-2.0
/* Work in a thread of node's pool, as a promise. */
#ifndef PAIL_NODE_WORK_HPP
#define PAIL_NODE_WORK_HPP

#include <napi.h>
#include <pail/pail.hpp>
#include <pail/vectors.hpp>

#include <cmath>
#include <functional>
#include <memory>
#include <new>
#include <string.h>
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

/* Turns exceptions of a call of Pail's into exceptions of JavaScript. */
template <class Call>
decltype(auto) translated(Napi::Env env, Call call)
{
    try {
        return call();
    } catch (const pail::error &error) {
        throw js_error(env, error);
    } catch (const Napi::Error &) {
        throw;
    } catch (const std::bad_alloc &) {
        throw js_error(env, pail::error(PAIL_ERR_HOST_MEMORY, "no memory"));
    } catch (const std::exception &error) {
        throw js_error(env, pail::error(PAIL_ERR_INTERNAL, error.what()));
    }
}

/* A wrong argument: a TypeError or a RangeError that has a code, too. */
template <class Error>
Error refused(Napi::Env env, const std::string &sentence)
{
    Error made = Error::New(env, sentence);
    made.Set("code", Napi::String::New(env, pail_status_name(PAIL_ERR_ARGUMENT)));
    return made;
}

/* The kind of a value, in the words of typeof. */
inline const char *kind_of(const Napi::Value &value)
{
    static const char *const names[] = {"undefined", "null",     "a boolean", "a number",
                                        "a string",  "a symbol", "an object", "a function"};
    const std::size_t type = value.Type();
    return type < sizeof names / sizeof names[0] ? names[type] : "a value of another type";
}

/* The bytes of a typed array; what: the argument's name. JavaScript does not run before the call
 * returns, so they stay. */
inline pail::view bytes_of(const Napi::Value &value, const char *what)
{
    const auto refuse = [&](const std::string &why) {
        return refused<Napi::TypeError>(value.Env(), std::string(what) + why);
    };
    if (!value.IsTypedArray())
        throw refuse(std::string(" is ") + kind_of(value) +
                     ", and is to be a Uint8Array or another typed array of integers");
    const Napi::TypedArray array = value.As<Napi::TypedArray>();
    if (array.TypedArrayType() == napi_float32_array ||
        array.TypedArrayType() == napi_float64_array)
        throw refuse(" is a typed array of floats, and is to be one of integers");
    /* Of a SharedArrayBuffer Node-API does not tell the memory. */
    if (!array.ArrayBuffer().IsArrayBuffer())
        throw refuse(" is a typed array over a SharedArrayBuffer");
    if (array.ArrayBuffer().IsDetached())
        throw refuse(" is a typed array whose buffer was transferred to others");
    return {static_cast<const std::uint8_t *>(array.ArrayBuffer().Data()) + array.ByteOffset(),
            array.ByteLength()};
}

/* A copy of them for work in the background, which is wiped. JavaScript may transfer or resize the
 * buffer as soon as the call has returned, and Node-API can neither forbid that nor keep the
 * memory (docs/decisions/0228). */
class copied
{
  public:
    copied() = default;
    copied(const Napi::Value &value, const char *what)
        : copied(value.Env(), std::vector<pail::view>{bytes_of(value, what)})
    {
    }
    /* One block of all of them. */
    copied(Napi::Env env, const std::vector<pail::view> &parts)
    {
        for (const pail::view &part : parts)
            size_ += part.size;
        bytes_.reset(new (std::nothrow) std::uint8_t[size_]);
        if (!bytes_)
            throw js_error(env,
                           pail::error(PAIL_ERR_HOST_MEMORY, "no memory for a copy of " +
                                                                 std::to_string(size_) + " bytes"));
        std::uint8_t *to = bytes_.get();
        for (const pail::view &part : parts)
            to = std::copy_n(static_cast<const std::uint8_t *>(part.data), part.size, to);
    }
    copied(const copied &) = delete;
    copied &operator=(const copied &) = delete;
    ~copied()
    {
        if (bytes_)
            explicit_bzero(bytes_.get(), size_);
    }
    pail::view view() const
    {
        return {bytes_.get(), size_};
    }

  private:
    std::unique_ptr<std::uint8_t[]> bytes_;
    std::size_t size_ = 0;
};

class work;

/* An AbortSignal's part in work: `raised` is read while it runs. */
struct abortion {
    std::uint32_t raised = 0; /* atomic */
    work *waiting = nullptr;  /* in the pool's queue, or running; of the thread of JavaScript */

    bool is_raised() const
    {
        return __atomic_load_n(&raised, __ATOMIC_RELAXED) != 0;
    }
    [[noreturn]] static void stop()
    {
        throw pail::error(PAIL_ERR_STOPPED, "the call was aborted");
    }
};

/* Runs `execute` in the pool and settles a promise with what `result` makes of it, once nothing of
 * it runs. Objects that both need are captured; those of `execute` go with it. */
class work : public Napi::AsyncWorker
{
  public:
    using executed = std::function<void()>;
    using made = std::function<Napi::Value(Napi::Env)>;

    static Napi::Value queue(Napi::Env env, executed execute, made result,
                             std::shared_ptr<abortion> abort = nullptr)
    {
        auto *self = new work(env, std::move(execute), std::move(result), std::move(abort));
        const Napi::Promise promise = self->deferred_.Promise();
        self->Queue();
        return promise;
    }

  private:
    work(Napi::Env env, executed execute, made result, std::shared_ptr<abortion> abort)
        : AsyncWorker(env), deferred_(env), execute_(std::move(execute)),
          result_(std::move(result)), abort_(std::move(abort))
    {
        if (abort_)
            abort_->waiting = this;
    }
    void Execute() override
    {
        try {
            execute_();
        } catch (const pail::error &error) {
            failure_ = std::make_unique<pail::error>(error);
        } catch (const std::bad_alloc &) {
            failure_ = std::make_unique<pail::error>(PAIL_ERR_HOST_MEMORY, "no memory");
        } catch (const std::exception &error) {
            failure_ = std::make_unique<pail::error>(PAIL_ERR_INTERNAL, error.what());
        }
        execute_ = nullptr; /* wipes and frees large copies, in this thread */
        if (failure_)
            SetError(failure_->what());
    }
    /* Cancelled: no thread of the pool had begun. */
    void OnWorkComplete(Napi::Env env, napi_status status) override
    {
        if (abort_)
            abort_->waiting = nullptr;
        if (status == napi_cancelled) {
            try {
                const Napi::HandleScope scope(env);
                deferred_.Reject(
                    js_error(env, pail::error(PAIL_ERR_STOPPED, "the call was aborted")).Value());
            } catch (const Napi::Error &) { /* the environment ends, and nobody is told */
            }
        }
        AsyncWorker::OnWorkComplete(env, status);
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
    std::shared_ptr<abortion> abort_;
};

/* An integer of JavaScript's from 0 to `most`, or what stands for it where there is none. */
inline double integer_or(const Napi::Value &value, double otherwise, double most, const char *what)
{
    if (value.IsUndefined() || value.IsNull())
        return otherwise;
    if (!value.IsNumber())
        throw refused<Napi::TypeError>(value.Env(), std::string(what) + " is " + kind_of(value) +
                                                        ", and is to be a number");
    const double number = value.As<Napi::Number>().DoubleValue();
    if (!(number >= 0 && number <= most && number == std::floor(number)))
        throw refused<Napi::RangeError>(value.Env(),
                                        std::string(what) + " is " + value.ToString().Utf8Value() +
                                            ", and is to be an integer from 0 to " +
                                            std::to_string(static_cast<std::uint64_t>(most)));
    return number;
}

inline std::uint32_t number_or(const Napi::Value &value, std::uint32_t otherwise, const char *what)
{
    return static_cast<std::uint32_t>(integer_or(value, otherwise, UINT32_MAX, what));
}

/* A place or number of elements: what a number is exact up to. */
inline std::uint64_t count_or(const Napi::Value &value, std::uint64_t otherwise, const char *what)
{
    if (value.IsUndefined() || value.IsNull())
        return otherwise;
    return static_cast<std::uint64_t>(integer_or(value, 0, 9007199254740991, what));
}

/* Elements of a typed array of their width. */
template <class Integer>
std::vector<Integer> integers(const Napi::Value &value, const char *what)
{
    const pail::view from = bytes_of(value, what);
    std::vector<Integer> made(from.size / sizeof(Integer));
    std::copy_n(static_cast<const std::uint8_t *>(from.data), made.size() * sizeof(Integer),
                reinterpret_cast<std::uint8_t *>(made.data()));
    return made;
}

inline pail_encoding encoding_of(const Napi::Value &value)
{
    return static_cast<pail_encoding>(number_or(value, PAIL_ENCODING_CANONICAL, "encoding"));
}

inline Napi::Value bytes(Napi::Env env, const std::uint8_t *from, std::size_t n)
{
    Napi::Uint8Array array = Napi::Uint8Array::New(env, n);
    std::copy(from, from + n, array.Data());
    return array;
}

/* The constructors of the classes, for every environment (a worker has its own). */
struct classes {
    Napi::FunctionReference context, bases, key, flag, vector, matrix, kzg;
};

/* Said by JavaScript's AbortSignal to work that waits or is under way. */
class flag : public Napi::ObjectWrap<flag>
{
  public:
    static Napi::Function define(Napi::Env env)
    {
        return DefineClass(env, "Flag", {InstanceMethod<&flag::raise>("raise")});
    }
    explicit flag(const Napi::CallbackInfo &info)
        : ObjectWrap(info), abort(std::make_shared<abortion>())
    {
    }
    Napi::Value raise(const Napi::CallbackInfo &info)
    {
        __atomic_store_n(&abort->raised, 1, __ATOMIC_RELAXED);
        if (abort->waiting != nullptr) /* refused if it has begun, and then `raised` ends it */
            (void)napi_cancel_async_work(info.Env(), *abort->waiting);
        return info.Env().Undefined();
    }
    /* NULL: without an AbortSignal. */
    static std::shared_ptr<abortion> of(const Napi::Value &value)
    {
        return value.IsObject() ? Unwrap(value.As<Napi::Object>())->abort : nullptr;
    }
    std::shared_ptr<abortion> abort;
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
    Napi::Value kzg(const Napi::CallbackInfo &info);
    Napi::Value kzg_now(const Napi::CallbackInfo &info);
    Napi::Value vector(const Napi::CallbackInfo &info);
    Napi::Value matrix(const Napi::CallbackInfo &info);
    Napi::Value run(const Napi::CallbackInfo &info);
};

class bases : public Napi::ObjectWrap<bases>
{
  public:
    static Napi::Function define(Napi::Env env);
    explicit bases(const Napi::CallbackInfo &info);
    std::shared_ptr<pail::bases> owned;

  private:
    Napi::Value msm(const Napi::CallbackInfo &info);
    Napi::Value msm_vector(const Napi::CallbackInfo &info);
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

/* An object around what close() gives up; work that is under way keeps it. */
template <class Wrap, class Owned>
class closable : public Napi::ObjectWrap<Wrap>
{
  public:
    explicit closable(const Napi::CallbackInfo &info) : Napi::ObjectWrap<Wrap>(info)
    {
    }
    std::shared_ptr<Owned> owned;
    std::shared_ptr<Owned> held(Napi::Env env) const
    {
        if (!owned)
            throw js_error(env, pail::error(PAIL_ERR_ARGUMENT, "it was closed"));
        return owned;
    }
};

class vector : public closable<vector, pail::vector>
{
  public:
    static Napi::Function define(Napi::Env env);
    using closable::closable;

  private:
    Napi::Value write(const Napi::CallbackInfo &info);
    Napi::Value read(const Napi::CallbackInfo &info);
    Napi::Value length(const Napi::CallbackInfo &info);
    Napi::Value curve(const Napi::CallbackInfo &info);
    void close(const Napi::CallbackInfo &)
    {
        owned.reset();
    }
};

class matrix : public closable<matrix, pail::matrix>
{
  public:
    static Napi::Function define(Napi::Env env);
    using closable::closable;

  private:
    Napi::Value length(const Napi::CallbackInfo &info);
    void close(const Napi::CallbackInfo &)
    {
        owned.reset();
    }
};

struct kzg_setup;

class kzg : public closable<kzg, kzg_setup>
{
  public:
    static Napi::Function define(Napi::Env env);
    using closable::closable;

  private:
    Napi::Value sizes(const Napi::CallbackInfo &info);
    Napi::Value start(const Napi::CallbackInfo &info);
    Napi::Value run(const Napi::CallbackInfo &info);
    void close(const Napi::CallbackInfo &)
    {
        owned.reset();
    }
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
