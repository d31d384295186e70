/* SPDX-License-Identifier: BSD-3-Clause
 *
 * calls_check.h - the program of tests/tree/calls.sh, behind the table that tests/tree/calls.awk
 * writes: each public function is called with each of its arrays released, NULL, of other dtypes, a
 * placeholder; with an axis that there is not; and without device memory. Where that is an error,
 * its message begins with the function's name.
 */

/* A file of the tests' library would need the build's flags: here is what this program needs of
 * TAP. */
static int tests, failures;

static void passes(int ok, const char *what)
{
    printf("%sok %d - %s\n", ok ? "" : "not ", ++tests, what);
    failures += !ok;
}

/* One failure of a test, which `bad` counts. */
static void complain(int *bad, const struct call *c, const char *arg, const char *want)
{
    if (++*bad <= 40)
        printf("# %s(%s): %s \"%s\", want %s\n", c->name, arg, gnd_status_name(status), message,
               want);
}

/* What C's names have behind NumPy's, which messages may leave out: "sum: ..." is said of
 * gnd_sum_as too. */
static const char *const endings[] = {"_as",   "_array",  "_f64",   "_i64", "_part",
                                      "_axes", "_legacy", "_names", NULL};

static int begins_with_name(const char *name)
{
    size_t n = strlen(name);
    if (!strncmp(message, name, n) &&
        (message[n] == ':' || message[n] == '(')) /* einsum('ij'): ... */
        return message[n + 1] && message[n + 2];
    for (int i = 0; endings[i]; i++) {
        size_t e = strlen(endings[i]);
        if (n > e && !strcmp(name + n - e, endings[i]) && !strncmp(message, name, n - e) &&
            message[n - e] == ':')
            return message[n - e + 1] == ' ' && message[n - e + 2];
    }
    return 0;
}

static int one_of(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(name, *list))
            return 1;
    return 0;
}

/* An argument that function c does something with: most take a matrix of floats, the others what
 * their names tell. */
static gnd_array *usual(const struct call *c, const char *arg)
{
    static const char *const flat[] = {
        "bincount", "bincount_of", "interp",  "searchsorted", "digitize",
        "convolve", "correlate",   "polyfit", "histogramdd",  "rng_multivariate_normal",
        "lexsort",  "vander",      NULL};
    static const char *const scalar[] = {"start",  "stop", "step",   "base",   "fill", "discont",
                                         "period", "left", "right",  "rtol",   "low",  "high",
                                         "q",      "nan",  "posinf", "neginf", NULL};
    static const char *const ints[] = {"indices", "counts", "sorter", NULL};
    static const char *const truth[] = {"condition", "conditions", "mask", "where", NULL};
    static const char *const row[] = {"edges", "weights", "bins",     "p",        "xp",
                                      "fp",    "w",       "fweights", "aweights", NULL};
    static const int64_t ramp[] = {0, 1, 2, 3};
    static const float values[16] = {1, 2, 3, 4, 2, 5, 1, 1, 3, 1, 9, 2, 4, 1, 2, 8};
    if (one_of(arg, scalar))
        return !strcmp(arg, "q")                              ? gnd_real(0.5)
               : !strcmp(arg, "stop") || !strcmp(arg, "high") ? gnd_int(3)
                                                              : gnd_int(1);
    if (one_of(arg, ints) || (!strncmp(c->name, "bincount", 8) && !strcmp(arg, "x")))
        return gnd_from(the_device, GND_INT64, 1, fours, ramp);
    if (one_of(arg, truth))
        return gnd_from(the_device, GND_BOOL, 1, fours, "\1\0\1\1");
    return gnd_from(the_device, GND_FLOAT32,
                    (one_of(c->name, flat) && strcmp(arg, "cov")) || one_of(arg, row) ? 1 : 2,
                    fours, values);
}

static void usual_all(const struct call *c, gnd_array **v)
{
    for (int i = 0; i < c->arrays; i++)
        v[i] = usual(c, c->arg[i]);
    variable = gnd_keep(usual(c, "x"));
    the_axes = GND_AXIS(0);
    the_axis = 0;
    the_dtype = GND_FLOAT32;
    status = GND_OK;
    message[0] = '\0';
    result = NULL;
}

