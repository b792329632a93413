package postgres_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// incompressibleText returns a text that cannot be compressed: an index stores at most 2,704
// bytes of a key, after compression.
func incompressibleText(seed uint64, runes int) string {
	random := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	for range runes {
		b.WriteRune(rune('一' + random.IntN(20_000)))
	}
	return b.String()
}

func TestLongValuesAreStored(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	now := time.Now()
	long, other := incompressibleText(1, 6000), incompressibleText(2, 6000)
	inOrganisation(t, d, 1, func(tx pgx.Tx) {
		id := job.ID(uuid.NewString())
		j, err := d.DB.CreateJob(t.Context(), tx, &job.Job{
			ID: id, OrganisationID: 1, ImportType: "MEMBERSHIP", Mode: rowwrite.Insert, Filename: "a.csv", ObjectKey: "a", SizeBytes: 1, UploadedAt: &now,
		})
		require.NoError(t, err)

		cells := []job.MappedCell{
			{TargetField: "TYPE", Value: long, Status: job.Unresolved, Rows: 1, FirstRow: 2, Create: true},
			{TargetField: "TYPE", Value: other, Status: job.Unresolved, Rows: 1, FirstRow: 3},
		}
		for range 2 { // existing ones are unchanged
			require.NoError(t, d.DB.AddCellMappings(t.Context(), tx, j, cells))
		}
		require.NoError(t, d.DB.SaveCreatedEntities(t.Context(), tx, j, "TYPE", []string{long}, []int64{7}))

		mapped, err := d.DB.CellMappings(t.Context(), tx, j.Key)
		require.NoError(t, err)
		require.Len(t, mapped, 2)
		for _, m := range mapped {
			require.Equal(t, map[string]string{long: "7", other: ""}[m.Value], m.EntityID)
		}
	})
}
