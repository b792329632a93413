package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// TestFileTextsAreStoredWithoutNUL: _x0000_ in a header of a workbook represents NUL, and an
// error may repeat the header.
func TestFileTextsAreStoredWithoutNUL(t *testing.T) {
	t.Parallel()
	s := postgrestest.Setup(t)
	j := s.AddJob(t, "uploaded_at = now()")
	require.NoError(t, s.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		if err := s.DB.SaveAnalysis(t.Context(), tx, j.Key, job.Analysis{Dialect: []byte(`{"header":["a\u0000","\\u0000"]}`), Warnings: []string{"A\x00"}}); err != nil {
			return err
		}
		if err := s.DB.AddResults(t.Context(), tx, j, []job.RowResult{{Row: 2, Outcome: rowwrite.Errored, Errors: []rowwrite.Error{{Field: "A\x00", Value: "\x00", Message: "\x00 is no date."}}}}); err != nil {
			return err
		}
		_, ok, err := s.DB.Transition(t.Context(), tx, j.Key, job.Transition{To: job.Failed, Failure: &job.Failure{Code: "FILE_CORRUPT", Message: "No \x00."}})
		require.True(t, ok)
		return err
	}))
	kept, err := s.DB.JobStatus(t.Context(), 1, j.ID)
	require.NoError(t, err)
	require.Equal(t, "No \uFFFD.", kept.Failure.Message)
	require.Equal(t, []string{"A\uFFFD"}, kept.WarningCodes)
}
