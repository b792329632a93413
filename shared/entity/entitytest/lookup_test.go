package entitytest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/catalog"
)

const (
	valueCount  = 3_000 // distinct values
	entityCount = 500   // entities, approximately
	maxVisited  = 12    // maximum number of rows that a plan visits for each value and each entity
)

// Comparing each of 10,000 distinct values of a file with each of 250 countries took minutes and
// caused two statement timeouts. The test counts the rows that the plan visits and does not
// measure time.
func TestLookupPlansScaleLinearly(t *testing.T) {
	t.Parallel()
	s := newSuite(t)
	s.Exec(t, `INSERT INTO membership_types (id, organisation_id, name) SELECT 1000 + n, 1, 'Type ' || n FROM generate_series(1, $1) AS n`, entityCount)
	s.Exec(t, `INSERT INTO event_categories (id, organisation_id, event_id, name) SELECT 1000 + n, 1, 11, 'Type ' || n FROM generate_series(1, $1) AS n`, entityCount)
	for place := range 3 {
		s.Exec(t, `
			WITH list AS (INSERT INTO custom_lists (organisation_id, event_id, place, name) VALUES (1, 11, $1, 'List') RETURNING id)
			INSERT INTO custom_list_values (organisation_id, list_id, value) SELECT 1, list.id, 'Type ' || n FROM list, generate_series(1, $2) AS n`, place+1, entityCount)
	}
	words := make([]string, valueCount)
	for i := range words {
		words[i] = fmt.Sprintf("Type %d", i)
	}
	for _, of := range catalog.New().Types() {
		for _, f := range of.Declaration().Fields {
			if f.Lookup == nil {
				continue
			}
			require.NoError(t, s.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
				var plans []struct{ Plan planNode }
				var text []byte
				require.NoError(t, tx.QueryRow(t.Context(), `EXPLAIN (ANALYZE, TIMING off, FORMAT json) `+withTypedParams(f.Lookup.Match), words, int64(11)).Scan(&text))
				require.NoError(t, json.Unmarshal(text, &plans))
				visited := plans[0].Plan.visited()
				t.Logf("%s.%s: %.0f rows", of.Declaration().Name, f.Name, visited)
				require.Less(t, visited, float64(maxVisited*(valueCount+entityCount)), "%s.%s: %s", of.Declaration().Name, f.Name, text)
				return nil
			}))
		}
	}
}

// withTypedParams adds the types of a lookup's parameters.
func withTypedParams(match string) string {
	return strings.NewReplacer("$1", "$1::text[]", "$2", "$2::int8").Replace(match)
}

// planNode is a node of an executed plan.
type planNode struct {
	Rows     float64 `json:"Actual Rows"`
	Loops    float64 `json:"Actual Loops"`
	Filtered float64 `json:"Rows Removed by Filter"`
	Unjoined float64 `json:"Rows Removed by Join Filter"`
	Plans    []planNode
}

// visited returns the number of rows that the node and its descendants have visited.
func (n planNode) visited() float64 {
	rows := (n.Rows + n.Filtered + n.Unjoined) * n.Loops
	for _, child := range n.Plans {
		rows += child.visited()
	}
	return rows
}

// The lookup of countries by code or name gives the same results as comparing one country at a
// time.
func TestCountryLookupByCodeOrName(t *testing.T) {
	t.Parallel()
	s := newSuite(t)
	of, _ := catalog.New().ByName("MEMBERSHIP")
	countries := of.Declaration().Fields[of.Declaration().FieldIndex("ID_COUNTRY")].Lookup
	for text, want := range map[string]int64{"nl": 528, "NLD": 528, "netherlands": 528, "Nederland": 528, "Elbonia": 0} {
		require.NoError(t, s.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
			ids, err := entity.Resolve(t.Context(), tx, countries, 0, []string{"ZA", text, "Frankreich"})
			require.NoError(t, err)
			require.Equal(t, want, ids[text], text)
			require.Equal(t, int64(710), ids["ZA"])
			require.Equal(t, int64(250), ids["Frankreich"])
			return nil
		}))
	}
}
