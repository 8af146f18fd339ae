/* fortran.c: what LAPACK asks of the library of its Fortran compiler, which an FMU does not have:
 * to join two strings; and its report of wrong arguments, which would print and end the process.
 * LAPACK returns the same in `info`, which is for the model to look at. Tests:
 * tests/cli/export.sh. */
#include <stddef.h>

void xerbla_(const char *name, const int *info, size_t length);
void _gfortran_concat_string(size_t n, char *to, size_t n1, const char *first, size_t n2, const char *second);

void xerbla_(const char *name, const int *info, size_t length) { (void)name, (void)info, (void)length; }

void _gfortran_concat_string(size_t n, char *to, size_t n1, const char *first, size_t n2, const char *second)
{
    for (size_t k = 0; k < n; k++) to[k] = k < n1 ? first[k] : k - n1 < n2 ? second[k - n1] : ' ';
}
