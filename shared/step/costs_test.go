package step_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	rules "github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

var (
	guard       = flag.Bool("guard", false, "compare what imports cost with testdata/costs.json")
	updateCosts = flag.Bool("update", false, "write testdata/costs.json anew, for this version of Postgres and of Go")
)

const (
	costsFile  = "testdata/costs.json"
	guardRows  = 6000
	guardChunk = 3000
	// costTolerance is the allowed growth of a cost. The counted figures do not depend on the load
	// of the machine, but page splits depend on randomly generated ids.
	costTolerance = 0.03
)

// cost is the cost of one way to import: database figures as reported by the statements, and
// allocations of the functions.
type cost struct {
	WAL         int64 `json:"walBytes"`
	Pages       int64 `json:"pages"` // pages accessed
	Rows        int64 `json:"rows"`  // rows returned or written by statements
	Calls       int64 `json:"statements"`
	Allocations int64 `json:"allocations"`
}

// parts returns the figures of a cost by name.
func (c cost) parts() map[string]int64 {
	return map[string]int64{"bytes of the log": c.WAL, "pages": c.Pages, "rows of statements": c.Rows, "statements": c.Calls, "allocations": c.Allocations}
}

// less returns the cost minus b.
func (c cost) less(b cost) cost {
	return cost{c.WAL - b.WAL, c.Pages - b.Pages, c.Rows - b.Rows, c.Calls - b.Calls, c.Allocations - b.Allocations}
}

// meterOf returns a function that reads the total cost so far.
func (e *engine) meterOf(t *testing.T) func() cost {
	t.Helper()
	e.Exec(t, "ALTER SYSTEM SET autovacuum = off")
	e.Exec(t, "SELECT pg_reload_conf()")
	t.Cleanup(func() {
		e.Exec(t, "ALTER SYSTEM RESET autovacuum")
		e.Exec(t, "SELECT pg_reload_conf()")
	})
	e.Exec(t, "CREATE SCHEMA counted; CREATE EXTENSION pg_stat_statements SCHEMA counted")
	return func() cost {
		text := postgrestest.Query[[]byte](t, e.Database, `
			SELECT json_build_object('walBytes', coalesce(sum(wal_bytes), 0), 'pages', coalesce(sum(shared_blks_hit + shared_blks_read), 0),
				'rows', coalesce(sum(rows), 0), 'statements', coalesce(sum(calls), 0))
			FROM counted.pg_stat_statements
			WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND userid = 'loadbay_app'::regrole`)
		var c cost
		require.NoError(t, json.Unmarshal(text, &c))
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		c.Allocations = int64(memory.Mallocs)
		return c
	}
}

// Not parallel: allocations are counted for the whole program. With -guard this test runs alone.
func TestCostsDoNotGrow(t *testing.T) {
	if !*guard {
		t.Skip("runs only in make bench-guard")
	}
	e := setup(t, guardChunk)
	got := e.costs(t)
	platform := fmt.Sprintf("postgres %s, %s", postgrestest.Query[string](t, e.Database, "SELECT split_part(current_setting('server_version'), '.', 1)"),
		strings.Join(strings.Split(runtime.Version(), ".")[:2], "."))
	bases := make(map[string]map[string]cost)
	text, err := os.ReadFile(costsFile)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &bases))
	if *updateCosts {
		bases[platform] = got
		text, err := json.MarshalIndent(bases, "", "  ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(costsFile, append(text, '\n'), 0o644))
		return
	}
	base, ok := bases[platform]
	if !ok {
		t.Skipf("%s has no costs of %s to compare with: run with -update", costsFile, platform)
	}
	for _, what := range slices.Sorted(maps.Keys(base)) {
		require.Contains(t, got, what)
		now, before := got[what].parts(), base[what].parts()
		for _, part := range slices.Sorted(maps.Keys(before)) {
			growth := float64(now[part])/float64(max(before[part], 1)) - 1
			t.Logf("%-24s %-20s %10d, was %10d (%+.1f %%)", what, part, now[part], before[part], 100*growth)
			if growth > costTolerance {
				t.Errorf("%s needs %.1f %% more %s", what, 100*growth, part)
			}
		}
	}
	require.Len(t, got, len(base), "costs are missing: run with -update")
}

// costs imports files in the usual ways, with the rows always in the same places.
func (e *engine) costs(t *testing.T) map[string]cost {
	t.Helper()
	now := e.meterOf(t)
	found := make(map[string]cost)
	var ref job.Ref
	measure := func(what string, f func() job.Ref) {
		before := now()
		ref = f()
		found[what] = now().less(before)
	}
	as := func(mode rowwrite.Mode) func(*job.Job) { return func(j *job.Job) { j.Mode = mode } }
	done := func(kind, file string, change func(*job.Job)) func() job.Ref {
		return func() job.Ref { return e.importFile(t, kind, file, false, change) }
	}
	e.importFile(t, "USER", guardUsers("Warm", 0, 10), false, nil) // one-time initialisation is not counted
	file, other := guardUsers("User", 10, guardRows), guardUsers("Other", 10, guardRows)
	measure("insert, new", done("USER", file, as(rowwrite.Insert)))
	measure("insert, all there", done("USER", file, as(rowwrite.Insert)))
	measure("upsert, unchanged", done("USER", file, as(rowwrite.Upsert)))
	measure("upsert, changed", done("USER", other, as(rowwrite.Upsert)))
	measure("undo of an upsert", func() job.Ref { return e.undo(t, ref, rules.Safe) })
	measure("memberships, new", done("MEMBERSHIP", guardMembers(guardRows), member))
	measure("orders, new", done("ORDER", guardOrders(guardRows), nil))
	return found
}

func guardUsers(name string, first, n int) string {
	var b strings.Builder
	b.WriteString("id,email,name,role,active\n")
	for i := first; i < first+n; i++ {
		scattered := uint32(i) * 2654435761 // keys are unordered, like real ones
		fmt.Fprintf(&b, "%08x-0000-4000-8000-%012x,u%x.%d@example.org,%s Number %d,user,true\n", scattered, i, scattered>>16, i, name, i)
	}
	return b.String()
}

func guardMembers(n int) string {
	var b strings.Builder
	b.WriteString("First name,Last name,Email,Membership type\n")
	for i := range n {
		fmt.Fprintf(&b, "Given%d,Family%d,m%d@example.org,Senior\n", i, i, i)
	}
	return b.String()
}

func guardOrders(n int) string {
	var b strings.Builder
	b.WriteString("clientId,clientReference,senderName,senderAddress,senderContact,receiverName,receiverAddress,receiverCity,receiverPincode,itemCount,totalWeight,serviceType,declaredValue\n")
	for i := range n {
		fmt.Fprintf(&b, "7,REF-%d,Acme,1 Dock Road,0801234567,Receiver %d,%d Hill Street,Pune,411001,1,2.5,EXPRESS,1500\n", i, i, i)
	}
	return b.String()
}
