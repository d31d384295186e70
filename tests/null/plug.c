/* SPDX-License-Identifier: BSD-3-Clause
 *
 * plug.c - good, old and broken plugins, compiled here with the C compiler from one source and
 * found through GND_BACKEND_PATH: each that cannot be used says why, in words that name it, and the
 * others work on. One process loads plugins once, so each search is made in a child.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/gate.h"
#include "base/err.h"
#include "tap.h"

/* The plugin: memory is malloc, kernels are nothing. What is wrong with it, a macro says. */
static const char plugin_source[] =
    "#include <gnd/backend.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "#ifndef MAJOR\n#define MAJOR GND_BACKEND_MAJOR\n#endif\n"
    "#ifndef NDEV\n#define NDEV 1\n#endif\n"
    "struct gnd_buf { char *p; };\n"
    "static int one;\n"
    "static gnd_status count(int *n, gnd_err *e)\n"
    "{\n"
    "#ifdef COUNT_FAILS\n"
    "    strcpy(e->msg, \"the driver is on fire\"); return GND_ERR_BACKEND;\n"
    "#endif\n"
    "    *n = NDEV;\n"
    "    if (!NDEV) strcpy(e->msg, \"no card is plugged in\");\n"
    "    return GND_OK;\n"
    "}\n"
    "static gnd_status props(int i, gnd_props *p, gnd_err *e)\n"
    "{\n"
    "    (void)i; (void)e;\n"
    "    memset(p, 0, sizeof *p);\n"
    "    memset(p->vendor, 'v', sizeof p->vendor);\n" /* not terminated: must do no harm */
    "    strcpy(p->name, \"toy\"); strcpy(p->platform, \"Toys\");\n"
    "    p->kind = GND_DEV_OTHER;\n"
    "#ifdef NO_OPEN\n"
    "    strcpy(p->reason, \"it is switched off\");\n"
    "#endif\n"
    "    return GND_OK;\n"
    "}\n"
    "static gnd_status dopen(int i, gnd_dev **d, gnd_err *e)\n"
    "{ (void)i; (void)e; *d = (gnd_dev *)&one; return GND_OK; }\n"
    "static void dclose(gnd_dev *d) { (void)d; }\n"
    "static gnd_status alloc(gnd_dev *d, size_t n, gnd_buf **b, gnd_err *e)\n"
    "{ (void)d; (void)e; *b = malloc(sizeof **b); (*b)->p = malloc(n); return GND_OK; }\n"
    "static void bfree(gnd_buf *b) { free(b->p); free(b); }\n"
    "static gnd_status bwrite(gnd_queue *q, gnd_buf *b, size_t o, const void *s, size_t n,\n"
    "                         gnd_err *e)\n"
    "{ (void)q; (void)e; memcpy(b->p + o, s, n); return GND_OK; }\n"
    "static gnd_status bread(gnd_queue *q, void *s, gnd_buf *b, size_t o, size_t n, gnd_err *e)\n"
    "{\n"
    "#ifdef READ_FAILS\n"
    "    return 42;\n" /* not even a status, and no word */
    "#endif\n"
    "    (void)q; (void)e; memcpy(s, b->p + o, n); return GND_OK;\n"
    "}\n"
    "static gnd_status copy(gnd_queue *q, gnd_buf *b, size_t o, gnd_buf *c, size_t r, size_t n,\n"
    "                       gnd_err *e)\n"
    "{ (void)q; (void)e; memcpy(b->p + o, c->p + r, n); return GND_OK; }\n"
    "static gnd_status qnew(gnd_dev *d, uint32_t f, gnd_queue **q, gnd_err *e)\n"
    "{ (void)d; (void)f; (void)e; *q = (gnd_queue *)&one; return GND_OK; }\n"
    "static void qfree(gnd_queue *q) { (void)q; }\n"
    "static gnd_status flush(gnd_queue *q, gnd_err *e) { (void)q; (void)e; return GND_OK; }\n"
    "static gnd_status build(gnd_dev *d, const char *s, size_t n, const char *o, gnd_prog **p,\n"
    "                        char **l, gnd_err *e)\n"
    "{ (void)d; (void)s; (void)n; (void)o; (void)l; (void)e; *p = (gnd_prog *)&one;\n"
    "  return GND_OK; }\n"
    "static void pfree(gnd_prog *p) { (void)p; }\n"
    "static gnd_status kernel(gnd_prog *p, const char *n, gnd_kern **k, gnd_err *e)\n"
    "{ (void)p; (void)n; (void)e; *k = (gnd_kern *)&one; return GND_OK; }\n"
    "static void kfree(gnd_kern *k) { (void)k; }\n"
    "static gnd_status launch(gnd_queue *q, gnd_kern *k, const gnd_klaunch *l, gnd_err *e)\n"
    "{ (void)q; (void)k; (void)l; (void)e; return GND_OK; }\n"
    /* A map that an older table does not reach: calling it is a crash. */
    "static gnd_status map(gnd_queue *q, gnd_buf *b, size_t o, size_t n, uint32_t f, void **p,\n"
    "                      gnd_err *e)\n"
    "{ (void)q; (void)b; (void)o; (void)n; (void)f; (void)p; (void)e; abort(); }\n"
    "static gnd_status unmap(gnd_queue *q, gnd_buf *b, void *p, gnd_err *e)\n"
    "{ (void)q; (void)b; (void)p; (void)e; abort(); }\n"
    /* The same of entries that came later. */
    "#ifdef BEFORE_NATIVE\n"
    "static gnd_status wrap(gnd_dev *d, const gnd_mem_native *m, size_t n, gnd_buf **b,\n"
    "                       gnd_err *e)\n"
    "{ (void)d; (void)m; (void)n; (void)b; (void)e; abort(); }\n"
    "#endif\n"
    "static const gnd_device_ops device = {\n"
    "#ifdef BEFORE_NATIVE\n"
    "    .size = offsetof(gnd_device_ops, open_native),\n"
    "#else\n"
    "    .size = sizeof device,\n"
    "#endif\n"
    "    .count = count, .props = props,\n"
    "    .open = dopen, .close = dclose };\n"
    "static const gnd_memory_ops memory = {\n"
    "#ifdef OLD\n"
    "    .size = offsetof(gnd_memory_ops, map) + OLD - 1, .map = map, .unmap = unmap,\n"
    "#elif defined BEFORE_NATIVE\n"
    "    .size = offsetof(gnd_memory_ops, wrap), .wrap = wrap,\n"
    "#elif defined MAP_ONLY\n"
    "    .size = sizeof memory, .map = map,\n"
    "#elif defined EMPTY_GROUP\n"
    "    .size = 0,\n"
    "#else\n"
    "    .size = sizeof memory,\n"
    "#endif\n"
    "#ifndef NO_ALLOC\n"
    "    .alloc = alloc,\n"
    "#endif\n"
    "    .free = bfree, .write = bwrite, .read = bread, .copy = copy };\n"
    "static const gnd_queue_ops queue = {\n"
    "#ifdef BEFORE_NATIVE\n"
    "    .size = offsetof(gnd_queue_ops, order),\n"
    "#else\n"
    "    .size = sizeof queue,\n"
    "#endif\n"
    "    .queue_new = qnew,\n"
    "    .queue_free = qfree, .flush = flush, .finish = flush };\n"
    "static const gnd_program_ops program = { .size = sizeof program, .build = build,\n"
    "    .prog_free = pfree, .kernel = kernel, .kernel_free = kfree, .launch = launch };\n"
    "static const gnd_blas_ops blas = { .size = sizeof blas };\n"
    "static const gnd_backend table = { .major = MAJOR, .size = sizeof table, .name = NAME,\n"
    "    .version = \"9.9\", .device = &device, .memory = &memory,\n"
    "#ifndef NO_QUEUE\n"
    "    .queue = &queue,\n"
    "#endif\n"
    "#ifdef BAD_BLAS\n"
    "    .blas = &blas,\n"
    "#endif\n"
    "    .program = &program };\n"
    "const gnd_backend *gnd_backend_entry(uint32_t major, uint32_t minor, gnd_err *e);\n"
    "const gnd_backend *gnd_backend_entry(uint32_t major, uint32_t minor, gnd_err *e)\n"
    "{\n"
    "    (void)major; (void)minor; (void)blas; (void)map; (void)unmap; (void)alloc; (void)queue;\n"
    "    (void)e;\n"
    "#ifdef NO_TABLE\n"
    "    strcpy(e->msg, \"works on Tuesdays only\"); e->code = GND_ERR_BACKEND; return 0;\n"
    "#endif\n"
    "#ifdef NO_REASON\n"
    "    return 0;\n"
    "#endif\n"
    "    return &table;\n"
    "}\n";

