package migrations_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/migrations"
)

var updateSums = flag.Bool("update", false, "enter new migrations in migrations.sum")

// sumsFile is a file in the format of sha256sum, in the order of the migrations.
const sumsFile = "migrations.sum"

func TestMigrationsAreAppendOnly(t *testing.T) {
	t.Parallel()
	recorded, err := os.ReadFile(sumsFile)
	require.NoError(t, err)
	added, faults := compareSums(t, string(recorded), migrations.Files)
	require.Empty(t, faults, strings.Join(faults, "\n"))
	if *updateSums {
		require.NoError(t, os.WriteFile(sumsFile, []byte(string(recorded)+strings.Join(added, "")), 0o644))
		return
	}
	require.Empty(t, added, "%s does not list all migrations: run `make schema`", sumsFile)
}

var namePattern = regexp.MustCompile(`^\d{4}_[a-z0-9_]+\.sql$`)

// compareSums compares files with their recorded sums. It returns the lines of new
// files, and a sentence for each violation.
func compareSums(t *testing.T, recorded string, files fs.FS) (added, faults []string) {
	t.Helper()
	known, last := map[string]bool{}, ""
	for line := range strings.Lines(recorded) {
		_, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		known[name], last = true, name
		text, err := fs.ReadFile(files, name)
		switch {
		case err != nil:
			faults = append(faults, name+" is gone or has another name: databases have applied it under this one. Put it back.")
		case line != fileSum(name, text):
			faults = append(faults, name+" has been edited, but databases that have applied it will not apply it again. "+
				"Put it back as it was, and write the change as a new migration. "+
				"(Only if no release has it: take its line, and those below it, out of "+sumsFile+" and run `make schema`.)")
		}
	}
	names, err := fs.Glob(files, "*.sql")
	require.NoError(t, err)
	for _, name := range names {
		if known[name] {
			continue
		}
		text, err := fs.ReadFile(files, name)
		require.NoError(t, err)
		switch {
		case !namePattern.MatchString(name):
			faults = append(faults, name+" is no name of a migration: four digits, _ and a noun, as in 0042_invoices.sql.")
		case last != "" && name[:5] <= last[:5]:
			faults = append(faults, name+" is new, but its number is not: databases are at "+last+". Give it the next number.")
		default:
			added, last = append(added, fileSum(name, text)), name
		}
	}
	return added, faults
}

func fileSum(name string, text []byte) string {
	return fmt.Sprintf("%x  %s\n", sha256.Sum256(text), name)
}

func TestChangedMigrationIsReported(t *testing.T) {
	t.Parallel()
	one, two := []byte("one"), []byte("two")
	recorded := fileSum("0001_one.sql", one) + fileSum("0002_two.sql", two)
	for what, c := range map[string]struct {
		files fstest.MapFS
		added int
		fault string
	}{
		"nothing":         {fstest.MapFS{"0001_one.sql": {Data: one}, "0002_two.sql": {Data: two}}, 0, ""},
		"two more":        {fstest.MapFS{"0001_one.sql": {Data: one}, "0002_two.sql": {Data: two}, "0003_a.sql": {}, "0004_b.sql": {}}, 2, ""},
		"an edited one":   {fstest.MapFS{"0001_one.sql": {Data: two}, "0002_two.sql": {Data: two}}, 0, "0001_one.sql has been edited"},
		"a deleted one":   {fstest.MapFS{"0001_one.sql": {Data: one}}, 0, "0002_two.sql is gone"},
		"a number twice":  {fstest.MapFS{"0001_one.sql": {Data: one}, "0002_two.sql": {Data: two}, "0002_x.sql": {}}, 0, "its number is not"},
		"two of a number": {fstest.MapFS{"0001_one.sql": {Data: one}, "0002_two.sql": {Data: two}, "0003_a.sql": {}, "0003_b.sql": {}}, 1, "its number is not"},
		"an odd name":     {fstest.MapFS{"0001_one.sql": {Data: one}, "0002_two.sql": {Data: two}, "3.sql": {}}, 0, "is no name"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			added, faults := compareSums(t, recorded, c.files)
			require.Len(t, added, c.added)
			if c.fault == "" {
				require.Empty(t, faults)
				return
			}
			require.Len(t, faults, 1)
			require.Contains(t, faults[0], c.fault)
		})
	}
}
