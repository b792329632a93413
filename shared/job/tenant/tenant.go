// Package tenant defines the id of the organisation that data belongs to. It is a separate
// package because import types, which do not depend on jobs, need it too.
package tenant

import (
	"errors"
	"strconv"
)

// ID is the id of an organisation, from 1.
type ID int64

// Parse parses an id from outside: a token's claim, an address, the key of an object. It
// accepts only the form that String writes.
func Parse(text string) (ID, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if id := ID(n); err == nil && id.Valid() && id.String() == text {
		return id, nil
	}
	return 0, errors.New("an organisation ID must be a number from 1")
}

// String returns the id in digits.
func (id ID) String() string { return strconv.FormatInt(int64(id), 10) }

// Valid reports whether it can be the id of an organisation.
func (id ID) Valid() bool { return id > 0 }