/* Each plugin: its name, how it is compiled, and what it must say ("" : it works). */
static const struct plugin {
    const char *name, *flags, *says;
} plugins[] = {
    {"toy", "", ""},
    {"old", "-DOLD=1", ""},
    {"odd", "-DOLD=5", ""},           /* its size ends within a slot */
    {"older", "-DBEFORE_NATIVE", ""}, /* without the entries for native handles */
    {"abi", "-DMAJOR=77", "gnd-abi.so: made for backend ABI 77, this gnd has ABI 3"},
    {"noalloc", "-DNO_ALLOC", "gnd-noalloc.so: required entry memory.alloc is missing"},
    {"noqueue", "-DNO_QUEUE", "gnd-noqueue.so: required group queue is missing"},
    {"empty", "-DEMPTY_GROUP", "gnd-empty.so: required group memory is of size 0"},
    {"badblas", "-DBAD_BLAS", "gnd-badblas.so: required entry blas.supports is missing"},
    {"maponly", "-DMAP_ONLY", "gnd-maponly.so: required entry memory.unmap"},
    {"notable", "-DNO_TABLE", "gnd-notable.so: gnd_backend_entry: works on Tuesdays only"},
    {"noword", "-DNO_REASON", "gnd-noword.so: gnd_backend_entry: failed without a reason"},
    {"nocount", "-DCOUNT_FAILS", "gnd-nocount.so: device.count: the driver is on fire"},
    {"other", "-UNAME -DNAME='\"another\"'", "gnd-other.so: calls itself 'another', not 'other'"},
};

