package step_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/output/errorworkbook"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

const (
	originalFile = "Email,Full name\na@x.org,Anna\nno address,Bert\n"
	replacedFile = "Email,Full name\nz@x.org,Zora\nyet no one,Yves\n"
)

// replaceFile replaces the job's file by another one of the same size.
func (e *engine) replaceFile(t *testing.T, ref job.Ref) {
	t.Helper()
	require.Len(t, replacedFile, len(originalFile))
	require.NoError(t, e.Put(t.Context(), e.job(t, ref).ObjectKey, "", []byte(replacedFile)))
}

// TestReplacedFileIsNotImported replaces the file before each step that reads it.
func TestReplacedFileIsNotImported(t *testing.T) {
	t.Parallel()
	t.Run("replaced before the analysis", func(t *testing.T) {
		t.Parallel()
		e := setup(t, 100)
		ref := e.create(t, "USER", "users.csv", originalFile, func(j *job.Job) { j.ObjectETag = `"of what has arrived"` })
		_, err := e.analyze.Run(t.Context(), ref)
		require.Equal(t, problem.SourceChanged, problem.CodeOf(err))
	})
	t.Run("replaced before the split", func(t *testing.T) {
		t.Parallel()
		e := setup(t, 100)
		ref := e.create(t, "USER", "users.csv", originalFile, nil)
		_, err := e.analyze.Run(t.Context(), ref)
		require.NoError(t, err)
		require.NotEmpty(t, e.job(t, ref).ObjectETag)
		e.replaceFile(t, ref)
		_, err = e.resolve.Run(t.Context(), ref)
		require.NoError(t, err, "the file has no values to resolve")
		require.Equal(t, problem.SourceChanged, problem.CodeOf(e.split.Run(t.Context(), ref)))
	})
	t.Run("replaced before its values are resolved", func(t *testing.T) {
		t.Parallel()
		e := setup(t, 100)
		file := "First name,Last name,Email,Type\nAda,Lovelace,ada@x.org,Senior\n"
		ref := e.create(t, "MEMBERSHIP", "roster.csv", file, func(j *job.Job) { period := int64(1); j.ContextID, j.AutoStart = &period, false })
		_, err := e.analyze.Run(t.Context(), ref)
		require.NoError(t, err)
		require.NoError(t, e.Put(t.Context(), e.job(t, ref).ObjectKey, "", []byte(strings.ReplaceAll(file, "Ada", "Eva"))))
		_, err = e.resolve.Run(t.Context(), ref)
		require.Equal(t, problem.SourceChanged, problem.CodeOf(err))
	})
	t.Run("replaced before a chunk is read", func(t *testing.T) {
		t.Parallel()
		e := setup(t, 1)
		ref := e.create(t, "USER", "users.csv", originalFile, nil)
		e.prepare(t, ref)
		require.Len(t, e.queued, 2)
		require.NoError(t, e.process.Run(t.Context(), e.queued[0]))
		e.replaceFile(t, ref)
		require.NoError(t, e.process.Run(t.Context(), e.queued[1]), "the message is not redelivered")
		j := e.job(t, ref)
		require.Equal(t, job.Failed, j.Status)
		require.Equal(t, string(problem.SourceChanged), j.Failure.Code)
		require.Equal(t, []string{"a@x.org"}, postgrestest.Query[[]string](t, e.Database, `SELECT array_agg(email) FROM users`))
	})
	t.Run("replaced before the whole file is read", func(t *testing.T) {
		t.Parallel()
		e := setupRace(t)
		ref := e.createInEvent(t, "RESULT", combined, `{}`)
		require.NoError(t, e.Put(t.Context(), e.job(t, ref).ObjectKey, "", []byte(strings.ReplaceAll(combined, "Elite", "elite"))))
		_, err := e.wholeFile(t, 100).Run(t.Context(), ref)
		require.Equal(t, problem.SourceChanged, problem.CodeOf(err))
	})
	t.Run("replaced before the error rows are read", func(t *testing.T) {
		t.Parallel()
		e := setup(t, 100)
		ref := e.create(t, "USER", "users.csv", originalFile, nil)
		e.prepare(t, ref)
		e.drain(t, false)
		require.NoError(t, e.complete.Run(t.Context(), ref))
		kind, _ := catalog.New().ByName("USER")
		books := errorworkbook.New(e.DB, e.memory, sheet.DefaultLimits())
		_, err := books.Write(t.Context(), io.Discard, translation.English, e.job(t, ref), kind.Declaration())
		require.NoError(t, err)
		e.replaceFile(t, ref)
		_, err = books.Write(t.Context(), &bytes.Buffer{}, translation.English, e.job(t, ref), kind.Declaration())
		require.Equal(t, problem.SourceChanged, problem.CodeOf(err))
		require.Equal(t, 410, problem.CodeOf(err).Status())
	})
}
