/** Lets a curve of ffjavascript multiply in G1 and G2 and transform in Fr through Pail; returns the curve. */
export function accelerate<Curve extends { name: string }>(curve: Curve): Curve;
