/* adapters.h: functions that code calls by their name, on cells: strings, lines of files, objects,
 * tables, random numbers, FFT. */
#ifndef ACAUSAL_RT_ADAPTERS_H
#define ACAUSAL_RT_ADAPTERS_H

#include "rt/instance.h"

/* ---- lines.c: adapters over text files ------------------------------------------------------- */

RtStatus rt_count_lines(Rt *rt, RtCell *cells); /* s -> i */
RtStatus rt_read_file(Rt *rt, RtCell *cells);   /* s, i -> strings */
RtStatus rt_read_line(Rt *rt, RtCell *cells);   /* s, i -> i end of file, s */

/* ---- strings: adapters; a comment shows the cells -------------------------------------------- */

RtStatus rt_string_concat(Rt *rt, RtCell *cells);  /* s, s -> s */
RtStatus rt_string_compare(Rt *rt, RtCell *cells); /* s, s -> i: -1, 0 or 1 */
RtStatus rt_string_length(Rt *rt, RtCell *cells);  /* s -> i */
RtStatus rt_string_part(Rt *rt, RtCell *cells);    /* s, i first, i last (from 1) -> s */
RtStatus rt_string_keep(Rt *rt, RtCell *cells);    /* s -> s that lives as long as the instance */
/* String(x, significantDigits, minimumLength, leftJustified) */
RtStatus rt_string_of_real(Rt *rt, RtCell *cells); /* r, i, i, i -> s */
RtStatus rt_string_of_int(Rt *rt, RtCell *cells);  /* i, i minimumLength, i leftJustified -> s */
RtStatus rt_string_of_bool(Rt *rt, RtCell *cells); /* i, i minimumLength, i leftJustified -> s */
/* String(x, format) with a format of C: one conversion of e, f, g (Real) or d, i, x, o, c, u
 * (Integer) */
RtStatus rt_string_format_real(Rt *rt, RtCell *cells); /* r, s -> s */
RtStatus rt_string_format_int(Rt *rt, RtCell *cells);  /* i, s -> s */
RtStatus rt_warning(Rt *rt, RtCell *cells);            /* s message, i source -> */

/* ---- names.c: strings and external objects as numbers, so that a variable of any type is a Real
 * in memory */

/* Equal strings have one number for the life of an instance; 0 is the empty one. */
RtStatus rt_string_id(Rt *rt, RtCell *cells); /* s -> r */
RtStatus rt_string_at(Rt *rt, RtCell *cells); /* r -> s */
RtStatus rt_object_id(Rt *rt, RtCell *cells); /* p -> r; 0 is none */
RtStatus rt_object_at(Rt *rt, RtCell *cells); /* r -> p */
void rt_forget_objects(Rt *rt);

/* ---- table.c, table2d.c: interpolation in tables; an object belongs to who made it ----------- */

/* smoothness */
enum { RT_LINEAR = 1, RT_AKIMA, RT_CONSTANT, RT_FRITSCH_BUTLAND, RT_STEFFEN, RT_MAKIMA };
enum { RT_HOLD = 1, RT_LAST_TWO, RT_PERIODIC, RT_NO_EXTRAPOLATION };
enum { RT_EVENTS_ALWAYS = 1, RT_EVENTS_AT_JUMPS, RT_EVENTS_NEVER };

/* s file, s name, R table, i rows, i columns, I columns, i n, i smoothness, i extrapolation, i
 * verbose, s delimiter, i header lines -> p */
RtStatus rt_table1d_new(Rt *rt, RtCell *cells);
RtStatus rt_table1d_new_2(Rt *rt, RtCell *cells);      /* without the last two, as before 4.1 */
RtStatus rt_table1d_free(Rt *rt, RtCell *cells);       /* p -> */
RtStatus rt_table1d_value(Rt *rt, RtCell *cells);      /* p, i column, r u -> r */
RtStatus rt_table1d_derivative(Rt *rt, RtCell *cells); /* p, i, r u, r der u -> r */
RtStatus rt_table1d_second(Rt *rt, RtCell *cells);     /* p, i, r u, r der u, r der2 u -> r */
RtStatus rt_table1d_least(Rt *rt, RtCell *cells);      /* p -> r */
RtStatus rt_table1d_greatest(Rt *rt, RtCell *cells);   /* p -> r */
/* s file, s name, R table, i rows, i columns, r start, I columns, i n, i smoothness, i
 * extrapolation, r shift, i events, i verbose, s delimiter, i header lines -> p */
