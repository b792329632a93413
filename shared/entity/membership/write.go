package membership

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// Write inserts unknown people, and makes all people members of the batch's period. In insert
// mode existing members are skipped; in upsert mode person and membership are updated if the
// row changes them.
func (t *Type) Write(ctx context.Context, tx pgx.Tx, b *entity.Batch) error {
	b.Results, b.Displaced = make([]entity.Result, b.Len()), nil
	changing, err := b.FilterUnchanged(rowIndexes(b.Len()), func(rows []int) (map[int]bool, error) { return findUnchanged(ctx, tx, b, rows) })
	if err != nil || len(changing) == 0 {
		return err
	}
	if len(changing) == b.Len() {
		return writeBatch(ctx, tx, b)
	}
	part := b.Pick(changing)
	part.Results = make([]entity.Result, len(changing))
	if err := writeBatch(ctx, tx, part); err != nil {
		return err
	}
	for place, i := range changing {
		b.Results[i] = part.Results[place]
	}
	b.Displaced = part.Displaced
	return nil
}

// writeBatch writes all rows of the batch.
func writeBatch(ctx context.Context, tx pgx.Tx, b *entity.Batch) error {
	p, err := ensurePeople(ctx, tx, b)
	if err != nil {
		return err
	}
	rows, repeats := p.deduplicate(b)
	if len(rows) == 0 {
		return nil
	}
	part, keys := b.Pick(rows), p.keyColumn(rows)
	if err := p.updateKnown(ctx, tx, b, rows); err != nil {
		return err
	}
	made, err := writeMemberships(ctx, tx, part, &keys)
	if err != nil {
		return err
	}
	held, err := findOrigins(ctx, tx, part, &keys)
	if err != nil {
		return err
	}
	if err := setResults(ctx, tx, b, p, rows, &keys, made, held); err != nil {
		return err
	}
	setRepeatResults(b, repeats)
	return nameDifferences(ctx, tx, b)
}

// repeatedRow is a row of the batch with the same person as an earlier row.
type repeatedRow struct{ row, first int }

// setRepeatResults rejects the rows that repeat a person. If there was nothing to do for the
// first row, there is nothing to do for the others, in whichever chunk they are.
func setRepeatResults(b *entity.Batch, repeats []repeatedRow) {
	for _, r := range repeats {
		if b.Results[r.first].Outcome == rowwrite.Skipped {
			b.Results[r.row] = b.Results[r.first]
			continue
		}
		b.Results[r.row] = entity.Result{Outcome: rowwrite.Errored, Errors: []rowwrite.Error{samePersonError(b.Row(r.first))}}
	}
}

// personLookup finds the person with the identity key v.k in organisation $1. LIMIT makes the
// planner use one index lookup for each row, however many rows there are.
const personLookup = `SELECT p.id FROM persons AS p WHERE p.organisation_id = $1 AND p.identity_key = v.k LIMIT 1`

