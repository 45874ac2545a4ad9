// A run: the points of one bucket that one thread adds up. Its sum is the bucket, or, where the
// bucket goes on in the share of a neighbour, a piece of it. Every bucket has exactly one writer:
// the thread that holds all of it, at this level or at a later one.
//
// A thread leaves two pieces, the first and the last run of its share; (MSM_KEY_NONE, -) where
// there is none. A share that lies inside one bucket leaves its sum as the first piece and
// infinity, under the same bucket, as the last, so that the pieces of a bucket are always
// neighbours.
#ifndef MSM_RUN_GLSL
#define MSM_RUN_GLSL

void write_piece(uint keys, uint pieces, uint slot, uint bucket, xyzz sum)
{
    index[keys + slot] = bucket;
    store_point(pieces + slot, sum);
}

// open_left: the bucket began before this thread's share; open_right: it goes on after.
void close_run(uint keys, uint pieces, uint thread, uint buckets, uint bucket, xyzz sum,
               bool open_left, bool open_right)
{
    if (!open_left && !open_right)
        store_point(buckets + bucket, sum);
    if (open_left)
        write_piece(keys, pieces, 2 * thread, bucket, sum);
    if (open_right)
        write_piece(keys, pieces, 2 * thread + 1, bucket, ec_select(open_left, sum, ec_infinity()));
}

#endif
