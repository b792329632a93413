package postgres_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

var recordedStatements = flag.String("statements", "", "plan the statements in this folder, which tests have recorded with POSTGRES_STATEMENTS")

const (
	// listedReads has the reads of whole tables or organisations that are intended.
	listedReads = "testdata/reads.txt"
	// fewestStatements guards against a folder to which the tests have not written.
	fewestStatements = 400
	largeTable       = 100_000 // rows
)

// TestStatementsUseIndexes plans the statements that the tests of other packages have sent, as
// their roles and under row level security, on large tables of one organisation. It fails for a
// scan that reads a whole table, or all rows of an organisation or job, unless testdata/reads.txt lists
// it. `make test` records the statements and then runs this test.
func TestStatementsUseIndexes(t *testing.T) {
	if *recordedStatements == "" {
		t.Skip("needs recorded statements: run make test")
	}
	d := postgrestest.Setup(t)
	start := time.Now()
	fillTables(t, d)
	t.Logf("tables filled in %s", time.Since(start))
	listed, used := listOfReads(t), make(map[string]bool)
	planned := 0
	p := newPlanner(t, d)
	for _, s := range readStatements(t) {
		reads, ok := p.plan(t, s)
		if !ok {
			continue
		}
		planned++
		for _, read := range reads {
			read = s.Role + " " + read
			if used[read] = true; !listed[read] {
				t.Errorf("not in %s: %s\n%s", listedReads, read, s.SQL)
			}
		}
	}
	t.Logf("%d statements planned", planned)
	require.GreaterOrEqual(t, planned, fewestStatements, "enough statements are recorded")
	for read := range listed {
		if !used[read] { // versions of Postgres plan differently
			t.Logf("listed, but no statement reads %s", read)
		}
	}
}

// TestStatementsArePortable fails for a statement that only fits tables of Loadbay's own, among those
// that the tests of other packages have sent.
func TestStatementsArePortable(t *testing.T) {
	if *recordedStatements == "" {
		t.Skip("needs recorded statements: run make test")
	}
	sent := readStatements(t)
	require.GreaterOrEqual(t, len(sent), fewestStatements, "enough statements are recorded")
	for _, s := range sent {
		if found := postgrestest.Unportable.FindString(s.SQL); found != "" {
			t.Errorf("%s in a statement of %s: find rows by their keys, name the constraint, or assign the value\n%s", found, s.Role, s.SQL)
		}
	}
}

// listOfReads returns the first column of the list; the rest of a line is the reason.
func listOfReads(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(listedReads)
	require.NoError(t, err)
	listed := make(map[string]bool)
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		read, reason, _ := strings.Cut(line, "|")
		require.NotEmpty(t, strings.TrimSpace(reason), "%s: %s has no reason", listedReads, read)
		listed[strings.TrimSpace(read)] = true
	}
	return listed
}

// readStatements returns the recorded statements, each once, in a fixed order.
func readStatements(t *testing.T) []postgrestest.Statement {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(*recordedStatements, "*.json"))
	require.NoError(t, err)
	found := make(map[string]postgrestest.Statement)
	for _, name := range files {
		file, err := os.Open(name)
		require.NoError(t, err)
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			var s postgrestest.Statement
			require.NoError(t, json.Unmarshal(lines.Bytes(), &s))
			s.SQL = cursor.ReplaceAllString(strings.TrimSpace(s.SQL), "")
			found[s.Role+" "+strings.Join(strings.Fields(s.SQL), " ")] = s
		}
		require.NoError(t, lines.Err())
		require.NoError(t, file.Close())
	}
	var all []postgrestest.Statement
	for _, s := range found {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b postgrestest.Statement) int { return strings.Compare(a.Role+a.SQL, b.Role+b.SQL) })
	return all
}

var (
	// cursor is what a statement for a cursor begins with, which cannot be prepared.
	cursor = regexp.MustCompile(`(?i)^DECLARE \w+ (NO SCROLL )?CURSOR FOR\s+`)
	// plannable are the statements that can be prepared.
	plannable = regexp.MustCompile(`(?i)^(SELECT|INSERT|UPDATE|DELETE|WITH|MERGE)\b`)
)

// indexedTable has the columns of a table but organisation_id and job_id, and those of them that
// an index begins with, alone or after these two. Partial are the names of its partial indexes.
type indexedTable struct{ Columns, Indexed, Partial []string }

// planner plans statements as the roles that sent them.
type planner struct {
	sessions map[string]*pgx.Conn
	address  *url.URL
	tables   map[string]*indexedTable
}

