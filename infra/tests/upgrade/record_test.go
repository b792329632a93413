package upgrade

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/tests/stacktest"
	"github.com/loadbay/loadbay/shared/testing/pglaunch"
)

// recordFixture runs a scenario with the binaries of another checkout, stores its state, and
// then finishes it with the same binaries to learn the expected outcome.
func recordFixture(t *testing.T, checkout string) {
	t.Helper()
	checkout, err := filepath.Abs(checkout)
	require.NoError(t, err)
	commit, err := exec.CommandContext(t.Context(), "git", "-C", checkout, "rev-parse", "--short=8", "HEAD").Output()
	require.NoError(t, err)
	dir := filepath.Join("testdata", strings.TrimSpace(string(commit)))
	require.NoError(t, os.MkdirAll(dir, 0o755))

	s := stacktest.StartBuild(t, checkout)
	m := manifest{Scenario: prepare(t, openOrganisations(t, "http://"+s.API))}
	awaitExecutions(t, "http://"+s.AWS, len(m.Scenario.waiting()))
	stacktest.Await(t, "all events are sent", func() bool {
		return stacktest.Query[int64](t, s, `SELECT count(*) FROM job_events WHERE sent_at IS NULL`) == 0
	})
	s.Stop()
	m.RecordedAt = time.Now().UTC().Truncate(time.Second)
	requireQuiet(t, s.Dir)

	var stored state
	stored.database = dumpDatabase(t, s.Dir)
	stored.aws = compactDB(t, filepath.Join(s.Dir, awsDB))
	withObjects(t, s.Dir, func(c *awss3.Client, bucket string) {
		stored.objects, m.ContentTypes, err = readObjects(t.Context(), c, bucket)
		require.NoError(t, err)
	})
	require.NotEmpty(t, stored.objects)
	stored.write(t, filepath.Join(dir, stateFile))
	writeJSON(t, filepath.Join(dir, manifestFile), m)

	s.Restart(t)
	writeJSON(t, filepath.Join(dir, expectedFile), finish(t, openOrganisations(t, "http://"+s.API), m.Scenario))
	awaitExecutions(t, "http://"+s.AWS, 0)
}

// requireQuiet requires that no message and no event of an object is under way, because a
// fixture is restored without moving their times.
func requireQuiet(t *testing.T, dataDir string) {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(dataDir, awsDB), 0o600, &bbolt.Options{ReadOnly: true})
	require.NoError(t, err)
	require.NoError(t, db.View(func(tx *bbolt.Tx) error {
		require.Zero(t, tx.Bucket([]byte("s3-events")).Stats().KeyN)
		return tx.Bucket([]byte("sqs")).ForEachBucket(func(queue []byte) error {
			require.Zero(t, tx.Bucket([]byte("sqs")).Bucket(queue).Bucket([]byte("sent")).Stats().KeyN, string(queue))
			return nil
		})
	}))
	require.NoError(t, db.Close())
}

// psqlCommands matches the lines of a dump that only psql understands.
var psqlCommands = regexp.MustCompile(`(?m)^\\.*\n`)

// dumpDatabase dumps the database of a stopped stack, as INSERT statements: they can be run
// without psql.
func dumpDatabase(t *testing.T, dataDir string) []byte {
	t.Helper()
	var dump []byte
	withPostgres(t, dataDir, func(server *pglaunch.Server) {
		conn, err := pgx.Connect(t.Context(), server.AdminURL(databaseName))
		require.NoError(t, err)
		var binaries string
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT setting FROM pg_config WHERE name = 'BINDIR'`).Scan(&binaries))
		require.NoError(t, conn.Close(t.Context()))
		command := exec.CommandContext(t.Context(), filepath.Join(binaries, "pg_dump"), "--inserts", "--rows-per-insert=200", server.AdminURL(databaseName))
		command.Stderr = os.Stderr
		dump, err = command.Output()
		require.NoError(t, err)
	})
	return psqlCommands.ReplaceAll(dump, nil)
}
