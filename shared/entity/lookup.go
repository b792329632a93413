package entity

import (
	"bytes"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Lookup says how texts become references to entities. Row level security
// narrows both statements to the transaction's organisation.
type Lookup struct {
	// Match takes the texts ($1 text[]) and the context's id ($2 int8) and yields
	// (place in $1 from 1 on int8, id int8) for each text that stands for exactly
	// one entity.
	Match string
	// Candidates takes the context's id ($1 int8) and yields (id int8, name text):
	// what a person can choose from.
	Candidates string
}

// Candidate is an entity that a value can be mapped to.
type Candidate struct {
	ID   int64  `db:"id"`
	Name string `db:"name"`
}

// Resolve returns the ids of the entities that the texts stand for; texts that
// stand for none are absent.
func (l *Lookup) Resolve(ctx context.Context, tx pgx.Tx, contextID int64, texts []string) (map[string]int64, error) {
	column := NewColumn(Text, len(texts))
	for _, t := range texts {
		column.AppendText([]byte(t))
	}
	ids := make(map[string]int64, len(texts))
	_, err := Query(ctx, tx, l.Match, []Param{ArrayParam(&column), Int64Param(contextID)}, func(v [][]byte) error {
		ids[texts[Int64(v[0])-1]] = Int64(v[1])
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("resolve %d texts: %w", len(texts), err)
	}
	return ids, nil
}

// List returns what a person can choose from, by name.
func (l *Lookup) List(ctx context.Context, tx pgx.Tx, contextID int64) ([]Candidate, error) {
	rows, err := tx.Query(ctx, l.Candidates, contextID)
	if err != nil {
		return nil, fmt.Errorf("list candidates: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[Candidate])
	if err != nil {
		return nil, fmt.Errorf("list candidates: %w", err)
	}
	return found, nil
}

// ReferenceText is the part of a cell that is looked up: without the white
// space around it.
func ReferenceText(cell []byte) []byte { return bytes.TrimSpace(cell) }
