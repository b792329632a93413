package upgrade

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// The files of the scenario. Only clubCSV has the headers of the profile.
const (
	usersCSV  = "email,name\nada@example.org,Ada Lovelace\nblaise@example.org,Blaise Pascal\ngrace@example.org,Grace Hopper\n"
	failedCSV = "email,name\nben@example.org,Ben\ncid at example.org,Cid\ndan at example.org,Dan\n"
	retryCSV  = "email,name\neve@example.org,Eve\nfay at example.org,Fay\ngus at example.org,Gus\n"
	planCSV   = "email,name\ngrace@example.org,Grace B. Hopper\nkurt@example.org,Kurt Gödel\nnobody,Nobody\nblaise@example.org,Blaise Pascal\n"
	undoCSV   = "email,name\nada@example.org,Ada King\nalan@example.org,Alan Turing\n"
	askCSV    = "email,name,colour\nhans@example.org,Hans,red\nlise@example.org,Lise,blue\n"
	clubCSV   = "First name,Last name,Email,Membership type,Section\nHedy,L,hedy@example.org,Patron,North\nIda,R,ida@example.org,Junior,South\n"
	nextCSV   = "First name,Last name,Email,Membership type,Section\nJoan,C,joan@example.org,Patron,North\nKay,A,kay@example.org,Senior,South\n"
)

// profileName is the name of the scenario's profile.
const profileName = "Club roster"

// organisations are clients of one stack, one for each organisation of the scenario. The
// guards of the second one are strict.
type organisations struct{ first, second *rawclient.Client }

func openOrganisations(t *testing.T, api string) organisations {
	t.Helper()
	token, err := rawclient.LocalToken(t.Context(), api, 2)
	require.NoError(t, err)
	return organisations{rawclient.New(api, ""), rawclient.New(api, token)}
}

// scenario identifies what prepare has created and finish continues.
type scenario struct {
	// Columns, Values, Plan and Retry are imports that wait: for columns, for values, for the
	// approval of a plan, and for the approval of a retry that exceeds the guards of its
	// organisation.
	Columns, Values, Plan, Retry string
	// Failed is a completed import with two failed rows; the first has been corrected but not retried.
	Failed string
	// Applied is a completed import that can be undone, UsersBefore the users before it.
	Applied     string
	UsersBefore []string
}

// waiting returns what each waiting import waits for.
func (s scenario) waiting() map[string]string {
	return map[string]string{s.Columns: "COLUMN_MAPPINGS", s.Values: "CELL_MAPPINGS", s.Plan: "APPROVAL", s.Retry: "APPROVAL"}
}

// prepare runs imports up to the states of a scenario.
func prepare(t *testing.T, o organisations) scenario {
	t.Helper()
	c, period := o.first, int64(1)
	var s scenario
	base := startImport(t, c, rawclient.CreateRequest{ImportType: "USER", Filename: "users.csv", AutoStart: true}, usersCSV)
	awaitStatus(t, c, base, "COMPLETED")

	s.Failed = startImport(t, c, rawclient.CreateRequest{ImportType: "USER", Filename: "failed.csv", AutoStart: true}, failedCSV)
	awaitStatus(t, c, s.Failed, "COMPLETED")
	correct(t, c, s.Failed, 3, "cid@example.org")

	club := startImport(t, c, rawclient.CreateRequest{ImportType: "MEMBERSHIP", ContextID: &period, Filename: "club.csv"}, clubCSV)
	awaitStatus(t, c, club, "COLUMN_MAPPING")
	answerQuestions(t, c, club, "column-mappings", map[string]any{"ignore": true})
	awaitWaiting(t, c, club, "CELL_MAPPINGS")
	answerQuestions(t, c, club, "cell-mappings", map[string]any{"targetEntityId": 1})
	awaitStatus(t, c, club, "COMPLETED")
	require.NoError(t, c.Post(t.Context(), "/api/profiles", map[string]any{"name": profileName, "fromImport": club, "auto": true}, nil))

	s.Columns = startImport(t, c, rawclient.CreateRequest{ImportType: "USER", Filename: "columns.csv"}, askCSV)
	s.Values = startImport(t, c, rawclient.CreateRequest{ImportType: "MEMBERSHIP", ContextID: &period, Filename: "values.csv"}, membersCSV)
	s.Plan = startImport(t, c, rawclient.CreateRequest{ImportType: "USER", Filename: "plan.csv", Mode: "upsert", AutoStart: true, Plan: true}, planCSV)

	require.NoError(t, o.second.Do(t.Context(), http.MethodPatch, "/api/settings", "application/json", strings.NewReader(`{"guards":{"created":"1"}}`), nil))
	original := startImport(t, o.second, rawclient.CreateRequest{ImportType: "USER", Filename: "retry.csv", AutoStart: true}, retryCSV)
	awaitStatus(t, o.second, original, "COMPLETED")
	correct(t, o.second, original, 3, "fay@example.org")
	correct(t, o.second, original, 4, "gus@example.org")
	s.Retry = retryCorrected(t, o.second, original)
	for id, what := range s.waiting() {
		awaitWaiting(t, o.of(s, id), id, what)
	}

	s.UsersBefore = exportLines(t, c, "users")
	s.Applied = startImport(t, c, rawclient.CreateRequest{ImportType: "USER", Filename: "applied.csv", Mode: "upsert", AutoStart: true}, undoCSV)
	awaitStatus(t, c, s.Applied, "COMPLETED")
	return s
}