func newPlanner(t *testing.T, d *postgrestest.Database) *planner {
	t.Helper()
	address, err := url.Parse(d.AppURL)
	require.NoError(t, err)
	p := &planner{sessions: make(map[string]*pgx.Conn), address: address, tables: make(map[string]*indexedTable)}
	text := postgrestest.Query[string](t, d, `
		SELECT json_object_agg(relname, json_build_object(
			'columns', ARRAY(SELECT attname FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attname NOT IN ('organisation_id', 'job_id') ORDER BY attname),
			'partial', ARRAY(SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = c.oid AND indpred IS NOT NULL),
			'indexed', ARRAY(
				SELECT DISTINCT a.attname
				FROM pg_index AS i
				CROSS JOIN LATERAL (
					SELECT attname
					FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k(n, place)
					LEFT JOIN pg_attribute ON attrelid = c.oid AND attnum = k.n
					WHERE attname IS NULL OR attname NOT IN ('organisation_id', 'job_id')
					ORDER BY place
					LIMIT 1
				) AS a
				WHERE i.indrelid = c.oid AND i.indpred IS NULL AND a.attname IS NOT NULL
			)
		))::text
		FROM pg_class AS c
		WHERE relnamespace = ANY ('{loadbay,sample}'::regnamespace[]) AND relkind = 'r'`)
	require.NoError(t, json.Unmarshal([]byte(text), &p.tables))
	return p
}

func (p *planner) session(t *testing.T, role string) *pgx.Conn {
	t.Helper()
	if p.sessions[role] == nil {
		address := *p.address
		password, _ := address.User.Password()
		address.User = url.UserPassword(role, password)
		p.sessions[role] = connect(t, address.String())
		_, err := p.sessions[role].Exec(t.Context(), `SET app.organisation = 1; SET plan_cache_mode = force_generic_plan`)
		require.NoError(t, err)
	}
	return p.sessions[role]
}

// plan returns the reads of all rows in a statement's plan. It reports false for statements that
// have no plan, and for those on tables that a test has made itself.
func (p *planner) plan(t *testing.T, s postgrestest.Statement) ([]string, bool) {
	t.Helper()
	if !plannable.MatchString(s.SQL) {
		return nil, false
	}
	conn := p.session(t, s.Role)
	var types []string
	for _, oid := range s.Types {
		var name string
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT CASE $1::oid WHEN 0 THEN 'unknown' ELSE format_type($1, NULL) END`, oid).Scan(&name))
		types = append(types, name)
	}
	declared := ""
	if len(types) > 0 {
		declared = "(" + strings.Join(types, ", ") + ")"
	}
	if _, err := conn.PgConn().Exec(t.Context(), `PREPARE planned `+declared+` AS `+s.SQL).ReadAll(); err != nil {
		t.Logf("not planned: %v\n%s", err, s.SQL)
		return nil, false
	}
	var parameters int
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT cardinality(parameter_types) FROM pg_prepared_statements WHERE name = 'planned'`).Scan(&parameters))
	arguments := ""
	if parameters > 0 {
		arguments = "(NULL" + strings.Repeat(", NULL", parameters-1) + ")"
	}
	explained, err := conn.PgConn().Exec(t.Context(), `EXPLAIN (FORMAT json) EXECUTE planned `+arguments+`; DEALLOCATE planned`).ReadAll()
	require.NoError(t, err, s.SQL)
	var plans []struct{ Plan *scan }
	require.NoError(t, json.Unmarshal(explained[0].Rows[0][0], &plans))
	var reads []string
	p.look(plans[0].Plan, &reads)
	return reads, true
}

// scan is a node of a plan.
type scan struct {
	Type      string `json:"Node Type"`
	Relation  string `json:"Relation Name"`
	IndexName string `json:"Index Name"`
	Index     string `json:"Index Cond"`
	Recheck   string `json:"Recheck Cond"`
	Filter    string `json:"Filter"`
	Operation string
	Plans     []*scan
}

// look adds the scans that read a whole table, or that read all rows of an organisation or job
// although they compare a column that an index begins with. A scan is written as the table and the columns
// that its rows are filtered by.
func (p *planner) look(s *scan, reads *[]string) {
	for _, part := range s.Plans {
		p.look(part, reads)
	}
	t := p.tables[s.Relation]
	if t == nil || !strings.HasSuffix(s.Type, "Scan") || s.Type == "Tid Scan" || len(mentioned(t.Columns, s.Index+s.Recheck)) > 0 {
		return
	}
	small := s.Type == "Index Only Scan" || slices.Contains(t.Partial, s.IndexName)
	if s.Type != "Seq Scan" && (small || !slices.ContainsFunc(t.Indexed, func(column string) bool { return compares(s.Filter, column) })) {
		return
	}
	read := fmt.Sprintf("%s (%s)", s.Relation, strings.Join(mentioned(t.Columns, s.Filter), ", "))
	if !slices.Contains(*reads, read) {
		*reads = append(*reads, read)
	}
}

