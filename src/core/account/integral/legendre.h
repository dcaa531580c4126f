/*
 * legendre.h - Gauss-Legendre quadrature with 16 points
 *
 * An analytic integrand of size at most M on the Bernstein ellipse with parameter 4 around a
 * panel is integrated to within 5 M 4^-32 of the panel's half-length.
 */
#ifndef SOTTO_LEGENDRE_H
#define SOTTO_LEGENDRE_H

enum { SOTTO_LEGENDRE = 16 };

/* Computes points and weights on the panel from middle - half to middle + half. */
static inline void sotto_legendre(double middle, double half, double *x, double *w)
{
	static const double node[8] = {
		0.0950125098376374, 0.2816035507792589, 0.4580167776572274, 0.6178762444026438,
		0.7554044083550030, 0.8656312023878318, 0.9445750230732326, 0.9894009349916499};
	static const double weight[8] = {
		0.1894506104550685, 0.1826034150449236, 0.1691565193950025, 0.1495959888165767,
		0.1246289712555339, 0.0951585116824928, 0.0622535239386479, 0.0271524594117541};

	for (int i = 0; i < 8; i++) {
		x[i] = middle - half * node[i];
		x[i + 8] = middle + half * node[i];
		w[i] = w[i + 8] = half * weight[i];
	}
}

#endif
