package job

// Claim is the right to carry out the request of an idempotency key.
type Claim struct {
	// JobID is the job that the key makes: the same for all who try, so that a
	// repetition of a request that died half way finds what it left.
	JobID string
	// Done says that the request has been carried out: only repeat its answer.
	Done bool
}
