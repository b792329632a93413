package httpapi

import (
	"net/http"
	"regexp"
	"time"

	"github.com/loadbay/loadbay/shared/problem"
)

const (
	idempotencyHeader = "Idempotency-Key"
	keyExpiresHeader  = "Idempotency-Key-Expires"
)

// setKeyExpiry says until when a repetition of the request is recognised as one, where
// it has a key.
func setKeyExpiry(w http.ResponseWriter, at time.Time) {
	if !at.IsZero() {
		w.Header().Set(keyExpiresHeader, at.UTC().Format(http.TimeFormat))
	}
}

var (
	// quotedKeyPattern is the key as draft-ietf-httpapi-idempotency-key-header has it, a
	// string of structured fields; bareKeyPattern is how most callers write it.
	quotedKeyPattern = regexp.MustCompile(`^"([\x20\x21\x23-\x5b\x5d-\x7e]{1,255})"$`)
	bareKeyPattern   = regexp.MustCompile(`^[\x21\x23-\x7e]{1,255}$`)
)

// idempotencyKey is the key of a request, without its quotes, or "" where it
// has none. An empty header is none: clients send it for a variable that is not set.
func idempotencyKey(r *http.Request) (string, error) {
	given := r.Header.Values(idempotencyHeader)
	switch {
	case len(given) == 0, len(given) == 1 && given[0] == "":
		return "", nil
	case len(given) > 1:
	case bareKeyPattern.MatchString(given[0]):
		return given[0], nil
	default:
		if quoted := quotedKeyPattern.FindStringSubmatch(given[0]); quoted != nil {
			return quoted[1], nil
		}
	}
	return "", problem.New(problem.IdempotencyKeyInvalid, "An Idempotency-Key is one text of 1 to 255 printable ASCII characters, bare or in quotes.")
}
