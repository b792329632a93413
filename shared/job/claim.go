package job

import "time"

// Claim is the right to carry out the request of an idempotency key.
type Claim struct {
	// ID is that of the job or the export that the key makes: the same in every attempt,
	// so that a repetition of a request that died half-way finds what it left.
	ID string
	// Expires is when the key is forgotten.
	Expires time.Time
	// Done says that the request has been carried out: repeat its response.
	Done bool
}
