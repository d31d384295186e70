/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd.hpp - gnd for C++17 and later: arrays that release themselves, operators, lists for shapes
 * and indices, exceptions. It is header-only, over gnd.h; link with libgnd only.
 *
 *     gnd::device dev;                                  // the best one, as gnd_open(NULL)
 *     gnd::array x = gnd::from(dev, {1.0, 2.0, 3.0});
 *     gnd::array y = 2 * gnd::sin(x) + x[{gnd::slice(0, 1)}];
 *     std::vector<double> v = y.to_vector<double>();
 *
 * - gnd::array owns one reference to a C handle. It converts to gnd_array *, so every C function
 *   accepts it. It takes ownership of the gnd_array * that a C function returns: gnd::array z =
 *   gnd_cumulative_sum(x, GND_AXIS(0), 0, t). It stays valid after the end of the scope
 *   (gnd_scope_begin) in which it was made. Assignment shares the array and does not copy it:
 *   values do not change.
 * - gnd/functions.hpp has the functions of the C headers in namespace gnd, without the prefix.
 * - Errors are exceptions of type gnd::error. They are thrown where an error array would be made,
 *   and by functions that read. If GND_CXX_EXCEPTIONS is defined as 0 before the #include (the
 *   default if the compiler's exceptions are disabled), nothing is thrown: arrays hold their errors
 *   as in C (status(), message()), and functions that read return a gnd_status or take one. Errors
 *   that only the device can detect are reported when a value is read.
 */
#ifndef GND_HPP
#define GND_HPP

#include <gnd.h>

#include <complex>
#include <cstdlib>
#include <initializer_list>
#include <ostream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#ifndef GND_CXX_EXCEPTIONS
#ifdef __cpp_exceptions
#define GND_CXX_EXCEPTIONS 1
#else
#define GND_CXX_EXCEPTIONS 0
#endif
#endif

/* The two ways to report errors are different types for the linker. */
#if GND_CXX_EXCEPTIONS
#define GND_CXX_ERRORS throwing
#else
#define GND_CXX_ERRORS silent
#endif

namespace gnd
{
inline namespace GND_CXX_ERRORS
{

/* The exception: what() is the message ("matmul: shapes (3, 4) and (5, 6): 4 != 5"), code() the
 * status. */
class error : public std::runtime_error
{
  public:
    error(gnd_status code, const char *message)
        : std::runtime_error(message && *message ? message : gnd_status_text(code)), code_(code)
    {
    }
    gnd_status code() const noexcept { return code_; }

  private:
    gnd_status code_;
};

namespace detail
{

inline void fail(gnd_status s, const char *message)
{
#if GND_CXX_EXCEPTIONS
    throw error(s, message);
#else
    (void)s;
    (void)message;
#endif
}

/* Checks the status s of a C function; gnd_message() has the text. */
inline gnd_status check(gnd_status s)
{
    if (s != GND_OK)
        fail(s, gnd_message());
    return s;
}

template <class T> struct dependent_false : std::false_type {
};

} // namespace detail

/* The dtype of a C++ type: bool, the integers by their width, float, double, or std::complex of
 * these. */
template <class T> constexpr gnd_dtype dtype_of()
{
    using U = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<U, bool>) {
        return GND_BOOL;
    } else if constexpr (std::is_integral_v<U> && std::is_signed_v<U>) {
        return sizeof(U) == 1   ? GND_INT8
               : sizeof(U) == 2 ? GND_INT16
               : sizeof(U) == 4 ? GND_INT32
                                : GND_INT64;
    } else if constexpr (std::is_integral_v<U>) {
        return sizeof(U) == 1   ? GND_UINT8
               : sizeof(U) == 2 ? GND_UINT16
               : sizeof(U) == 4 ? GND_UINT32
                                : GND_UINT64;
    } else if constexpr (std::is_same_v<U, float>) {
        return GND_FLOAT32;
    } else if constexpr (std::is_same_v<U, double>) {
        return GND_FLOAT64;
    } else if constexpr (std::is_same_v<U, std::complex<float>>) {
        return GND_COMPLEX64;
    } else if constexpr (std::is_same_v<U, std::complex<double>>) {
        return GND_COMPLEX128;
    } else {
        static_assert(detail::dependent_false<T>::value, "gnd has no dtype for this type");
    }
}

/* A shape, or another list of 64-bit numbers: {3, 4}. */
class extents
{
  public:
    extents() = default;
    extents(std::initializer_list<int64_t> v) : v_(v) {}
    extents(std::vector<int64_t> v) : v_(std::move(v)) {}
    int n() const { return static_cast<int>(v_.size()); }
    const int64_t *data() const { return v_.data(); }
    const std::vector<int64_t> &vector() const { return v_; }

