/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/inline.c - an expression as a function that the kernels of a primitive call.
 *
 * The parameters are those of a map; in the kernel each name has the function's name as a prefix,
 * so that two expressions do not clash.
 */
#include "codegen/emit.h"

#include <string.h>
#include "codegen/rows.h"
#include "base/mem.h"

enum { DEAR = 64 }; /* instructions, about; words of random streams take more */

static const char *index_type(int wide)
{
    return wide ? "g_i64" : "g_i32";
}

/* Makes three lists: the kernel's parameters, with the function's name as a prefix; the function's
 * parameters, without promises about aliases (the kernel's own parameters make them, and some
 * compilers, such as Oclgrind's, mishandle them when a function is inlined); and the arguments of a
 * call. */
static void lists(gnd__inl *out, const gnd__gkernel *k, const char *name, gnd__str *list,
                  gnd__str *args)
{
    gnd__str prefix = {0};
    gnd__str_addf(&prefix, "%s_", name);
    for (int i = 0; i < k->nargs; i++) {
        const gnd__gparam *p = &k->arg[i].p;
        gnd__str_add(&out->params, ",\n    ");
        gnd__param_text(&out->params, p, index_type(out->wide), gnd__str_get(&prefix), 1);
        gnd__str_add(list, i ? ",\n    " : "\n    ");
        gnd__param_text(list, p, "I", "", 0);
        gnd__str_addf(args, ", %s_%s", name, p->name);
    }
    args->bad |= prefix.bad;
    gnd__str_free(&prefix);
}

gnd_status gnd__codegen_inline(gnd__kir *k, const gnd__target *t, const char *name, gnd__inl *out,
                               gnd_err *e)
{
    gnd__cg c;
    gnd__gen *gen = gnd__malloc(sizeof *gen);
    gnd__str args = {0}, list = {0};
    gnd_err local;
    int64_t wr;
    memset(out, 0, sizeof *out);
    if (!gen)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory while writing a kernel");
    memset(&local, 0, sizeof local);
    memset(gen, 0, sizeof *gen);
    gnd__kir_bytes(k, &out->rd, &wr);
    gnd__kir_collapse(k);
    gnd__cg_init(&c, k, t, gen, &local);
    c.wide = out->wide = gnd__cg_wide(k);
    c.bake = gnd__cg_must_bake(k, c.wide);
    out->plain = k->nkeep <= 1;
    out->dear = gnd__rows_work(k) > DEAR;
    for (int i = 0; i < k->ninstr; i++) {
        const gnd__instr *in = &k->instr[i];
        out->plain &= in->kind == GND__I_LOAD || in->kind == GND__I_CAST;
        out->dear |= in->kind == GND__I_OP && gnd__ops[in->op].word_bits;
    }
    gnd__cg_begin(&c, 0, name);
    gnd__cg_access_args(&c, 2);
    gnd__cg_dim_args(&c, 1, k->nkeep);
    gnd__cg_const_args(&c, 2);
    gnd__cg_unflatten(&c, "f", 0, k->nkeep);
    gnd__cg_values(&c, 0);
    out->dtype = (gnd_dtype)k->instr[k->out[0].value].dtype;
    lists(out, &gen->k[0], name, &list, &args);
    gnd__cg_snippets(k, &out->text);
    gnd__str_addf(&out->text,
                  "#define I %s\nGND_FN %s %s_at(I f%s%s)\n{\n%s    return v%d;\n}\n#undef I\n",
                  index_type(c.wide), gnd__ctype_value(out->dtype), name, list.len ? "," : "",
                  gnd__str_get(&list), gnd__str_get(&c.body), k->out[0].value);
    gnd__str_addf(&out->text, "#define IN_%s(i) %s_at((%s)(i)%s)\n", name, name, index_type(c.wide),
                  gnd__str_get(&args));
    out->nargs = gen->k[0].nargs;
    out->arg = gnd__malloc(((size_t)out->nargs + 1) * sizeof *out->arg);
    if (out->arg)
        memcpy(out->arg, gen->k[0].arg, (size_t)out->nargs * sizeof *out->arg);
    if (!out->arg || args.bad || list.bad || c.body.bad || out->params.bad || out->text.bad)
        gnd__err(&local, GND_ERR_NOMEM, "out of memory while writing a kernel");
    gnd__str_free(&c.body);
    gnd__str_free(&args);
    gnd__str_free(&list);
    gnd__free(gen);
    if (local.code != GND_OK)
        *e = local;
    return local.code;
}

void gnd__inl_free(gnd__inl *i)
{
    gnd__str_free(&i->params);
    gnd__str_free(&i->text);
    gnd__free(i->arg);
    i->arg = NULL;
}