/* More than a process keeps, so apart from the others. */
static const struct plugin more[] = {
    {"nodev", "-DNDEV=0", "no card is plugged in"},
    {"noopen", "-DNO_OPEN", ""},
    {"mute", "-DREAD_FAILS", ""},
};

static char root[512];

static int compile(const char *dir, const struct plugin *p)
{
    const char *cc = getenv("CC"), *src = getenv("GND_SRCDIR");
    char cmd[4096];

    snprintf(cmd, sizeof cmd,
             "mkdir -p '%s/%s' && %s -std=c11 -fPIC -shared -DNAME='\"%s\"' %s -I'%s/include' -o "
             "'%s/%s/gnd-%s.so' '%s/plugin.c' 2>'%s/log'",
             root, dir, cc && cc[0] ? cc : "cc", p->name, p->flags, src && src[0] ? src : ".", root,
             dir, p->name, root, root);
    return system(cmd) == 0;
}

static void write_file(const char *name, const char *text)
{
    char path[700];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", root, name);
    f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0)
        tap_bail("cannot write %s", path);
}

/* --- in a child: search, open, and say what was seen ------------------------------------------ */

/* What the entries for native objects say. */
static void say_native(FILE *out, const char *spec, gnd__gdev *d, gnd__block *b)
{
    gnd_mem_native m = {.address = 4096, .host = 1};
    gnd_dev_native n = {0};
    gnd__block *w = NULL;
    gnd__gdev *own = NULL;
    gnd_err e = {0};
    uint64_t serial;
    int index;

    gnd__gate_wrap(d, &m, 0, 16, &w, &e);
    fprintf(out, "wrap %s: %d %s\n", spec, e.code, e.msg);
    gnd__err_clear(&e);
    gnd__gate_native(d, b, 0, &m, &e);
    fprintf(out, "native %s: %d %s\n", spec, e.code, e.msg);
    gnd__err_clear(&e);
    gnd__gate_device_native(d, &n, &e);
    fprintf(out, "device %s: %d %s\n", spec, e.code, e.msg);
    gnd__err_clear(&e);
    gnd__gate_order(d, &e, 1, &e);
    fprintf(out, "order %s: %d %s\n", spec, e.code, e.msg);
    gnd__err_clear(&e);
    gnd__gate_open_native(d->be->name, &n, &own, &e);
    fprintf(out, "open_native %s: %d %s\n", spec, e.code, e.msg);
    gnd__err_clear(&e);
    gnd__gate_stream_new(d, &index, &serial, &e);
    fprintf(out, "stream %s: %d %s\n", spec, e.code, e.msg);
}

