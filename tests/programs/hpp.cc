/* SPDX-License-Identifier: BSD-3-Clause
 *
 * hpp.cc - gnd.hpp: owners, operators, lists, spans and mdspans, functions, errors as exceptions
 * or, compiled with GND_CXX_EXCEPTIONS 0, as values. Compiled by hpp.sh, which gives the device as
 * an argument.
 */
#include <gnd.hpp>

#include <array>
#include <cstdio>
#include <cstring>
#include <functional>
#include <sstream>
#if __cplusplus >= 202002L
#include <span>
#endif

static int count, failed;

static void ok(bool pass, const char *name)
{
    std::printf("%s %d - %s\n", pass ? "ok" : "not ok", ++count, name);
    failed += !pass;
}

template <class T> static bool same(const gnd::array &x, std::vector<T> want)
{
    return x.to_vector<T>() == want;
}

/* Does f fail with this status and a message that begins so? */
static void fails(const std::function<gnd::array()> &f, gnd_status code, const char *begin,
                  const char *name)
{
#if GND_CXX_EXCEPTIONS
    try {
        f();
        ok(false, name);
    } catch (const gnd::error &e) {
        ok(e.code() == code && std::strncmp(e.what(), begin, std::strlen(begin)) == 0, name);
    }
#else
    const gnd::array x = f();
    ok(x.status() == code && std::strncmp(x.message(), begin, std::strlen(begin)) == 0, name);
#endif
}

/* What std::mdspan has of members, with any strides. */
template <class T> struct grid {
    using element_type = T;
    T *p;
    std::array<long, 2> n, step;
    static constexpr size_t rank() { return 2; }
    long extent(size_t d) const { return n[d]; }
    long stride(size_t d) const { return step[d]; }
    T *data_handle() const { return p; }
};

static void owners(gnd::device &dev)
{
    gnd_stats before, after;
    gnd_device_stats(dev, &before);
    {
        gnd::array a = gnd::from(dev, {1.0, 2.0, 3.0}), b = a, c;
        c = b;
        b = a + 1;
        a = a; // itself
        ok(same<double>(a, {1, 2, 3}) && same<double>(b, {2, 3, 4}) && same<double>(c, {1, 2, 3}),
           "copies share a value");
        gnd::array d = std::move(c);
        ok(c.get() == nullptr && same<double>(d, {1, 2, 3}), "a moved array leaves nothing behind");
        gnd::array kept;
        gnd_scope_begin();
        kept = a * 2;
        gnd_scope_end();
        ok(same<double>(kept, {2, 4, 6}), "an array outlives the scope that it was made in");
        gnd_array *raw = (a * 3).release();
        gnd::array again = raw;
        ok(same<double>(again, {3, 6, 9}), "a handle that was given away can be taken over again");
        gnd::array made =
            gnd_negative(a); // a C function takes the array, and its result is taken over
        ok(same<double>(made, {-1, -2, -3}), "with functions of C");
        for (int i = 0; i < 1000; i++)
            a += 1;
        ok(same<double>(a, {1001, 1002, 1003}), "a thousand additions");
    }
    gnd_device_stats(dev, &after);
    ok(after.arrays == before.arrays, "nothing is left");
}

static void operators(gnd::device &dev)
{
    const gnd::array x = gnd::from(dev, {1, 2, 3, 4}), y = gnd::from(dev, {4, 3, 2, 1});
    ok(same<int>(x + y, {5, 5, 5, 5}) && same<int>(x - 1, {0, 1, 2, 3}) &&
           same<int>(10 - x, {9, 8, 7, 6}),
       "+ -");
    ok(same<int>(x * y, {4, 6, 6, 4}) &&
           same<double>(1 / x.astype(GND_FLOAT64), {1, 0.5, 1.0 / 3, 0.25}),
       "* /");
    ok(same<int>(x % 3, {1, 2, 0, 1}) && same<int>(-x, {-1, -2, -3, -4}) &&
           same<int>(+x, {1, 2, 3, 4}),
       "% - +");
    ok(same<int>(x & 1, {1, 0, 1, 0}) && same<int>(x | 4, {5, 6, 7, 4}) &&
           same<int>(x ^ y, {5, 1, 1, 5}),
       "& | ^");
    ok(same<int>(~x, {-2, -3, -4, -5}) && same<int>(x << 2, {4, 8, 12, 16}) &&
           same<int>(x >> 1, {0, 1, 1, 2}),
       "~ << >>");
    ok(same<bool>(x == y, {false, false, false, false}) &&
           same<bool>(x != 2, {true, false, true, true}),
       "== !=");
    ok(same<bool>(x < y, {true, true, false, false}) &&
           same<bool>(x <= 2, {true, true, false, false}) &&
           same<bool>(2 > x, {true, false, false, false}) &&
           same<bool>(x >= y, {false, false, true, true}),
       "< <= > >=");
    gnd::array z = x;
    z += y;
    z *= 2;
    z -= 1;
    z <<= 1;
    z %= 7;
    ok(same<int>(z, {4, 4, 4, 4}) && z.dtype() == GND_INT32, "compound assignments keep the dtype");
    ok((x + 1.5).dtype() == GND_FLOAT64 && (gnd::from(dev, {1.0f}) + 1.5).dtype() == GND_FLOAT32,
       "numbers are weak");
    ok(same<std::complex<double>>(gnd::from(dev, {1.0}) * std::complex<double>(0, 2), {{0, 2}}),
       "complex numbers");
    ok(same<bool>(gnd::array(true) & gnd::from(dev, {true, false}), {true, false}), "bools");
}

