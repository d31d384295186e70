/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_expr.c - the expression language without a device to compute on: its grammar (as programs in
 * postfix form), numbers, errors and their columns, what functions make of shapes and dtypes (on
 * the null device), long and deep texts, random texts, and every allocation failing.
 */
#include <gnd.h>
#include "base/mem.h"
#include "lang/expr.h"
#include "exprdump.h"
#include "graph/opset.h"
#include "tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- grammar ---------------------------------------------------------------------------------- */

static void test_grammar(void)
{
    /* clang-format off */
    static const char *const cases[][2] = {
        {"1+2*3", "1 2 3 * +"},
        {"1-2-3", "1 2 - 3 -"},
        {"a//b%c*d@e/f", "a b // c % d * e @ f /"},
        {"2**3**2", "2 3 2 ** **"},
        {"-a**2", "a 2 ** u-"},
        {"a**-b", "a b u- **"},
        {"-2**-1", "2 -1 ** u-"},
        {"2**-1*3 - -4//3", "2 -1 ** 3 * -4 3 // -"},
        {"--+~a", "a u~ u+ u- u-"},
        {"~a**b", "a b ** u~"},
        {"-a[0]", "a 0 [1] u-"},
        {"-1 .real", "1 .real u-"},
        {"a<<1+2", "a 1 2 + <<"},
        {"a&b<<c", "a b c << &"},
        {"a|b^c&d", "a b c d & ^ |"},
        {"a|b==c", "a b | c =="},
        {"a+1<b*2", "a 1 + b 2 * <"},
        {"(a<b)&(c>=d)", "a b < c d >= &"},
        {"a!=b", "a b !="},
        {"(a)", "a"},
        {"(a,)", "a tuple/1"},
        {"()", "tuple/0"},
        {"a,b", "a b tuple/2"},
        {"[]", "list/0"},
        {"[[1,2],[3,4,],]", "1 2 list/2 3 4 list/2 list/2"},
        {"f()", "f/0"},
        {"f(a, k=b, )", "a b k= f/2"},
        {"x.T.sum(axis=(0,-1)).T", "x .T 0 -1 tuple/2 axis= .sum/1 .T"},
        {"x[1:, ::-1, ..., None]", "x 1 None None slice None None -1 slice ... None [4]"},
        {"x[a:b:c, :]", "x a b c slice None None None slice [2]"},
        {"x[::]", "x None None None slice [1]"},
        {"x[0][1]", "x 0 [1] 1 [1]"},
        {"x[1,]", "x 1 [1]"},
        {"np.sin(np.pi)", "pi sin/1"},
        {"'f4'", "'f4'"},
        {"a=1;b=a", "1 ->a ; a ->b"},
        {"a=b=1\n\n;; a", "1 ->a ->b ; a"},
        {"a,b=b,a", "b a tuple/2 unpack/2 ->a drop ->b drop"},
        {"a*=b+1", "a b 1 + * ->a"},
        {"x[0,1:]=2;x", "x 0 1 None None slice 2 set[2] ->x ; x"},
        {"x[i]+=y,", "x i again/2 [1] y tuple/1 + set[1] ->x"},
        {"# only\n1 # one\n", "1"},
        {"f(1,\n  2)\n+3", "1 2 f/2 ; 3 u+"},
        {"1 + \\\n2", "1 2 +"},
        {"1_000 + 0xff + 0b101 + 0o17", "1000 255 + 5 + 15 +"},
        {"1e3+.5+1.+1_0.5e-1", "1000 0.5 + 1 + 1.05 +"},
        {"2j", "2j"},
        {"a.b", "a .b"},
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *dump = exprdump(cases[i][0]);
        tap_is_str(dump, cases[i][1], "grammar: %s", cases[i][0]);
        gnd__free(dump);
    }
}

/* --- numbers ---------------------------------------------------------------------------------- */

static double value(const char *text)
{
    gnd_array *x = gnd_eval(NULL, text, (char *)NULL);
    double v = gnd_item_f64(x, NULL);
    if (gnd_status_of(x))
        tap_diag("%s", gnd_error(x));
    gnd_release(x);
    return v;
}

