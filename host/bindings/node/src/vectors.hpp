/* Vectors and matrices of a context. */
#ifndef PAIL_NODE_VECTORS_HPP
#define PAIL_NODE_VECTORS_HPP

#include "work.hpp"

namespace addon
{

/* What the boundary hands out: with its context, until its last user is gone. */
template <class Handle>
struct stored {
    stored(std::shared_ptr<pail::context> of, Handle *made, std::uint32_t of_curve,
           std::uint64_t elements)
        : context(std::move(of)), handle(made), curve(of_curve), n(elements)
    {
    }
    stored(const stored &) = delete;
    stored &operator=(const stored &) = delete;
    ~stored()
    {
        if constexpr (std::is_same_v<Handle, pail_vector>)
            context->backend()->vector_destroy(context->handle(), &handle);
        else
            context->backend()->matrix_destroy(context->handle(), &handle);
    }
    std::shared_ptr<pail::context> context;
    Handle *handle;
    std::uint32_t curve;
    std::uint64_t n; /* elements, or rows */
};

/* An object of JavaScript around one, until close(). */
template <class Wrap, class Handle>
class storing : public Napi::ObjectWrap<Wrap>
{
  public:
    explicit storing(const Napi::CallbackInfo &info) : Napi::ObjectWrap<Wrap>(info)
    {
    }
    std::shared_ptr<stored<Handle>> owned;

    std::shared_ptr<stored<Handle>> held(Napi::Env env) const
    {
        if (!owned)
            throw js_error(env, pail::error(PAIL_ERR_ARGUMENT,
                                            std::string("the ") + Wrap::name + " was closed"));
        return owned;
    }
    Napi::Value close(const Napi::CallbackInfo &info)
    {
        owned.reset();
        return info.Env().Undefined();
    }
    Napi::Value length(const Napi::CallbackInfo &info)
    {
        return Napi::Number::New(info.Env(), static_cast<double>(held(info.Env())->n));
    }
    Napi::Value curve(const Napi::CallbackInfo &info)
    {
        return Napi::Number::New(info.Env(), held(info.Env())->curve);
    }

  protected:
    /* The members that both have; more: those of one. */
    static Napi::Function defined(Napi::Env env,
                                  std::vector<Napi::ClassPropertyDescriptor<Wrap>> more = {})
    {
        more.push_back(Wrap::InstanceMethod("close", &storing::close));
        more.push_back(Wrap::InstanceAccessor("length", &storing::length, nullptr));
        more.push_back(Wrap::InstanceAccessor("curve", &storing::curve, nullptr));
        return Wrap::DefineClass(env, Wrap::name, more);
    }
};

class vector : public storing<vector, pail_vector>
{
  public:
    static constexpr const char *name = "Vector";
    static Napi::Function define(Napi::Env env);
    using storing::storing;
    Napi::Value write(const Napi::CallbackInfo &info);
    Napi::Value read(const Napi::CallbackInfo &info);
};

class matrix : public storing<matrix, pail_matrix>
{
  public:
    static constexpr const char *name = "Matrix";
    static Napi::Function define(Napi::Env env);
    using storing::storing;
};

} // namespace addon

#endif /* PAIL_NODE_VECTORS_HPP */
