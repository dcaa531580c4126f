/*
 * rough_group.h - the loss of a group of people, roughly, from its curve
 */
#ifndef SOTTO_ROUGH_GROUP_H
#define SOTTO_ROUGH_GROUP_H

/* So many people in Gaussian noise of this mean, mu^2/2, and largest loss, sampled at a rate. */
struct sotto_rough_people {
	double mu, reach, rate, people;
};

/* K at c and its slope, and |M(c+it)/M(c)|.  Nothing here is a bound. */
struct sotto_rough_group {
	double k, slope, size;
};
struct sotto_rough_group
sotto_rough_group_at(const struct sotto_rough_people *r, double c, double t);

#endif
