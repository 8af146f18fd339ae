/* serve.c: the door of acausal.h to the studio's server, which is a room of its own. Tests:
 * tests/serve. */
#include "serve/serve.h"
#include "api/inside.h"

AcausalStatus acausal_serve(AcausalSession *session, const AcausalServe *serve)
{
    AcausalServe own = { 0 };
    char why[400];
    if (!TAKE(session, own, serve)) return ACAUSAL_USAGE;
    return serve_pages(&own, why, sizeof why) || wrong(session, E_OPTION, "%s", why) ? ACAUSAL_DONE
                                                                                     : ACAUSAL_WRONG;
}