  private:
    std::vector<int64_t> v_;
};

class array;

/* An entry of an index: a number, gnd::slice, gnd::newaxis, gnd::ellipsis, or an array of ints or
 * bools. The array must stay alive until the index has been used. */
class index_entry
{
  public:
    template <class T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
    index_entry(T i) : r_{GND_IDX_INT, static_cast<int64_t>(i), 0, 0, nullptr}
    {
    }
    index_entry(const array &a);
    constexpr explicit index_entry(gnd_range r) : r_(r) {}
    const gnd_range &range() const { return r_; }

  private:
    gnd_range r_;
};

/* start:stop:step. gnd::none omits start or stop; slice() is a whole axis. */
constexpr int64_t none = GND_NONE;
inline index_entry slice(int64_t start = none, int64_t stop = none, int64_t step = 1)
{
    return index_entry(gnd_range{GND_IDX_SLICE, start, stop, step, nullptr});
}
inline const index_entry newaxis{gnd_range{GND_IDX_NEWAXIS, 0, 0, 0, nullptr}};
inline const index_entry ellipsis{gnd_range{GND_IDX_ELLIPSIS, 0, 0, 0, nullptr}};

/* An index: {gnd::slice(1, -1), gnd::slice(), 0}. */
class indices
{
  public:
    indices(std::initializer_list<index_entry> v)
    {
        for (const index_entry &e : v)
            v_.push_back(e.range());
    }
    int n() const { return static_cast<int>(v_.size()); }
    const gnd_range *data() const { return v_.data(); }

  private:
    std::vector<gnd_range> v_;
};

/* An array: an immutable value, computed when it is read. Copies share it. */
class array
{
  public:
    /* No array: every function reports GND_ERR_NULL for it. */
    array() noexcept = default;
    /* Takes ownership of the result of a C function. Throws the error that it holds. */
    array(gnd_array *made) : h_(owned(made))
    {
        if (h_ && gnd_status_of(h_) != GND_OK)
            refuse();
    }
    /* A weak scalar: it takes the dtype of the other operand, like Python's numbers with NumPy
     * arrays. */
    template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
    array(T v) : array(scalar(v))
    {
    }
    template <class T> array(std::complex<T> v) : array(gnd_complex(v.real(), v.imag())) {}
    array(const array &o) noexcept : h_(o.h_ ? gnd_retain(o.h_) : nullptr) {}
    array(array &&o) noexcept : h_(std::exchange(o.h_, nullptr)) {}
    array &operator=(array o) noexcept
    {
        std::swap(h_, o.h_);
        return *this;
    }
    ~array() { gnd_release(h_); }

    /* The handle. This object keeps the ownership. */
    gnd_array *get() const noexcept { return h_; }
    operator gnd_array *() const noexcept { return h_; }
    /* The handle. The caller becomes its owner and releases it. */
    gnd_array *release() noexcept { return std::exchange(h_, nullptr); }
    /* `if (x)` would test the handle. Write x.item<bool>(). */
    explicit operator bool() const = delete;

