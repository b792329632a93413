package upgrade

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/shared/testing/pglaunch"
)

// The database of the stack and its owner.
const (
	databaseName = "loadbay"
	ownerRole    = "loadbay_owner"
)

// restore fills a new DATA_DIR with a fixture, with times moved forward by shift.
func restore(t *testing.T, dataDir string, s state, m manifest, shift time.Duration) {
	t.Helper()
	restoreDatabase(t, dataDir, s.database, shift)
	restoreAWS(t, dataDir, s.aws, shift)
	withObjects(t, dataDir, func(c *awss3.Client, bucket string) {
		require.NoError(t, putObjects(t.Context(), c, bucket, s.objects, m.ContentTypes))
	})
}

// restoreDatabase runs the dump in a new cluster. The roles get their passwords when the
// stack starts.
func restoreDatabase(t *testing.T, dataDir string, dump []byte, shift time.Duration) {
	t.Helper()
	withPostgres(t, dataDir, func(server *pglaunch.Server) {
		_, err := server.EnsureMasterRole(t.Context(), ownerRole, rand.Text(), databaseName)
		require.NoError(t, err)
		for _, sql := range []string{`CREATE ROLE loadbay_app; CREATE ROLE loadbay_maintenance; CREATE ROLE loadbay_operator`, string(dump), shiftTimes(shift)} {
			// A connection for each: a dump changes the settings of its session.
			conn, err := pgx.Connect(t.Context(), server.AdminURL(databaseName))
			require.NoError(t, err)
			_, err = conn.Exec(t.Context(), sql)
			require.NoError(t, err)
			require.NoError(t, conn.Close(t.Context()))
		}
	})
}

// withPostgres runs the cluster of a stopped stack's DATA_DIR.
func withPostgres(t *testing.T, dataDir string, do func(*pglaunch.Server)) {
	t.Helper()
	server, err := pglaunch.Start(t.Context(), pglaunch.Config{Dir: filepath.Join(dataDir, postgresDir), Settings: pglaunch.ThrowawaySettings()})
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Stop(t.Context())) }()
	do(server)
}

// shiftTimes returns a statement that moves every time in the database, except those of
// entities: they are data, which a plan and an undo compare with recorded values.
func shiftTimes(shift time.Duration) string {
	return fmt.Sprintf(`DO $$
DECLARE
	statement text;
BEGIN
	SET LOCAL session_replication_role = replica; -- no triggers
	FOR statement IN
		SELECT format('UPDATE %%s SET %%s', attrelid::regclass, string_agg(format('%%1$I = %%1$I + interval ''%d seconds''', attname), ', '))
		FROM pg_attribute
		JOIN pg_class AS c ON c.oid = attrelid
		WHERE c.relnamespace::regnamespace::text IN ('public', 'loadbay', 'sample') AND c.relkind = 'r' AND NOT attisdropped AND attgenerated = ''
		  AND atttypid = 'timestamptz'::regtype AND relname NOT IN ('users', 'articles', 'comments', 'orders')
		GROUP BY attrelid
	LOOP
		EXECUTE statement;
	END LOOP;
END $$`, int64(shift.Seconds()))
}

// Times in the values of the AWS endpoint: RFC 3339, and seconds in a table's TTL attribute.
// The start of an execution stays as it is, because task tokens contain it.
var (
	timesRFC3339 = regexp.MustCompile(`"(stopped|entered|wake|deadline)":"([^"]+)"`)
	timesTTL     = regexp.MustCompile(`"expires_at":\{"N":"(\d+)"\}`)
)

// restoreAWS writes the state of the AWS endpoint.
func restoreAWS(t *testing.T, dataDir string, content []byte, shift time.Duration) {
	t.Helper()
	path := filepath.Join(dataDir, awsDB)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	db, err := awsendpoint.OpenDatabase(path)
	require.NoError(t, err)
	require.NoError(t, db.Update(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(_ []byte, b *bbolt.Bucket) error { return shiftValues(b, shift) })
	}))
	require.NoError(t, db.Close())
}

// shiftValues moves the times in a bucket and in the buckets within it.
func shiftValues(b *bbolt.Bucket, shift time.Duration) error {
	changed := map[string][]byte{} // a bucket must not change during ForEach
	err := b.ForEach(func(key, value []byte) error {
		if value == nil {
			return shiftValues(b.Bucket(key), shift)
		}
		shifted, err := shiftValue(value, shift)
		if err == nil && string(shifted) != string(value) {
			changed[string(key)] = shifted
		}
		return err
	})
	if err != nil {
		return err
	}
	for key, value := range changed {
		if err := b.Put([]byte(key), value); err != nil {
			return err
		}
	}
	return nil
}

func shiftValue(value []byte, shift time.Duration) (shifted []byte, err error) {
	shifted = timesRFC3339.ReplaceAllFunc(value, func(member []byte) []byte {
		parts := timesRFC3339.FindSubmatch(member)
		at, parseErr := time.Parse(time.RFC3339Nano, string(parts[2]))
		if parseErr != nil {
			err = parseErr
			return member
		}
		return fmt.Appendf(nil, `"%s":"%s"`, parts[1], at.Add(shift).Format(time.RFC3339Nano))
	})
	shifted = timesTTL.ReplaceAllFunc(shifted, func(attribute []byte) []byte {
		seconds, parseErr := strconv.ParseInt(string(timesTTL.FindSubmatch(attribute)[1]), 10, 64)
		if parseErr != nil {
			err = parseErr
			return attribute
		}
		return fmt.Appendf(nil, `"expires_at":{"N":"%d"}`, seconds+int64(shift.Seconds()))
	})
	return shifted, err
}
