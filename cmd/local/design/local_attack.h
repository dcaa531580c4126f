/*
 * local_attack.h - attacks on a collection, for `attack` and for `simulate --attack`
 *
 * Every attack knows the parameters and sees reports.  It weighs them by their likelihood, which
 * no attacker can improve on, so it works on every protocol.
 */
#ifndef SOTTO_LOCAL_ATTACK_H
#define SOTTO_LOCAL_ATTACK_H

#include "local/local_command.h"
#include "show/table.h"

struct attack_settings {
	const char *params;
	struct option_count devices, reports, fakes;
};

/* Runs the i-th attack, of averaging, change, linkage and poison, and prints what was tried, what it achieved, and what that means. */
enum outcome local_attack_run(const struct attack_settings *settings, size_t attack,
			      const struct invocation *call, struct sotto_error *err);

/* Values that an attack distinguishes: numbers spread over the domain, or short strings. */
enum { ATTACK_VALUES = 8 };

/* Where an attack takes place. */
struct stage {
	uint64_t devices, reports, fakes; /* from the settings */
	struct sotto_client_params params;
	struct sotto_rng *rng;
	size_t stride;
	uint8_t *report;
	unsigned values; /* at most ATTACK_VALUES, and at most the size of the domain */
	struct table table;
	char caption[1024]; /* what the numbers mean */
};

/* How a device treats its secret. */
enum memory {
	FORGETS, /* a new key for each report: each answer is drawn independently */
	REMEMBERS /* one key, answers memoized */
};

struct device {
	struct sotto_client client;
	struct sotto_client_params params;
	uint8_t key[32];
	enum memory memory;
};

SOTTO_MUST_CHECK enum sotto_status
device_init(struct stage *s, struct device *d, enum memory memory);

/* Makes the next report of that device in s->report. */
SOTTO_MUST_CHECK enum sotto_status
device_speak(struct stage *s, struct device *d, unsigned value);

/* Returns how well a report fits a value. */
double stage_fit(const struct stage *s, unsigned value, const uint8_t *report);

/* Adds a row to the table: what was tried, and a number. */
void stage_add(struct stage *s, double number, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds to the caption what the numbers mean. */
void stage_say(struct stage *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The attacks. */
enum sotto_status attack_averaging(struct stage *s);
enum sotto_status attack_change(struct stage *s);
enum sotto_status attack_linkage(struct stage *s);
enum sotto_status attack_poison(struct stage *s);

#endif
