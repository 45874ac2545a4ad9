// Sums and differences within a transform, over the forms of the field. A sum of two products'
// results may be `lazy`: what it is good for is one more such sum, and then to be settled. What is
// settled is good for a product.
//
// Form x29: settled values and products are below 2 p, sums of two below 4 p, of four below 10 p.
//
// Form d51: a factor out of the table is within p / 2, one out of memory within p, and what is
// settled within 0.51 p. Products of these are within 0.97 p, sums of four within 4 p, whose digits
// are below 2^53, the integers that a double has. Where R is hardly more than p (BLS12-381: 1.1 p),
// products have no room for larger factors; `settle_tight` settles there, and does nothing
// elsewhere.
#ifndef NTT_BUTTERFLY_GLSL
#define NTT_BUTTERFLY_GLSL

#if defined(PAIL_FORM_D51)
fp lazy_add(fp a, fp b)
{
    [[unroll]] for (uint i = 0; i < FP51_LIMBS; i++) {
        precise const double sum = a.v[i] + b.v[i];
        a.v[i] = sum;
    }
    return a;
}

fp lazy_sub(fp a, fp b)
{
    return fe_sub_lazy(a, b);
}

fp settle(fp a)
{
    return fp_fit(a);
}
#elif defined(PAIL_FORM_X29)
fp lazy_add(fp a, fp b)
{
    return fe_add(a, b);
}

fp lazy_sub(fp a, fp b)
{
    return fe_sub(a, b);
}

fp settle(fp a)
{
    return fp_canonical(a);
}
#else
fp lazy_add(fp a, fp b)
{
    return fe_add(a, b);
}

fp lazy_sub(fp a, fp b)
{
    return fe_sub(a, b);
}

fp settle(fp a)
{
    return a;
}
#endif

fp settle_tight(fp a)
{
#if defined(PAIL_FORM_D51) && FP_BITS > 254
    return settle(a);
#else
    return a;
#endif
}

#endif
