package postgres_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/tenant"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// in runs f for an organisation.
func in(t *testing.T, d *postgrestest.Database, organisation tenant.ID, f func(tx pgx.Tx)) {
	t.Helper()
	require.NoError(t, d.DB.InOrganisation(t.Context(), organisation, func(tx pgx.Tx) error {
		f(tx)
		return nil
	}))
}

// of is a job of an organisation, as far as decisions ask.
func of(organisation tenant.ID, importType string) *job.Job {
	return &job.Job{ID: job.ID(uuid.NewString()), OrganisationID: organisation, ImportType: importType}
}

// headers are decisions about columns in short: "Header=FIELD".
func headers(decisions []job.ColumnDecision) []string {
	out := []string{}
	for _, d := range decisions {
		out = append(out, d.Header+"="+d.TargetField)
	}
	return out
}

func TestTheNewestDecisionAboutAHeaderWins(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	remember := func(organisation tenant.ID, importType string, decisions ...job.ColumnDecision) {
		in(t, d, organisation, func(tx pgx.Tx) {
			require.NoError(t, d.DB.RememberColumns(t.Context(), tx, of(organisation, importType), decisions))
		})
	}
	remember(1, "USER", job.ColumnDecision{Key: "a", Header: "A", TargetField: "X"}, job.ColumnDecision{Key: "b", Header: "B", TargetField: "Y"})
	remember(1, "OTHER", job.ColumnDecision{Key: "a", Header: "A", TargetField: "OTHER"})
	remember(2, "USER", job.ColumnDecision{Key: "a", Header: "A", TargetField: "FOREIGN"})
	remember(1, "USER", job.ColumnDecision{Key: "c", Header: "C"})
	remember(1, "USER", job.ColumnDecision{Key: "a", Header: "a!", TargetField: "Z"})
	remember(1, "USER")

	in(t, d, 1, func(tx pgx.Tx) {
		found, err := d.DB.RecallColumns(t.Context(), tx, "USER", []string{"a", "b", "c", "never"})
		require.NoError(t, err)
		require.Equal(t, []string{"a!=Z", "C=", "B=Y"}, headers(found), "the newest first")
		found, err = d.DB.RecallColumns(t.Context(), tx, "USER", []string{"b"})
		require.NoError(t, err)
		require.Equal(t, []string{"B=Y"}, headers(found))

		page, total, err := d.DB.ColumnDecisions(t.Context(), tx, "USER", postgres.Page{Offset: 1, Limit: 1})
		require.NoError(t, err)
		require.Equal(t, int64(3), total)
		require.Equal(t, []string{"C="}, headers(page))
		require.NotZero(t, page[0].DecidedAt)

		gone, err := d.DB.ForgetColumn(t.Context(), tx, "OTHER", page[0].ID)
		require.NoError(t, err)
		require.False(t, gone, "a decision of another type")
		gone, err = d.DB.ForgetColumn(t.Context(), tx, "USER", page[0].ID)
		require.NoError(t, err)
		require.True(t, gone)
		found, err = d.DB.RecallColumns(t.Context(), tx, "USER", []string{"c"})
		require.NoError(t, err)
		require.Empty(t, found)
	})
}

func TestTheNewestDecisionAboutAValueWins(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	remember := func(organisation tenant.ID, decisions ...job.CellDecision) {
		in(t, d, organisation, func(tx pgx.Tx) {
			require.NoError(t, d.DB.RememberCells(t.Context(), tx, of(organisation, "USER"), decisions))
		})
	}
	in(t, d, 1, func(tx pgx.Tx) {
		recalled, err := d.DB.RecallsCells(t.Context(), tx, "USER")
		require.NoError(t, err)
		require.False(t, recalled)
	})
	remember(1, job.CellDecision{TargetField: "T", Key: "x", Value: "X", EntityID: "1"}, job.CellDecision{TargetField: "U", Key: "x", Value: "X", EntityID: "2"})
	remember(2, job.CellDecision{TargetField: "T", Key: "x", Value: "X", EntityID: "9"})
	remember(1, job.CellDecision{TargetField: "T", Key: "x", Value: "x\x00"})

	in(t, d, 1, func(tx pgx.Tx) {
		found, err := d.DB.RecallCells(t.Context(), tx, "USER", "T", []string{"x", "y"})
		require.NoError(t, err)
		require.Len(t, found, 1)
		require.Equal(t, "x\uFFFD", found[0].Value)
		require.Empty(t, found[0].EntityID, "it is ignored now")
		all, total, err := d.DB.CellDecisions(t.Context(), tx, "USER", postgres.Page{Limit: 10})
		require.NoError(t, err)
		require.Equal(t, int64(2), total)
		require.Equal(t, []string{"T", "U"}, []string{all[0].TargetField, all[1].TargetField})

		recalled, err := d.DB.RecallsCells(t.Context(), tx, "USER")
		require.NoError(t, err)
		require.True(t, recalled)
		gone, err := d.DB.ForgetCell(t.Context(), tx, "USER", found[0].ID)
		require.NoError(t, err)
		require.True(t, gone)
		gone, err = d.DB.ForgetCell(t.Context(), tx, "USER", found[0].ID)
		require.NoError(t, err)
		require.False(t, gone)
	})
	in(t, d, 2, func(tx pgx.Tx) {
		found, err := d.DB.RecallCells(t.Context(), tx, "USER", "T", []string{"x"})
		require.NoError(t, err)
		require.Equal(t, "9", found[0].EntityID)
		_, err = d.DB.RecallsCells(t.Context(), tx, "OTHER")
		require.NoError(t, err)
	})
}
