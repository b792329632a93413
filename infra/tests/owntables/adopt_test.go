package owntables

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/imports/adopt"
	"github.com/loadbay/loadbay/shared/mapping/concept"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// schemas returns the files with the schemas to test.
func schemas(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.sql")
	require.NoError(t, err)
	if folder := os.Getenv("OWN_TABLES_SQL"); folder != "" {
		more, err := filepath.Glob(filepath.Join(folder, "*.sql"))
		require.NoError(t, err)
		require.NotEmpty(t, more, "no SQL files in %s", folder)
		files = append(files, more...)
	}
	return files
}

// otherDatabase matches the statements of a script that creates a database of its own.
var otherDatabase = regexp.MustCompile(`(?mi)^(\\c .*|DROP DATABASE .*|CREATE DATABASE .*)$`)

// load runs a script in a new database. Scripts of others may fail in part: their data files are
// missing.
func load(t *testing.T, file string) *pgx.Conn {
	t.Helper()
	d := postgrestest.Setup(t)
	script, err := os.ReadFile(file)
	require.NoError(t, err)
	conn, err := pgx.Connect(t.Context(), d.AdminURL)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close(context.Background()) })
	if strings.HasPrefix(file, "testdata") {
		_, err = conn.Exec(t.Context(), string(script))
		require.NoError(t, err)
		return conn
	}
	psql := exec.Command("psql", "-q", "-X", d.AdminURL)
	psql.Stdin = strings.NewReader(otherDatabase.ReplaceAllString(string(script), ""))
	out, err := psql.CombinedOutput()
	require.NoError(t, err, "%.300s", out)
	return conn
}

// relations returns the relations of a database that belong neither to Postgres nor to Loadbay.
func relations(t *testing.T, conn *pgx.Conn) [][2]string {
	t.Helper()
	rows, err := conn.Query(t.Context(), `
		SELECT n.nspname, c.relname
		FROM pg_class AS c
		JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
		AND n.nspname !~ '^(pg_.*|information_schema|loadbay|sample)$'
		AND pg_get_userbyid(c.relowner) <> 'loadbay_owner'
		ORDER BY 1, 2`)
	require.NoError(t, err)
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r [2]string, err error) { return r, row.Scan(&r[0], &r[1]) })
	require.NoError(t, err)
	require.NotEmpty(t, found)
	return found
}

// Every table gives a declaration that can be parsed, or a sentence that says why not.
func TestEveryTableIsAdoptedOrRefused(t *testing.T) {
	t.Parallel()
	for _, file := range schemas(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".sql"), func(t *testing.T) {
			t.Parallel()
			conn := load(t, file)
			var report strings.Builder
			for _, r := range relations(t, conn) {
				tx, err := conn.Begin(t.Context())
				require.NoError(t, err)
				source, err := adopt.Read(t.Context(), tx, r[0], r[1], nil)
				require.NoError(t, err, "%v", r)
				require.NoError(t, tx.Rollback(t.Context()))
				requireUsable(t, r, source, &report)
			}
			if out := os.Getenv("OWN_TABLES_REPORT"); out != "" {
				require.NoError(t, os.WriteFile(filepath.Join(out, filepath.Base(file)+".txt"), []byte(report.String()), 0o600))
			}
		})
	}
}

func requireUsable(t *testing.T, r [2]string, source *adopt.Source, report *strings.Builder) {
	t.Helper()
	source.Concepts = concept.Vocabulary{}
	draft := adopt.Adopt(source)
	fmt.Fprintf(report, "=== %s.%s %s\n", r[0], r[1], draft.Refusal)
	if draft.Refusal != "" {
		require.True(t, strings.HasSuffix(draft.Refusal, "."), draft.Refusal)
		return
	}
	text, err := draft.YAML()
	require.NoError(t, err)
	fmt.Fprintf(report, "%s", text)
	for _, f := range draft.Findings {
		fmt.Fprintf(report, "# %t %s: %s\n", f.MustDecide, f.Path, f.Message)
	}
	fmt.Fprintf(report, "# %q %q\n", draft.Grants, draft.Optional)
	parsed, err := declared.Parse(text)
	require.NoError(t, err, "%v: %v\n%s", r, problem.From(err).Fields, text)
	require.Equal(t, draft.Declaration, *parsed)
	_, err = declared.Compile(parsed, source.Table)
	require.NoError(t, err, "%v: %v\n%s", r, problem.From(err).Fields, text)
}
