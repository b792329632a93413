package membership

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// people holds the people of a batch's rows.
type people struct {
	keys []string // identity keys of the rows
	// known holds the people that these rows did not create, by key.
	known map[string]entity.KnownPerson
}

// ensurePeople inserts unknown people, and locks the others.
func ensurePeople(ctx context.Context, tx pgx.Tx, b *entity.Batch) (*people, error) {
	p := &people{keys: make([]string, b.Len())}
	placeOf := make(map[int64]int, b.Len()) // index by row number
	for i := range p.keys {
		p.keys[i] = personKeyOf(b, i)
		placeOf[b.Row(i)] = i
	}
	made := make(map[string]bool, b.Len())
	keys := p.keyColumn(rowIndexes(b.Len()))
	_, err := entity.Query(ctx, tx, `
		INSERT INTO persons (organisation_id, source_job, source_row, identity_key,
			first_name, last_name, email, identity_number, birth_date, gender, phone, country_id)
		SELECT $1, $2, v.r, v.k, v.fn, v.ln, v.em, v.idn, v.bd, v.ge, v.ph, v.co::smallint
		FROM `+personRows+`
		ORDER BY v.k, v.r -- one order of locks for all who write people at the same time
		ON CONFLICT (organisation_id, identity_key) DO NOTHING
		RETURNING source_row`, personArgs(b, &keys), func(v [][]byte) error {
		made[p.keys[placeOf[entity.Int64(v[0])]]] = true
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("add persons: %w", err)
	}
	var rest []int
	for i, key := range p.keys {
		if !made[key] {
			rest = append(rest, i)
		}
	}
	if len(rest) == 0 {
		return p, nil
	}
	keys = p.keyColumn(rest)
	if p.known, err = entity.LockPersons(ctx, tx, b.Organisation, &keys); err != nil {
		return nil, err
	}
	return p, nil
}

// deduplicate returns the indexes of the first row of the batch for each person, and the other
// rows. It rejects rows with the e-mail address of another person.
func (p *people) deduplicate(b *entity.Batch) (rows []int, repeats []repeatedRow) {
	first := make(map[string]int, b.Len())
	for i, key := range p.keys {
		earlier, taken := first[key]
		known, there := p.known[key]
		met := known.Name
		if taken {
			met = personName(b, earlier)
		} else if there && displacesPerson(b, i, known) {
			there = false
		}
		switch {
		case (taken || there) && entity.IsWeakKey(key) && !personName(b, i).EqualFold(met):
			b.Results[i] = entity.Result{Outcome: rowwrite.Errored, Errors: []rowwrite.Error{entity.AmbiguousPersonError(b.Columns[email].String(i), met)}}
		case taken:
			repeats = append(repeats, repeatedRow{row: i, first: earlier})
		default:
			first[key] = i
			rows = append(rows, i)
		}
	}
	return rows, repeats
}

// displacesPerson reports whether a later row of the file created the person, because its chunk
// was written first: then the person belongs to row i.
func displacesPerson(b *entity.Batch, i int, known entity.KnownPerson) bool {
	return known.JobKey == b.JobKey && known.Row > b.Row(i) && !known.Updated
}

// personKeyOf returns the identity key of row i's person.
func personKeyOf(b *entity.Batch, i int) string {
	born, _ := b.Columns[birthDate].Bytes(i)
	name := personName(b, i)
	return entity.PersonKey(b.Columns[identityNumber].String(i), b.Columns[email].String(i), name.First, name.Last, born)
}

func personName(b *entity.Batch, i int) entity.PersonName {
	return entity.PersonName{First: b.Columns[firstName].String(i), Last: b.Columns[lastName].String(i)}
}

// keyColumn returns the keys of the rows at places.
func (p *people) keyColumn(places []int) entity.Column {
	keys := entity.NewColumn(entity.Text, len(places))
	for _, i := range places {
		keys.AppendText([]byte(p.keys[i]))
	}
	return keys
}

func rowIndexes(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// personRows reads the people of a batch from the parameters of personArgs.
const personRows = `unnest(` + personParams + `)
			AS v(r, k, fn, ln, em, idn, bd, ge, ph, co)`

const personParams = `$3::int8[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::date[], $10::text[], $11::text[], $12::int8[]`

func personArgs(b *entity.Batch, keys *entity.Column) []entity.Param {
	return []entity.Param{
		entity.Int64Param(b.Organisation), entity.Int64Param(b.JobKey), entity.ArrayParam(&b.Rows), entity.ArrayParam(keys),
		entity.ArrayParam(&b.Columns[firstName]), entity.ArrayParam(&b.Columns[lastName]), entity.ArrayParam(&b.Columns[email]),
		entity.ArrayParam(&b.Columns[identityNumber]), entity.ArrayParam(&b.Columns[birthDate]), entity.ArrayParam(&b.Columns[gender]),
		entity.ArrayParam(&b.Columns[phone]), entity.ArrayParam(&b.Columns[country]),
	}
}
