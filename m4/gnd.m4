dnl SPDX-License-Identifier: BSD-3-Clause
dnl
dnl The options of gnd's configure, one macro each. Each sets what Makefile.am uses and a word for
dnl the summary; none looks at another's result.

dnl --enable-debug: assertions on, no optimisation. Otherwise NDEBUG.
AC_DEFUN([GND_DEBUG], [
  AC_ARG_ENABLE([debug],
    [AS_HELP_STRING([--enable-debug], [keep assertions, do not optimise])], [], [enable_debug=no])
  AS_IF([test "$enable_debug" != no],
    [GND_DEBUG_CPPFLAGS= GND_DEBUG_CFLAGS="-O0 -g3"],
    [GND_DEBUG_CPPFLAGS=-DNDEBUG GND_DEBUG_CFLAGS=])
  AC_SUBST([GND_DEBUG_CPPFLAGS])
  AC_SUBST([GND_DEBUG_CFLAGS])
])

dnl --enable-sanitizers[=LIST]: address,undefined unless LIST says otherwise; any report is fatal. With
dnl fuzzer-no-link the harnesses of fuzz/ are linked to libFuzzer. Without the thread sanitizer, the code of tests has none:
dnl GND_TEST_SAN_FLAGS is what it is compiled with.
AC_DEFUN([GND_SANITIZERS], [
  AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers@<:@=LIST@:>@],
       [build with these sanitizers (address,undefined)])], [], [enable_sanitizers=no])
  AS_IF([test "$enable_sanitizers" = yes], [enable_sanitizers=address,undefined])
  GND_SAN_FLAGS=
  AS_IF([test "$enable_sanitizers" != no], [
    GND_SAN_FLAGS="-fsanitize=$enable_sanitizers -fno-sanitize-recover=all -fno-omit-frame-pointer"
    gnd_save_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS $GND_SAN_FLAGS"
    AC_MSG_CHECKING([whether $CC takes $GND_SAN_FLAGS])
    AC_LINK_IFELSE([AC_LANG_PROGRAM], [AC_MSG_RESULT([yes])],
      [AC_MSG_RESULT([no])
       AC_MSG_ERROR([the compiler or its run-time libraries lack these sanitizers])])
    CFLAGS=$gnd_save_CFLAGS
  ])
  AM_CONDITIONAL([FUZZER], [case $enable_sanitizers in *fuzzer*) true ;; *) false ;; esac])
  GND_TEST_SAN_FLAGS=
  AS_CASE([$enable_sanitizers], [*thread* | *fuzzer*], [GND_TEST_SAN_FLAGS=$GND_SAN_FLAGS])
  AC_SUBST([GND_SAN_FLAGS])
  AC_SUBST([GND_TEST_SAN_FLAGS])
  AC_SUBST([enable_sanitizers])
])

dnl The warnings that the compiler knows.
AC_DEFUN([GND_WARNINGS], [
  GND_WARN_CFLAGS=
  for gnd_flag in -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes; do
    gnd_save_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS $gnd_flag -Werror"
    AC_COMPILE_IFELSE([AC_LANG_SOURCE([int gnd_x;])],
      [GND_WARN_CFLAGS="$GND_WARN_CFLAGS $gnd_flag"])
    CFLAGS=$gnd_save_CFLAGS
  done
  AC_SUBST([GND_WARN_CFLAGS])
])

