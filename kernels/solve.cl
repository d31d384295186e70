/* SPDX-License-Identifier: BSD-3-Clause
 *
 * solve.cl - the operands of library calls: copied to where they may be destroyed, and back.
 */
//@text solve_copy
    const g_i64 i = (g_i64)GND_GID(0);
    if (i < n)
        gnd_st_$t(y, PLACE, IN_x(i));
//@text solve_widen
    const g_i64 i = (g_i64)GND_GID(0);
    if (i < n)
        gnd_st_$t(y, begin + i, VALUE(x[i]));