// mentioned returns those of the columns that a condition names.
func mentioned(columns []string, condition string) (found []string) {
	for _, name := range columns {
		if regexp.MustCompile(`\b` + name + `\b`).MatchString(condition) {
			found = append(found, name)
		}
	}
	return found
}

// compares reports whether a condition has "column =", also with a cast of the column.
func compares(condition, column string) bool {
	return regexp.MustCompile(`\b` + column + `\)?(::\w+)? = `).MatchString(condition)
}

// fillTables gives each table many rows of organisation 1 and of 1,000 jobs, or one of each of many
// organisations or jobs where one has only one. The values differ. References lead
// nowhere, and checks are dropped: only the statistics matter.
func fillTables(t *testing.T, d *postgrestest.Database) {
	t.Helper()
	d.Exec(t, `
		DO $$
		DECLARE
			c record;
		BEGIN
			FOR c IN SELECT conrelid::regclass AS of, conname FROM pg_constraint
				WHERE contype = 'c' AND connamespace = ANY ('{loadbay,sample}'::regnamespace[]) AND conrelid <> 0 LOOP
				EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', c.of, c.conname);
			END LOOP;
		END $$`)
	fills := postgrestest.Query[[]string](t, d, `
		SELECT array_agg(sql ORDER BY relname)
		FROM (
			SELECT relname, format('INSERT INTO %I (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM generate_series(1, $1::int8) AS n ON CONFLICT DO NOTHING', relname,
				string_agg(quote_ident(attname), ', ' ORDER BY attnum), string_agg(CASE
					WHEN EXISTS (SELECT FROM pg_index WHERE indrelid = c.oid AND indisunique AND indkey::text = attnum::text) AND attname IN ('organisation_id', 'job_id') THEN 'n'
					WHEN attname = 'organisation_id' THEN '1'
					WHEN attname = 'job_id' THEN 'n % 1000'
					WHEN attname = 'status' AND kind = 'text' THEN $v$'COMPLETED'$v$
					WHEN kind IN ('bigint', 'integer', 'numeric', 'real', 'double precision') THEN 'n + 10'
					WHEN kind = 'smallint' THEN 'n % 30000'
					WHEN kind = 'uuid' THEN 'md5(n::text)::uuid'
					WHEN kind = 'boolean' THEN 'n % 10 = 0'
					WHEN kind = 'timestamp with time zone' THEN $v$timestamptz '2026-01-01' - n * interval '1 minute'$v$
					WHEN kind = 'date' THEN $v$date '2026-01-01' - (n % 10000)::int$v$
					WHEN kind = 'interval' THEN $v$interval '1 hour'$v$
					WHEN kind IN ('json', 'jsonb') OR kind LIKE '%[]' THEN $v$'{}'$v$
					WHEN kind = 'bytea' THEN $v$'\x00'$v$
					WHEN kind IN ('"char"', 'character') THEN $v$'A'$v$
					ELSE $v$'v' || n$v$ END, ', ' ORDER BY attnum)) AS sql
			FROM pg_class AS c
			JOIN pg_attribute ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
			CROSS JOIN LATERAL (SELECT CASE WHEN format_type(atttypid, NULL) LIKE 'numeric%' THEN 'numeric' ELSE format_type(atttypid, NULL) END) AS of (kind)
			WHERE relnamespace = ANY ('{loadbay,sample}'::regnamespace[]) AND relkind = 'r' AND relname NOT IN ('goose_db_version', 'countries')
			GROUP BY relname
		) AS fills`)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, sql := range fills {
		group.Go(func() error {
			conn, err := pgx.Connect(t.Context(), d.AdminURL)
			if err != nil {
				return err
			}
			defer conn.Close(t.Context())
			if _, err := conn.Exec(t.Context(), `SET session_replication_role = replica`); err != nil {
				return err
			}
			if _, err = conn.Exec(t.Context(), sql, largeTable); err != nil {
				return fmt.Errorf("%s: %w", sql, err)
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
	d.Exec(t, `VACUUM ANALYZE`)
}
