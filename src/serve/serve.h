/* serve.h: the studio's server. It sees of the library what any program sees: acausal.h. */
#ifndef ACAUSAL_SERVE_H
#define ACAUSAL_SERVE_H

#include "acausal.h"

/* Serves pages until `serve->interrupt` is not 0. False: it could not begin; `why` says why. */
bool serve_pages(const AcausalServe *serve, char *why, size_t room);

#endif