/* Questions: their answers of a handle that is none are documented, and no errors. */
static void answers(void)
{
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(the_device, GND_FLOAT32, 2, fours);
    gnd_release(x);
    passes(gnd_status_of(x) == GND_ERR_STATE && strstr(gnd_error(x), "released"),
           "status_of and error");
    passes(gnd_dtype_of(x) == GND_DTYPE_DEFAULT && gnd_ndim(x) == 0 && gnd_shape(x) &&
               gnd_dim(x, 0) == -1 && gnd_size(x) == 0 && gnd_nbytes(x) == 0 && !gnd_device_of(x) &&
               !gnd_is_weak(x),
           "what it is: nothing");
    passes(!gnd_can_cast_array(x, GND_FLOAT32), "can_cast_array");
    passes(gnd_result_type(1, &x, 0, NULL) == GND_DTYPE_DEFAULT &&
               !strncmp(gnd_message(), "result_type: ", 13),
           "result_type");
    passes(!gnd_name_of(x)[0] && !gnd_made_at(x, NULL), "name_of and made_at");
    gnd_release(x);
    gnd_release(x);
    gnd_array *y = gnd_zeros(the_device, GND_FLOAT32, 2, fours);
    passes(gnd_status_of(y) == GND_OK, "releases too many change nothing");
    for (int i = 0; i < 2; i++) {
        gnd_array *const *in = i ? &y : &x, *const *out = i ? &x : &y;
        gnd_recording *r = gnd_record(1, in, 1, out);
        passes(gnd_recording_status(r) < 0 && !strncmp(gnd_recording_error(r), "record: ", 8),
               "record");
        gnd_recording_free(r);
    }
    gnd_scope_end();
}

/* Memory that is taken again: a handle from before is still none. */
static void generations(void)
{
    enum { OLD = 14 };
    gnd_array *old[OLD];
    int noticed = 0;
    for (int i = 0; i < OLD; i++) {
        old[i] = gnd_int(i);
        gnd_release(old[i]);
        for (int j = 0; j <= i; j++)
            noticed += gnd_status_of(old[j]) == GND_ERR_STATE;
    }
    gnd_array *x = gnd_int(1);
    for (int i = 0; i < OLD; i++)
        noticed += gnd_status_of(old[i]) == GND_ERR_STATE &&
                   gnd_status_of(gnd_retain(old[i])) == GND_ERR_STATE;
    gnd_release(x);
    passes(noticed == OLD * (OLD + 1) / 2 + OLD, "handles whose memory others have");
}

static void released(void)
{
    static const char *const own[] = {"result_type", "can_cast_array", "status_of", "try_array",
                                      NULL};
    int n = 0, bad = 0;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        const struct call *c = &calls[i];
        if (c->gives == GIVES_ANSWER_K || one_of(c->name, own))
            continue;
        for (int a = 0; a < c->arrays; a++)
            for (int way = 0; way < 3;
                 way++) { /* gone; still part of another; of a scope that ended */
                gnd_array *v[MOST];
                gnd_scope_begin();
                gnd_scope_begin();
                gnd_array *inner = usual(c, c->arg[a]);
                gnd_scope_end();
                usual_all(c, v);
                if (way == 1)
                    gnd_exp(v[a]);
                gnd_release(v[a]);
                if (way == 2)
                    v[a] = inner;
                c->run(v);
                n++;
                if (status != GND_ERR_STATE || !begins_with_name(c->name) ||
                    !strstr(message, "released"))
                    complain(&bad, c, c->arg[a],
                             "GND_ERR_STATE, the function's name, \"released\"");
                gnd_release(variable);
                gnd_scope_end();
            }
    }
    passes(n > 1000 && !bad, "a released handle as each array of each function");
}

typedef gnd_array *changed(gnd_array *old);