dnl --with-opencl[=PREFIX]: headers and ICD loader, by pkg-config, from the default places, or from
dnl PREFIX. Not found: no plugin, and an error only if it was asked for.
AC_DEFUN([GND_WITH_OPENCL], [
  AC_ARG_WITH([opencl],
    [AS_HELP_STRING([--with-opencl@<:@=PREFIX@:>@],
       [build the OpenCL plugin (default: if headers and ICD loader are found)])],
    [], [with_opencl=auto])
  gnd_opencl=no
  AS_CASE([$with_opencl],
    [no], [],
    [auto|yes], [PKG_CHECK_MODULES([OPENCL], [OpenCL], [], [OPENCL_CFLAGS= OPENCL_LIBS=-lOpenCL])],
    [AS_IF([test ! -f "$with_opencl/include/CL/cl.h"],
       [AC_MSG_ERROR([--with-opencl=$with_opencl: there is no $with_opencl/include/CL/cl.h])])
     OPENCL_CFLAGS="-I$with_opencl/include" OPENCL_LIBS="-L$with_opencl/lib -lOpenCL"])
  AS_IF([test "$with_opencl" != no], [
    gnd_save_CPPFLAGS=$CPPFLAGS gnd_save_LIBS=$LIBS
    CPPFLAGS="$CPPFLAGS $OPENCL_CFLAGS -DCL_TARGET_OPENCL_VERSION=120" LIBS="$OPENCL_LIBS $LIBS"
    AC_MSG_CHECKING([for OpenCL headers and ICD loader])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <CL/cl.h>]], [[clGetPlatformIDs(0, 0, 0);]])],
      [gnd_opencl=yes])
    AC_MSG_RESULT([$gnd_opencl])
    CPPFLAGS=$gnd_save_CPPFLAGS LIBS=$gnd_save_LIBS
    AS_IF([test "$gnd_opencl" = no && test "$with_opencl" != auto],
      [AC_MSG_ERROR([--with-opencl: CL/cl.h or libOpenCL was not found])])
  ])
  AC_SUBST([OPENCL_CFLAGS])
  AC_SUBST([OPENCL_LIBS])
  AM_CONDITIONAL([WITH_OPENCL], [test "$gnd_opencl" = yes])
])

dnl --with-cuda[=PREFIX]: the headers of CUDA 12 or newer (the driver's, NVRTC's, cuBLASLt's, cuFFT's and
dnl cuSOLVER's), in CUDA_HOME, /usr/local/cuda, the default places, or PREFIX. The plugin links no CUDA library, so headers are
dnl all that a build needs. They are system headers: their warnings are not ours.
AC_DEFUN([GND_WITH_CUDA], [
  AC_ARG_WITH([cuda],
    [AS_HELP_STRING([--with-cuda@<:@=PREFIX@:>@],
       [build the CUDA plugin (default: if the headers of CUDA 12 or newer are found)])],
    [], [with_cuda=auto])
  gnd_cuda=no
  CUDA_CFLAGS=
  AS_CASE([$with_cuda], [no], [gnd_places=], [auto|yes], [gnd_places="$CUDA_HOME /usr/local/cuda /usr"],
    [AS_IF([test ! -f "$with_cuda/include/cuda.h"],
       [AC_MSG_ERROR([--with-cuda=$with_cuda: there is no $with_cuda/include/cuda.h])])
     gnd_places=$with_cuda])
  AS_IF([test "$with_cuda" != no], [
    AC_MSG_CHECKING([for the headers of CUDA])
    for gnd_place in $gnd_places; do
      AS_IF([test "$gnd_place" = /usr], [gnd_flags=], [gnd_flags="-isystem $gnd_place/include"])
      gnd_save_CPPFLAGS=$CPPFLAGS
      CPPFLAGS="$CPPFLAGS $gnd_flags"
      AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <cuda.h>
#include <nvrtc.h>
#include <cublasLt.h>
#include <cufft.h>
#include <cusolverDn.h>
#if CUDA_VERSION < 12000
#error too old
#endif]], [])],
        [gnd_cuda=yes CUDA_CFLAGS=$gnd_flags])
      CPPFLAGS=$gnd_save_CPPFLAGS
      test "$gnd_cuda" = yes && break
    done
    AC_MSG_RESULT([$gnd_cuda])
    AS_IF([test "$gnd_cuda" = no && test "$with_cuda" != auto],
      [AC_MSG_ERROR([--with-cuda: cuda.h, nvrtc.h, cublasLt.h, cufft.h and cusolverDn.h of CUDA 12 or newer were not found])])
  ])
  AC_SUBST([CUDA_CFLAGS])
  AM_CONDITIONAL([WITH_CUDA], [test "$gnd_cuda" = yes])
])

