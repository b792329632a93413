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

// setKeyExpiry sets the header with the time until which a repeated request is recognised, if the
// request has a key.
func setKeyExpiry(w http.ResponseWriter, at time.Time) {
	if !at.IsZero() {
		w.Header().Set(keyExpiresHeader, at.UTC().Format(http.TimeFormat))
	}
}

var (
	// quotedKeyPattern is the key as in draft-ietf-httpapi-idempotency-key-header, a string of
	// structured fields; bareKeyPattern is the unquoted form that most callers send.
	quotedKeyPattern = regexp.MustCompile(`^"([\x20\x21\x23-\x5b\x5d-\x7e]{1,255})"$`)
	bareKeyPattern   = regexp.MustCompile(`^[\x21\x23-\x7e]{1,255}$`)
)

// idempotencyKey returns the key of a request without its quotes, or "" if there is none. An empty
// header counts as none: clients send it for an unset variable.
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
	return "", problem.New(problem.IdempotencyKeyInvalid, "An Idempotency-Key must have 1 to 255 printable ASCII characters, with or without quotes.")
}
