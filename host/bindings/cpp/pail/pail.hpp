/* Pail for C++17: objects that own what the functions of <pail/pail.h> and <pail/groth16.h> hand
 * out. Header only.
 *
 * Statuses other than PAIL_OK are thrown as pail::error, with the library's sentence. Memory that
 * is passed in is read during the call and never copied here. Points and scalars are encoded as in
 * <pail/bases.h>: affine x then y, little-endian; all bytes zero is infinity. An object that was
 * moved from may only be assigned to or destroyed. Threads: a context, bases and a key may be used
 * by several threads at a time, pending work by one.
 */
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

inline std::size_t scalar_count(view scalars)
{
    if (scalars.size % 32 != 0)
        throw error(PAIL_ERR_ARGUMENT, "scalars have " + std::to_string(scalars.size) +
                                           " bytes, which is no multiple of 32");
    return scalars.size / 32;
}

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
class pending
{
  public:
    pending(pending &&other) noexcept
        : state_(std::move(other.state_)), handle_(std::exchange(other.handle_, nullptr)),
          n_(other.n_)
    {
    }
    pending &operator=(pending &&other) noexcept
    {
        std::swap(state_, other.state_);
        std::swap(handle_, other.handle_);
        std::swap(n_, other.n_);
        return *this;
    }
    ~pending()
    {
        if (handle_)
            state_->backend->pending_abandon(&handle_);
    }

    /* Whether finish() would not block. What the work failed of is thrown by finish(). */
    bool ready() const
    {
        return state_->backend->pending_poll(handle_) != PAIL_NOT_READY;
    }
    bool wait(std::chrono::nanoseconds timeout) const
    {
        const auto ns = static_cast<std::uint64_t>(timeout.count() < 0 ? 0 : timeout.count());
        return state_->backend->pending_wait(handle_, ns) != PAIL_NOT_READY;
    }

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
        : state_(std::move(state)), n_(n)
    {
        state_->check(state_->backend->msm_start(state_->context, &handle_, jobs, n, config));
    }

    detail::shared state_;
    pail_pending *handle_ = nullptr;
    std::size_t n_ = 0;
};

/* A set of points that is registered with a context. Immutable. */
class bases
{
  public:
    bases(bases &&other) noexcept
        : state_(std::move(other.state_)), handle_(std::exchange(other.handle_, nullptr))
    {
    }
    bases &operator=(bases &&other) noexcept
    {
        std::swap(state_, other.state_);
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~bases()
    {
        if (handle_)
            state_->backend->bases_destroy(state_->context, &handle_);
    }

    /* The sum of scalars[i] * bases[offset + i]; scalars: 32 bytes each. */
    std::vector<std::uint8_t> msm(view scalars, std::size_t offset = 0,
                                  pail_encoding encoding = PAIL_ENCODING_CANONICAL,
                                  const pail_msm_config *config = nullptr,
                                  pail_stats *stats = nullptr) const
    {
        const pail_msm_job job = job_of(scalars, offset, encoding);
        pail_msm_result result = detail::sized<pail_msm_result>();
        if (stats)
            stats->struct_size = static_cast<std::uint32_t>(sizeof *stats);
        state_->check(pail_msm(state_->backend, state_->context, &result, stats, &job, config));
        return detail::point_of(result);
    }

    /* The same in the background: the scalars may go as soon as this returns. */
    pending start(view scalars, std::size_t offset = 0,
                  pail_encoding encoding = PAIL_ENCODING_CANONICAL,
                  const pail_msm_config *config = nullptr) const
    {
        const pail_msm_job job = job_of(scalars, offset, encoding);
        return pending(state_, &job, 1, config);
    }
    /* The same with everything that the boundary has; `bases` of the job is set here. */
    pending start(pail_msm_job job, const pail_msm_config *config = nullptr) const
    {
        job.bases = handle_;
        return pending(state_, &job, 1, config);
    }

    pail_bases_info info() const
    {
        pail_bases_info info = detail::sized<pail_bases_info>();
        state_->check(state_->backend->bases_info(handle_, &info));
        return info;
    }

  private:
    friend class context;
    bases(detail::shared state, const pail_bases_desc &desc) : state_(std::move(state))
    {
        state_->check(state_->backend->bases_create(state_->context, &handle_, nullptr, &desc));
    }
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

    detail::shared state_;
    pail_bases *handle_ = nullptr;
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

/* Whether a proof is valid. Throws where something is no point or no public value. */
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
class groth16_key
{
  public:
    groth16_key(const context &context, const std::string &path)
    {
        pail_groth16_key_params params = detail::sized<pail_groth16_key_params>();
        params.path = detail::c_text(path, "the path");
        open(context, params);
    }
    /* In: zkey: the bytes of such a file; read during the call. */
    groth16_key(const context &context, view zkey)
    {
        pail_groth16_key_params params = detail::sized<pail_groth16_key_params>();
        params.bytes = zkey.data;
        params.n_bytes = zkey.size;
        open(context, params);
    }
    groth16_key(const context &context, const pail_groth16_key_params &params)
    {
        open(context, params);
    }
    groth16_key(groth16_key &&other) noexcept
        : state_(std::move(other.state_)), handle_(std::exchange(other.handle_, nullptr))
    {
    }
    groth16_key &operator=(groth16_key &&other) noexcept
    {
        std::swap(state_, other.state_);
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~groth16_key()
    {
        pail_groth16_key_close(&handle_);
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
    /* What verifies its proofs. ic in it lives as long as the key. */
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
    void open(const context &context, const pail_groth16_key_params &params)
    {
        state_ = context.state_;
        detail::sentence sentence;
        sentence.check(pail_groth16_key_open(&handle_, state_->backend, state_->context, &params,
                                             sentence.text, sizeof sentence.text));
    }

    detail::shared state_;
    pail_groth16_key *handle_ = nullptr;
};

} // namespace pail

#endif /* PAIL_PAIL_HPP */
