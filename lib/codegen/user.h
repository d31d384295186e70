/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/user.h - kernels of the user's own: what their parameters are, and the text that a
 * backend compiles for them. Pure text to text; knows no graph and no device but its properties.
 *
 * The text is the user's, with its lines and columns (by #line and white space), and additions:
 * each pointer to global memory gets a hidden parameter, the bytes at which its array begins, which
 * is added at the start of the kernel; on CUDA pointers to local memory become parts of the one
 * block of dynamic shared memory. Hidden parameters follow the user's, in their order.
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
    uint8_t is_const;    /* what the pointer points to */
    int16_t dtype;       /* of one lane; -1: not known, nothing is checked */
    int32_t lanes;       /* 1, or those of a vector type */
    int32_t first, last; /* its tokens */
    int32_t name_at;     /* the token of its name */
    char name[48];
    char type[48]; /* as written: "unsigned int" */
} gnd__uparam;

typedef struct gnd__ukernel {
    char *name;
    int32_t nparam;
    gnd__uparam *param;
    int64_t most;    /* work-items of a group by __launch_bounds__; 0: nothing is said */
    int64_t reqd[3]; /* the size of a group by reqd_work_group_size; 0: nothing is said */
    int32_t start;   /* tokens: where the declaration starts, and the marks ( ) { */
    int32_t open, close, body;
    uint8_t is_extern; /* extern "C" already */
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
} gnd__usource;

/* Reads src: tokens and kernels. options: "-D NAME", "-D NAME=VALUE", separated by spaces; NULL:
 * none. GND_ERR_SYNTAX names line and column, GND_ERR_ARG the option, GND_ERR_NAME: no kernel.
 * The caller frees with gnd__usource_free, after errors too. */
gnd_status gnd__usource_read(gnd__usource *u, gnd__ulang lang, const char *src, const char *options,
                             gnd_err *e);
void gnd__usource_free(gnd__usource *u);

/* Appends what the device compiles. GND_ERR_UNSUPPORTED: CUDA C for OpenCL; what gnd__prelude says
 * for the portable language. */
gnd_status gnd__usource_text(const gnd__usource *u, const gnd_props *props, gnd__str *out,
                             gnd_err *e);

/* The kernel's number by name; NULL: the only one. -1: there is none (or several). */
int gnd__ukernel_find(const gnd__usource *u, const char *name);
/* The name most like `name` of the kernels; NULL: none is near. */
const char *gnd__ukernel_near(const gnd__usource *u, const char *name);
/* Whether an array of dtype t may be given to p, a pointer. */
int gnd__uparam_takes(const gnd__uparam *p, gnd_dtype t);
/* Bytes of value p; 0: not known. */
size_t gnd__uparam_bytes(const gnd__uparam *p);

/* The dtype of a C type ("unsigned int", "float", "g_i64"), of one lane; *lanes. -1: not known. */
int gnd__user_dtype(const char *type, int *lanes);

#endif
