/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/user.h - users' kernels: their parameters, and the text that a backend compiles for them.
 * Pure text to text; knows no graph and of the device only its properties.
 *
 * The text is the user's, with its lines and columns preserved (by #line and white space), and
 * additions: each pointer to global memory gets a hidden parameter, the byte offset at which its
 * array begins, which is added at the start of the kernel; on CUDA, pointers to local memory become
 * parts of the single block of dynamic shared memory. Hidden parameters follow the user's, in their
 * order. Checked mode adds more: codegen/checked.h.
 */
#ifndef GND_CODEGEN_USER_H
#define GND_CODEGEN_USER_H

#include "base/strbuf.h"
#include "codegen/user_lex.h"

typedef enum gnd__ulang { GND__UL_OPENCL, GND__UL_CUDA, GND__UL_PORTABLE, GND__ULANGS } gnd__ulang;

typedef enum gnd__upkind { GND__UP_GLOBAL, GND__UP_LOCAL, GND__UP_VALUE } gnd__upkind;

/* A parameter of a kernel. */
typedef struct gnd__uparam {
    uint8_t kind;        /* gnd__upkind */
    uint8_t is_const;    /* the pointed-to type is const */
    int16_t dtype;       /* dtype of one lane; -1: unknown, nothing is checked */
    int32_t lanes;       /* 1, or the number of a vector type's lanes */
    int32_t first, last; /* its tokens */
    int32_t name_at;     /* the token of its name */
    char name[48];
    char type[48]; /* as written: "unsigned int" */
} gnd__uparam;

typedef struct gnd__ukernel {
    char *name;
    int32_t nparam;
    gnd__uparam *param;
    int64_t most;     /* work-items of a group by __launch_bounds__; 0: not given */
    int64_t reqd[3];  /* the size of a group by reqd_work_group_size; 0: not given */
    int64_t sized[3]; /* the size that the text is written for, where reqd has none; 0: any */
    int32_t start;    /* tokens: where the declaration starts, and the marks ( ) { */
    int32_t open, close, body;
    uint8_t is_extern; /* extern "C" already */
    uint8_t shared;    /* CUDA C: it has extern __shared__ memory */
} gnd__ukernel;

/* A source with its kernels. */
typedef struct gnd__usource {
    gnd__ulang lang;
    char *src; /* a copy */
    size_t len;
    gnd__utoken *token;
    int32_t ntoken;
    gnd__str defines; /* the options -D as lines of the preprocessor */
    int32_t nkernel;
    gnd__ukernel *kernel;
    struct alias *alias; /* names of types: typedef, #define, -D */
    int32_t nalias;
    int checked; /* codegen/checked.h */
} gnd__usource;

/* Parses src: tokens and kernels. options: "-D NAME", "-D NAME=VALUE", "-checked", separated by
 * spaces; NULL: none. GND_ERR_SYNTAX gives line and column, GND_ERR_ARG the option; GND_ERR_NAME:
 * no kernel. The caller frees it with gnd__usource_free, also after errors. */
gnd_status gnd__usource_read(gnd__usource *u, gnd__ulang lang, const char *src, const char *options,
                             gnd_err *e);
void gnd__usource_free(gnd__usource *u);

/* Appends what the device compiles. GND_ERR_UNSUPPORTED: CUDA C for OpenCL outside of its
 * subset (codegen/cudac.h); what gnd__prelude says for the portable language. */
gnd_status gnd__usource_text(const gnd__usource *u, const gnd_props *props, gnd__str *out,
                             gnd_err *e);

/* The kernel's number by name; name NULL: the only one. -1: no such kernel (or several). */
int gnd__ukernel_find(const gnd__usource *u, const char *name);
/* The kernel name most similar to `name`; NULL: none is similar. */
const char *gnd__ukernel_near(const gnd__usource *u, const char *name);
/* Whether an array of dtype t may be passed to p, a pointer. */
int gnd__uparam_takes(const gnd__uparam *p, gnd_dtype t);
/* Bytes of value p; 0: unknown. */
size_t gnd__uparam_bytes(const gnd__uparam *p);

/* The dtype of a C type ("unsigned int", "float", "g_i64"), of one lane; *lanes. -1: not known. */
int gnd__user_dtype(const char *type, int *lanes);

#endif