static void test_numbers(void)
{
    /* clang-format off */
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"2**-1 * 3 - -4 // 3", 3.5}, {"-7 // 2", -4}, {"-7 % 3", 2}, {"7 % -3", -2},
        {"-7.5 // 2", -4}, {"-7.5 % 2", 0.5}, {"5.5 % -2", -0.5}, {"7 / 2", 3.5},
        {"2**10", 1024}, {"-2**2", -4}, {"0**0", 1}, {"2.0**0.5", 1.4142135623730951},
        {"1 << 4 | 3", 19}, {"6 & 3 ^ 1", 3}, {"~5", -6}, {"-1 >> 70", -1}, {"True + True", 2},
        {"1 < 2", 1}, {"2 <= 1", 0}, {"1 == 1.0", 1}, {"nan == nan", 0}, {"nan != nan", 1},
        {"(1 + 2j) * (3 - 1j) == 5 + 5j", 1}, {"2j ** 2 == -4", 1}, {"1 / 2j == -0.5j", 1},
        {"-9223372036854775808", -9223372036854775808.0}, {"9223372036854775808", 0x1p63},
        {"2**63 == 0x8000_0000_0000_0000", 1}, {"2**63 + (2**63 - 1) == 18446744073709551615", 1},
        {"18446744073709551615 > -1", 1}, {"18446744073709551615 - 18446744073709551614", 1},
        {"2**63 // 2 == 2**62", 1},
        {"18446744073709551615 % 10", 5}, {"(2**63 >> 60) / 2", 4}, {"18446744073709551615 & 255", 255},
        {"-(2**63) == -9223372036854775808", 1}, {"int(1e19) == 10000000000000000000", 1},
        {"iinfo(uint64).max == 2**63 * 2.0", 1}, {"iinfo(uint64).max == 18446744073709551615", 1},
        {"maximum(2**63, 5) - 2**63", 0}, {"bool(2**63)", 1}, {"-2**63", -0x1p63}, {"0x7fffffffffffffff > 0", 1},
        {"pi", 3.141592653589793}, {"e", 2.718281828459045}, {"-inf", -INFINITY},
        {"sqrt(2)", 1.4142135623730951}, {"sqrt(16) * 2", 8}, {"abs(-3)", 3},
        {"maximum(2, 7) // 2", 3}, {"x = 3; x += 2; x * x", 25}, {"a, b = 2, 5; b - a", 3},
        {"t = (1, 2) + (3,); t[-1] + t[0]", 4}, {"[4, 5, 6][1:][0]", 5}, {"(1, 2) == (1, 2)", 1},
        {"int(-2.7) + float(1)", -1}, {"bool(3)", 1}, {"float32 == float64", 0},
        {"9223372036854775807 % -9223372036854775807", 0}, {"-9223372036854775807 % 3", 2},
        {"1 % (-9223372036854775807 - 1) + 9223372036854775807", 0},
        {"round(2.5) + round(3.5)", 6}, {"where(1 < 2, 10, 20)", 10}, {"1_000", 1000},
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        tap_is_f64(value(cases[i].text), cases[i].value, "number: %s", cases[i].text);
}

/* --- errors ----------------------------------------------------------------------------------- */

/* The message of text on the null device, with x of shape (3, 4). */
static void fails(gnd_device *dev, const char *text, gnd_status code, const char *message)
{
    gnd_array *x = gnd_zeros(dev, GND_FLOAT32, 2, (int64_t[]){3, 4});
    gnd_array *y = gnd_eval(dev, text, "x", x, (char *)NULL);
    if (tap_is_str(gnd_status_name(gnd_status_of(y)), gnd_status_name(code), "error: %s", text))
        tap_has_str(gnd_error(y), message, "message: %s", text);
    gnd_release(y);
    gnd_release(x);
}