    /* --- what it is --- */
    gnd_dtype dtype() const { return gnd_dtype_of(h_); }
    int ndim() const { return gnd_ndim(h_); }
    int64_t size() const { return gnd_size(h_); }
    extents shape() const
    {
        const int64_t *s = gnd_shape(h_);
        return extents(std::vector<int64_t>(s, s + ndim()));
    }
    /* The extent of an axis; negative axes count from the end. -1 if there is no such axis. */
    int64_t shape(int axis) const { return gnd_dim(h_, axis); }
    gnd_status status() const { return gnd_status_of(h_); }
    const char *message() const { return gnd_error(h_); }

    /* --- evaluation --- */
    /* The value of an array of one element, converted to a number. */
    template <class T> T item() const
    {
        gnd_status s = GND_OK;
        T v;
        if constexpr (std::is_floating_point_v<T>)
            v = static_cast<T>(gnd_item_f64(h_, &s));
        else if constexpr (std::is_integral_v<T>)
            v = static_cast<T>(gnd_item_i64(h_, &s));
        else {
            array c = gnd_reshape(gnd_ravel(h_), 0, nullptr);
            v = c.to_vector<T>().at(0);
        }
        check_here(s);
        return v;
    }
    /* All elements in C order, converted to T. */
    template <class T> std::vector<T> to_vector() const
    {
        array as = converted<T>();
        std::vector<T> v(static_cast<size_t>(as.size()));
        if constexpr (std::is_same_v<T, bool>) { /* vector<bool> has no contiguous memory to read
                                                    into */
            std::vector<unsigned char> bytes(v.size());
            as.read_bytes(bytes.data(), bytes.size());
            v.assign(bytes.begin(), bytes.end());
        } else {
            as.read_bytes(v.data(), v.size() * sizeof(T));
        }
        return v;
    }
    /* Copies all elements in C order, converted to T, to memory for n of them; n must be size(). */
    template <class T> gnd_status read(T *dst, size_t n) const
    {
        return converted<T>().read_bytes(dst, n * sizeof(T));
    }
    /* The same for a std::span, std::vector, std::array or another type with data() and size(). */
    template <class C> auto read(C &&to) const -> decltype(to.data(), to.size(), GND_OK)
    {
        return read(to.data(), to.size());
    }
    /* The same for a std::mdspan (or a similar type) of the array's shape, with any layout. */
    template <class M>
    auto read_to(const M &to) const -> decltype(to.data_handle(), to.stride(0), GND_OK)
    {
        using T = std::remove_cv_t<typename M::element_type>;
        constexpr size_t rank = M::rank();
        bool same = static_cast<size_t>(ndim()) == rank;
        for (size_t d = 0; same && d < rank; d++)
            same = shape(static_cast<int>(d)) == static_cast<int64_t>(to.extent(d));
        if (!same) {
            detail::fail(GND_ERR_SHAPE, "read_to: the mdspan has another shape than the array");
            return GND_ERR_SHAPE;
        }
        std::vector<unsigned char> bytes(static_cast<size_t>(size()) * sizeof(T));
        const gnd_status s = converted<T>().read_bytes(bytes.data(), bytes.size());
        if (s != GND_OK)
            return s;
        const T *from = reinterpret_cast<const T *>(bytes.data());
        int64_t at[rank ? rank : 1] = {};
        for (int64_t i = 0; i < size(); i++) {
            std::ptrdiff_t offset = 0;
            for (size_t d = 0; d < rank; d++)
                offset += static_cast<std::ptrdiff_t>(at[d] * static_cast<int64_t>(to.stride(d)));
            to.data_handle()[offset] = from[i];
            for (size_t d = rank; d-- > 0 && ++at[d] == static_cast<int64_t>(to.extent(d));)
                at[d] = 0;
        }
        return GND_OK;
    }
    /* Evaluates and waits. Returns *this. */
    const array &wait() const
    {
        check_here(gnd_wait(h_));
        return *this;
    }
    /* The text as NumPy prints it. */
    std::string to_string() const
    {
        gnd_status s = GND_OK;
        char *text = gnd_to_string(h_, &s);
        std::string out = text ? text : "";
        std::free(text);
        detail::check(s);
        return out;
    }

