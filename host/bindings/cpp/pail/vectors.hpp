// SPDX-License-Identifier: Apache-2.0
/* Vectors over the scalar field of a curve, and operations on them: <pail/vectors.h> for C++17.
 * Part of <pail/pail.hpp>, whose rules hold here.
 *
 * Elements are 32 bytes, little-endian, each below the order r of the curve's groups. An operation
 * is a value that refers to its vectors, which must exist until it is started:
 *
 *     context.run({pail::ntt(a), pail::ntt(b), pail::mul(a, a, b), pail::intt(a)});
 */
#ifndef PAIL_VECTORS_HPP
#define PAIL_VECTORS_HPP

#include <pail/pail.hpp>

namespace pail
{

using element = std::array<std::uint8_t, PAIL_SCALAR_BYTES>; /* canonical */

/* The root of order 2^log_n that snarkjs and .zkey files use. */
inline element root_of_unity(pail_curve curve, std::uint32_t log_n)
{
    element root;
    if (pail_root_of_unity(root.data(), static_cast<std::uint32_t>(curve), log_n) != PAIL_OK)
        throw error(PAIL_ERR_ARGUMENT, "curve " + std::to_string(curve) +
                                           " has no root of unity of order 2^" +
                                           std::to_string(log_n));
    return root;
}

namespace detail
{

inline void destroy_vector(const state &of, pail_vector **handle)
{
    of.backend->vector_destroy(of.context, handle);
}
inline void destroy_matrix(const state &of, pail_matrix **handle)
{
    of.backend->matrix_destroy(of.context, handle);
}
/* A slot that is missing must not be called. */
inline const pail_backend &with_vectors(const state &of)
{
    if (!pail_backend_can(of.backend, PAIL_ABILITY_VECTORS))
        throw error(PAIL_ERR_UNSUPPORTED,
                    std::string("the backend ") + of.backend->name + " has no vectors");
    return *of.backend;
}

/* An operand of an operation, which refers to it: a temporary would be gone when it is started. */
template <class Object>
struct lasting {
    const Object *object;

    lasting(const Object &given) : object(&given)
    {
    }
    lasting(const Object &&) = delete;
};

} // namespace detail

/* Elements in the memory of a device. */
class vector : public detail::owned<pail_vector, detail::destroy_vector>
{
  public:
    std::uint64_t size() const noexcept
    {
        return n_;
    }
    pail_curve curve() const noexcept
    {
        return curve_;
    }
    /* For functions of the boundary. */
    pail_vector *handle() const noexcept
    {
        return handle_;
    }

    /* Writes elements from element `offset` on. Throws pail::error with PAIL_ERR_DATA if one is not
     * below r; its index is in the sentence, and nothing is written. */
    void write(view elements, std::uint64_t offset = 0,
               pail_encoding encoding = PAIL_ENCODING_CANONICAL)
    {
        state_->check(state_->backend->vector_write(handle_, offset, elements.data,
                                                    detail::scalar_count(elements, "elements"),
                                                    static_cast<std::uint32_t>(encoding)));
    }
    /* Reads n elements from element `offset` on. Waits for earlier work that writes the vector. */
    std::vector<std::uint8_t> read(std::uint64_t offset = 0, std::uint64_t n = to_the_end,
                                   pail_encoding encoding = PAIL_ENCODING_CANONICAL) const
    {
        n = count(offset, n);
        std::vector<std::uint8_t> elements(static_cast<std::size_t>(n) * PAIL_SCALAR_BYTES);
        read_to(elements.data(), offset, n, encoding);
        return elements;
    }
    /* Out: elements: room for n of them, of any alignment. */
    void read_to(void *elements, std::uint64_t offset, std::uint64_t n,
                 pail_encoding encoding = PAIL_ENCODING_CANONICAL) const
    {
        state_->check(state_->backend->vector_read(handle_, elements, offset, n,
                                                   static_cast<std::uint32_t>(encoding)));
    }

    /* One transform of all elements, in place, with the root of root_of_unity(). */
    void ntt();
    void intt();

