package job

import "time"

// Claim is the right to carry out the request of an idempotency key.
type Claim struct {
	// ID is the id of the job or export that the request creates. It is the same in every
	// attempt, so that a repetition finds what a failed request left behind.
	ID string
	// Expires is when the key expires.
	Expires time.Time
	// Done reports that the request has been carried out and its response is to be repeated.
	Done bool
}
