package eventparticipant

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
)

// correction is what a row changes about a known person; "" is nothing.
type correction struct {
	at                               int // index of the row
	personID                         int64
	first, last, email, number, born string
	key                              string
}

// newCorrection returns what a row says differently about a person. It replaces values only if
// replaces is set, and otherwise adds those that are missing. An empty cell changes nothing.
func newCorrection(at int, p *participant, who identity, replaces bool) (correction, bool) {
	c := correction{at: at, personID: p.personID}
	after := p.identity
	set := func(to *string, stored *string, value string) {
		if value != "" && value != *stored && (replaces || *stored == "") {
			*to, *stored = value, value
		}
	}
	set(&c.first, &after.name.First, who.name.First)
	set(&c.last, &after.name.Last, who.name.Last)
	set(&c.email, &after.email, who.email)
	set(&c.number, &after.number, who.number)
	set(&c.born, &after.born, who.born)
	if key := after.key(); key != p.identity.key() && key != p.key {
		c.key = key
	}
	return c, after != p.identity
}

// correctPersons changes known persons. A person keeps the identity key if another one has the new
// one.
func (w *partWriter) correctPersons(ctx context.Context, tx pgx.Tx, corrections []correction) error {
	if len(corrections) == 0 {
		return nil
	}
	var keys []string
	for _, c := range corrections {
		if c.key != "" {
			keys = append(keys, c.key)
		}
	}
	held, err := w.personsByKey(ctx, tx, keys)
	if err != nil {
		return err
	}
	claimed := make(map[string]bool)
	slices.SortFunc(corrections, func(a, b correction) int { return cmp.Compare(a.personID, b.personID) })
	texts := make([]entity.Column, 5)
	for i := range texts {
		texts[i] = entity.NewColumn(entity.Text, len(corrections))
	}
	rows, ids := entity.NewColumn(entity.Integer, len(corrections)), entity.NewColumn(entity.Reference, len(corrections))
	dates := entity.NewColumn(entity.Date, len(corrections))
	for _, c := range corrections {
		w.changed[c.at] = true
		rows.AppendInt64(w.Row(c.at))
		ids.AppendInt64(c.personID)
		number := ""
		if c.number != "" {
			number = w.Columns[identityNumber].String(c.at) // as it is spelt
		}
		if held[c.key] != nil || claimed[c.key] {
			c.key = ""
		}
		claimed[c.key] = c.key != ""
		for i, v := range []string{c.first, c.last, c.email, number, c.key} {
			appendFilled(&texts[i], v)
		}
		appendFilled(&dates, c.born)
	}
	_, err = entity.Exec(ctx, tx, `
		UPDATE persons AS p
		SET first_name = coalesce(v.fn, p.first_name), last_name = coalesce(v.ln, p.last_name), email = coalesce(v.em, p.email),
			identity_number = coalesce(v.idn, p.identity_number), identity_key = coalesce(v.k, p.identity_key),
			birth_date = coalesce(v.bd, p.birth_date), source_job = $2, source_row = v.r, source_before = NULL
		FROM unnest($3::int8[], $4::int8[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::date[]) AS v(r, id, fn, ln, em, idn, k, bd)
		CROSS JOIN LATERAL (SELECT o.id FROM persons AS o WHERE o.organisation_id = $1 AND o.id = v.id LIMIT 1) AS known
		WHERE p.id = known.id`,
		[]entity.Param{
			entity.Int64Param(w.Organisation), entity.Int64Param(w.JobKey), entity.ArrayParam(&rows), entity.ArrayParam(&ids), entity.ArrayParam(&texts[0]),
			entity.ArrayParam(&texts[1]), entity.ArrayParam(&texts[2]), entity.ArrayParam(&texts[3]), entity.ArrayParam(&texts[4]), entity.ArrayParam(&dates),
		})
	if err != nil {
		return fmt.Errorf("correct persons: %w", err)
	}
	return nil
}

// appendFilled appends a value in Postgres's binary format, or NULL for "".
func appendFilled(c *entity.Column, value string) {
	if value == "" {
		c.AppendNull()
		return
	}
	c.AppendText([]byte(value))
}