static gnd_array *to_null(gnd_array *old)
{
    return (void)old, NULL;
}
static gnd_array *to_complex(gnd_array *old)
{
    return gnd_astype(gnd_asarray(the_device, old, GND_DTYPE_DEFAULT), GND_COMPLEX64);
}
static gnd_array *to_bool(gnd_array *old)
{
    return gnd_astype(gnd_asarray(the_device, old, GND_DTYPE_DEFAULT), GND_BOOL);
}
static gnd_array *to_float(gnd_array *old)
{
    return gnd_astype(gnd_asarray(the_device, old, GND_DTYPE_DEFAULT), GND_FLOAT32);
}
static gnd_array *to_flat(gnd_array *old)
{
    return gnd_reshape(gnd_asarray(the_device, old, GND_DTYPE_DEFAULT), 1, (int64_t[]){-1});
}
static gnd_array *to_deep(gnd_array *old)
{
    return gnd_broadcast_to(gnd_asarray(the_device, old, GND_DTYPE_DEFAULT), 5,
                            (int64_t[]){2, 2, 3, 4, 4});
}
static gnd_array *to_empty(gnd_array *old)
{
    return (void)old, gnd_zeros(the_device, GND_FLOAT32, 1, (int64_t[]){0});
}
static gnd_array *to_placeholder(gnd_array *old)
{
    return gnd_placeholder(the_device, gnd_dtype_of(old), gnd_ndim(old), gnd_shape(old));
}
static gnd_array *from_placeholder(gnd_array *old)
{
    return gnd_add(to_placeholder(old), old);
}

/* Each array of each function, changed: what is an error begins with the name. least: as many calls
 * are errors. */
static void provoked(const char *what, changed *change, int least)
{
    int n = 0, bad = 0;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        const struct call *c = &calls[i];
        if (c->gives == GIVES_ANSWER_K || !strcmp(c->name, "status_of") ||
            !strcmp(c->name, "try_array"))
            continue;
        for (int a = 0; a < c->arrays; a++) {
            gnd_array *v[MOST];
            gnd_scope_begin();
            usual_all(c, v);
            v[a] = change(v[a]);
            if (v[a] && gnd_status_of(v[a]))
                goto next; /* it cannot be made */
            c->run(v);
            n += status < 0;
            if (status < 0 && !begins_with_name(c->name))
                complain(&bad, c, c->arg[a], "the function's name");
        next:
            gnd_release(variable);
            gnd_scope_end();
        }
    }
    passes(!bad && n >= least, what);
    if (bad || n < least)
        printf("# %d errors, at least %d expected; %d without the name\n", n, least, bad);
}

static void axes(void)
{
    int n = 0, bad = 0;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        const struct call *c = &calls[i];
        gnd_array *v[MOST];
        if (!c->axes || c->gives == GIVES_ANSWER_K)
            continue;
        gnd_scope_begin();
        usual_all(c, v);
        the_axes = GND_AXIS(9);
        the_axis = 9;
        c->run(v);
        n++;
        if (status >= 0 || !begins_with_name(c->name))
            complain(&bad, c, "axis", "an error with the function's name");
        gnd_release(variable);
        gnd_scope_end();
    }
    passes(!bad && n > 90, "an axis that there is not");
}

static void dtypes(void)
{
    int n = 0, bad = 0;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        const struct call *c = &calls[i];
        gnd_array *v[MOST];
        if (!c->dtypes || c->gives == GIVES_ANSWER_K)
            continue;
        gnd_scope_begin();
        usual_all(c, v);
        the_dtype = int_dtype = (gnd_dtype)77;
        c->run(v);
        n++;
        if (status >= 0 || !begins_with_name(c->name))
            complain(&bad, c, "dtype", "an error with the function's name");
        int_dtype = GND_INT64;
        gnd_release(variable);
        gnd_scope_end();
    }
    passes(!bad && n > 30, "a dtype that is none");
}

/* Devices and recordings that are NULL, or were closed. */
static void others(gnd_device *dev, gnd_recording *rec, const char *what, gnd_status want,
                   int recordings)
{
    int n = 0, bad = 0;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        const struct call *c = &calls[i];
        gnd_array *v[MOST];
        if (!(recordings ? c->recordings : c->devices) || c->gives == GIVES_ANSWER_K ||
            strstr(c->name, "_status"))
            continue;
        if (!recordings && (!strncmp(c->name, "eval", 4) || (c->arrays && want == GND_ERR_NULL)))
            continue; /* these take the device of their arrays */
        if (recordings && want == GND_ERR_NULL && !strcmp(c->name, "recording_free"))
            continue; /* as free() */
        gnd_scope_begin();
        usual_all(c, v);
        gnd_device *old = the_device;
        gnd_recording *before = the_recording;
        if (recordings)
            the_recording = rec;
        else
            the_device = dev;
        c->run(v);
        the_device = old;
        the_recording = before;
        n++;
        if (status != want || (status < 0 && !begins_with_name(c->name)))
            complain(&bad, c, "", gnd_status_name(want));
        gnd_release(variable);
        gnd_scope_end();
    }
    passes(!bad && n > (recordings ? 5 : 20), what);
}