// of returns the client of the organisation that an import belongs to.
func (o organisations) of(s scenario, id string) *rawclient.Client {
	if id == s.Retry {
		return o.second
	}
	return o.first
}

// outcome is the final state of a scenario. It omits what legitimately differs between
// two runs or two releases: identifiers, times and the wording of messages.
type outcome struct {
	// Imports contains the outcome of every row, by the name of the import.
	Imports map[string]importOutcome
	// Planned are the changes that the plan shows before its approval.
	Planned []string
	// Users, Memberships and UsersOfSecond are the entities.
	Users, Memberships, UsersOfSecond []string
}

type importOutcome struct {
	Summary rawclient.Summary
	// Rows are "row outcome field:code …".
	Rows []string
}

// finish does with each part of a scenario what a person would do, and returns the
// outcome.
func finish(t *testing.T, o organisations, s scenario) outcome {
	t.Helper()
	c := o.first
	for id, what := range s.waiting() {
		awaitWaiting(t, o.of(s, id), id, what)
	}
	done := outcome{Imports: map[string]importOutcome{}}
	complete := func(name string, c *rawclient.Client, id string) {
		t.Helper()
		awaitStatus(t, c, id, "COMPLETED")
		done.Imports[name] = readOutcome(t, c, id)
	}

	undo := create(t, c, "/api/imports/"+s.Applied+"/undo", `{"mode":"safe"}`)
	complete("undo", c, undo)
	require.Equal(t, s.UsersBefore, exportLines(t, c, "users"))

	done.Planned = readChanges(t, c, s.Plan)
	approve(t, c, s.Plan)
	complete("plan", c, s.Plan)

	answerQuestions(t, c, s.Columns, "column-mappings", map[string]any{"ignore": true})
	complete("columns", c, s.Columns)

	answerQuestions(t, c, s.Values, "cell-mappings", map[string]any{"targetEntityId": 1})
	complete("values", c, s.Values)

	complete("retry of a corrected row", c, retryCorrected(t, c, s.Failed))
	correct(t, c, s.Failed, 4, "dan@example.org")
	complete("retry of the last row", c, retryCorrected(t, c, s.Failed))
	done.Imports["failed"] = readOutcome(t, c, s.Failed)
	var failed struct{ OpenErrors int64 }
	require.NoError(t, c.Get(t.Context(), "/api/imports/"+s.Failed, &failed))
	require.Zero(t, failed.OpenErrors)

	approve(t, o.second, s.Retry)
	complete("retry that waited", o.second, s.Retry)

	complete("profile", c, importByProfile(t, c))

	done.Users, done.Memberships, done.UsersOfSecond = exportLines(t, c, "users"), exportLines(t, c, "memberships"), exportLines(t, o.second, "users")
	return done
}

// importByProfile imports a file that the profile recognises by its headers, and fails the
// test if the import asks anybody.
func importByProfile(t *testing.T, c *rawclient.Client) string {
	t.Helper()
	period := int64(1)
	id := startImport(t, c, rawclient.CreateRequest{ImportType: "MEMBERSHIP", ContextID: &period, Filename: "next.csv"}, nextCSV)
	j := stacktest.AwaitJob(t, c, id, func(j *rawclient.Job) bool {
		return j.Ended() || strings.HasSuffix(j.WaitingFor, "_MAPPINGS") || j.WaitingFor == "APPROVAL"
	})
	require.Empty(t, j.WaitingFor, "a question although the profile answers all")
	var shown struct{ Profile struct{ Name string } }
	require.NoError(t, c.Get(t.Context(), "/api/imports/"+id, &shown))
	require.Equal(t, profileName, shown.Profile.Name)
	return id
}

