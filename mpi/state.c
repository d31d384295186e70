/* SPDX-License-Identifier: BSD-3-Clause
 *
 * state.c - checkpoints: arrays as .npy files in a folder, and a manifest that names them. The
 * manifest is written last, synced and renamed, so it always names complete files. Names of files
 * have a generation, 0 or 1, whichever the last manifest does not use: no save writes to a file of
 * the checkpoint before it, and what a killed job leaves is replaced by a later save. The files of
 * the previous checkpoint are removed when the new manifest is on the disk. The files do not depend
 * on ranks or cuts.
 */
#include "ctx.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 1024 };

static int name_is_plain(const char *s)
{
    const size_t n = s ? strlen(s) : 0;
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)s[i]) && s[i] != '_' && s[i] != '-')
            return 0;
    return n > 0 && n < 100;
}

static gnd_status check(gndm_ctx *c, const char *folder, int n, const char *const *names)
{
    if (strlen(folder) > PATH_BYTES - 200)
        return gndm__fail(c, GND_ERR_ARG, "%s: the path of the folder is too long", c->func);
    for (int i = 0; i < n; i++) {
        if (!name_is_plain(names[i]))
            return gndm__fail(c, GND_ERR_ARG,
                              "%s: name %d is '%.100s': letters, digits, _ and - are possible",
                              c->func, i, names[i] ? names[i] : "NULL");
        for (int k = 0; k < i; k++)
            if (!strcmp(names[i], names[k]))
                return gndm__fail(c, GND_ERR_ARG, "%s: names %d and %d are both '%s'", c->func, k,
                                  i, names[i]);
    }
    return GND_OK;
}

/* Makes the entries of a folder durable. */
static gnd_status sync_folder(const char *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY);
    /* a file system that cannot sync folders has nothing more to offer */
    const int bad = fd < 0 || (fsync(fd) && errno != EINVAL && errno != ENOTSUP);
    const int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return bad ? GND_ERR_IO : GND_OK;
}

/* The text of the manifest, which the caller frees with free(), or NULL (errno is set). */
static char *read_manifest(const char *folder)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/manifest", folder);
    FILE *f = fopen(path, "r");
    if (!f)
        return NULL;
    enum { MOST = 1 << 20 };
    char *text = calloc(1, MOST);
    const size_t n = text ? fread(text, 1, MOST - 1, f) : 0;
    fclose(f);
    if (text && (n < 4 || strcmp(text + n - 4, "end\n") || strncmp(text, "gnd-state 1\n", 12))) {
        free(text);
        errno = EINVAL;
        return NULL;
    }
    return text;
}

static void file_of(char *buf, size_t size, const char *name, int generation)
{
    snprintf(buf, size, "%s.%d.npy", name, generation);
}

/* Whether the manifest (or NULL) names a file of this generation of the names. */
static int is_used(const char *manifest, int n, const char *const *names, int generation)
{
    char file[128], line[132];
    for (int i = 0; manifest && i < n; i++) {
        file_of(file, sizeof file, names[i], generation);
        snprintf(line, sizeof line, " %s\n", file);
        if (strstr(manifest, line))
            return 1;
    }
    return 0;
}

/* Writes the manifest. *replaced is 1 if it has its name, even if it is not known to be durable. */
static gnd_status write_manifest(const char *folder, int64_t step, int n, const char *const *names,
                                 int generation, int *replaced)
{
    char path[PATH_BYTES], temporary[PATH_BYTES + 8], file[128];
    snprintf(path, sizeof path, "%s/manifest", folder);
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    if (sync_folder(folder)) /* the names of the arrays' files */
        return GND_ERR_IO;
    FILE *f = fopen(temporary, "w");
    if (!f)
        return GND_ERR_IO;
    fprintf(f, "gnd-state 1\nstep %lld\n", (long long)step);
    for (int i = 0; i < n; i++) {
        file_of(file, sizeof file, names[i], generation);
        fprintf(f, "array %s %s\n", names[i], file);
    }
    fprintf(f, "end\n");
    int bad = fflush(f) || ferror(f) || fsync(fileno(f));
    bad |= fclose(f) != 0;
    if (bad || rename(temporary, path))
        return GND_ERR_IO;
    *replaced = 1;
    return sync_folder(folder);
}

/* Removes the files that the manifest `old` names and `now` does not. */
static void remove_old(const char *folder, const char *old, const char *now)
{
    for (const char *s = old; (s = strstr(s, "\narray ")) != NULL; s++) {
        char name[128], file[160], line[320], path[PATH_BYTES + 160];
        if (sscanf(s, "\narray %127s %159s", name, file) != 2 || strchr(file, '/'))
            continue;
        snprintf(line, sizeof line, " %s\n", file);
        if (strstr(now, line))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, file);
        remove(path);
    }
}

/* Rank 0: makes the folder and reads the manifest that is there (*old, NULL if there is none).
 * Returns the generation of the new files, or -1 (errno is set). */