    /* --- views --- */
    array operator[](const indices &i) const { return array(gnd_index(h_, i.n(), i.data())); }
    /* x.at("1:-1, ::2"): NumPy's syntax. (An operator x["..."] would also accept x[{0}], because 0
     * is a null pointer.) */
    array at(const char *index) const { return array(gnd_at(h_, index)); }
    /* Element or slice i of axis 0. */
    template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0> array operator[](T i) const
    {
        return (*this)[indices{index_entry(i)}];
    }
    /* A copy of this array with value at the places of the index. This array does not change. */
    array set(const indices &i, const array &value) const
    {
        return array(gnd_set(h_, i.n(), i.data(), value.h_));
    }
    array reshape(const extents &shape) const
    {
        return array(gnd_reshape(h_, shape.n(), shape.data()));
    }
    array T() const { return array(gnd_T(h_)); }
    array astype(gnd_dtype t) const { return array(gnd_astype(h_, t)); }
    array to_device(gnd_device *dev) const { return array(gnd_to_device(h_, dev)); }

  private:
    gnd_array *h_ = nullptr;

    /* Removes a handle from its scope. */
    static gnd_array *owned(gnd_array *made)
    {
        gnd_array *mine = nullptr;
        if (made)
            gnd_assign(&mine, made);
        return mine;
    }
    template <class T> static gnd_array *scalar(T v)
    {
        if constexpr (std::is_same_v<T, bool>)
            return gnd_bool(v);
        else if constexpr (std::is_floating_point_v<T>)
            return gnd_real(static_cast<double>(v));
        else if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8)
            return v > static_cast<uint64_t>(INT64_MAX)
                       ? gnd_fail(GND_ERR_OVERFLOW, "array: %llu is above int64's",
                                  static_cast<unsigned long long>(v))
                       : gnd_int(static_cast<int64_t>(v));
        else
            return gnd_int(static_cast<int64_t>(v));
    }
    template <class T> array converted() const
    {
        return dtype() == dtype_of<T>() ? *this : array(gnd_astype(h_, dtype_of<T>()));
    }
    gnd_status read_bytes(void *dst, size_t n) const { return check_here(gnd_read(h_, dst, n)); }
    /* The message of an array names the function that failed; the message of the call names the
     * call. */
    gnd_status check_here(gnd_status s) const
    {
        if (s != GND_OK)
            detail::fail(s, gnd_status_of(h_) == s ? gnd_error(h_) : gnd_message());
        return s;
    }
    void refuse()
    {
#if GND_CXX_EXCEPTIONS
        error e(gnd_status_of(h_), gnd_error(h_));
        gnd_release(std::exchange(h_, nullptr));
        throw e;
#endif
    }
};

inline index_entry::index_entry(const array &a) : r_{GND_IDX_ARRAY, 0, 0, 0, a.get()} {}

namespace detail
{

/* The arrays that a function stored in out, or its error. */
template <size_t N, size_t... I>
auto results(gnd_status s, gnd_array *const (&out)[N], std::index_sequence<I...>)
{
#if GND_CXX_EXCEPTIONS
    if (s != GND_OK) {
        error e(s, gnd_message());
        for (gnd_array *x : out)
            gnd_release(x);
        throw e;
    }
#endif
    (void)s;
    return std::make_tuple(array(out[I])...);
}

} // namespace detail

/* A list of arrays: {x, y, z}. */
class arrays
{
  public:
    arrays(std::initializer_list<array> v) : arrays(std::vector<array>(v)) {}
    arrays(std::vector<array> v) : v_(std::move(v))
    {
        for (const array &a : v_)
            p_.push_back(a.get());
    }
    arrays(const arrays &) = delete;
    int n() const { return static_cast<int>(p_.size()); }
    gnd_array *const *data() const { return p_.data(); }

  private:
    std::vector<array> v_;
    std::vector<gnd_array *> p_;
};