static void test_errors(gnd_device *dev)
{
    /* clang-format off */
    static const struct {
        const char *text;
        gnd_status code;
        const char *message;
    } cases[] = {
        {"x + xx", GND_ERR_NAME, "column 5: unknown name 'xx': did you mean 'x'?\n  x + xx\n      ^"},
        {"1 +", GND_ERR_SYNTAX, "column 4: the expression ends where a value is expected\n  1 +\n     ^"},
        {"x +\n", GND_ERR_SYNTAX, "line 1, column 4"},
        {"a = 1\nb = a +* 2", GND_ERR_SYNTAX, "line 2, column 8: unexpected '*'"},
        {"\tx $ 1", GND_ERR_SYNTAX, "column 4: unexpected character '$'\n   x $ 1\n     ^"},
        {"(1", GND_ERR_SYNTAX, "',' or ')' is expected"},
        {"x[1", GND_ERR_SYNTAX, "',' or ']' is expected"},
        {"x[]", GND_ERR_SYNTAX, "an index is expected"},
        {"1)", GND_ERR_SYNTAX, "column 2: a ')' that nothing opened"},
        {"2x", GND_ERR_SYNTAX, "is written 2*x"},
        {"1 < 2 < 3", GND_ERR_SYNTAX, "column 7: comparisons cannot be chained"},
        {"x and x", GND_ERR_SYNTAX, "'and' is not supported"},
        {"1 if x else 2", GND_ERR_SYNTAX, "where(condition, a, b)"},
        {"x[0][1] = 1", GND_ERR_SYNTAX, "column 9: only a name, or x[...] of a name, can be assigned to"},
        {"x.T[0] = 1", GND_ERR_SYNTAX, "column 8: only a name, or x[...]"},
        {"x[0] = ", GND_ERR_SYNTAX, "the expression ends where a value is expected"},
        {"x[] = 1", GND_ERR_SYNTAX, "an index is expected"},
        {"True[0] = 1", GND_ERR_SYNTAX, "'True' cannot be assigned to"},
        {"None = 1", GND_ERR_SYNTAX, "'None' cannot be assigned to"},
        {"f(a=1, 2)", GND_ERR_SYNTAX, "positional argument after a keyword"},
        {"f(*x)", GND_ERR_SYNTAX, "cannot be unpacked"},
        {"(x)(1)", GND_ERR_SYNTAX, "a product needs *"},
        {"x(1)", GND_ERR_NAME, "'x' is no function"},
        {"'abc", GND_ERR_SYNTAX, "closing quote"},
        {"012", GND_ERR_SYNTAX, "leading zeros"},
        {"0x", GND_ERR_SYNTAX, "without digits"},
        {"", GND_ERR_SYNTAX, "nothing to evaluate"},
        {"# no more", GND_ERR_SYNTAX, "nothing to evaluate"},
        {"18446744073709551616", GND_ERR_OVERFLOW, "fits neither int64 nor uint64"},
        {"-9223372036854775809", GND_ERR_OVERFLOW, "fits neither int64 nor uint64"},
        {"2**64", GND_ERR_OVERFLOW, "column 2: the result fits neither int64 nor uint64"},
        {"-(2**63) - 1", GND_ERR_OVERFLOW, "the result fits neither"},
        {"~2**63", GND_ERR_OVERFLOW, "the result fits neither"},
        {"zeros(2**63)", GND_ERR_TYPE, "an int beyond int64"},
        {"arange(2**63)", GND_ERR_OVERFLOW, "arange: stop 9223372036854775808 does not fit int64"},
        {"int64(2**63)", GND_ERR_OVERFLOW, "the scalar 9223372036854775808 does not fit int64"},
        {"1 // 0", GND_ERR_ARG, "column 3: division by zero"},
        {"1.0 / 0", GND_ERR_ARG, "division by zero"},
        {"1 & 2.0", GND_ERR_DTYPE, "& is not for an int and a float"},
        {"1j < 2", GND_ERR_DTYPE, "< is not for"},
        {"1 << -1", GND_ERR_ARG, "negative count"},
        {"sqtr(x)", GND_ERR_NAME, "column 1: unknown function 'sqtr': did you mean 'sqrt'?"},
        {"len(x)", GND_ERR_NAME, "column 1: there is no function 'len': write x.shape[0]"},
        {"default_rng(1, 2)", GND_ERR_TYPE, "default_rng takes one argument"},
        {"default_rng(1).sin(x)", GND_ERR_NAME, "generators have no method 'sin'"},
        {"v.sort(); x.T.sort(); x", GND_ERR_SYNTAX, "column 15: sort as a statement changes"},
        {"subtract.reduce(x)", GND_ERR_NAME, "subtract.reduce"}, {"0 < x < 2", GND_ERR_SYNTAX, "write (a < b) & (b < c)"},
        {"np.random.RandomState(1)", GND_ERR_NAME, "there is no function 'random.RandomState': write default_rng(n)"},
        {"cp.sqrt(x)", GND_ERR_NAME, "column 1: unknown name 'cp': functions stand alone, or after np."},
        {"x && x", GND_ERR_SYNTAX, "column 4: '&&' is not supported: for arrays write (a) & (b)"},
        {"x || x", GND_ERR_SYNTAX, "'||' is not supported: for arrays write (a) | (b)"},
        {"zeros(3, 4)", GND_ERR_TYPE, "must be a dtype (a shape of several extents is one tuple, as (3, 4)), not an int"},
        {"Sum(x)", GND_ERR_NAME, "did you mean 'sum'?"},
        {"x.summ()", GND_ERR_NAME, "unknown method 'summ': did you mean 'sum'?"},
        {"x.sin()", GND_ERR_NAME, "write sin(x)"},
        {"x.shap", GND_ERR_NAME, "did you mean 'shape'?"},
        {"x.sum", GND_ERR_NAME, "'sum' is a method"},
        {"sin", GND_ERR_NAME, "'sin' is a function"},
        {"sin(x, x)", GND_ERR_TYPE, "column 8: sin takes 1 argument, not 2: it is sin(x)"},
        {"add(x)", GND_ERR_TYPE, "it is add(x1, x2)"},
        {"sum(x, 0, None, True)", GND_ERR_TYPE,
         "column 17: sum: too many arguments: it is sum(x, axis=None, dtype=None, *, keepdims=False, "
         "initial=None, where=True)"},
        {"x.sum(axsi=0)", GND_ERR_TYPE, "column 7: sum has no argument 'axsi': did you mean 'axis'?"},
        {"x.sum(0, axis=0)", GND_ERR_TYPE, "'axis' is given twice"},
        {"reshape(x)", GND_ERR_TYPE, "'shape' is missing: it is reshape(x, shape, *, copy=None)"},
        {"x.sum(axis='no')", GND_ERR_TYPE, "axis must be an int or a tuple of ints, not 'no'"},
        {"x.sum(axis=(0, 0))", GND_ERR_AXIS, "axis 0 is named twice"},
        {"x.sum(axis=7)", GND_ERR_AXIS, "column 3: sum: axis 7 is out of range"},
        {"zeros((2, 3), dtype='flaot32')", GND_ERR_DTYPE, "did you mean 'float32'?"},
        {"zeros(2.5)", GND_ERR_TYPE, "shape must be an int or a tuple of ints, not a float"},
        {"x + [1, 2, 3]", GND_ERR_SHAPE, "column 3: add: shapes (3, 4) and (3,)"},
        {"[[1, 2], [3]]", GND_ERR_SHAPE, "ragged"},
        {"x[5]", GND_ERR_INDEX, "column 2: index"},
        {"x[0:4:0]", GND_ERR_INDEX, "step 0"},
        {"x[1.0]", GND_ERR_INDEX, "a float as an index"},
        {"x['a']", GND_ERR_INDEX, "a string as an index: ints, slices, None, ... and arrays of ints"},
        {"x[x]", GND_ERR_DTYPE, "column 2: index: entry 0 is float32: indices are ints or bools"},
        {"x[[0, 1], [0, 1, 2]]", GND_ERR_SHAPE, "index: shapes (2,) and (3,) do not broadcast"},
        {"nowhere[0] = 1", GND_ERR_NAME, "unknown name 'nowhere'"},
        {"a = 1; a[0] = 1", GND_ERR_ARG, "an int cannot be changed: arrays can"},
        {"x[0] = zeros(3)", GND_ERR_SHAPE, "set: a value of shape (3,) does not broadcast to (4,)"},
        {"a = arange(3); a[0] += 0.5", GND_ERR_DTYPE, "+= gives float64, which does not go into int64"},
        {"where(x, 1)", GND_ERR_ARG, "where: y must be given"},
        {"pad(x, [])", GND_ERR_ARG, "pad_width must be one value, (before, after)"},
        {"pad(x, [[], [1]])", GND_ERR_ARG, "pad_width must be one value, (before, after)"},
        {"pad(x, zeros((2, 0), dtype=int))", GND_ERR_ARG, "pad_width must be one value, (before, after)"},
        {"nonzero(3)", GND_ERR_ARG, "at least one dimension"},
        {"take(x, [0.5])", GND_ERR_DTYPE, "indices is float64: indices are ints"},
        {"take(x, [5], 1, mode='warp')", GND_ERR_ARG, "take: mode must be 'raise', 'wrap' or 'clip'"},
        {"take(x, [5], 7, mode='wrap')", GND_ERR_AXIS, "take: axis 7 is out of range"},
        {"put(x, [5], 1, mode=1)", GND_ERR_TYPE, "put: mode must be 'raise', 'wrap' or 'clip'"},
        {"add_at(x, 7, 1)", GND_ERR_INDEX, "add_at: index 7 is out of range"},
        {"(1, 2)[5]", GND_ERR_INDEX, "index 5 is out of range for a tuple of 2 items"},
        {"x @ x", GND_ERR_SHAPE, "column 3: matmul: shapes (3, 4) and (3, 4)"},
        {"x.reshape(5, -1)", GND_ERR_SHAPE, "column 3: reshape"},
        {"a, b = 1, 2, 3", GND_ERR_ARG, "3 values for 2 names"},
        {"a, b = x", GND_ERR_ARG, "an array cannot be taken apart"},
        {"unstack(x)", GND_ERR_ARG, "a tuple of 3 values"},
        {"float32", GND_ERR_ARG, "the result is the dtype float32: an array is needed"},
        {"meshgrid(x[0], indexing='ab')[0]", GND_ERR_ARG, "'xy' or 'ij'"},
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        fails(dev, cases[i].text, cases[i].code, cases[i].message);

    gnd_array *y = gnd_eval(NULL, "zeros(3)", (char *)NULL);
    tap_is_int(gnd_status_of(y), GND_ERR_DEVICE, "an array needs a device");
    gnd_release(y);
    y = gnd_eval(dev, NULL, (char *)NULL);
    tap_is_int(gnd_status_of(y), GND_ERR_NULL, "no text");
    gnd_release(y);
    y = gnd_eval(dev, "x", "x", (gnd_array *)NULL, (char *)NULL);
    tap_is_int(gnd_status_of(y), GND_ERR_NULL, "no array");
    gnd_release(y);
    gnd_array *bad = gnd_fail(GND_ERR_IO, "load: no such file");
    y = gnd_eval(dev, "x + 1", "x", bad, (char *)NULL);
    tap_is_str(gnd_error(y), "load: no such file", "an array's error is passed on");
    gnd_release(y);
    gnd_release(bad);
    /* Long lines are cut round the place; the message is always whole lines. */
    char text[2000];
    memset(text, '1', sizeof text);
    for (int i = 1; i < 1900; i += 2)
        text[i] = '+';
    snprintf(text + 1001, sizeof text - 1001,
             "unknown_thing + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1");
    y = gnd_eval(dev, text, (char *)NULL);
    const char *line = strchr(gnd_error(y), '\n'), *caret = line ? strchr(line + 1, '\n') : NULL;
    tap_ok(line && caret && strlen(line) < 200 && caret[strlen(caret) - 1] == '^' &&
               !strncmp(line + strlen(caret) - 1, "unknown", 7),
           "a long line is cut round the place");
    gnd_release(y);
}

/* --- functions, by what they make of shapes and dtypes ---------------------------------------- */

static void describe(const gnd_array *x, char *buf, size_t size)
{
    size_t n = (size_t)snprintf(buf, size, "%s", gnd_dtype_name(gnd_dtype_of(x)));
    for (int i = 0; i < gnd_ndim(x) && n < size; i++)
        n += (size_t)snprintf(buf + n, size - n, " %lld", (long long)gnd_shape(x)[i]);
}

static void test_functions(gnd_device *dev)
{
    /* clang-format off */
    static const char *const cases[][2] = {
        {"x + 1", "float32 3 4"}, {"x + v", "float32 3 4"}, {"i + 0.5", "float64 2 3 4"},
        {"i8 + 1", "int8 4"}, {"x == 0", "bool 3 4"}, {"x.T", "float32 4 3"}, {"i.mT", "int64 2 4 3"},
        {"i[0]", "int64 3 4"}, {"i[..., 0]", "int64 2 3"}, {"i[:, None, 1:, ::-2]", "int64 2 1 2 2"},
        {"i[(0, 1)]", "int64 4"}, {"x[x.shape[0] - 1]", "float32 4"},
        {"zeros(3)", "float64 3"}, {"zeros((2, 3), dtype=int16)", "int16 2 3"}, {"ones(())", "float64"},
        {"empty([2, 0])", "float64 2 0"}, {"full((2,), 7)", "int64 2"}, {"full(2, 1.5, 'f4')", "float32 2"},
        {"zeros_like(x)", "float32 3 4"}, {"ones_like(x, dtype=bool)", "bool 3 4"},
        {"full_like(i8, 3)", "int8 4"}, {"empty_like(x)", "float32 3 4"},
        {"arange(5)", "int64 5"}, {"arange(1, 2, 0.25)", "float64 4"}, {"arange(5, dtype='u1')", "uint8 5"},
        {"linspace(0, 1)", "float64 50"}, {"linspace(0, 1, num=5, endpoint=False)", "float64 5"},
        {"eye(3)", "float64 3 3"}, {"eye(3, 4, k=1, dtype=int8)", "int8 3 4"}, {"identity(2)", "float64 2 2"},
        {"tri(2, 3)", "float64 2 3"}, {"tril(x)", "float32 3 4"}, {"np.triu(x, k=1)", "float32 3 4"},
        {"array([[1, 2], [3, 4]])", "int64 2 2"}, {"array([1, 2.5])", "float64 2"},
        {"asarray([True, False])", "bool 2"}, {"array([1, 2j], dtype=complex64)", "complex64 2"},
        {"array([v, v])", "float32 2 4"}, {"array(3)", "int64"}, {"[]", "float64 0"}, {"(1, 2)", "int64 2"},
        {"x.shape", "int64 2"}, {"meshgrid(v, i8)[1]", "int8 4 4"},
        {"meshgrid(v[:3], i8, indexing='ij')[0]", "float32 3 4"},
        {"x.astype(float64)", "float64 3 4"}, {"astype(x, 'int32')", "int32 3 4"}, {"x.astype(int)", "int64 3 4"},
        {"float16(x)", "float16 3 4"}, {"uint8(3)", "uint8"}, {"x.copy()", "float32 3 4"},
        {"x.reshape(2, -1)", "float32 2 6"}, {"x.reshape((6, 2))", "float32 6 2"},
        {"reshape(x, shape=(12,))", "float32 12"}, {"x.ravel()", "float32 12"}, {"x.flatten()", "float32 12"},
        {"permute_dims(i, (2, 0, 1))", "int64 4 2 3"}, {"transpose(i)", "int64 4 3 2"},
        {"i.transpose(1, 0, 2)", "int64 3 2 4"}, {"x.transpose()", "float32 4 3"},
        {"einsum(x, [0, 1], i, [2, 0, 1])", "float64 2"}, {"einsum(x, (3, 1), [1])", "float32 4"},
        {"einsum(i, [..., 7], x, [1, 7], [1, ...])", "float64 3 2 3"}, {"einsum(2, [], x, [0, 1], [1, 0])", "float32 4 3"},
        {"np.linalg.norm(i, axis=(2, 0), keepdims=True)", "float64 1 3 1"},
        {"linalg.norm(i, 'nuc', axis=(-1, 0))", "float64 3"}, {"linalg.svd(x).S", "float32 3"},
        {"svd(x, compute_uv=False)", "float32 3"}, {"eigh(i[:, :2, :2]).eigenvectors", "float64 2 2 2"},
        {"slogdet(x[:, :3]).logabsdet", "float32"}, {"qr(x.T, 'r')", "float32 3 3"},
        {"linalg.qr(x, mode='complete').R", "float32 3 4"}, {"cho_solve((x[:, :3], True), v[:3])", "float32 3"},
        {"solve_triangular(x[:, :3], x, trans='T')", "float32 3 4"}, {"matrix_rank(i, 0.5)", "int64 2"},
        {"linalg.matrix_rank(i, rtol=[0.1, 0.2])", "int64 2"}, {"pinv(i, [0.1, 0.2])", "float64 2 4 3"},
        {"linalg.trace(i)", "int64 2"}, {"linalg.diagonal(i, offset=1)", "int64 2 3"},
        {"fft = fft.fft(x); fft.sum(0)", "complex64 4"}, {"np, random = x, v; random.sum() + np.max()", "float32"},
        {"np.fft.fft(x)", "complex64 3 4"}, {"fft.rfft2(x)", "complex64 3 3"}, {"random.normal(0, 1, 2)", "float64 2"},
        {"r = np.random.default_rng(1); r.normal(size=(2, 3))", "float64 2 3"}, {"v.sort(); v", "float32 4"},
        {"matrix_transpose(i)", "int64 2 4 3"}, {"i.swapaxes(0, -1)", "int64 4 3 2"},
        {"moveaxis(i, 0, -1)", "int64 3 4 2"}, {"moveaxis(i, (0, 1), (1, 0))", "int64 3 2 4"},
        {"expand_dims(x, (0, -1))", "float32 1 3 4 1"}, {"squeeze(x[None])", "float32 3 4"},
        {"x[None].squeeze(axis=0)", "float32 3 4"}, {"flip(x)", "float32 3 4"}, {"flip(x, axis=1)", "float32 3 4"},
        {"flipud(x)", "float32 3 4"}, {"fliplr(x)", "float32 3 4"}, {"broadcast_to(v, (2, 4))", "float32 2 4"},
        {"broadcast_arrays(x, v)[1]", "float32 3 4"}, {"diagonal(x, 1)", "float32 3"},
        {"i.diagonal(axis1=1, axis2=2)", "int64 2 3"},
        {"concat([x, x])", "float32 6 4"}, {"concatenate((x, i[0]), axis=1)", "float64 3 8"},
        {"concat([x, v], axis=None)", "float32 16"}, {"stack([v, v], axis=-1)", "float32 4 2"},
        {"unstack(x)[2]", "float32 4"}, {"unstack(x, axis=1)[0]", "float32 3"}, {"vstack([v, x])", "float32 4 4"},
        {"hstack((v, v))", "float32 8"}, {"hstack([x, x])", "float32 3 8"}, {"tile(v, 2)", "float32 8"},
        {"tile(v, (2, 1))", "float32 2 4"}, {"repeat(x, 2)", "float32 24"}, {"repeat(x, 2, axis=0)", "float32 6 4"},
        {"x.repeat([1, 0, 2], axis=0)", "float32 3 4"}, {"roll(x, 1)", "float32 3 4"},
        {"roll(x, (1, 2), axis=(0, 1))", "float32 3 4"}, {"diff(v)", "float32 3"}, {"diff(x, n=2, axis=0)", "float32 1 4"},
        {"x.sum()", "float32"}, {"sum(i8)", "int64"}, {"x.sum(axis=0)", "float32 4"},
        {"i.sum(axis=(0, -1))", "int64 3"}, {"sum(x, 1, keepdims=True)", "float32 3 1"},
        {"sum(x, axis=())", "float32 3 4"}, {"i8.sum(dtype=int8)", "int8"}, {"prod(i8)", "int64"},
        {"x.mean(dtype=float64)", "float64"}, {"mean(i8)", "float64"}, {"max(x, axis=-1)", "float32 3"},
        {"amin(x)", "float32"}, {"x.var(ddof=1)", "float32"}, {"std(x, axis=0, correction=1)", "float32 4"},
        {"any(x)", "bool"}, {"all(x, axis=1)", "bool 3"}, {"count_nonzero(x, axis=0)", "int64 4"},
        {"argmax(x)", "int64"}, {"x.argmin(axis=1)", "int64 3"}, {"ptp(x)", "float32"}, {"trace(x)", "float32"},
        {"x @ v", "float32 3"}, {"matmul(x, x.T)", "float32 3 3"}, {"x.dot(v)", "float32 3"}, {"dot(v, 2)", "float32 4"},
        {"outer(v, i8)", "float32 4 4"}, {"vecdot(x, v)", "float32 3"},
        {"where(x > 0, x, 0)", "float32 3 4"}, {"clip(x, 0, 1)", "float32 3 4"}, {"clip(x, None, 1)", "float32 3 4"},
        {"x.clip(0)", "float32 3 4"}, {"round(x, 2)", "float32 3 4"}, {"x.round()", "float32 3 4"},
        {"real(c)", "float32 2"}, {"c.imag", "float32 2"}, {"c.conj()", "complex64 2"}, {"angle(c)", "float32 2"},
        {"isclose(x, v)", "bool 3 4"}, {"allclose(x, v)", "bool"}, {"erf(x)", "float32 3 4"},
        {"average(x, axis=1, weights=v, keepdims=True)", "float32 3 1"}, {"average(x, returned=True)[1]", "float32"},
        {"average(i, axis=(2, 0), weights=ones((4, 2)))", "float64 3"}, {"cov(x)", "float64 3 3"},
        {"cov(x, v, bias=True)", "float64 4 4"}, {"cov(x, rowvar=False, ddof=2, dtype=float32)", "float32 4 4"},
        {"cov(v, fweights=i8, aweights=v)", "float64"}, {"corrcoef(x, v)", "float64 4 4"}, {"x.trace(1)", "float32"},
        {"trace(i, axis1=1, axis2=-1, dtype=int8)", "int8 2"}, {"nansum(x, 0)", "float32 4"},
        {"nanprod(x, dtype=float64)", "float64"}, {"nanmean(x, axis=(0, 1), keepdims=True)", "float32 1 1"},
        {"nanvar(x, axis=1, ddof=1)", "float32 3"}, {"nanstd(c)", "float32"}, {"nanmax(i8)", "int8"},
        {"nanmin(x, axis=-1)", "float32 3"}, {"nanargmax(x)", "int64"}, {"nanargmin(x, 0)", "int64 4"},
        {"logsumexp(x, 1, b=2, keepdims=True)", "float32 3 1"}, {"softmax(x, axis=-1)", "float32 3 4"},
        {"log_softmax(i8)", "float64 4"}, {"normalize(c)", "complex64 2"}, {"standardize(x, axis=1, eps=0)", "float32 3 4"},
        {"diff(x, axis=0, prepend=0, append=x[:2])", "float32 5 4"}, {"ediff1d(x, to_begin=[1., 2.])", "float32 13"},
        {"gradient(v)", "float32 4"}, {"gradient(x)[1]", "float32 3 4"}, {"gradient(x, 2, axis=0)", "float32 3 4"},
        {"gradient(x, 1, v, edge_order=2)[0]", "float32 3 4"}, {"gradient(i, axis=(0, 2))[1]", "float64 2 3 4"},
        {"trapezoid(x, v)", "float32 3"}, {"trapz(x, dx=0.5, axis=0)", "float32 4"},
        {"isclose(x, 1, equal_nan=True)", "bool 3 4"}, {"array_equal(x, v)", "bool"}, {"array_equiv(x, v)", "bool"},
        {"polyval(v, x)", "float32 3 4"}, {"polyval([1, 2], 3)", "int64"}, {"polyfit(v, x.T, 2)", "float64 3 3"},
        {"polyfit(v, v, 1, w=v)", "float64 2"}, {"vander(i8)", "int64 4 4"}, {"vander(c, N=3, increasing=True)", "complex128 2 3"},
        {"absolute(c)", "float32 2"}, {"power(x, 2)", "float32 3 4"}, {"arctan2(x, v)", "float32 3 4"},
        {"x[[0, 2, 2]]", "float32 3 4"}, {"x[[]]", "float32 0 4"}, {"x[[[0], [1]], [1, 2]]", "float32 2 2"},
        {"i[:, [0, 1], 0]", "int64 2 2"}, {"i[0, :, [1, 2, 3]]", "int64 3 3"}, {"x[True]", "float32 1 3 4"},
        {"x[(0, [1, 2])]", "float32 2"}, {"x[arange(2)]", "float32 2 4"}, {"x[array(1)]", "float32 4"},
        {"a = x; a[0] = 1", "float32 3 4"}, {"a = x; a[:, [0, 1]] *= 2; a[0]", "float32 4"},
        {"b = a = x; a[..., None] = 3; b", "float32 3 4"}, {"take(x, [1, 2])", "float32 2"},
        {"take(x, [[1], [2]], axis=1)", "float32 3 2 1"}, {"x.take([0], axis=0)", "float32 1 4"},
        {"take(x, [])", "float32 0"}, {"take(x, [9, -9], 1, mode='clip')", "float32 3 2"},
        {"x.take(99, mode='wrap')", "float32"}, {"put(x, [0, 99], [5, 6], mode='wrap')", "float32 3 4"},
        {"fit_indices([9, -9], 4)", "int64 2"}, {"fit_indices(9, 4, 'clip')", "int64"},
        {"take_along_axis(x, [[0, 1]], 1)", "float32 3 2"},
        {"take_along_axis(x, [3, 4], None)", "float32 2"}, {"put_along_axis(x, [[0]], 1, 1)", "float32 3 4"},
        {"put(x, [0, -1], [5, 6])", "float32 3 4"}, {"place(x, x > 0, [1, 2])", "float32 3 4"},
        {"set_at(x, (0, 1), 5)", "float32 3 4"}, {"add_at(x, [0, 0], 5)", "float32 3 4"},
        {"maximum_at(x, ([0, 0], [1, 1]), v[:2])", "float32 3 4"}, {"min_at(i, 0, 1)", "int64 2 3 4"},
        {"lu(x)[0]", "float32 3 3"}, {"left_shift(i8, 1)", "int8 4"}, {"invert(i8)", "int8 4"}, {"s * x", "float32 3 4"}, {"s", "float64"},
    };
    /* clang-format on */
    const char *names[] = {"x", "v", "i", "i8", "c", "s"};
    gnd_array *arrays[] = {
        gnd_zeros(dev, GND_FLOAT32, 2, (int64_t[]){3, 4}),
        gnd_zeros(dev, GND_FLOAT32, 1, (int64_t[]){4}),
        gnd_zeros(dev, GND_INT64, 3, (int64_t[]){2, 3, 4}),
        gnd_zeros(dev, GND_INT8, 1, (int64_t[]){4}),
        gnd_zeros(dev, GND_COMPLEX64, 1, (int64_t[]){2}),
        gnd_real(2),
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char got[128];
        gnd_array *y = gnd_eval_names(dev, cases[i][0], 6, names, arrays);
        describe(y, got, sizeof got);
        if (!tap_is_str(got, cases[i][1], "shape: %s", cases[i][0]) && gnd_status_of(y))
            tap_diag("%s", gnd_error(y));
        gnd_release(y);
    }
    gnd_array *same = gnd_eval(NULL, "x", "x", arrays[0], (char *)NULL);
    tap_ok(same != arrays[0], "an array itself comes as a new handle");
    gnd_release(same);
    for (int i = 0; i < 6; i++)
        gnd_release(arrays[i]);
}

/* Every elementwise operation of the table is a function of the language. */
static void test_table(gnd_device *dev)
{
    gnd_array *x = gnd_ones(dev, GND_FLOAT32, 1, (int64_t[]){4});
    int bad = 0;
    for (int op = 0; op < GND__NOPS; op++) {
        char text[80];
        const gnd__opinfo *o = &gnd__ops[op];
        int whole = !o->text_f || o->rule == GND__RULE_LDEXP;
        snprintf(text, sizeof text, "%s(%s)", o->name,
                 o->nin == 1   ? (whole ? "int8(x)" : "x")
                 : o->nin == 2 ? (whole ? "int8(x), int8(x)" : "x, x")
                               : "x, x, x");
        gnd_array *y = gnd_eval(dev, text, "x", x, (char *)NULL);
        if (gnd_status_of(y)) {
            bad++;
            tap_diag("%s", gnd_error(y));
        }
        gnd_release(y);
    }
    tap_is_int(bad, 0, "each of the %d elementwise operations can be called", (int)GND__NOPS);
    gnd_release(x);
}

/* --- size ------------------------------------------------------------------------------------- */

static char *repeated(const char *head, const char *part, int n, const char *tail)
{
    size_t h = strlen(head), p = strlen(part), t = strlen(tail);
    char *s = malloc(h + p * (size_t)n + t + 1), *q = s;
    memcpy(q, head, h);
    q += h;
    for (int i = 0; i < n; i++, q += p)
        memcpy(q, part, p);
    memcpy(q, tail, t + 1);
    return s;
}

static void test_size(gnd_device *dev)
{
    char *text = repeated("1", "+1", 100000, "");
    tap_is_f64(value(text), 100001, "a sum of 100,001 numbers");
    free(text);
    text = repeated("", "-", 100000, "1");
    tap_is_f64(value(text), 1, "100,000 signs");
    free(text);
    text = repeated("", "a=1;", 50000, "a");
    tap_is_f64(value(text), 1, "50,000 statements");
    free(text);
    text = repeated("[", "1,", 100000, "][99999]");
    tap_is_f64(value(text), 1, "a list of 100,000 numbers");
    free(text);

    gnd_array *x = gnd_ones(dev, GND_FLOAT32, 1, (int64_t[]){8});
    text = repeated("x", "+x", 1500, "");
    long before = 0;
    gnd_array *y = NULL;
    for (int i = 0; i < 2; i++) { /* the device keeps plans and blocks of the first time */
        before = gnd__mem_live();
        y = gnd_eval(dev, text, "x", x, (char *)NULL);
        tap_is_str(gnd_error(y), "", "a sum of 1,501 arrays");
        gnd_release(y);
    }
    tap_ok(gnd__mem_live() <= before, "... of which nothing is left");
    free(text);
    gnd_release(x);

    static const char *const deep[][2] = {
        {"(", ")"}, {"[", "]"}, {"sin(", ")"}, {"1**", "1"}, {"x[", "]"}};
    for (size_t i = 0; i < sizeof deep / sizeof deep[0]; i++) {
        text = repeated("", deep[i][0], 300, "1");
        char *more = repeated(text, deep[i][1], i == 3 ? 0 : 300, "");
        y = gnd_eval(NULL, more, (char *)NULL);
        tap_is_int(gnd_status_of(y), GND_ERR_SYNTAX, "300 levels of %s", deep[i][0]);
        tap_has_str(gnd_error(y), "more than 200 levels of nesting", "... said");
        gnd_release(y);
        free(more);
        free(text);
        text = repeated("", deep[i][0], 199, "1");
        more = repeated(text, deep[i][1], i == 3 ? 0 : 199, "");
        char *dump = exprdump(more);
        tap_ok(dump && !strstr(dump, "eval:"), "199 levels of %s", deep[i][0]);
        gnd__free(dump);
        free(more);
        free(text);
    }
    text = repeated("a=1;", "a=[a,1];", 5000, "a");
    y = gnd_eval(NULL, text, (char *)NULL);
    tap_ok(gnd_status_of(y) != GND_OK, "lists nested by names have a limit");
    gnd_release(y);
    free(text);
    text = repeated("a=[1];", "a=[a,a];", 60, "a");
    y = gnd_eval(NULL, text, (char *)NULL);
    tap_is_int(gnd_status_of(y), GND_ERR_OVERFLOW, "lists that double have a limit");
    gnd_release(y);
    free(text);
}

/* --- random texts, failing allocations -------------------------------------------------------- */

static uint32_t random_state = 12345;
static uint32_t rnd(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)random_state * n) >> 32);
}