// writeMemberships inserts the memberships and returns the rows that created one.
func writeMemberships(ctx context.Context, tx pgx.Tx, b *entity.Batch, keys *entity.Column) (map[int64]bool, error) {
	made := make(map[int64]bool, b.Len())
	_, err := entity.Query(ctx, tx, `
		INSERT INTO memberships (organisation_id, source_job, period_id, source_row, person_id, type_id, membership_number, joined_on)
		SELECT $1, $2, $3, v.r, p.id, v.ty, v.nr, v.jo
		FROM unnest($4::int8[], $5::text[], $6::int8[], $7::text[], $8::date[]) AS v(r, k, ty, nr, jo)
		CROSS JOIN LATERAL (`+personLookup+`) AS p
		ORDER BY p.id
		ON CONFLICT (organisation_id, period_id, person_id) DO NOTHING
		RETURNING source_row`,
		append([]entity.Param{entity.Int64Param(b.Organisation), entity.Int64Param(b.JobKey), entity.Int64Param(b.Context)}, membershipParams(b, keys)...),
		func(v [][]byte) error {
			made[entity.Int64(v[0])] = true
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("write memberships: %w", err)
	}
	return made, nil
}

func membershipParams(b *entity.Batch, keys *entity.Column) []entity.Param {
	return []entity.Param{
		entity.ArrayParam(&b.Rows), entity.ArrayParam(keys), entity.ArrayParam(&b.Columns[membershipType]),
		entity.ArrayParam(&b.Columns[membershipNumber]), entity.ArrayParam(&b.Columns[joinedOn]),
	}
}

// origin is the source of a membership.
type origin struct{ jobKey, row int64 }

// findOrigins returns the origin of each membership of the batch's people, by the index of the
// person's key.
func findOrigins(ctx context.Context, tx pgx.Tx, b *entity.Batch, keys *entity.Column) (map[int]origin, error) {
	held := make(map[int]origin, b.Len())
	_, err := entity.Query(ctx, tx, `
		SELECT v.place, coalesce(m.source_job, 0), coalesce(m.source_row, 0)
		FROM unnest($3::text[]) WITH ORDINALITY AS v(k, place)
		CROSS JOIN LATERAL (`+personLookup+`) AS p
		CROSS JOIN LATERAL (
			SELECT m.source_job, m.source_row
			FROM memberships AS m
			WHERE m.organisation_id = $1 AND m.period_id = $2 AND m.person_id = p.id
			LIMIT 1
		) AS m`,
		[]entity.Param{entity.Int64Param(b.Organisation), entity.Int64Param(b.Context), entity.ArrayParam(keys)},
		func(v [][]byte) error {
			held[int(entity.Int64(v[0])-1)] = origin{jobKey: entity.Int64(v[1]), row: entity.Int64(v[2])}
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("look up memberships: %w", err)
	}
	return held, nil
}

// setResults sets the results of the rows and updates memberships that these rows should have
// created but that exist already.
func setResults(ctx context.Context, tx pgx.Tx, b *entity.Batch, p *people, rows []int, keys *entity.Column, made map[int64]bool, held map[int]origin) error {
	var rewrite, rewriteKeys []int
	for place, i := range rows {
		holder, row := held[place], b.Row(i)
		sameFile := holder.jobKey == b.JobKey
		switch {
		case made[row]:
			b.Results[i].Outcome = rowwrite.Created
		case sameFile && holder.row < row:
			b.Results[i] = entity.Result{Outcome: rowwrite.Errored, Errors: []rowwrite.Error{samePersonError(holder.row)}}
		case sameFile:
			// A later row of the file was written first, because chunks run concurrently. The membership
			// and the outcome of that row belong to this row.
			b.Results[i].Outcome = rowwrite.Created
			b.Displaced = append(b.Displaced, entity.Displaced{Row: holder.row, Holder: row, Err: p.displacedError(b, i)})
			rewrite, rewriteKeys = append(rewrite, i), append(rewriteKeys, place)
		case b.Mode == rowwrite.Upsert:
			b.Results[i].Outcome = rowwrite.Updated
			rewrite, rewriteKeys = append(rewrite, i), append(rewriteKeys, place)
		default:
			b.Results[i] = entity.Result{Outcome: rowwrite.Skipped, Errors: []rowwrite.Error{{
				Code: problem.AlreadyExists, Message: "This person is already a member in this period.",
			}}}
		}
	}
	if len(rewrite) == 0 {
		return nil
	}
	values := "membership_number = v.nr, joined_on = v.jo" // replaces the values of the later row
	if b.Mode == rowwrite.Upsert {
		values = "membership_number = coalesce(v.nr, " + valueBeforeImport("m", "$2", "membership_number", "text") + "), joined_on = coalesce(v.jo, " +
			valueBeforeImport("m", "$2", "joined_on", "date") + "), source_before = " + rowBeforeImport("m", "$2")
	}
	part, partKeys := b.Pick(rewrite), keys.Pick(rewriteKeys)
	_, err := entity.Exec(ctx, tx, `
		UPDATE memberships AS m
		SET type_id = v.ty, `+values+`, source_job = $2, source_row = v.r
		FROM unnest($4::int8[], $5::text[], $6::int8[], $7::text[], $8::date[]) AS v(r, k, ty, nr, jo)
		CROSS JOIN LATERAL (`+personLookup+`) AS p
		WHERE m.organisation_id = $1 AND m.period_id = $3 AND m.person_id = p.id`,
		append([]entity.Param{entity.Int64Param(b.Organisation), entity.Int64Param(b.JobKey), entity.Int64Param(b.Context)}, membershipParams(part, &partKeys)...))
	if err != nil {
		return fmt.Errorf("update memberships: %w", err)
	}
	return nil
}

func samePersonError(row int64) rowwrite.Error {
	return rowwrite.Error{Code: problem.RowDuplicate, Message: fmt.Sprintf("Row %d of this file is the same person.", row)}
}

// displacedError returns the error for the later row that lost its person to row i. The name in
// the later row is the current name of the person.
func (p *people) displacedError(b *entity.Batch, i int) rowwrite.Error {
	known, own := p.known[p.keys[i]], personName(b, i)
	if entity.IsWeakKey(p.keys[i]) && displacesPerson(b, i, known) && !own.EqualFold(known.Name) {
		return entity.AmbiguousPersonError(b.Columns[email].String(i), own)
	}
	return samePersonError(b.Row(i))
}
