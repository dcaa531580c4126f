/*
 * shortest.h - writes a double as the shortest decimal that reads back as the same double
 */
#ifndef SOTTO_SHORTEST_H
#define SOTTO_SHORTEST_H

enum { SOTTO_SHORTEST_SIZE = 32 };

/* Writes x, which is finite. */
void sotto_shortest(double x, char out[SOTTO_SHORTEST_SIZE]);

#endif