static void test_random(gnd_device *dev)
{
    static const char *const word[] = {
        "x",       "y",        "1",         "0",
        "2.5",     "3j",       "-",         "+",
        "*",       "**",       "/",         "//",
        "%",       "@",        "&",         "|",
        "^",       "~",        "<<",        ">>",
        "<",       "==",       "(",         ")",
        "[",       "]",        ",",         ":",
        ".",       "...",      "=",         ";",
        "\n",      " ",        "sum",       "sum(",
        "x.sum(",  "axis=",    "x.T",       "x.reshape(",
        "zeros(",  "arange(",  "None",      "True",
        "float32", "'f4'",     "[1,2]",     "(1,2)",
        "x[",      "concat([", "])",        "where(",
        "inf",     "nan",      "#",         "\\",
        "$",       "\xc3\xa9", "\"",        "np.",
        "x.shape", "a=",       "a",         "a,b=",
        "+=",      "repeat(",  "meshgrid(", "keepdims=True",
        "dtype=",  "diff(",    "roll(",     "e9",
    };
    gnd_array *x = gnd_ones(dev, GND_FLOAT32, 2, (int64_t[]){2, 3}),
              *y = gnd_ones(dev, GND_INT8, 0, NULL);
    int done = 0, ok = 0;
    long before = gnd__mem_live();
    for (int k = 0; k < 30000; k++) {
        char text[400] = "";
        for (uint32_t n = 1 + rnd(14); n; n--)
            strcat(text, word[rnd(sizeof word / sizeof word[0])]);
        gnd_array *r = gnd_eval(dev, text, "x", x, "y", y, (char *)NULL);
        done++;
        ok += gnd_status_of(r) == GND_OK;
        if (gnd_status_of(r) == GND_ERR_INTERNAL)
            tap_fail("internal error: %s: %s", text, gnd_error(r));
        gnd_release(r);
    }
    for (int k = 0; k < 20000; k++) {
        char text[24];
        uint32_t n = rnd(sizeof text - 1);
        for (uint32_t i = 0; i < n; i++)
            text[i] = (char)(1 + rnd(255));
        text[n] = 0;
        gnd_release(gnd_eval(dev, text, "x", x, (char *)NULL));
        done++;
    }
    tap_ok(ok > 50, "%d random texts: %d mean something, none crashes", done, ok);
    tap_is_int(gnd__mem_live(), before, "nothing is left of them");
    gnd_release(x);
    gnd_release(y);
}