static void say_open(FILE *out, const char *spec)
{
    gnd__gdev *d;
    gnd__block *b;
    gnd__kernel *k;
    gnd_klaunch go = {.ndim = 1, .global = {1}, .local = {1}};
    char got[4] = "";
    gnd_err e = {0};
    void *p;

    if (gnd__gate_open(spec, &d, &e) != GND_OK) {
        fprintf(out, "open %s: %d %s\n", spec, e.code, e.msg);
        return;
    }
    if (gnd__pool_alloc(d, 4, &b, &e) == GND_OK &&
        gnd__gate_write(d, b, 0, "abc", 4, &e) == GND_OK &&
        gnd__gate_read(d, got, b, 0, 4, &e) == GND_OK &&
        gnd__gate_kernel(d, "k", "", 0, &k, &e) == GND_OK &&
        gnd__gate_launch(d, k, &go, &e) == GND_OK)
        fprintf(out, "open %s: %s of %s, read %s\n", spec, d->props.name, d->id, got);
    else
        fprintf(out, "open %s: then %d %s\n", spec, e.code, e.msg);
    gnd__err_clear(&e);
    gnd__gate_map(d, b, 0, 4, GND_MAP_READ, &p, &e);
    fprintf(out, "map %s: %d %s\n", spec, e.code, e.msg);
    say_native(out, spec, d, b);
    gnd__gate_close(d);
}

static void say(FILE *out, const char *const *specs)
{
    const gnd__backend *const *list;
    const char *const *notes;
    int n = gnd__gate_backends(&list), i;

    for (i = 0; i < n; i++)
        fprintf(out, "[%s] version '%s' devices %d code %d from '%s': %s\n", list[i]->name,
                list[i]->version, list[i]->ndev, list[i]->why.code, list[i]->path,
                list[i]->why.msg);
    n = gnd__gate_notes(&notes);
    for (i = 0; i < n; i++)
        fprintf(out, "note: %s\n", notes[i]);
    for (i = 0; specs[i]; i++)
        say_open(out, specs[i]);
}

/* Not 0: children are that user. */
static uid_t user;

/* What a child with that search path says ('@' stands for the folder of the test). */
static const char *search(const char *path, const char *const *specs)
{
    static char text[32768];
    char expanded[4096] = "";
    size_t len;
    int fd[2], status = 0;
    ssize_t got;
    pid_t pid;
    FILE *out;

    for (; *path; path++) {
        len = strlen(expanded);
        snprintf(expanded + len, sizeof expanded - len, "%.*s", *path == '@' ? 512 : 1,
                 *path == '@' ? root : path);
    }
    setenv("GND_BACKEND_PATH", expanded, 1);
    fflush(stdout);
    if (pipe(fd) != 0 || (pid = fork()) < 0)
        tap_bail("cannot fork");
    if (pid == 0) {
        close(fd[0]);
        if (user && (setgid(user) || setuid(user)))
            _exit(1);
        out = fdopen(fd[1], "w");
        if (out) {
            say(out, specs);
            fclose(out);
        }
        _exit(out ? 0 : 1);
    }
    close(fd[1]);
    for (len = 0; len < sizeof text - 1; len += (size_t)got)
        if ((got = read(fd[0], text + len, sizeof text - 1 - len)) <= 0)
            break;
    text[len] = '\0';
    close(fd[0]);
    waitpid(pid, &status, 0);
    tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a search in %s", expanded);
    return text;
}

/* The line of a backend within what search gave. */
static const char *line_of(const char *text, const char *name)
{
    static char line[2048];
    char head[64];
    const char *at;

    snprintf(head, sizeof head, "[%s] ", name);
    at = strstr(text, head);
    snprintf(line, sizeof line, "%.*s", at ? (int)strcspn(at, "\n") : 0, at ? at : "");
    return line;
}

/* --- the searches ----------------------------------------------------------------------------- */

