package declared

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// DoubledKeys implements entity.SecondLooker. Rows that share keys are written under a lock, which the
// application does not take.
func (t *Type) DoubledKeys(ctx context.Context, tx pgx.Tx, b *entity.Batch) (map[int]rowwrite.Error, error) {
	if err := t.Enter(ctx, tx); err != nil {
		return nil, err
	}
	w := &writer{Type: t, b: b, found: make([]matches, len(t.keys))}
	doubled := make(map[int]rowwrite.Error)
	for k := range t.keys {
		if t.keys[k].guarded {
			continue
		}
		var err error
		if w.found[k], err = w.find(ctx, tx, k); err != nil {
			return nil, err
		}
		for i, found := range w.found[k] {
			if len(found) > 1 {
				doubled[i] = w.ambiguous(k, i)
			}
		}
	}
	return doubled, nil
}

// DoubledEntities implements entity.SecondLooker.
func (t *Type) DoubledEntities(ctx context.Context, tx pgx.Tx, ids []string) (map[int]rowwrite.Error, error) {
	if err := t.Enter(ctx, tx); err != nil {
		return nil, err
	}
	doubled := make(map[int]rowwrite.Error)
	for k := range t.keys {
		if t.keys[k].guarded {
			continue
		}
		if err := t.findDoubled(ctx, tx, &t.keys[k], ids, doubled); err != nil {
			return nil, fmt.Errorf("look again at the key %s: %w", t.keys[k].name, err)
		}
	}
	return doubled, nil
}

// findDoubled adds errors of the entities that share a key without an index, which consists of columns.
func (t *Type) findDoubled(ctx context.Context, tx pgx.Tx, k *key, ids []string, doubled map[int]rowwrite.Error) error {
	v, err := t.stored.IDArrays(0, ids)
	if err != nil {
		return err
	}
	id, other := t.stored.IDText("e"), t.stored.IDText("o")
	values, equal := make([]string, len(k.parts)), []string{t.stored.Within("o"), other + " <> " + id, strings.ReplaceAll(t.alive(), "e.", "o.")}
	for i, part := range k.parts {
		values[i] = "e." + part + "::text"
		equal = append(equal, fmt.Sprintf("o.%s %s e.%s", part, k.equals[i], part))
	}
	rows, err := tx.Query(ctx, fmt.Sprintf(`
		SELECT v._lb_place, concat_ws(' / ', %s), %s, o.id
		FROM unnest(%s) WITH ORDINALITY AS v(%s, _lb_place)
		JOIN %s AS e ON %s AND %s
		CROSS JOIN LATERAL (SELECT %s AS id FROM %s AS o WHERE %s LIMIT 1) AS o`,
		strings.Join(values, ", "), id, strings.Join(v.Arrays, ", "), strings.Join(v.Names, ", "),
		t.name, t.stored.Within("e"), t.stored.HasID("e", "v"), other, t.name, strings.Join(equal, " AND ")), v.Args...)
	if err != nil {
		return err
	}
	var place int
	var value, first, second string
	_, err = pgx.ForEachRow(rows, []any{&place, &value, &first, &second}, func() error {
		doubled[place-1] = rowwrite.Error{
			Field: t.fields[k.fields[0]].declared.Name, Code: problem.KeyAmbiguous, Value: entity.Shorten(value),
			Message: ambiguity(first, second),
		}
		return nil
	})
	return err
}
