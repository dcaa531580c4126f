/*
 * clone_pair.h - the parameters of the clone pair, its losses, and how rare its numbers of clones are (clone_points.md)
 */
#ifndef SOTTO_CLONE_PAIR_H
#define SOTTO_CLONE_PAIR_H

#include <stdbool.h>

#include "sotto/account.h"

/* The pair of n users (shuffle_curve.md). */
struct sotto_clone_pair {
	double users; /* others than the one who changes */
	double p, rest; /* that one of them is a clone, and is none */
	double tau, gap; /* tanh(e0/2), and 1 minus that */
	double epsilon0;
	double clones; /* users p */
};

/* False for parameters that no bound was made for. */
bool sotto_clone_pair_of(const struct sotto_event *e, struct sotto_clone_pair *out);

/* 2 tau over the root of the clones: the standard deviation of the loss, roughly. */
double sotto_clone_scale(const struct sotto_clone_pair *p);

/* -log of the Chernoff bound at k clones, and at so many more than there are on the mean: users times the divergence of k/users from p. */
double sotto_clone_deviance(const struct sotto_clone_pair *p, double k);
double sotto_clone_deviance_off(const struct sotto_clone_pair *p, double more);

/* The loss at the difference d of n reports. */
double sotto_clone_loss(const struct sotto_clone_pair *p, double d, double n);

#endif