static void lists(gnd::device &dev)
{
    const gnd::array m = gnd::from(dev, {{1, 2, 3}, {4, 5, 6}});
    ok(m.ndim() == 2 && m.shape(0) == 2 && m.shape(-1) == 3 && m.size() == 6, "a list of rows");
    ok(m.shape().vector() == std::vector<int64_t>{2, 3}, "its shape");
    ok(same<int>(m[1], {4, 5, 6}) && m[-1][0].item<int>() == 4, "an index by a number");
    ok(same<int>(m[{gnd::slice(), 1}], {2, 5}) &&
           same<int>(m[{gnd::ellipsis, gnd::slice(gnd::none, gnd::none, -1)}], {3, 2, 1, 6, 5, 4}),
       "slices");
    ok(m[{gnd::newaxis, 0}].shape().vector() == std::vector<int64_t>{1, 3}, "a new axis");
    ok(same<int>(m[{m > 4}], {5, 6}) && same<int>(m[{gnd::from(dev, {1, 0}), 2}], {6, 3}),
       "masks and arrays of indices");
    ok(same<int>(m.at("::-1, 1:"), {5, 6, 2, 3}), "an index as text");
    ok(same<int>(m.set({0, gnd::slice(1)}, 9), {1, 9, 9, 4, 5, 6}) &&
           same<int>(m, {1, 2, 3, 4, 5, 6}),
       "set gives another array");
    ok(same<int>(m.T(), {1, 4, 2, 5, 3, 6}) && same<int>(m.reshape({3, -1})[{0}], {1, 2}),
       "T, reshape");
    ok(same<int>(gnd::permute_dims(m, {1, 0}), {1, 4, 2, 5, 3, 6}) &&
           same<int>(gnd::roll(m, 1, 1), {3, 1, 2, 6, 4, 5}),
       "permute_dims, roll");
    ok(gnd::zeros(dev, GND_FLOAT32, {0, 3}).size() == 0 &&
           gnd::zeros(dev, GND_INT8, {}).item<int>() == 0,
       "shapes without elements, and without dimensions");
    ok(same<int>(gnd::concat({m, m + 6}, 0)[{3}], {10, 11, 12}) &&
           gnd::stack({m, m}, 0).ndim() == 3,
       "lists of arrays");
    fails(
        [&] {
            return gnd::from(dev, {{1, 2}, {3}});
        },
        GND_ERR_SHAPE, "from: a row of 1 elements after one of 2",
        "rows of unequal length are an error");
}

static void memory(gnd::device &dev)
{
    std::vector<float> v{1, 2, 3, 4, 5, 6};
    const std::array<short, 3> a{7, 8, 9};
    ok(same<float>(gnd::from(dev, v), v) && gnd::from(dev, a).dtype() == GND_INT16,
       "vectors and std::array in");
    ok(same<bool>(gnd::from(dev, std::vector<bool>{true, false, true}), {true, false, true}),
       "vector<bool> in and out");
    ok(same<float>(gnd::from(dev, v, {2, 3}).T(), {1, 4, 2, 5, 3, 6}), "in a shape");
    std::vector<double> out(6);
    ok(gnd::from(dev, v).read(out) == GND_OK && out[5] == 6, "out to a vector, converted");
#if __cplusplus >= 202002L
    std::array<float, 3> three{};
    gnd::from(dev, std::span<const float>(v).subspan(1, 3)).read(std::span<float>(three));
    ok(three == std::array<float, 3>{2, 3, 4}, "spans in and out");
#else
    ok(true, "spans in and out # SKIP this is not C++20");
#endif
    const grid<float> columns{v.data(), {2, 3}, {1, 2}}; // (2, 3) in Fortran's order
    const gnd::array g = gnd::from(dev, columns);
    ok(same<float>(g, {1, 3, 5, 2, 4, 6}), "an mdspan of any layout in");
    std::vector<float> back(12, -1);
    ok((g * 10).read_to(grid<float>{back.data(), {2, 3}, {6, 2}}) == GND_OK &&
           back == std::vector<float>{10, -1, 30, -1, 50, -1, 20, -1, 40, -1, 60, -1},
       "and out");
    fails(
        [&] {
#if GND_CXX_EXCEPTIONS
            g.read_to(grid<float>{back.data(), {3, 2}, {1, 1}});
            return g;
#else
            return gnd::array(
                gnd_fail(g.read_to(grid<float>{back.data(), {3, 2}, {1, 1}}), "read_to: "));
#endif
        },
        GND_ERR_SHAPE, "read_to: ", "of another shape: an error");
    ok(gnd::from(dev, {2.5}).item<double>() == 2.5 && gnd::from(dev, {7}).item<long>() == 7 &&
           gnd::from(dev, {true}).item<bool>() &&
           gnd::from(dev, {std::complex<float>(1, 2)}).item<std::complex<float>>() ==
               std::complex<float>(1, 2),
       "items of every kind");
}

