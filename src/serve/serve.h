/* serve.h: the studio's server. It sees of the library what any program sees: acausal.h.
 *
 * The studio is one page (page/files/studio.*) and a small server. A connection has a thread, a
 * run has a thread; what several of them see is behind one lock (runs.c). A translated model is in
 * one hand at a time (workshop.c): it is taken for a run or a question, given back, and waits for
 * the next, until a file of the directory changes. Rows are asked for as bytes, by column and from
 * a row on, so that a page fetches what it draws. The page comes with all that it would ask for
 * first, and a run of the first model is under way when it arrives. */
#ifndef ACAUSAL_SERVE_H
#define ACAUSAL_SERVE_H

#include "acausal.h"

/* Serves pages until `serve->interrupt` is not 0. False: it could not begin; `why` says why. */
bool serve_pages(const AcausalServe *serve, char *why, size_t room);

#endif
