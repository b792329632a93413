package adopt

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loadbay/loadbay/shared/mapping/content"
)

// Limits of the rows that are read to see what columns of texts contain.
const (
	maxSampled    = 200
	maxSample     = 200 // characters
	sampleTimeout = "2s"
)

// sample describes the first values of each column of texts, by its name; nil if the role may not read
// the rows, or that takes too long.
func sample(ctx context.Context, tx pgx.Tx, s *Source) (map[string]*content.Summary, error) {
	t := s.Table
	where, args, allowed := s.rows()
	var names, texts []string
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Select && isText(c) && !c.Generated {
			names, texts = append(names, c.Name), append(texts, fmt.Sprintf("left(%s::text, %d)", sqlNames([]string{c.Name}), maxSample))
		}
	}
	if !allowed || len(names) == 0 {
		return nil, nil
	}
	sql := fmt.Sprintf("SELECT ARRAY[%s] FROM %s%s LIMIT %d", strings.Join(texts, ", "), pgx.Identifier{t.Schema, t.Name}.Sanitize(), where, maxSampled)
	columns := content.NewColumns(len(names))
	err := Limited(ctx, tx, sampleTimeout, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		var values []*string
		_, err = pgx.ForEachRow(rows, []any{&values}, func() error {
			for i, v := range values {
				if v != nil {
					columns.Add(i, []byte(*v), 0)
				}
			}
			return nil
		})
		return err
	})
	var pg *pgconn.PgError
	switch {
	case errors.As(err, &pg): // as in count
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read samples: %w", err)
	}
	found := make(map[string]*content.Summary, len(names))
	for i, name := range names {
		s := columns.Summary(i)
		found[name] = &s
	}
	return found, nil
}
