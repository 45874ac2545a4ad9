// SPDX-License-Identifier: Apache-2.0
/* Pail for C++17: objects that own what the functions of <pail/pail.h> and <pail/groth16.h> hand
 * out. Header only. <pail/vectors.hpp>, which it includes, has vectors and transforms.
 *
 * Statuses other than PAIL_OK are thrown as pail::error, with the library's sentence. Memory that
 * is passed in is read during the call and never copied here. Points and scalars are encoded as in
 * <pail/bases.h>: affine x then y, little-endian; all bytes zero is infinity. An object that was
 * moved from may only be assigned to or destroyed.
 *
 * Threads: const member functions of a context, bases, a key, a vector and a matrix may be called
 * by several threads at a time, those of pending work by one. As everywhere in C++, an object must
 * not be moved, assigned to or destroyed while another thread calls one of its functions; share it
 * by std::shared_ptr if threads end in any order. What was made through an object does not need it:
 * a context lives until the last object that was made through it is gone, and bases and vectors
 * until the work that was started with them has ended. */
#ifndef PAIL_PAIL_HPP
#define PAIL_PAIL_HPP

#include <pail/encoding.h>
#include <pail/groth16.h>
#include <pail/pail.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace pail
{

/* A status that is not PAIL_OK. what() is one sentence that names the value at fault. */
class error : public std::runtime_error
{
  public:
    error(pail_status status, const std::string &sentence)
        : std::runtime_error(sentence.empty() ? pail_status_name(status) : sentence),
          status_(status)
    {
    }
    pail_status status() const noexcept
    {
        return status_;
    }

  private:
    pail_status status_;
};

/* Memory of the caller's: of anything that has data() and size(). */
struct view {
    const void *data = nullptr;
    std::size_t size = 0; /* in bytes */

    view() = default;
    view(const void *bytes, std::size_t n_bytes) : data(bytes), size(n_bytes)
    {
    }
    template <class Container,
              class Element = decltype(*std::data(std::declval<const Container &>())),
              class = std::enable_if_t<!std::is_same_v<std::decay_t<Container>, char *> &&
                                       !(std::is_array_v<Container> &&
                                         std::is_same_v<Element, const char &>)>>
    view(const Container &container)
        : data(std::data(container)), size(std::size(container) * sizeof *std::data(container))
    {
        static_assert(std::is_trivially_copyable_v<std::decay_t<decltype(*std::data(container))>>,
                      "points and scalars are plain bytes");
    }
};

namespace detail
{

template <class Struct>
Struct sized()
{
    Struct made{};
    made.struct_size = static_cast<std::uint32_t>(sizeof made);
    return made;
}

struct sentence {
    char text[512] = "";
    void check(pail_status status) const
    {
        if (status != PAIL_OK)
            throw error(status, text);
    }
};

/* Registry, backend and context: kept by whatever was made through them. */
struct state {
    pail_registry *registry = nullptr;
    const pail_backend *backend = nullptr;
    pail_context *context = nullptr;

    state() = default;
    state(const state &) = delete;
    state &operator=(const state &) = delete;
    ~state()
    {
        if (context)
            backend->context_destroy(&context);
        pail_registry_destroy(&registry);
    }
    void check(pail_status status) const
    {
        if (status != PAIL_OK)
            throw error(status, backend->error(context));
    }
};
using shared = std::shared_ptr<const state>;

/* Text as C has it, where a zero byte would end it. */
inline const char *c_text(const std::string &text, const char *what)
{
    if (text.find('\0') != std::string::npos)
        throw error(PAIL_ERR_ARGUMENT, std::string(what) + " \"" + text.c_str() +
                                           "\" has a zero byte, and more behind it");
    return text.c_str();
}

inline std::size_t scalar_count(view scalars, const char *what = "scalars")
{
    if (scalars.size % PAIL_SCALAR_BYTES != 0)
        throw error(PAIL_ERR_ARGUMENT, std::string(what) + " have " + std::to_string(scalars.size) +
                                           " bytes, which is no multiple of 32");
    return scalars.size / PAIL_SCALAR_BYTES;
}

/* A handle of the library, which is destroyed before the state that it needs. */
template <class Handle, void (*destroy)(const state &, Handle **)>
class owned
{
  public:
    owned(owned &&other) noexcept
        : state_(std::move(other.state_)), handle_(std::exchange(other.handle_, nullptr))
    {
    }
    owned &operator=(owned &&other) noexcept
    {
        std::swap(state_, other.state_);
        std::swap(handle_, other.handle_);
        return *this;
    }

  protected:
    explicit owned(shared state) : state_(std::move(state))
    {
    }
    ~owned()
    {
        if (handle_)
            destroy(*state_, &handle_);
    }

    shared state_;
    Handle *handle_ = nullptr;
};

inline void abandon(const state &of, pail_pending **handle)
{
    of.backend->pending_abandon(handle);
}
inline void destroy_bases(const state &of, pail_bases **handle)
{
    of.backend->bases_destroy(of.context, handle);
}
inline void close_key(const state &, pail_groth16_key **handle)
{
    pail_groth16_key_close(handle);
}

/* Work that was started. Destroying it abandons the work. */
class started : public owned<pail_pending, abandon>
{
  public:
    /* True if finish() would not block. finish() throws the error of the work. */
    bool ready() const
    {
        return state_->backend->pending_poll(handle_) != PAIL_NOT_READY;
    }
    bool wait(std::chrono::nanoseconds timeout) const
    {
        const auto ns = static_cast<std::uint64_t>(timeout.count() < 0 ? 0 : timeout.count());
        return state_->backend->pending_wait(handle_, ns) != PAIL_NOT_READY;
    }

  protected:
    using owned::owned;
};

/* [x, y] of a result, as wide as the points it is a sum of. */
inline std::vector<std::uint8_t> point_of(const pail_msm_result &result)
{
    std::vector<std::uint8_t> point(result.x, result.x + result.coordinate_bytes);
    point.insert(point.end(), result.y, result.y + result.coordinate_bytes);
    return point;
}

} // namespace detail

/* Bytes of a packed point; 0 where there is no such curve or group. */
inline std::size_t point_bytes(pail_curve curve, pail_group group)
{
    const std::size_t coordinate = curve == PAIL_CURVE_BN254       ? 32
                                   : curve == PAIL_CURVE_BLS12_381 ? 48
                                                                   : 0;
    return group == PAIL_G1 ? 2 * coordinate : group == PAIL_G2 ? 4 * coordinate : 0;
}

/* Multiplications that were started. Their results come in the order of their jobs. */
class pending : public detail::started
{
  public:
    /* Waits for the results, points as bases have them. To be called once. */
    std::vector<std::vector<std::uint8_t>> finish(pail_stats *stats = nullptr)
    {
        std::vector<pail_msm_result> results(n_, detail::sized<pail_msm_result>());
        if (stats)
            stats->struct_size = static_cast<std::uint32_t>(sizeof *stats);
        state_->check(state_->backend->msm_finish(&handle_, results.data(), n_, stats));
        std::vector<std::vector<std::uint8_t>> points;
        for (const pail_msm_result &result : results)
            points.push_back(detail::point_of(result));
        return points;
    }

  private:
    friend class bases;
    pending(detail::shared state, const pail_msm_job *jobs, std::size_t n,
            const pail_msm_config *config)
        : started(std::move(state)), n_(n)
    {
        state_->check(state_->backend->msm_start(state_->context, &handle_, jobs, n, config));
    }

    std::size_t n_ = 0;
};

class vector;
class matrix;
class operation;
class pending_operations;

/* Of a number of elements: all from the offset on. */
constexpr std::uint64_t to_the_end = UINT64_MAX;

/* A set of points that is registered with a context. Immutable. */
class bases : public detail::owned<pail_bases, detail::destroy_bases>
{
  public:
    /* The sum of scalars[i] * bases[offset + i]; scalars: 32 bytes each. */
    std::vector<std::uint8_t> msm(view scalars, std::size_t offset = 0,
                                  pail_encoding encoding = PAIL_ENCODING_CANONICAL,
                                  const pail_msm_config *config = nullptr,
                                  pail_stats *stats = nullptr) const
    {
        return msm(job_of(scalars, offset, encoding), config, stats);
    }
    /* The same with n elements of a vector, from element scalar_offset on, as scalars. */
    std::vector<std::uint8_t> msm(const vector &scalars, std::size_t offset = 0,
                                  std::uint64_t scalar_offset = 0, std::uint64_t n = to_the_end,
                                  const pail_msm_config *config = nullptr,
                                  pail_stats *stats = nullptr) const;

    /* The same in the background: scalars may be overwritten, and vectors and bases destroyed, as
     * soon as this returns. With PAIL_MSM_STABLE_SCALARS in config, scalars in host memory must
     * stay until finish() has returned or the pending work is destroyed. */
    pending start(view scalars, std::size_t offset = 0,
                  pail_encoding encoding = PAIL_ENCODING_CANONICAL,
                  const pail_msm_config *config = nullptr) const
    {
        const pail_msm_job job = job_of(scalars, offset, encoding);
        return pending(state_, &job, 1, config);
    }
    pending start(const vector &scalars, std::size_t offset = 0, std::uint64_t scalar_offset = 0,
                  std::uint64_t n = to_the_end, const pail_msm_config *config = nullptr) const;

    pail_bases_info info() const
    {
        pail_bases_info info = detail::sized<pail_bases_info>();
        state_->check(state_->backend->bases_info(handle_, &info));
        return info;
    }

  private:
    friend class context;
    bases(detail::shared state, const pail_bases_desc &desc) : owned(std::move(state))
    {
        state_->check(state_->backend->bases_create(state_->context, &handle_, nullptr, &desc));
    }
    std::vector<std::uint8_t> msm(const pail_msm_job &job, const pail_msm_config *config,
                                  pail_stats *stats) const
    {
        pail_msm_result result = detail::sized<pail_msm_result>();
        if (stats)
            stats->struct_size = static_cast<std::uint32_t>(sizeof *stats);
        state_->check(pail_msm(state_->backend, state_->context, &result, stats, &job, config));
        return detail::point_of(result);
    }
    pail_msm_job job_of(const vector &scalars, std::size_t offset, std::uint64_t scalar_offset,
                        std::uint64_t n) const;
    pail_msm_job job_of(view scalars, std::size_t offset, pail_encoding encoding) const
    {
        pail_msm_job job = detail::sized<pail_msm_job>();
        job.bases = handle_;
        job.base_offset = offset;
        job.scalars = scalars.data;
        job.n = detail::scalar_count(scalars);
        job.scalar_encoding = encoding;
        return job;
    }
};

/* One device of one backend. It lives until the last object that was made through it is gone. */
class context
{
  public:
    /* In: backend: its name; the best one where it is empty. params: optional; struct_size is set
     * here. */
    explicit context(const std::string &backend = "", const pail_context_params *params = nullptr)
    {
        auto made = std::make_shared<detail::state>();
        detail::sentence sentence;
        pail_registry_params wanted = detail::sized<pail_registry_params>();
        wanted.backend = backend.empty() ? nullptr : detail::c_text(backend, "the backend");
        sentence.check(
            pail_registry_create(&made->registry, &wanted, sentence.text, sizeof sentence.text));
        sentence.check(pail_registry_find(made->registry, &made->backend, wanted.backend,
                                          sentence.text, sizeof sentence.text));
        pail_context_params settings{};
        settings.device = PAIL_DEVICE_BEST;
        if (params)
            settings = *params;
        settings.struct_size = static_cast<std::uint32_t>(sizeof settings);
        made->check(made->backend->context_create(pail_registry_host(made->registry),
                                                  &made->context, &settings));
        state_ = std::move(made);
    }

    const char *backend_name() const
    {
        return state_->backend->name;
    }
    pail_device_info device() const
    {
        pail_device_info info = detail::sized<pail_device_info>();
        state_->check(state_->backend->context_device(state_->context, &info));
        return info;
    }

    /* Registers packed points, which are read during the call.
     * Throws pail::error with PAIL_ERR_DATA for a point that is not one; its index is in the
     * sentence. */
    bases make_bases(pail_curve curve, pail_group group, view points,
                     pail_validation validation = PAIL_VALIDATE_CURVE,
                     pail_encoding encoding = PAIL_ENCODING_CANONICAL) const
    {
        const std::size_t coordinates = encoding == PAIL_ENCODING_JACOBIAN ? 3 : 2;
        const std::size_t width = point_bytes(curve, group) / 2 * coordinates;
        if (width == 0 || points.size % width != 0)
            throw error(PAIL_ERR_ARGUMENT, "points have " + std::to_string(points.size) +
                                               " bytes, which is no number of points of curve " +
                                               std::to_string(curve) + " and group " +
                                               std::to_string(group));
        pail_bases_desc desc = detail::sized<pail_bases_desc>();
        desc.curve = static_cast<std::uint32_t>(curve);
        desc.group = static_cast<std::uint32_t>(group);
        desc.encoding = static_cast<std::uint32_t>(encoding);
        desc.validation = static_cast<std::uint32_t>(validation);
        desc.points = points.data;
        desc.n_points = points.size / width;
        return make_bases(desc);
    }
    /* The same with everything that the boundary has; struct_size is the caller's to set. */
    bases make_bases(const pail_bases_desc &desc) const
    {
        return bases(state_, desc);
    }

    /* A vector of n elements, all 0. */
    vector make_vector(pail_curve curve, std::uint64_t n) const;
    /* Registers a sparse matrix in compressed sparse row form: row i has the entries row_starts[i]
     * to row_starts[i + 1] - 1. values: 32 bytes for each entry. */
    matrix make_matrix(pail_curve curve, const std::vector<std::uint64_t> &row_starts,
                       const std::vector<std::uint32_t> &columns, view values,
                       std::uint64_t n_columns,
                       pail_encoding encoding = PAIL_ENCODING_CANONICAL) const;
    /* Starts operations on vectors; each sees the results of those before it. Vectors and matrices
     * may be destroyed as soon as this returns. */
    pending_operations start(const std::vector<operation> &operations) const;
    /* The same, and waits. On failure everything that the operations write is 0. */
    void run(const std::vector<operation> &operations, pail_stats *stats = nullptr) const;

    const pail_backend *backend() const noexcept
    {
        return state_->backend;
    }
    pail_context *handle() const noexcept
    {
        return state_->context;
    }

  private:
    friend class groth16_key;
    detail::shared state_;
};

/* A proof with what it says in public. */
struct groth16_proof {
    pail_groth16_proof proof = detail::sized<pail_groth16_proof>();
    std::vector<std::array<std::uint8_t, 32>> publics; /* canonical, little-endian */

    /* The text of proof.json and of public.json. */
    std::string json(pail_groth16_layout layout = PAIL_GROTH16_SNARKJS) const
    {
        return text(
            [&](char *to, std::size_t room, std::size_t *length, char *why, std::size_t capacity) {
                return pail_groth16_proof_text(to, room, length, &proof, layout, why, capacity);
            });
    }
    std::string public_json(pail_groth16_layout layout = PAIL_GROTH16_SNARKJS) const
    {
        return text(
            [&](char *to, std::size_t room, std::size_t *length, char *why, std::size_t capacity) {
                return pail_groth16_public_text(to, room, length, publics.data(), publics.size(),
                                                layout, why, capacity);
            });
    }

  private:
    template <class Write>
    static std::string text(Write write)
    {
        detail::sentence sentence;
        std::size_t length = 0;
        sentence.check(write(nullptr, 0, &length, sentence.text, sizeof sentence.text));
        std::string made(length + 1, '\0');
        sentence.check(
            write(made.data(), made.size(), &length, sentence.text, sizeof sentence.text));
        made.resize(length);
        return made;
    }
};

/* Returns whether a proof is valid. Throws if an input is no point or no public value. */
inline bool groth16_verify(const pail_groth16_verifying_key &key, const groth16_proof &proof)
{
    detail::sentence sentence;
    std::uint32_t valid = 0;
    sentence.check(pail_groth16_verify(&valid, &key, &proof.proof, proof.publics.data(),
                                       proof.publics.size(), sentence.text, sizeof sentence.text));
    return valid == 1;
}

/* r and s of a proof that is to be the same each time: for tests. Such a proof tells of its
 * witness. */
struct groth16_blinding {
    std::array<std::uint8_t, 32> r, s;
};

/* A proving key that is registered with a context. Immutable. */
class groth16_key : public detail::owned<pail_groth16_key, detail::close_key>
{
  public:
    groth16_key(const context &context, const std::string &path) : owned(context.state_)
    {
        pail_groth16_key_params params = detail::sized<pail_groth16_key_params>();
        params.path = detail::c_text(path, "the path");
        open(params);
    }
    /* In: zkey: the bytes of such a file; read during the call. */
    groth16_key(const context &context, view zkey) : owned(context.state_)
    {
        pail_groth16_key_params params = detail::sized<pail_groth16_key_params>();
        params.bytes = zkey.data;
        params.n_bytes = zkey.size;
        open(params);
    }
    groth16_key(const context &context, const pail_groth16_key_params &params)
        : owned(context.state_)
    {
        open(params);
    }

    /* Proves; the witness is a .wtns file: its path, or its bytes. cancel: optional: the proof ends
     * with PAIL_ERR_STOPPED when another thread makes it non-zero. */
    groth16_proof prove(const std::string &path,
                        const std::optional<groth16_blinding> &blinding = std::nullopt,
                        const std::uint32_t *cancel = nullptr) const
    {
        pail_groth16_witness witness = detail::sized<pail_groth16_witness>();
        witness.path = detail::c_text(path, "the path");
        return prove(witness, blinding, cancel);
    }
    groth16_proof prove(view wtns, const std::optional<groth16_blinding> &blinding = std::nullopt,
                        const std::uint32_t *cancel = nullptr) const
    {
        pail_groth16_witness witness = detail::sized<pail_groth16_witness>();
        witness.wtns = wtns.data;
        witness.n_wtns = wtns.size;
        return prove(witness, blinding, cancel);
    }
    groth16_proof prove(const pail_groth16_witness &witness,
                        const std::optional<groth16_blinding> &blinding = std::nullopt,
                        const std::uint32_t *cancel = nullptr) const
    {
        groth16_proof made;
        made.publics.resize(info().n_public);
        pail_groth16_options options = detail::sized<pail_groth16_options>();
        options.cancel = cancel;
        if (blinding) {
            options.flags = PAIL_GROTH16_FIXED_BLINDING;
            std::copy(blinding->r.begin(), blinding->r.end(), options.r);
            std::copy(blinding->s.begin(), blinding->s.end(), options.s);
        }
        detail::sentence sentence;
        sentence.check(pail_groth16_prove(handle_, &made.proof, made.publics.data(), nullptr,
                                          &witness, &options, sentence.text, sizeof sentence.text));
        return made;
    }

    pail_groth16_key_info info() const
    {
        pail_groth16_key_info info = detail::sized<pail_groth16_key_info>();
        detail::sentence().check(pail_groth16_key_get_info(handle_, &info));
        return info;
    }
    /* The key that verifies its proofs. ic in it lives as long as the key. */
    pail_groth16_verifying_key verifying() const
    {
        pail_groth16_verifying_key key = detail::sized<pail_groth16_verifying_key>();
        detail::sentence().check(pail_groth16_key_verifying(handle_, &key));
        return key;
    }
    bool verify(const groth16_proof &proof) const
    {
        return groth16_verify(verifying(), proof);
    }

  private:
    void open(const pail_groth16_key_params &params)
    {
        detail::sentence sentence;
        sentence.check(pail_groth16_key_open(&handle_, state_->backend, state_->context, &params,
                                             sentence.text, sizeof sentence.text));
    }
};

} // namespace pail

#include <pail/vectors.hpp>

#endif /* PAIL_PAIL_HPP */