/* A device. It is open as long as this object lives. */
class device
{
  public:
    /* As gnd_open: "cuda:0", "opencl:pocl"; NULL: GND_DEVICE, else the best device. */
    explicit device(const char *spec = nullptr) : d_(gnd_open(spec))
    {
        const gnd_status s = gnd_device_status(d_);
        if (s != GND_OK) {
#if GND_CXX_EXCEPTIONS
            error e(s, gnd_device_error(d_));
            gnd_close(d_);
            throw e;
#endif
        }
    }
    device(device &&o) noexcept : d_(std::exchange(o.d_, nullptr)) {}
    device &operator=(device &&o) noexcept
    {
        std::swap(d_, o.d_);
        return *this;
    }
    ~device()
    {
        if (d_)
            gnd_close(d_);
    }
    operator gnd_device *() const noexcept
    {
        return d_;
    }
    gnd_device *get() const noexcept
    {
        return d_;
    }
    const char *id() const
    {
        return gnd_device_id(d_);
    }
    gnd_status status() const
    {
        return gnd_device_status(d_);
    }
    const char *message() const
    {
        return gnd_device_error(d_);
    }

  private:
    gnd_device *d_;
};

/* --- arrays from host memory, which is copied --- */

template <class T> array from(gnd_device *dev, const T *data, const extents &shape)
{
    return array(gnd_from(dev, dtype_of<T>(), shape.n(), shape.data(), data));
}
/* One dimension: {1.0, 2.0}. */
template <class T> array from(gnd_device *dev, std::initializer_list<T> v)
{
    return from(dev, v.begin(), {static_cast<int64_t>(v.size())});
}
/* Two dimensions: {{1.0, 2.0}, {3.0, 4.0}}. GND_ERR_SHAPE: rows of unequal length. */
template <class T> array from(gnd_device *dev, std::initializer_list<std::initializer_list<T>> rows)
{
    std::vector<std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>> v;
    const size_t m = rows.size() ? rows.begin()->size() : 0;
    for (const auto &row : rows) {
        if (row.size() != m)
            return array(gnd_fail(GND_ERR_SHAPE, "from: a row of %zu elements after one of %zu",
                                  row.size(), m));
        v.insert(v.end(), row.begin(), row.end());
    }
    const extents shape{static_cast<int64_t>(rows.size()), static_cast<int64_t>(m)};
    return array(gnd_from(dev, dtype_of<T>(), shape.n(), shape.data(), v.data()));
}
/* The elements of a std::span, std::vector, std::array or another type with data() and size(). */
template <class C> auto from(gnd_device *dev, const C &c) -> decltype(c.data(), c.size(), array())
{
    return from(dev, c.data(), {static_cast<int64_t>(c.size())});
}
inline array from(gnd_device *dev, const std::vector<bool> &v)
{
    const std::vector<unsigned char> bytes(v.begin(), v.end());
    const int64_t n = static_cast<int64_t>(v.size());
    return array(gnd_from(dev, GND_BOOL, 1, &n, bytes.data()));
}
/* The same with a shape of as many elements (GND_ERR_SHAPE). */
template <class C>
auto from(gnd_device *dev, const C &c, const extents &shape)
    -> decltype(c.data(), c.size(), array())
{
    return from(dev, c).reshape(shape);
}
/* The elements of a std::mdspan or a similar type: data_handle(), extent(d), stride(d), rank(). */
template <class M>
auto from(gnd_device *dev, const M &m) -> decltype(m.data_handle(), m.stride(0), array())
{
    using T = std::remove_cv_t<typename M::element_type>;
    std::vector<int64_t> shape, bytes;
    for (size_t d = 0; d < M::rank(); d++) {
        shape.push_back(static_cast<int64_t>(m.extent(d)));
        bytes.push_back(static_cast<int64_t>(m.stride(d)) * static_cast<int64_t>(sizeof(T)));
    }
    return array(gnd_from_strided(dev, dtype_of<T>(), static_cast<int>(shape.size()), shape.data(),
                                  bytes.data(), m.data_handle()));
}

/* --- operators --- */

