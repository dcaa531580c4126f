/*
 * census_state.h - what an interrupted release leaves in its folder, so that it can be
 * continued
 *
 * The key of its noise, what the noise was begun for, and whether it was charged, in a file
 * that its owner alone can read.  It is removed when the release is complete.
 *
 * (1) The file is there before the ledger is touched, and whole or not there at all.
 * (2) A key is never used for other counts, another tree or other queries than it was made for.
 * (3) One process at a time works in a folder.
 */
#ifndef SOTTO_CENSUS_STATE_H
#define SOTTO_CENSUS_STATE_H

#include "census/measure/noise/census_noise.h"
#include "census/measure/census_world.h"

enum sotto_census_charged {
	SOTTO_CENSUS_NO_LEDGER,
	SOTTO_CENSUS_CHARGE_BEGUN, /* the ledger knows whether it was made */
	SOTTO_CENSUS_CHARGED,
};

struct sotto_census_state {
	char magic[16];
	uint8_t key[SOTTO_NOISE_KEY_BYTES];
	/* A digest under the key of everything that decides what is measured. */
	uint8_t input[32];
	uint8_t seeded; /* the key came from a seed: the output is NOT PRIVATE */
	uint8_t charged;
};

/* Makes a new key, secret or from a seed.  Fails: SOTTO_EENTROPY, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_census_state_new(struct sotto_census_state *s,
							  const struct sotto_census_world *w,
							  const uint64_t *test_seed);

/*
 * Reads the state of a folder.
 *
 * Fails:    SOTTO_EMISSING if there is none, or if it was begun with other data or another plan.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_state_read(struct sotto_census_state *s, const struct sotto_census_world *w,
			const char *folder, struct sotto_error *err);

/* Writes the state durably; if `fresh`, refuses if there is one.  Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status sotto_census_state_write(const struct sotto_census_state *s,
							    const char *folder, bool fresh,
							    struct sotto_error *err);
bool sotto_census_state_exists(const char *folder);
void sotto_census_state_remove(const char *folder);

/* A name for the release that reveals nothing about its key: 16 hexadecimal digits. */
enum { SOTTO_CENSUS_NAME_SIZE = 17 };
SOTTO_MUST_CHECK enum sotto_status
sotto_census_state_name(const struct sotto_census_state *s, char out[SOTTO_CENSUS_NAME_SIZE]);

/*
 * Makes the folder if necessary and locks it against other processes until *lock is closed.
 * Fails:    SOTTO_EIO.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_folder_hold(const char *folder, bool *made, int *lock, struct sotto_error *err);

#endif