/* No memory on the device: the error says of what, and where it was asked for. */
static void no_memory(void)
{
    static const int64_t line[] = {1 << 19},
                         square[] = {1024, 1024}; /* more than the pool's small blocks */
    static const char *const kept[] = {"polyval", "name", "try_array", "status_of",
                                       "retain",  "keep", "assign",    NULL};
    int n = 0, bad = 0;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        const struct call *c = &calls[i];
        gnd_array *v[MOST];
        if (c->gives == GIVES_ANSWER_K || one_of(c->name, kept))
            continue;
        gnd_scope_begin();
        usual_all(c, v);
        for (int a = 0; a < c->arrays; a++) /* nothing in memory */
            if (gnd_device_of(v[a]))
                v[a] = gnd_astype(gnd_ones(the_device, GND_INT8, gnd_ndim(v[a]),
                                           gnd_ndim(v[a]) == 1 ? line : square),
                                  gnd_dtype_of(v[a]));
        gnd_release(variable);
        variable = NULL;
        gnd_device_set_limit(the_device, 1);
        gnd_device_trim(the_device);
        if (strcmp(c->name, "assign"))
            c->run(v);
        int waited = status == GND_OK && c->gives == GIVES_ARRAY_K;
        if (waited)
            GIVES_STATUS(gnd_wait(result));
        gnd_device_set_limit(the_device, 0);
        n += status == GND_ERR_DEVMEM;
        if (status == GND_ERR_DEVMEM &&
            (!begins_with_name(waited ? "wait" : c->name) ||
             !(strchr(message, '(') || strstr(message, "working memory of "))))
            complain(&bad, c, "no memory",
                     waited ? "\"wait: \", dtype and shape"
                            : "the function's name, dtype and shape");
        gnd_scope_end();
    }
    passes(!bad && n > 200, "no device memory");
    if (bad || n <= 200)
        printf("# %d errors, %d of them wrong\n", n, bad);
}

int main(void)
{
    for (size_t i = 0; i < sizeof ones / sizeof ones[0]; i++)
        ones[i] = 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    the_device = gnd_open("null:0");
    the_axes = GND_AXIS(0);
    the_dtype = GND_FLOAT32;
    int_dtype = GND_INT64;
    generator = gnd_rng_seed(1);
    nowhere = fopen("/dev/null", "w");
    whole = (gnd_range){.kind = GND_IDX_SLICE, .start = GND_NONE, .stop = GND_NONE};
    gnd_array *in = gnd_placeholder(the_device, GND_FLOAT32, 2, fours), *out = gnd_negative(in);
    the_recording = gnd_record(1, &in, 1, &out);
    answers();
    generations();
    released();
    provoked("NULL as each array", to_null, 400);
    provoked("complex arrays", to_complex, 50);
    provoked("bools", to_bool, 10);
    provoked("floats", to_float, 5);
    provoked("one dimension", to_flat, 20);
    provoked("five dimensions", to_deep, 20);
    provoked("arrays of no elements", to_empty, 50);
    provoked("placeholders", to_placeholder, 10);
    provoked("what comes from placeholders", from_placeholder, 10);
    axes();
    dtypes();
    others(NULL, NULL, "a device that is NULL", GND_ERR_NULL, 0);
    others(NULL, NULL, "a recording that is NULL", GND_ERR_NULL, 1);
    no_memory();

    gnd_device *closed = gnd_open("null:1");
    gnd_close(closed);
    gnd_close(closed);
    others(closed, NULL, "a device that was closed", GND_ERR_STATE, 0);
    gnd_recording_free(the_recording);
    passes(gnd_recording_free(the_recording) == GND_ERR_STATE, "a recording that is freed twice");
    others(NULL, the_recording, "a recording that was freed", GND_ERR_STATE, 1);
    gnd_release(in);
    gnd_release(out);
    gnd_close(the_device);
    passes(gnd_status_of(in) == GND_ERR_STATE && gnd_read(out, bytes, 64) == GND_ERR_STATE,
           "arrays of a closed device");
    fclose(nowhere);
    printf("1..%d\n", tests);
    return failures != 0;
}
