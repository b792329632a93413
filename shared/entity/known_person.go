package entity

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// KnownPerson is a person that exists in the database.
type KnownPerson struct {
	Name PersonName
	// JobKey and Row are the last source of the person; Updated reports that the person existed
	// before that import.
	JobKey, Row int64
	Updated     bool
}

// LockPersons returns the people with the identity keys and locks them until the transaction
// ends. All callers lock them in the same order.
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

// AmbiguousPersonError returns the error for a row that identifies a person only by an e-mail
// address and has another name than the person.
func AmbiguousPersonError(email string, met PersonName) rowwrite.Error {
	return rowwrite.Error{
		Field: personEmailField, Code: problem.IdentityAmbiguous, Value: Shorten(email),
		Message: "This e-mail address belongs to " + Shorten(met.String()) + ". Use the same name for the same person, or add an identity number or another address for a different person.",
	}
}
