/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cache.c - files of the kernel cache. If the first byte is even, the rest is the file of an entry
 * on disk. If it is odd, an entry is stored, the following pairs of bytes change its file
 * (position, value), and the file is truncated at the end. A damaged entry must be absent or equal
 * to what was stored.
 */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "device/disk.h"

static const char key[] = "the key of an entry",
                  value[] = "0123456789abcdef0123456789abcdef0123456789";
static char dir[64], path[128];

static void remove_dir(void)
{
    char evicted[128];
    snprintf(evicted, sizeof evicted, "%s/evicted", dir);
    unlink(path);
    unlink(evicted);
    rmdir(dir);
}

static void begin(void)
{
    char name[37];
    snprintf(dir, sizeof dir, "/tmp/gnd-fuzz-XXXXXX");
    FUZZ_MUST(mkdtemp(dir) != NULL);
    setenv("GND_CACHE_DIR", dir, 1);
    setenv("GND_CACHE", "1", 1);
    setenv("GND_LOG", "none", 1);
    gnd__disk_name(key, sizeof key, name);
    snprintf(path, sizeof path, "%s/%s", dir, name);
    atexit(remove_dir);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    gnd__disk *c;
    void *got = NULL;
    size_t len = 0;
    FILE *f;
    if (n == 0)
        return 0;
    if (!dir[0])
        begin();
    c = gnd__disk_open();
    FUZZ_MUST(c != NULL);
    if (data[0] % 2 == 0) {
        unlink(path);
        f = fopen(path, "wb");
        FUZZ_MUST(f && chmod(path, 0600) == 0 && fwrite(data + 1, 1, n - 1, f) == n - 1);
        fclose(f);
    } else {
        FUZZ_MUST(gnd__disk_put(c, key, sizeof key, value, sizeof value));
        f = fopen(path, "r+b");
        FUZZ_MUST(f != NULL);
        for (size_t i = 1; i + 1 < n; i += 2)
            if (fseek(f, data[i] % 112, SEEK_SET) == 0)
                fputc(data[i + 1], f);
        fclose(f);
        if (n % 2 == 0)
            FUZZ_MUST(truncate(path, data[n - 1]) == 0);
    }
    const gnd__disk_result r = gnd__disk_get(c, key, sizeof key, &got, &len);
    FUZZ_MUST((r == GND__DISK_HIT) == (got != NULL));
    if (data[0] % 2 == 1 && r == GND__DISK_HIT)
        FUZZ_MUST(len == sizeof value && memcmp(got, value, len) == 0);
    free(got);
    gnd__disk_close(c);
    return 0;
}
