package step_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// Whoever watches sees how much of a file has been read while it is cut.
func TestHowMuchOfAFileHasBeenReadIsNoted(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	var file strings.Builder
	file.WriteString("email,name\n")
	for i := range 40 {
		fmt.Fprintf(&file, "u%d@example.org,U\n", i)
	}
	ref := e.create(t, "USER", "users.csv", file.String(), nil)
	e.Exec(t, `CREATE TABLE seen (bytes bigint, split boolean)`)
	e.Exec(t, `CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN INSERT INTO seen VALUES (new.bytes_read, new.split_complete); RETURN new; END $$`)
	e.Exec(t, `CREATE TRIGGER see AFTER UPDATE OF bytes_read ON import_jobs FOR EACH ROW EXECUTE FUNCTION see()`)
	e.prepare(t, ref)
	require.Equal(t, 20, postgrestest.Query[int](t, e.Database, `SELECT count(*) FROM seen WHERE NOT split AND bytes > 0`), "after each chunk, where there is no pause between notes")
	require.Equal(t, file.Len(), postgrestest.Query[int](t, e.Database, `SELECT max(bytes)::int FROM seen`))
}
