package e2e

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// undoExample is a line of the example table in docs/undo.md.
type undoExample struct {
	name   string
	setup  string
	steps  []string
	result string
	want   string
}

// readExamples reads the table.
func readExamples(t *testing.T) (all []undoExample) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(stacktest.Root(t), "docs", "undo.md"))
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n## Examples\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	code := regexp.MustCompile("`([^`]+)`")
	for _, line := range strings.Split(section, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 7 || !strings.Contains(cells[3], "`") {
			continue
		}
		e := undoExample{name: strings.TrimSpace(cells[1]), setup: code.FindStringSubmatch(cells[2])[1], result: code.FindStringSubmatch(cells[4])[1], want: code.FindStringSubmatch(cells[5])[1]}
		for _, step := range code.FindAllStringSubmatch(cells[3], -1) {
			e.steps = append(e.steps, step[1])
		}
		all = append(all, e)
	}
	return all
}

// exampleUser is the user of one example, with its history.
type exampleUser struct {
	*stacktest.Stack
	db   *pgx.Conn
	id   string
	jobs []string // imports and undos
}

// TestUndoExamples runs the examples of docs/undo.md through the API, and checks that
// another organisation cannot see their results.
func TestUndoExamples(t *testing.T) {
	t.Parallel()
	s := stacktest.Start(t)
	db, err := pgx.Connect(t.Context(), s.DatabaseURL(t))
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close(context.Background()) })
	all := readExamples(t)
	require.Greater(t, len(all), 15)
	for _, e := range all {
		t.Run(e.name, func(t *testing.T) {
			u := &exampleUser{Stack: s, db: db, id: uuid.NewString()}
			if e.setup != "nothing" {
				u.insert(t, u.id, u.values(e.setup))
			}
			for _, step := range e.steps {
				u.runStep(t, step)
			}
			u.requireEnd(t, e)
			u.requireInvisibleToOthers(t)
		})
	}
}

// values parses a text like "name=Cem, role=user". Each example has its own e-mail addresses.
func (u *exampleUser) values(text string) map[string]string {
	values := make(map[string]string)
	for _, pair := range strings.Split(text, ", ") {
		name, value, _ := strings.Cut(pair, "=")
		if name == "email" {
			value = u.address(value)
		}
		values[name] = value
	}
	return values
}

func (u *exampleUser) address(name string) string { return name + "@" + u.id + ".example.org" }

// runStep runs one step of an example.
func (u *exampleUser) runStep(t *testing.T, step string) {
	t.Helper()
	verb, rest, _ := strings.Cut(step, " ")
	switch verb {
	case "import":
		u.upsert(t, u.values(rest))
	case "undo":
		n, err := strconv.Atoi(rest)
		require.NoError(t, err)
		u.undo(t, u.jobs[n-1])
	case "edit":
		for name, value := range u.values(rest) {
			u.exec(t, `UPDATE users SET `+pgx.Identifier{name}.Sanitize()+` = $1 WHERE id = $2`, value, u.id)
		}
	case "delete":
		u.exec(t, `DELETE FROM users WHERE id = $1`, u.id)
	case "another":
		u.insert(t, uuid.NewString(), u.values(rest))
	case "refer":
		u.exec(t, `INSERT INTO articles (organisation_id, slug, title, body, author_id) VALUES (1, $1::text, 'Title', 'Body', $2)`, u.id, u.id)
	default:
		require.Failf(t, "unknown step", "%s", step)
	}
}

func (u *exampleUser) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := u.db.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// insert inserts a user with SQL.
func (u *exampleUser) insert(t *testing.T, id string, values map[string]string) {
	t.Helper()
	all := map[string]string{"email": u.address("cem"), "name": "Cem", "role": "user"}
	maps.Copy(all, values)
	u.exec(t, `INSERT INTO users (organisation_id, id, email, name, role) VALUES (1, $1, $2, $3, $4)`, id, all["email"], all["name"], all["role"])
}

// upsert imports a file of one row: required fields keep their current values.
func (u *exampleUser) upsert(t *testing.T, values map[string]string) {
	t.Helper()
	all := map[string]string{"email": u.address("cem"), "name": "Cem"}
	var email, name string
	if u.db.QueryRow(t.Context(), `SELECT email, name FROM users WHERE id = $1`, u.id).Scan(&email, &name) == nil {
		all["email"], all["name"] = email, name
	}
	maps.Copy(all, values)
	file := fmt.Sprintf("id,email,name,role\n%s,%s,%s,%s\n", u.id, all["email"], all["name"], all["role"])
	j, err := u.Upload(t.Context(), rawclient.CreateRequest{ImportType: "USER", Mode: "upsert", Filename: "cem.csv", AutoStart: true, SizeBytes: int64(len(file))}, strings.NewReader(file))
	require.NoError(t, err)
	u.awaitCompleted(t, j.Identifier)
}

func (u *exampleUser) undo(t *testing.T, id string) {
	t.Helper()
	var j rawclient.Job
	require.NoError(t, u.Post(t.Context(), "/api/imports/"+id+"/undo", struct{}{}, &j))
	u.awaitCompleted(t, j.Identifier)
}

func (u *exampleUser) awaitCompleted(t *testing.T, id string) {
	t.Helper()
	j := stacktest.AwaitJob(t, u.Client, id, (*rawclient.Job).Ended)
	require.Equal(t, "COMPLETED", j.Status, "%+v", j.Failure)
	u.jobs = append(u.jobs, id)
}

// requireEnd compares the result of the last undo and the final state with the example.
func (u *exampleUser) requireEnd(t *testing.T, e undoExample) {
	t.Helper()
	results, err := u.Results(t.Context(), u.jobs[len(u.jobs)-1], "", 0, 10)
	require.NoError(t, err)
	require.Len(t, results, 1)
	require.Equal(t, e.result, results[0].Outcome, "%+v", results[0])
	there := stacktest.Query[bool](t, u.Stack, `SELECT EXISTS (SELECT FROM users WHERE id = $1)`, u.id)
	require.Equal(t, e.want != "nothing", there)
	if !there {
		return
	}
	for name, value := range u.values(e.want) {
		require.Equal(t, value, stacktest.Query[string](t, u.Stack, `SELECT `+pgx.Identifier{name}.Sanitize()+` FROM users WHERE id = $1`, u.id), name)
	}
}

// requireInvisibleToOthers requests the results as another organisation.
func (u *exampleUser) requireInvisibleToOthers(t *testing.T) {
	t.Helper()
	token, err := rawclient.LocalToken(t.Context(), "http://"+u.API, 2)
	require.NoError(t, err)
	other := rawclient.New("http://"+u.API, token)
	for _, id := range u.jobs {
		for _, path := range []string{"", "/changes", "/results"} {
			var refused *rawclient.Error
			require.ErrorAs(t, other.Get(t.Context(), "/api/imports/"+id+path, nil), &refused, path)
			require.Equal(t, http.StatusNotFound, refused.Status, path)
		}
		var refused *rawclient.Error
		require.ErrorAs(t, other.Post(t.Context(), "/api/imports/"+id+"/undo", struct{}{}, nil), &refused)
		require.Equal(t, http.StatusNotFound, refused.Status)
	}
}