  private:
    friend class bases;
    friend class context;
    friend class operation;
    vector(detail::shared state, pail_curve curve, std::uint64_t n)
        : owned(std::move(state)), curve_(curve), n_(n)
    {
        state_->check(detail::with_vectors(*state_).vector_create(
            state_->context, &handle_, static_cast<std::uint32_t>(curve), n));
    }
    std::uint64_t count(std::uint64_t offset, std::uint64_t n) const
    {
        const std::uint64_t rest = offset > n_ ? 0 : n_ - offset;
        const std::uint64_t wanted = n == to_the_end ? rest : n;
        if (offset > n_ || wanted > rest)
            throw error(PAIL_ERR_ARGUMENT,
                        "elements " + std::to_string(offset) + " to " + std::to_string(offset) +
                            " + " + std::to_string(wanted) + " are not in the vector, which has " +
                            std::to_string(n_));
        return wanted;
    }

    pail_curve curve_;
    std::uint64_t n_;
};

/* A sparse matrix that is registered with a context. Immutable. */
class matrix : public detail::owned<pail_matrix, detail::destroy_matrix>
{
  public:
    std::uint64_t rows() const noexcept
    {
        return n_rows_;
    }

  private:
    friend class context;
    friend class operation;
    matrix(detail::shared state, const pail_matrix_desc &desc)
        : owned(std::move(state)), n_rows_(desc.n_rows)
    {
        state_->check(
            detail::with_vectors(*state_).matrix_create(state_->context, &handle_, nullptr, &desc));
    }

    std::uint64_t n_rows_;
};

/* Made by ntt() and the functions below. Member functions change settings, and return the operation
 * itself: pail::ntt(r, a).shift(g).bit_reversed(). */
class operation
{
  public:
    /* In: a to c, by: the operands that the kind has. a NULL: r, at its offset. */
    operation(pail_vector_op_kind kind, vector &r, const vector *a = nullptr,
              const vector *b = nullptr, const vector *c = nullptr, const matrix *by = nullptr)
        : r_(&r), a_(a ? a : &r), b_(b), c_(c), by_(by), in_place_(!a)
    {
        op_.kind = static_cast<std::uint32_t>(kind);
    }

    /* First elements. Those of operands that the kind lacks are ignored. */
    operation &offsets(std::uint64_t r, std::uint64_t a = 0, std::uint64_t b = 0,
                       std::uint64_t c = 0)
    {
        op_.r_offset = r;
        op_.a_offset = in_place_ ? r : a;
        op_.b_offset = b;
        op_.c_offset = c;
        return *this;
    }
    /* Elements of r; the default is all from its offset on, or the rows of the matrix. */
    operation &count(std::uint64_t n)
    {
        n_ = n;
        return *this;
    }
    /* Of transforms: n / 2^log_n of them, one behind the other; the default is one. */
    operation &log_n(std::uint32_t log_n)
    {
        log_n_ = log_n;
        return *this;
    }
    /* Of transforms: of order 2^log_n; the default is root_of_unity(). */
    operation &root(const element &root)
    {
        root_ = root;
        return *this;
    }
    /* Of transforms and powers. 1 by default; not 0. */
    operation &shift(const element &shift)
    {
        set(op_.shift, shift, "shift");
        return *this;
    }
    /* Of powers. 1 by default; not 0. */
    operation &scale(const element &scale)
    {
        set(op_.scale, scale, "scale");
        return *this;
    }
    /* Of transforms: the value at shift root^k has the index with the bits of k in reverse. */
    operation &bit_reversed(bool reversed = true)
    {
        op_.flags = reversed ? static_cast<std::uint32_t>(PAIL_VECTOR_OP_BIT_REVERSED) : 0;
        return *this;
    }