static int begin(const char *folder, int n, const char *const *names, char **old)
{
    char above[PATH_BYTES];
    snprintf(above, sizeof above, "%s/..", folder);
    if (mkdir(folder, 0777) ? errno != EEXIST : sync_folder(above) != GND_OK)
        return -1;
    *old = read_manifest(folder);
    if (!*old && errno != ENOENT && errno != EINVAL) /* it may name files, but it cannot be read */
        return -1;
    for (int g = 0; g < 2; g++)
        if (!is_used(*old, n, names, g))
            return g;
    errno = EEXIST;
    return -1;
}

static gnd_status save(gndm_ctx *c, const char *folder, int64_t step, int n,
                       const char *const *names, gndm_array *const *x)
{
    char path[PATH_BYTES], text[GNDM_TEXT] = "", file[128];
    gnd_status st = check(c, folder, n, names);
    for (int i = 0; i < n && !st; i++)
        st = gndm__check(c, x[i]);
    if (st)
        return st;
    char *old = NULL;
    int generation = c->rank == 0 ? begin(folder, n, names, &old) : 0, replaced = 0;
    snprintf(text, sizeof text, "save_state: %.500s: %s", folder, strerror(errno));
    st = gndm__agree(c, generation < 0 ? GND_ERR_IO : GND_OK, text);
    const int begun = !st;
    if (!st)
        st = gndm__bcast(c, &generation, sizeof generation, 0);
    for (int i = 0; i < n && !st; i++) {
        file_of(file, sizeof file, names[i], generation);
        snprintf(path, sizeof path, "%s/%s", folder, file);
        st = gndm_save_npy(x[i], path);
    }
    if (!st) {
        if (c->rank == 0)
            st = write_manifest(folder, step, n, names, generation, &replaced);
        snprintf(text, sizeof text, "save_state: %.500s/manifest: %s", folder, strerror(errno));
        char *now = c->rank == 0 && !st ? read_manifest(folder) : NULL;
        if (old && now)
            remove_old(folder, old, now);
        free(now);
        st = gndm__agree(c, st, text);
    }
    for (int i = 0; c->rank == 0 && begun && st && !replaced && i < n; i++) {
        file_of(file, sizeof file, names[i], generation);
        snprintf(path, sizeof path, "%s/%s", folder, file);
        remove(path);
    }
    free(old);
    return st;
}

gnd_status gndm_save_state(gndm_ctx *c, const char *folder, int64_t step, int n,
                           const char *const *names, gndm_array *const *x)
{
    if (!c || !folder || (n > 0 && (!names || !x)))
        return GND_ERR_NULL;
    gnd_status st = gndm__enter(c, "save_state", "%.60s, %lld, %d", folder, (long long)step, n);
    if (!st)
        st = save(c, folder, step, n, names, x);
    gndm__leave(c, NULL);
    return st;
}

/* What rank 0 reads from the manifest for all ranks. */
typedef struct contents {
    int64_t step;
    char file[160];
} contents;

gnd_status gndm_load_state(gndm_ctx *c, const char *folder, int64_t *step, int n,
                           const char *const *names, const gndm_part *const *part, gndm_array **out)
{
    if (!c || !folder || (n > 0 && (!names || !out)))
        return GND_ERR_NULL;
    char text[GNDM_TEXT] = "";
    for (int i = 0; i < n; i++)
        out[i] = NULL;
    gnd_status st = gndm__enter(c, "load_state", "%.60s, %d", folder, n);
    if (!st)
        st = check(c, folder, n, names);
    if (st) {
        gndm__leave(c, NULL);
        return st;
    }
    char *manifest = c->rank == 0 ? read_manifest(folder) : NULL;
    if (c->rank == 0 && !manifest) {
        st = errno == EINVAL ? GND_ERR_FORMAT : GND_ERR_IO;
        snprintf(text, sizeof text, "load_state: %.500s/manifest: %s", folder,
                 errno == EINVAL ? "no manifest of gnd, or incomplete" : strerror(errno));
    }
    st = gndm__agree(c, st, text);
    for (int i = -1; i < n && !st; i++) {
        contents k = {0, ""};
        char line[160], path[PATH_BYTES + 160];
        const char *s = NULL;
        long long number = 0;
        gnd_status own = GND_OK;
        if (manifest) {
            if (i < 0)
                strcpy(line, "\nstep ");
            else
                snprintf(line, sizeof line, "\narray %s ", names[i]);
            s = strstr(manifest, line);
            if (!s || (i < 0 ? sscanf(s + strlen(line), "%lld", &number)
                             : sscanf(s + strlen(line), "%159s", k.file)) != 1)
                own = i < 0 ? GND_ERR_FORMAT : GND_ERR_NAME;
            k.step = number;
            snprintf(text, sizeof text, "load_state: %.500s has no %s", folder,
                     i < 0 ? "step" : names[i]);
        }
        st = gndm__agree(c, own, text);
        if (!st)
            st = gndm__bcast(c, &k, sizeof k, 0);
        if (!st && i < 0 && step)
            *step = k.step;
        if (st || i < 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, k.file);
        out[i] = gndm_load_npy(c, path, part ? part[i] : NULL);
        st = gndm_status_of(out[i]);
    }
    free(manifest);
    for (int i = 0; i < n; i++) {
        if (st || !out[i])
            out[i] = gndm__error(c, st);
        gndm_keep(out[i]);
    }
    gndm__leave(c, NULL);
    return st;
}