static void test_broken(void)
{
    static const char *const natives[] = {
        "wrap older:0: -13 older:0: backend older has no entry memory.wrap: install a plugin made "
        "for interface 3 or newer",
        "native older:0: -13 older:0: backend older has no entry memory.native: install ",
        "device older:0: -13 older:0: backend older has no entry device.native: install ",
        "order older:0: -13 older:0: backend older has no entry queue.order: install ",
        "open_native older:0: -13 backend older has no entry device.open_native: install ",
        "stream older:0: -13 older:0 has one stream: backend older has no entries queue.record, ",
    };
    static const char *const specs[] = {"toy", "old:0", "odd:0", "older:0", "abi", NULL};
    const char *text = search("@/all", specs), *line;
    size_t i;

    for (i = 0; i < sizeof plugins / sizeof *plugins; i++) {
        line = line_of(text, plugins[i].name);
        tap_has_str(line, plugins[i].says, "%s", plugins[i].name);
        tap_has_str(line, plugins[i].says[0] ? " devices 0 code -11 " : " devices 1 code 0 ",
                    "  and its device");
    }
    tap_has_str(line_of(text, "toy"), "version '9.9'", "the version of a plugin");
    tap_has_str(line_of(text, "null"), " devices 3 code 0 ", "null is there too");
    tap_has_str(text, "open toy: toy of toy:0, read abc", "a good plugin among bad ones works");
    tap_has_str(text, "map toy: -13 toy:0: backend toy has no entry memory.map", "no map, by name");
    tap_has_str(text, "open old:0: toy of old:0, read abc", "a table of older size works");
    tap_has_str(text, "map old:0: -13 old:0: backend old has no entry memory.map",
                "  and nothing past its size is used");
    tap_has_str(text, "map odd:0: -13 odd:0: backend odd has no entry memory.map",
                "  nor half an entry");
    tap_has_str(text, "open older:0: toy of older:0, read abc", "a plugin without these works");
    for (i = 0; i < sizeof natives / sizeof *natives; i++)
        tap_has_str(text, natives[i], "  and lacks what is newer");
    tap_has_str(text, "open abi: -8 backend abi: ", "opening a bad one says why");
}

static void test_absent(void)
{
    static const char *const specs[] = {"nodev", "noopen", "noopen:0", "mute",
                                        "cuda",  "zzyzx",  NULL};
    const char *text = search("@/more:@/files", specs);

    tap_has_str(line_of(text, "nodev"), " devices 0 code 0 ", "no device is no failure");
    tap_has_str(line_of(text, "nodev"), ": no card is plugged in", "  and has its reason");
    tap_has_str(text, "open nodev: -8 backend nodev has no device: no card", "  when opened too");
    tap_has_str(text, "open noopen: -8 noopen:0 toy cannot be opened: it is switched off",
                "a device that cannot be opened");
    tap_has_str(text, "open noopen:0: -8 noopen:0 toy cannot be opened: it is switched off",
                "  by number too");
    tap_has_str(text, "open mute: then -11 mute:0: read: failed without a reason",
                "a status that is none, without a word");
    tap_has_str(text, "open zzyzx: -8 no device matches 'zzyzx'; present: ", "no match");
    tap_has_str(text, "mute:0 toy (Toys)", "  lists what is there");
    if (!strstr(text, "[cuda]"))
        tap_has_str(text, "open cuda: -8 backend cuda: not installed (no gnd-cuda.so in ",
                    "a backend that is not installed");
    else
        tap_skip(1, "the cuda backend is installed");
    tap_has_str(line_of(text, "nolib"), "devices 0 code -11", "not a shared object");
    tap_has_str(line_of(text, "nolib"), "cannot be loaded: ", "  says the loader's words");
    tap_has_str(line_of(text, "nosym"), "no symbol gnd_backend_entry: not a plugin of gnd",
                "a shared object that is no plugin");
    tap_is_str(line_of(text, "UPPER"), "", "a file that is not called so is no plugin");
}

static void test_paths(void)
{
    static const char *const none[] = {NULL}, *const any[] = {"", NULL};
    const char *text;

    if (chdir(root) != 0)
        tap_bail("chdir %s", root);
    text = search("all:.:./all::@/none:@/plugin.c:@/more/gnd-mute.so:@/second:@/all", none);
    tap_has_str(text, "note: GND_BACKEND_PATH: 'all' is not an absolute path: refused",
                "a relative entry is refused");
    tap_has_str(text, "note: GND_BACKEND_PATH: '.' is not", "the working folder is refused");
    tap_has_str(text, "note: GND_BACKEND_PATH: './all' is not", "as is what is below it");
    tap_has_str(text, "plugin.c: neither a folder nor called gnd-NAME.so",
                "a file of another name");
    tap_has_str(line_of(text, "mute"), " devices 1 code 0 ", "a file as an entry");
    tap_has_str(line_of(text, "toy"), "/second/gnd-toy.so'", "the first of a name wins");
    tap_has_str(line_of(text, "old"), "/all/gnd-old.so'", "others come from later folders");

    text = search("all", none);
    tap_is_str(line_of(text, "toy"), "", "a relative entry alone finds nothing");
    text = search("", none);
    tap_is_str(line_of(text, "toy"), "", "nor does the working folder");

    text = search("@/files", any);
    if (strstr(text, "[opencl]"))
        tap_skip(1, "the opencl backend is installed");
    else
        tap_has_str(text, "opencl: gnd-opencl.so is not installed; ",
                    "no device: what is not there is named");
    tap_has_str(text, "(GND_BACKEND_PATH names more folders)", "  and what to do about it");
}