  private:
    friend class pending_operations;
    static void set(std::uint8_t *to, const element &value, const char *name)
    {
        if (value == element{}) /* 0 would stand for 1 */
            throw error(PAIL_ERR_ARGUMENT, std::string(name) + " is 0");
        std::copy(value.begin(), value.end(), to);
    }
    template <class Operand>
    static auto used(const detail::shared &state, const Operand *operand)
    {
        if (operand && operand->state_ != state) /* other backends have other structs */
            throw error(PAIL_ERR_ARGUMENT, "an operand belongs to another context");
        return operand ? operand->handle_ : nullptr;
    }
    pail_vector_op made(const detail::shared &state) const
    {
        pail_vector_op op = op_;
        op.r = used(state, r_);
        op.a = used(state, a_);
        op.b = used(state, b_);
        op.c = used(state, c_);
        op.matrix = used(state, by_);
        op.n = by_ && n_ == to_the_end ? by_->n_rows_ : r_->count(op.r_offset, n_);
        if (op.kind == PAIL_VECTOR_OP_NTT || op.kind == PAIL_VECTOR_OP_INTT) {
            op.log_n = log_n_ ? *log_n_ : log2(op.n);
            const element root = root_ ? *root_ : root_of_unity(r_->curve_, op.log_n);
            std::copy(root.begin(), root.end(), op.root);
        }
        return op;
    }
    static std::uint32_t log2(std::uint64_t n)
    {
        std::uint32_t log_n = 0;
        while (log_n < 63 && std::uint64_t{1} << log_n < n)
            log_n++;
        if (std::uint64_t{1} << log_n != n)
            throw error(PAIL_ERR_ARGUMENT, std::to_string(n) +
                                               " elements are no power of two; log_n gives the "
                                               "length of each of several transforms");
        return log_n;
    }

    pail_vector_op op_ = detail::sized<pail_vector_op>();
    vector *r_;
    const vector *a_, *b_, *c_;
    const matrix *by_;
    bool in_place_;
    std::uint64_t n_ = to_the_end;
    std::optional<std::uint32_t> log_n_;
    std::optional<element> root_;
};

/* r[k] = the sum over j of a[j] (shift root^k)^j, a number-theoretic transform; in place without a.
 */
inline operation ntt(vector &r)
{
    return operation(PAIL_VECTOR_OP_NTT, r);
}
inline operation ntt(vector &r, detail::lasting<vector> a)
{
    return operation(PAIL_VECTOR_OP_NTT, r, a.object);
}
/* The inverse: from values at shift root^k to coefficients. */
inline operation intt(vector &r)
{
    return operation(PAIL_VECTOR_OP_INTT, r);
}
inline operation intt(vector &r, detail::lasting<vector> a)
{
    return operation(PAIL_VECTOR_OP_INTT, r, a.object);
}
/* r = matrix a */
inline operation spmv(vector &r, detail::lasting<matrix> by, detail::lasting<vector> a)
{
    return operation(PAIL_VECTOR_OP_SPMV, r, a.object, nullptr, nullptr, by.object);
}
/* r = a + b */
inline operation add(vector &r, detail::lasting<vector> a, detail::lasting<vector> b)
{
    return operation(PAIL_VECTOR_OP_ADD, r, a.object, b.object);
}
/* r = a - b */
inline operation sub(vector &r, detail::lasting<vector> a, detail::lasting<vector> b)
{
    return operation(PAIL_VECTOR_OP_SUB, r, a.object, b.object);
}
/* r = a b, element by element */
inline operation mul(vector &r, detail::lasting<vector> a, detail::lasting<vector> b)
{
    return operation(PAIL_VECTOR_OP_MUL, r, a.object, b.object);
}
/* r = a b - c */
inline operation mul_sub(vector &r, detail::lasting<vector> a, detail::lasting<vector> b,
                         detail::lasting<vector> c)
{
    return operation(PAIL_VECTOR_OP_MUL_SUB, r, a.object, b.object, c.object);
}
/* r[i] = scale shift^i a[i] */
inline operation powers(vector &r, detail::lasting<vector> a)
{
    return operation(PAIL_VECTOR_OP_POWERS, r, a.object);
}
/* r = a */
inline operation copy(vector &r, detail::lasting<vector> a)
{
    return operation(PAIL_VECTOR_OP_COPY, r, a.object);
}

/* Operations that were started. After they were abandoned, what they write holds its old contents,
 * the results or zeros. */
class pending_operations : public detail::started
{
  public:
    /* Waits for the end. To be called once. On failure everything that they write is 0. */
    void finish(pail_stats *stats = nullptr)
    {
        if (stats)
            stats->struct_size = static_cast<std::uint32_t>(sizeof *stats);
        state_->check(state_->backend->vector_finish(&handle_, stats));
    }