func awaitWaiting(t *testing.T, c *rawclient.Client, id, what string) {
	t.Helper()
	j := stacktest.AwaitJob(t, c, id, func(j *rawclient.Job) bool { return j.WaitingFor == what || j.Ended() })
	require.Equal(t, what, j.WaitingFor, "%s %+v", j.Status, j.Failure)
}

// approve approves a plan.
func approve(t *testing.T, c *rawclient.Client, id string) {
	t.Helper()
	j, err := c.Job(t.Context(), id)
	require.NoError(t, err)
	require.NoError(t, c.Post(t.Context(), "/api/imports/"+id+"/apply", map[string]string{"digest": j.Plan.Digest}, nil))
}

// correct saves the address of a row that failed.
func correct(t *testing.T, c *rawclient.Client, id string, row int, email string) {
	t.Helper()
	body := fmt.Sprintf(`{"rows":[{"row":%d,"cells":{"EMAIL":%q}}]}`, row, email)
	var saved struct{ Corrected int }
	require.NoError(t, c.Do(t.Context(), http.MethodPatch, "/api/imports/"+id+"/rows", "application/json", strings.NewReader(body), &saved))
	require.Equal(t, 1, saved.Corrected)
}

// retryCorrected retries the corrected rows of an import and returns the retry.
func retryCorrected(t *testing.T, c *rawclient.Client, id string) string {
	t.Helper()
	return create(t, c, "/api/imports/"+id+"/retry", `{"rows":"corrected"}`)
}

// create posts a request that creates an import, and returns its identifier.
func create(t *testing.T, c *rawclient.Client, path, body string) string {
	t.Helper()
	var j rawclient.Job
	require.NoError(t, c.Do(t.Context(), http.MethodPost, path, "application/json", strings.NewReader(body), &j))
	return j.Identifier
}

func readOutcome(t *testing.T, c *rawclient.Client, id string) importOutcome {
	t.Helper()
	summary, err := c.Summary(t.Context(), id)
	require.NoError(t, err)
	results, err := c.Results(t.Context(), id, "", 0, 100)
	require.NoError(t, err)
	read := importOutcome{Summary: summary}
	for _, r := range results {
		line := fmt.Sprint(r.RowNumber, " ", r.Outcome)
		for _, f := range r.Faults {
			line += " " + f.Field + ":" + f.Code
		}
		read.Rows = append(read.Rows, line)
	}
	return read
}

// readChanges returns the changes of an import as "row kind table field: before -> after",
// without the fields that differ between two runs.
func readChanges(t *testing.T, c *rawclient.Client, id string) []string {
	t.Helper()
	var shown struct {
		Complete bool
		Changes  []struct {
			RowNumber   int64
			Kind, Table string
			Fields      []struct{ Field, Before, After string }
		}
	}
	require.NoError(t, c.Get(t.Context(), "/api/imports/"+id+"/changes", &shown))
	require.True(t, shown.Complete)
	var lines []string
	for _, change := range shown.Changes {
		for _, f := range change.Fields {
			if !slices.Contains(volatileFields, strings.ToLower(f.Field)) {
				lines = append(lines, fmt.Sprintf("%d %s %s %s: %q -> %q", change.RowNumber, change.Kind, change.Table, f.Field, f.Before, f.After))
			}
		}
	}
	return lines
}

// volatileFields are the fields that differ between two runs.
var volatileFields = []string{"id", "created_at", "updated_at"}

// exportLines exports the entities of an organisation, sorted, without their volatile fields.
func exportLines(t *testing.T, c *rawclient.Client, resource string) []string {
	t.Helper()
	_, file, err := c.Stream(t.Context(), resource, "ndjson")
	require.NoError(t, err)
	var lines []string
	for line := range bytes.Lines(file) {
		var entity map[string]any
		require.NoError(t, json.Unmarshal(line, &entity))
		for _, field := range volatileFields {
			delete(entity, field)
		}
		text, err := json.Marshal(entity)
		require.NoError(t, err)
		lines = append(lines, string(text))
	}
	slices.Sort(lines)
	return lines
}