RtStatus rt_timetable_new(Rt *rt, RtCell *cells);
RtStatus rt_timetable_new_2(Rt *rt, RtCell *cells); /* without the last two */
RtStatus rt_timetable_value(Rt *rt, RtCell *cells); /* p, i, r t, r next, r pre next -> r */
/* p, i, r t, r next, r pre next, r der t -> r */
RtStatus rt_timetable_derivative(Rt *rt, RtCell *cells);
RtStatus rt_timetable_second(Rt *rt, RtCell *cells); /* the same, r der2 t -> r */
/* p, r t -> r: the next event, DBL_MAX if there is none */
RtStatus rt_timetable_next(Rt *rt, RtCell *cells);
/* s file, s name, R table, i rows, i columns, i smoothness, i extrapolation, i verbose, s
 * delimiter, i lines -> p */
RtStatus rt_table2d_new(Rt *rt, RtCell *cells);
RtStatus rt_table2d_new_2(Rt *rt, RtCell *cells);      /* without the last two */
RtStatus rt_table2d_free(Rt *rt, RtCell *cells);       /* p -> */
RtStatus rt_table2d_value(Rt *rt, RtCell *cells);      /* p, r u1, r u2 -> r */
RtStatus rt_table2d_derivative(Rt *rt, RtCell *cells); /* p, r u1, r u2, r der u1, r der u2 -> r */
RtStatus rt_table2d_second(Rt *rt, RtCell *cells);     /* the same, r der2 u1, r der2 u2 -> r */
RtStatus rt_table2d_least(Rt *rt, RtCell *cells);      /* p -> R of two */
RtStatus rt_table2d_greatest(Rt *rt, RtCell *cells);   /* p -> R of two */

/* ---- scan.c: strings as Modelica.Utilities.Strings reads them; places count from 1 ----------- */

RtStatus rt_strings_error(Rt *rt, RtCell *cells);     /* s: ends the call with this text */
RtStatus rt_strings_length(Rt *rt, RtCell *cells);    /* s -> i */
RtStatus rt_strings_substring(Rt *rt, RtCell *cells); /* s, i first, i last -> s */
/* s, s, i case counts -> i: 1 less, 2 equal, 3 greater */
RtStatus rt_strings_compare(Rt *rt, RtCell *cells);
RtStatus rt_strings_skip(Rt *rt, RtCell *cells); /* s, i start -> i */
RtStatus rt_strings_hash(Rt *rt, RtCell *cells); /* s -> i */
/* s, i start, i unsigned -> i next, i value */
RtStatus rt_strings_integer(Rt *rt, RtCell *cells);
/* s, i start, i unsigned -> i next, r value */
RtStatus rt_strings_real(Rt *rt, RtCell *cells);
RtStatus rt_strings_identifier(Rt *rt, RtCell *cells); /* s, i start -> i next, s value */
RtStatus rt_strings_string(Rt *rt, RtCell *cells);     /* s, i start -> i next, s value */

/* ---- random.c: generators of the xorshift family; a state is an array of 32-bit Integers ----- */

RtStatus rt_xorshift64star(Rt *rt, RtCell *cells);   /* I state -> I state, r */
RtStatus rt_xorshift128plus(Rt *rt, RtCell *cells);  /* I state -> I state, r */
RtStatus rt_xorshift1024star(Rt *rt, RtCell *cells); /* I state -> I state, r */
RtStatus rt_random_set(Rt *rt, RtCell *cells);       /* I state, i n, i id -> */
RtStatus rt_random_impure(Rt *rt, RtCell *cells);    /* i id -> r */
RtStatus rt_random_seed(Rt *rt, RtCell *cells);      /* r -> i: from the time */

/* ---- fft.c ----------------------------------------------------------------------------------- */

/* R samples, i n, i room of work -> R work, R amplitudes, R phases, i status: see the file */
RtStatus rt_fft_real(Rt *rt, RtCell *cells);

#endif
