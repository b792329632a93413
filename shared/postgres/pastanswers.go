package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/imports/pastanswer"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

const selectPastAnswers = `SELECT id::text, import_type, field, text, answers FROM past_answers `

func scanPastAnswer(row pgx.CollectableRow) (e pastanswer.Entry, err error) {
	err = row.Scan(&e.ID, &e.ImportType, &e.Field, &e.Text, &e.Answers)
	return e, err
}

// DecidedCells returns the values that a person decided about one by one, at most limit.
func (db *DB) DecidedCells(ctx context.Context, tx pgx.Tx, key job.Key, limit int) ([]job.MappedCell, error) {
	return db.cellMappings(ctx, tx, key, `WHERE m.job_id = $1 AND m.decided ORDER BY m.id LIMIT $2`, key, limit)
}

// AddPastAnswers adds one answer to each of the entries, which keep the last ones. An import that has
// already answered changes nothing. Of more than most entries of the organisation, it deletes those
// that were answered longest ago.
func (db *DB) AddPastAnswers(ctx context.Context, tx pgx.Tx, organisation tenant.ID, entries []pastanswer.Entry, most int) error {
	// In one order, so that imports that end at the same time do not block each other.
	entries = slices.SortedFunc(slices.Values(entries), func(a, b pastanswer.Entry) int { return strings.Compare(a.ID, b.ID) })
	var ids, types, fields, texts, answers []string
	for i := range entries {
		e := &entries[i]
		given, err := json.Marshal(e.Answers)
		if err != nil {
			return fmt.Errorf("encode past answer: %w", err)
		}
		ids, types, fields, texts, answers = append(ids, e.ID), append(types, e.ImportType), append(fields, e.Field), append(texts, e.Text), append(answers, string(given))
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO past_answers AS p (organisation_id, id, import_type, field, text, answers)
		SELECT $1, * FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::jsonb[])
		ON CONFLICT (organisation_id, id) DO UPDATE
		SET text = excluded.text, answered_at = now(),
		    answers = (
				SELECT jsonb_agg(a ORDER BY n)
				FROM jsonb_array_elements(excluded.answers || p.answers) WITH ORDINALITY AS of (a, n)
				WHERE n <= $7)
		WHERE NOT p.answers @> jsonb_build_array(jsonb_build_object('import', excluded.answers -> 0 -> 'import'))`,
		organisation, ids, types, fields, texts, answers, pastanswer.Required)
	if err != nil {
		return fmt.Errorf("save %d past answers: %w", len(entries), err)
	}
	_, err = tx.Exec(ctx, `
		DELETE FROM past_answers
		WHERE (organisation_id, id) IN (SELECT organisation_id, id FROM past_answers ORDER BY answered_at DESC, id DESC OFFSET $1)`, most)
	if err != nil {
		return fmt.Errorf("limit past answers: %w", err)
	}
	return nil
}

// ForgetPastAnswersOf deletes the answers that were given in some imports.
func (*DB) ForgetPastAnswersOf(ctx context.Context, tx pgx.Tx, imports []job.ID) error {
	_, err := tx.Exec(ctx, `
		WITH remaining AS (
			SELECT p.organisation_id, p.id, (
				SELECT jsonb_agg(a ORDER BY n)
				FROM jsonb_array_elements(p.answers) WITH ORDINALITY AS of (a, n)
				WHERE a ->> 'import' <> ALL ($1)) AS answers
			FROM past_answers AS p
			WHERE EXISTS (SELECT FROM jsonb_array_elements(p.answers) AS a WHERE a ->> 'import' = ANY ($1))
		), emptied AS (
			DELETE FROM past_answers AS p USING remaining AS r
			WHERE (p.organisation_id, p.id) = (r.organisation_id, r.id) AND r.answers IS NULL
		)
		UPDATE past_answers AS p SET answers = r.answers
		FROM remaining AS r
		WHERE (p.organisation_id, p.id) = (r.organisation_id, r.id) AND r.answers IS NOT NULL`, imports)
	if err != nil {
		return fmt.Errorf("forget past answers of imports: %w", err)
	}
	return nil
}

// PastAnswers returns the entries about subjects in imports of a type, by Subject.ID.
func (*DB) PastAnswers(ctx context.Context, tx pgx.Tx, importType string, subjects []pastanswer.Subject) (map[string]*pastanswer.Entry, error) {
	if len(subjects) == 0 {
		return nil, nil
	}
	ids := make([]string, len(subjects))
	for i, s := range subjects {
		ids[i] = s.ID(importType)
	}
	rows, err := tx.Query(ctx, selectPastAnswers+`WHERE id = ANY ($1::uuid[])`, ids)
	if err != nil {
		return nil, fmt.Errorf("load past answers: %w", err)
	}
	found, err := pgx.CollectRows(rows, scanPastAnswer)
	if err != nil {
		return nil, fmt.Errorf("load past answers: %w", err)
	}
	entries := make(map[string]*pastanswer.Entry, len(found))
	for i := range found {
		entries[found[i].ID] = &found[i]
	}
	return entries, nil
}

func pastAnswerOrder() listOrder { return listOrder{uuidKey("id")} }

// PastAnswerCursor returns the keys of an entry in the list.
func PastAnswerCursor(e *pastanswer.Entry) []string { return []string{e.ID} }

// ListPastAnswers lists the entries of an import type, or all for "", and their total number.
func (*DB) ListPastAnswers(ctx context.Context, tx pgx.Tx, importType string, p job.Page) ([]pastanswer.Entry, int64, error) {
	c := &conditions{}
	if importType != "" {
		c.add(`import_type = $%d`, importType)
	}
	var total int64
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM past_answers `+c.where(), c.args...).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count past answers: %w", err)
	}
	if err := c.addAfter(pastAnswerOrder(), p.After); err != nil {
		return nil, 0, err
	}
	rows, err := tx.Query(ctx, selectPastAnswers+c.where()+pastAnswerOrder().clause()+c.page(p), c.args...)
	if err != nil {
		return nil, 0, fmt.Errorf("list past answers: %w", err)
	}
	found, err := pgx.CollectRows(rows, scanPastAnswer)
	if err != nil {
		return nil, 0, fmt.Errorf("list past answers: %w", err)
	}
	return found, total, nil
}

// DeletePastAnswer deletes an entry, or returns NOT_FOUND.
func (*DB) DeletePastAnswer(ctx context.Context, tx pgx.Tx, id string) error {
	found, err := anyAffected(tx.Exec(ctx, `DELETE FROM past_answers WHERE id = $1::uuid`, id))
	if err != nil {
		return fmt.Errorf("delete past answer: %w", err)
	}
	if !found {
		return problem.New(problem.NotFound, "Past answer not found.")
	}
	return nil
}

// DeletePastAnswers deletes the entries of an import type, or all for "".
func (*DB) DeletePastAnswers(ctx context.Context, tx pgx.Tx, importType string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM past_answers WHERE $1 IN ('', import_type)`, importType); err != nil {
		return fmt.Errorf("delete past answers: %w", err)
	}
	return nil
}