static void test_memory(gnd_device *dev)
{
    static const char text[] =
        "a = [1, 2.5, 3]; b, c = meshgrid(x, a)\n"
        "d = concat([b, c * 2 + x], axis=1)[1:, ::2]; d.reshape(-1).sum(axis=0) + d.shape[0]";
    gnd_array *x = gnd_ones(dev, GND_FLOAT32, 1, (int64_t[]){3});
    gnd_array *y = gnd_eval(dev, text, "x", x, (char *)NULL);
    if (!tap_is_str(gnd_error(y), "", "the text works"))
        return;
    gnd_release(y);
    long live = gnd__mem_live(), made = gnd__mem_count();
    gnd_release(gnd_eval(dev, text, "x", x, (char *)NULL));
    made = gnd__mem_count() - made;
    int wrong = 0, leaks = 0, failed = 0;
    for (long n = 1; n <= made; n++) {
        gnd__mem_fail_at(n);
        y = gnd_eval(dev, text, "x", x, (char *)NULL);
        gnd__mem_fail_at(0);
        gnd_status s = gnd_status_of(y);
        gnd_release(y);
        leaks += gnd__mem_live() > live;
        failed += s == GND_ERR_NOMEM;
        wrong += s != GND_ERR_NOMEM && s != GND_OK;
    }
    tap_ok(failed > 30, "%ld allocations were made to fail, of which %d mattered", made, failed);
    tap_is_int(wrong, 0, "each of those gave out of memory");
    tap_is_int(leaks, 0, "and left nothing");
    gnd_release(x);
}

int main(void)
{
    gnd_device *dev = gnd_open("null:0");
    if (gnd_device_status(dev))
        tap_bail("null:0: %s", gnd_device_error(dev));
    test_grammar();
    test_numbers();
    test_errors(dev);
    test_functions(dev);
    test_table(dev);
    test_size(dev);
    test_random(dev);
    test_memory(dev);
    gnd_close(dev);
    return tap_done();
}