static void functions(gnd::device &dev)
{
    const gnd::array x = gnd::from(dev, {{4.0, 2.0}, {2.0, 3.0}});
    ok(gnd::sum(x).item<double>() == 11 && same<double>(gnd::max(x, GND_AXIS(0)), {4, 3}),
       "reductions, with defaults");
    const auto [q, r] = gnd::qr(x, 0);
    ok(gnd::all(gnd::isclose(gnd::matmul(q, r), x, 1e-12, 1e-12, 0)).item<bool>(),
       "results as a tuple");
    const auto [u, s, vh] = gnd::svd(x, 0);
    ok(u.ndim() == 2 && s.size() == 2 && vh.size() == 4, "three of them");
    ok(same<double>(gnd::where(x > 2, x, 0), {4, 0, 0, 3}), "numbers for arrays");
    ok(same<double>(gnd::eval(dev, "a @ a - b", {{"a", x}, {"b", 1}}), {19, 13, 13, 12}), "eval");
    std::ostringstream text;
    text << x;
    ok(text.str() == "[[4. 2.]\n [2. 3.]]" && x.to_string() == text.str(),
       "printed as NumPy prints");
    ok(same<double>(
           gnd::add_at(gnd::zeros(dev, GND_FLOAT64, {3}), {gnd::from(dev, {0, 2, 0})}, 1.0),
           {2, 0, 1}),
       "add_at");
    x.wait();
}

static void errors(gnd::device &dev)
{
    const gnd::array x = gnd::from(dev, {1.0, 2.0, 3.0});
    fails([&] { return gnd::matmul(x, gnd::ones(dev, GND_FLOAT64, {4})); }, GND_ERR_SHAPE,
          "matmul: shapes (3,) and (4,): 3 != 4", "shapes that do not fit");
    fails([&] { return x[{7}]; }, GND_ERR_INDEX, "index: ", "an index out of range");
    fails([&] { return x + gnd::array(); }, GND_ERR_NULL, "add: ", "no array");
    fails([&] { return gnd::array(UINT64_MAX) + x; }, GND_ERR_OVERFLOW, "",
          "a number that is too large");
    const gnd::array late = gnd::take(x, gnd::from(dev, {9}), 0); // the device finds it
#if GND_CXX_EXCEPTIONS
    fails([&] { return gnd::array(late.to_vector<double>()[0]); }, GND_ERR_INDEX, "take: index 9",
          "when it is read");
    try {
        gnd::device none("opencl:there is no such device");
        ok(false, "a device that is not there");
    } catch (const gnd::error &e) {
        ok(e.code() == GND_ERR_DEVICE, "a device that is not there");
    }
    try {
        gnd::cholesky(gnd::from(dev, {{1.0, 2.0}, {2.0, 1.0}}), 0).wait();
        ok(false, "a matrix that is not positive definite");
    } catch (const std::exception &e) {
        ok(std::strncmp(e.what(), "cholesky: ", 10) == 0, "a matrix that is not positive definite");
    }
#else
    double v[1];
    ok(late.read(v, 1) == GND_ERR_INDEX && late.status() == GND_ERR_INDEX, "when it is read");
    gnd::device none("opencl:there is no such device");
    ok(none.status() == GND_ERR_DEVICE && *none.message(), "a device that is not there");
    ok(gnd::cholesky(gnd::from(dev, {{1.0, 2.0}, {2.0, 1.0}}), 0).read(v, 1) != GND_OK,
       "a matrix that is not positive definite");
#endif
}

int main(int argc, char **argv)
{
    {
        gnd::device dev(argc > 1 ? argv[1] : nullptr);
        owners(dev);
        operators(dev);
        lists(dev);
        memory(dev);
        functions(dev);
        errors(dev);
    }
    std::printf("1..%d\n", count);
    return failed != 0;
}
