package entity

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// KnownPerson is a person that the database has.
type KnownPerson struct {
	Name PersonName
	// Source and Row are what wrote the person last; Updated says that the person was
	// there before that import.
	JobKey, Row int64
	Updated     bool
}

// LockPersons returns the people of those identity keys and keeps them as they are
// until the transaction ends. They are locked in one order, whoever asks.
func LockPersons(ctx context.Context, tx pgx.Tx, organisation tenant.ID, keys *Column) (map[string]KnownPerson, error) {
	known := make(map[string]KnownPerson, keys.Len())
	_, err := Query(ctx, tx, `
		SELECT p.identity_key, p.first_name, p.last_name, coalesce(p.source_job, 0), coalesce(p.source_row, 0), (p.source_before IS NOT NULL)::int::int8
		FROM persons AS p
		WHERE p.organisation_id = $1 AND p.identity_key = ANY($2::text[])
		ORDER BY p.identity_key
		FOR NO KEY UPDATE`,
		[]Param{Int64Param(organisation), ArrayParam(keys)}, func(v [][]byte) error {
			known[string(v[0])] = KnownPerson{
				Name:   PersonName{First: string(v[1]), Last: string(v[2])},
				JobKey: Int64(v[3]), Row: Int64(v[4]), Updated: Int64(v[5]) == 1,
			}
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("lock persons: %w", err)
	}
	return known, nil
}

// AmbiguousPersonError is the error of a row that knows a person by an e-mail address alone
// and gives another name than the person has.
func AmbiguousPersonError(email string, met PersonName) RowError {
	return RowError{
		Field: personEmailField, Code: problem.IdentityAmbiguous, Value: Shorten(email),
		Message: "This e-mail address is that of " + Shorten(met.String()) + ". If the row is about the same person, write the same name; if not, give an identity number or another address.",
	}
}
