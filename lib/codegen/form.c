/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/form.c - the parts of a generated kernel besides its text: parameters, arrays in local
 * memory, and the position of its statements. Used to embed it into another kernel (merge.c) or a
 * function (inline.c).
 */
#include "codegen/codegen.h"

#include <string.h>
#include "base/mem.h"

gnd__form *gnd__form_new(const gnd__gkernel *k)
{
    const size_t shared = (size_t)k->nshared * sizeof(gnd__gshared),
                 params = (size_t)k->nargs * sizeof(gnd__gparam);
    gnd__form *f = gnd__malloc(sizeof *f + shared + params);
    if (!f)
        return NULL;
    *f = (gnd__form){.wide = k->wide,
                     .nparam = k->nargs,
                     .nshared = k->nshared,
                     .body = k->body,
                     .body_len = k->body_len};
    f->shared = (gnd__gshared *)(f + 1);
    f->param = (gnd__gparam *)(f->shared + f->nshared);
    memcpy(f->shared, k->shared, shared);
    for (int i = 0; i < f->nparam; i++)
        f->param[i] = k->arg[i].p;
    for (int i = 0; i < f->nshared; i++)
        f->local += gnd__shared_bytes(&f->shared[i]);
    return f;
}

size_t gnd__shared_bytes(const gnd__gshared *s)
{
    return ((size_t)s->count * (size_t)s->esize + 15) / 16 * 16;
}

void gnd__param_text(gnd__str *out, const gnd__gparam *p, const char *index, const char *prefix,
                     int promise)
{
    const char *type = strcmp(p->type, "I") ? p->type : index;
    if (p->space == GND__VALUE)
        gnd__str_addf(out, "const %s %s%s", type, prefix, p->name);
    else
        gnd__str_addf(out, "%s %s *%s%s%s",
                      p->space == GND__GLOBAL ? "GND_GLOBAL" : "GND_CONST_GLOBAL", type,
                      promise ? "GND_RESTRICT " : "", prefix, p->name);
}