#define GND_CXX_BINARY(op, function)                                                               \
    inline array operator op(const array &a, const array &b)                                       \
    {                                                                                              \
        return array(function(a.get(), b.get()));                                                  \
    }                                                                                              \
    template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>                         \
    array operator op(const array &a, T b)                                                         \
    {                                                                                              \
        return a op array(b);                                                                      \
    }                                                                                              \
    template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>                         \
    array operator op(T a, const array &b)                                                         \
    {                                                                                              \
        return array(a) op b;                                                                      \
    }
#define GND_CXX_ASSIGN(op, function)                                                               \
    GND_CXX_BINARY(op, function)                                                                   \
    inline array &operator op##=(array &a, const array &b)                                         \
    {                                                                                              \
        return a = a op b;                                                                         \
    }                                                                                              \
    template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>                         \
    array &operator op##=(array &a, T b)                                                           \
    {                                                                                              \
        return a = a op array(b);                                                                  \
    }
GND_CXX_ASSIGN(+, gnd_add)
GND_CXX_ASSIGN(-, gnd_subtract)
GND_CXX_ASSIGN(*, gnd_multiply)
GND_CXX_ASSIGN(/, gnd_divide)
GND_CXX_ASSIGN(%, gnd_remainder)
GND_CXX_ASSIGN(&, gnd_bitwise_and)
GND_CXX_ASSIGN(|, gnd_bitwise_or)
GND_CXX_ASSIGN(^, gnd_bitwise_xor)
GND_CXX_ASSIGN(<<, gnd_bitwise_left_shift)
GND_CXX_ASSIGN(>>, gnd_bitwise_right_shift)
GND_CXX_BINARY(==, gnd_equal)
GND_CXX_BINARY(!=, gnd_not_equal)
GND_CXX_BINARY(<, gnd_less)
GND_CXX_BINARY(<=, gnd_less_equal)
GND_CXX_BINARY(>, gnd_greater)
GND_CXX_BINARY(>=, gnd_greater_equal)
#undef GND_CXX_BINARY
#undef GND_CXX_ASSIGN
inline array operator-(const array &a)
{
    return array(gnd_negative(a.get()));
}
inline array operator+(const array &a)
{
    return a;
}
inline array operator~(const array &a)
{
    return array(gnd_bitwise_invert(a.get()));
}
/* C++'s && and || would need both operands as bool immediately. Use & and |, or
 * gnd::logical_and. */
array operator&&(const array &, const array &) = delete;
array operator||(const array &, const array &) = delete;

inline std::ostream &operator<<(std::ostream &out, const array &x)
{
    return out << x.to_string();
}

/* --- functions whose C form has pointers --- */

/* The value of an expression in NumPy's syntax, as gnd_eval. */
inline array eval(gnd_device *dev, const char *text,
                  std::initializer_list<std::pair<const char *, array>> names = {})
{
    std::vector<const char *> n;
    std::vector<gnd_array *> v;
    for (const auto &p : names) {
        n.push_back(p.first);
        v.push_back(p.second.get());
    }
    return array(gnd_eval_names(dev, text, static_cast<int>(n.size()), n.data(), v.data()));
}
/* x with its axes permuted: axis i of the result is axis perm[i] of x. */
inline array permute_dims(const array &x, const std::vector<int> &perm)
{
    if (static_cast<int>(perm.size()) != x.ndim())
        return array(gnd_fail(GND_ERR_AXIS, "permute_dims: %zu axes for an array of %d",
                              perm.size(), x.ndim()));
    return array(gnd_permute_dims(x.get(), perm.data()));
}
/* Moves element i to (i + shift) mod extent along axis. */
inline array roll(const array &x, int64_t shift, int axis)
{
    return array(gnd_roll(x.get(), 1, &shift, &axis));
}
/* A copy of x with value added at the places of an index, as gnd_add_at. */
inline array add_at(const array &x, const indices &i, const array &value)
{
    return array(gnd_add_at(x.get(), i.n(), i.data(), value.get()));
}

} // namespace GND_CXX_ERRORS
} // namespace gnd

#include <gnd/functions.hpp>

#endif