dnl --with-mpi[=NAME]: libgnd-mpi, with the MPI whose pkg-config module is NAME-c or NAME: openmpi (ompi), mpich, or
dnl another. Default: the first that is found, Open MPI before MPICH. Not found: no library, and an error only if it was
dnl asked for. MPI_NAME is ompi, mpich or the given name; tests start the program that goes with it.
AC_DEFUN([GND_WITH_MPI], [
  AC_ARG_WITH([mpi],
    [AS_HELP_STRING([--with-mpi@<:@=openmpi|mpich@:>@],
       [build libgnd-mpi with this MPI (default: if one is found, Open MPI first)])],
    [], [with_mpi=auto])
  gnd_mpi=no
  MPI_NAME=no
  AS_CASE([$with_mpi], [no], [gnd_mpis=], [auto|yes], [gnd_mpis="ompi-c mpich mpi-c mpi"],
    [openmpi|ompi], [gnd_mpis="ompi-c"], [gnd_mpis="$with_mpi-c $with_mpi"])
  for gnd_m in $gnd_mpis; do
    AS_IF([test "$gnd_mpi" = no && $PKG_CONFIG --exists $gnd_m 2>/dev/null], [
      MPI_CFLAGS=`$PKG_CONFIG --cflags $gnd_m | sed 's/-I/-isystem /g'`
      MPI_LIBS=`$PKG_CONFIG --libs $gnd_m`
      gnd_save_CPPFLAGS=$CPPFLAGS gnd_save_LIBS=$LIBS
      CPPFLAGS="$CPPFLAGS $MPI_CFLAGS" LIBS="$MPI_LIBS $LIBS"
      AC_MSG_CHECKING([for MPI 3.1 ($gnd_m)])
      AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#if MPI_VERSION < 3 || (MPI_VERSION == 3 && MPI_SUBVERSION < 1)
#error too old
#endif]], [[MPI_Init(0, 0);]])],
        [gnd_mpi=yes MPI_NAME=`echo $gnd_m | sed 's/-c$//'`])
      AC_MSG_RESULT([$gnd_mpi])
      CPPFLAGS=$gnd_save_CPPFLAGS LIBS=$gnd_save_LIBS
    ])
  done
  AS_IF([test "$gnd_mpi" = no && test "$with_mpi" != no && test "$with_mpi" != auto],
    [AC_MSG_ERROR([--with-mpi=$with_mpi: no MPI 3.1 by pkg-config (Debian: libopenmpi-dev or libmpich-dev)])])
  AC_SUBST([MPI_CFLAGS])
  AC_SUBST([MPI_LIBS])
  AC_SUBST([MPI_NAME])
  AM_CONDITIONAL([WITH_MPI], [test "$gnd_mpi" = yes])
])

dnl --with-python[=PYTHON]: the extension gnd._core for Python, in python/ of the build, when the headers of CPython 3.10
dnl or newer are found. It uses the limited API, so any interpreter from 3.10 on runs it. An interpreter with NumPy is
dnl taken before one without, and the system's before another one on PATH: PYTHON, by its whole path.
AC_DEFUN([GND_WITH_PYTHON], [
  AC_ARG_WITH([python],
    [AS_HELP_STRING([--with-python@<:@=PYTHON@:>@],
       [build the Python package (default: if the headers of CPython 3.10 or newer are found)])],
    [], [with_python=auto])
  gnd_python=no
  PYTHON_CFLAGS=
  AS_CASE([$with_python], [no], [gnd_pythons=], [auto|yes], [gnd_pythons="/usr/bin/python3 python3"],
    [gnd_pythons=$with_python])
  AS_IF([test "$with_python" != no], [
    AC_MSG_CHECKING([for the headers of Python])
    PYTHON=
    for gnd_needs in numpy sys; do
      for gnd_p in $gnd_pythons; do
        gnd_found=`$gnd_p -c "import $gnd_needs, sys, sysconfig; print(sys.executable, sysconfig.get_path('include'))" 2>/dev/null`
        AS_IF([test -z "$gnd_found"], [continue])
        gnd_flags="-I${gnd_found#* }"
        gnd_save_CPPFLAGS=$CPPFLAGS
        CPPFLAGS="$CPPFLAGS $gnd_flags"
        AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#define Py_LIMITED_API 0x030A0000
#include <Python.h>
#if PY_VERSION_HEX < 0x030A0000
#error too old
#endif]], [])],
          [gnd_python=yes PYTHON=${gnd_found%% *} PYTHON_CFLAGS=$gnd_flags])
        CPPFLAGS=$gnd_save_CPPFLAGS
        test "$gnd_python" = yes && break
      done
      test "$gnd_python" = yes && break
    done
    AC_MSG_RESULT([$gnd_python])
    AS_IF([test "$gnd_python" = no && test "$with_python" != auto],
      [AC_MSG_ERROR([--with-python: Python.h of CPython 3.10 or newer was not found (Debian: python3-dev)])])
  ])
  AC_SUBST([PYTHON])
  AC_SUBST([PYTHON_CFLAGS])
  AM_CONDITIONAL([WITH_PYTHON], [test "$gnd_python" = yes])
])
