package entitytest_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/entity/entitytest"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// updateCase is a type with entities that imports update.
type updateCase struct {
	kind string
	// tables maps each table to the minimum share of its updates that do not touch its indexes.
	tables map[string]float64
	fields []string
	// row returns row n of a file; the fields that belong to no key contain text.
	row func(n int, text string) []string
}

func updateCases() []updateCase {
	id := func(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", uint32(n)*2654435761, n) }
	address := func(n int) string { return fmt.Sprintf("p%d@example.org", n) }
	const author = "00000000-0000-4000-8000-000000000000"
	return []updateCase{
		{"USER", map[string]float64{"users": 0.9}, []string{"id", "email", "name"}, func(n int, text string) []string { return []string{id(n), address(n), text} }},
		{"ARTICLE", map[string]float64{"articles": 0.9}, []string{"id", "slug", "title", "body", "author_id"}, func(n int, text string) []string { return []string{id(n), fmt.Sprint("a", n), text, text, author} }},
		{"COMMENT", map[string]float64{"comments": 0.9}, []string{"id", "body", "article_id", "user_id"}, func(n int, text string) []string { return []string{id(n), text, author, author} }},
		// The first update of a person also stores the previous values, which needs as much space again.
		{"MEMBERSHIP", map[string]float64{"persons": 0.3, "memberships": 0.3}, []string{"first_name", "last_name", "email", "phone", "type_id", "membership_number"}, func(n int, text string) []string {
			return []string{"Given", fmt.Sprint("Family", n), address(n), text, "1", text}
		}},
	}
}

// An import that changes some of the existing entities, but none of their keys, does not touch
// the indexes: most pages have room for a new version of an entity.
func TestUpdatesAreHeapOnly(t *testing.T) {
	t.Parallel()
	const count, every = 600, 4
	for _, c := range updateCases() {
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			s := newSuite(t)
			s.Exec(t, `INSERT INTO users (organisation_id, id, email, name) VALUES (1, '00000000-0000-4000-8000-000000000000', 'author@example.org', 'Author')`)
			s.Exec(t, `INSERT INTO articles (organisation_id, id, slug, title, body, author_id)
				SELECT organisation_id, id, 'first', 'First', 'First', id FROM users`)
			of, _ := catalog.New().ByName(c.kind)
			write := func(source int64, rows [][]string, after func(pgx.Tx)) {
				b := entitytest.Batch(t, of, rowwrite.Upsert, source, c.fields, rows...)
				b.Context = 11
				require.NoError(t, s.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
					err := of.(entity.RowWriter).Write(t.Context(), tx, b)
					after(tx)
					return err
				}))
			}
			var fresh, changed [][]string
			for n := 1; n <= count; n++ {
				fresh = append(fresh, c.row(n, fmt.Sprint("1", n)))
				if n%every == 0 {
					changed = append(changed, c.row(n, fmt.Sprint("2", n)))
				}
			}
			write(1, fresh, func(pgx.Tx) {})
			write(2, changed, func(tx pgx.Tx) {
				for table, least := range c.tables {
					var updated, alone int
					require.NoError(t, tx.QueryRow(t.Context(), `SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_xact_user_tables WHERE relname = $1`, table).Scan(&updated, &alone))
					t.Logf("%s: %d of %d", table, alone, updated)
					require.GreaterOrEqual(t, updated, count/every, table)
					require.Greater(t, float64(alone)/float64(updated), least, table)
				}
			})
		})
	}
}
