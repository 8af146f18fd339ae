/* resume.h: what a run leaves beside its result: checkpoints, and how it came to be. */
#ifndef ACAUSAL_API_RESUME_H
#define ACAUSAL_API_RESUME_H

#include "api/inside.h"

/* resume.c: checkpoints of a run, and where it goes on from one. */
typedef struct {
    AcausalModel *m;
    const char *path, *aside; /* of the checkpoint; of the result that was there */
    unsigned char program[SHA256_BYTES], model[SHA256_BYTES], options[SHA256_BYTES];
    void *bytes;
    ResultTable *rows;
    bool told; /* a checkpoint could not be written */
} Resume;
/* Before the result's file is opened. False after an error; resume_close in any case. */
bool resume_open(Resume *resume, AcausalModel *m, const AcausalSimulation *a, SimOptions *o);
bool resume_close(Resume *resume); /* false: no checkpoint could be written, which was told */
/* provenance.c: RESULT.info.json; sim NULL: the run begins. False after an error. */
bool provenance_write(AcausalModel *m, const AcausalSimulation *a, const SimOptions *o, const SimReport *sim);
void digest_flat(const Flat *flat, Arena *arena, unsigned char digest[SHA256_BYTES]);

#endif