  private:
    friend class context;
    friend class vector;
    pending_operations(detail::shared state, const std::vector<operation> &operations)
        : started(std::move(state))
    {
        const pail_backend &backend = detail::with_vectors(*state_);
        std::vector<pail_vector_op> ops;
        for (const operation &one : operations)
            ops.push_back(one.made(state_));
        state_->check(backend.vector_start(state_->context, &handle_, ops.data(), ops.size()));
    }
};

inline pail_msm_job bases::job_of(const vector &scalars, std::size_t offset,
                                  std::uint64_t scalar_offset, std::uint64_t n) const
{
    if (scalars.state_ != state_)
        throw error(PAIL_ERR_ARGUMENT, "the vector of scalars belongs to another context");
    pail_msm_job job = job_of(view(), offset, PAIL_ENCODING_CANONICAL);
    job.scalar_location = PAIL_LOCATION_VECTOR;
    job.scalar_vector = scalars.handle_;
    job.scalar_offset = scalar_offset;
    job.n = static_cast<std::size_t>(scalars.count(scalar_offset, n));
    return job;
}

inline std::vector<std::uint8_t> bases::msm(const vector &scalars, std::size_t offset,
                                            std::uint64_t scalar_offset, std::uint64_t n,
                                            const pail_msm_config *config, pail_stats *stats) const
{
    return msm(job_of(scalars, offset, scalar_offset, n), config, stats);
}

inline pending bases::start(const vector &scalars, std::size_t offset, std::uint64_t scalar_offset,
                            std::uint64_t n, const pail_msm_config *config) const
{
    const pail_msm_job job = job_of(scalars, offset, scalar_offset, n);
    return pending(state_, &job, 1, config);
}

inline vector context::make_vector(pail_curve curve, std::uint64_t n) const
{
    return vector(state_, curve, n);
}

inline matrix context::make_matrix(pail_curve curve, const std::vector<std::uint64_t> &row_starts,
                                   const std::vector<std::uint32_t> &columns, view values,
                                   std::uint64_t n_columns, pail_encoding encoding) const
{
    const std::uint64_t n = detail::scalar_count(values, "values");
    if (row_starts.empty())
        throw error(PAIL_ERR_ARGUMENT,
                    "row_starts is empty; it has one number more than the matrix has rows");
    if (row_starts.back() != columns.size() || row_starts.back() != n)
        throw error(PAIL_ERR_ARGUMENT, "row_starts ends with " + std::to_string(row_starts.back()) +
                                           ", and there are " + std::to_string(columns.size()) +
                                           " columns and " + std::to_string(n) + " values");
    pail_matrix_desc desc = detail::sized<pail_matrix_desc>();
    desc.curve = static_cast<std::uint32_t>(curve);
    desc.encoding = static_cast<std::uint32_t>(encoding);
    desc.n_rows = row_starts.size() - 1;
    desc.n_columns = n_columns;
    desc.row_starts = row_starts.data();
    desc.columns = columns.data();
    desc.values = values.data;
    return matrix(state_, desc);
}

inline pending_operations context::start(const std::vector<operation> &operations) const
{
    return pending_operations(state_, operations);
}

inline void context::run(const std::vector<operation> &operations, pail_stats *stats) const
{
    start(operations).finish(stats);
}

inline void vector::ntt()
{
    pending_operations(state_, {pail::ntt(*this)}).finish();
}

inline void vector::intt()
{
    pending_operations(state_, {pail::intt(*this)}).finish();
}

} // namespace pail

#endif /* PAIL_VECTORS_HPP */