/* Folders and files that others own or may write. */
static void test_owners(void)
{
    static const char *const none[] = {NULL}, *const any[] = {"", NULL};
    char folder[600], file[600];
    const char *text;

    snprintf(folder, sizeof folder, "%s/more", root);
    snprintf(file, sizeof file, "%s/more/gnd-mute.so", root);
    chmod(root, 0755);
    if (geteuid()) {
        tap_skip(6, "what root refuses: this is another user");
    } else {
        chmod(folder, 0777);
        text = search("@/more", any);
        tap_has_str(text, "/more: others than its owner may write it: refused",
                    "a folder that others may write, for root");
        tap_is_str(line_of(text, "mute"), "", "  nothing is loaded");
        chmod(folder, 0755);
        chmod(file, 0775);
        text = search("@/more", none);
        tap_has_str(text, "/more/gnd-mute.so: others than its owner may write it: refused",
                    "a file that others may write");
        tap_is_str(line_of(text, "mute"), "", "  is not loaded");
        chmod(file, 0755);
        if (chown(folder, 1234, 1234))
            tap_bail("chown");
        text = search("@/more/gnd-mute.so:@/more", none);
        tap_has_str(text, "/more: another user owns it: refused", "a folder of another user");
        tap_has_str(line_of(text, "mute"), " devices 1 ", "  a file of root's in it, named itself");
        user = 777;
        if (chown(folder, user, user))
            tap_bail("chown");
    }
    chmod(folder, 0777);
    text = search("@/more", none);
    tap_has_str(text, "/more: others than its owner may write it, and what is there is run",
                "for others there is a warning");
    tap_has_str(line_of(text, "mute"), " devices 1 ", "  and the plugin");
    chmod(folder, 0755);
    if (user && !chown(folder, 1234, 1234)) {
        text = search("@/more", none);
        tap_has_str(text, "/more: another user owns it, and what is there is run",
                    "also where another user owns it");
        user = 0;
    } else {
        tap_skip(1, "a folder of another user: this is not root");
    }
    if (geteuid() == 0 && chown(folder, 0, 0))
        tap_bail("chown");
    text = search("@/more", none);
    tap_ok(!strstr(text, "/more:"), "a folder of one's own: nothing is said");
}

int main(void)
{
    const char *tmp = getenv("TMPDIR");
    char cmd[1200];
    size_t i;

    snprintf(root, sizeof root, "%.400s/gnd-plug-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
    if (!mkdtemp(root))
        tap_bail("mkdtemp %s", root);
    unsetenv("GND_DEVICE");
    setenv("GND_CACHE", "0", 1);
    write_file("plugin.c", plugin_source);
    if (!compile("second", &plugins[0]))
        tap_skip_all("no C compiler that makes shared objects");
    for (i = 0; i < sizeof plugins / sizeof *plugins; i++)
        tap_ok(compile("all", &plugins[i]), "compile %s", plugins[i].name);
    for (i = 0; i < sizeof more / sizeof *more; i++)
        tap_ok(compile("more", &more[i]), "compile %s", more[i].name);
    snprintf(cmd, sizeof cmd,
             "mkdir '%s/files' && cd '%s/files' && echo 'int x;' >x.c && "
             "${CC:-cc} -fPIC -shared -o gnd-nosym.so x.c && cp gnd-nosym.so gnd-UPPER.so",
             root, root);
    tap_ok(system(cmd) == 0, "compile a shared object that is no plugin");
    write_file("files/gnd-nolib.so", "This is a text.\n");

    test_broken();
    test_absent();
    test_paths();
    test_owners();
    snprintf(cmd, sizeof cmd, "rm -rf '%s'", root);
    if (chdir("/") != 0 || system(cmd) != 0)
        tap_diag("%s stays", root);
    return tap_done();
}
