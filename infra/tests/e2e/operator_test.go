package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// TestFirstOrganisation follows an operator who has just deployed Loadbay: the first
// organisation with the command line, the entities to which its files refer with files and the
// API, and an import by its user. No step needs SQL.
func TestFirstOrganisation(t *testing.T) {
	t.Parallel()
	r := start(t, "LOCAL_AUTH=required")
	output := r.runCommand(t, "organisation", "Valley Swimmers")
	require.Contains(t, output, "Organisation 3, Valley Swimmers, was created.")
	require.Contains(t, output, `organisation_id "3"`)
	require.Contains(t, r.runCommand(t, "organisation", "Valley Swimmers"), "already exists")

	token, err := rawclient.LocalToken(t.Context(), "http://"+r.API, 3)
	require.NoError(t, err)
	caller := rawclient.New("http://"+r.API, token)
	var refused *rawclient.Error
	require.ErrorAs(t, caller.Get(t.Context(), "/api/admin/organisations", nil), &refused)
	require.Equal(t, http.StatusForbidden, refused.Status)

	importUsers(t, caller, "PERIOD", "", "Season;Start;End\n2026;2026-01-01;2026-12-31\n")
	importUsers(t, caller, "EVENT", "", "Event;Date\nNight Swim;2026-08-01\n")
	operator, own := r.Operator(t), "/api/admin/organisations/3"
	event, period := onlyID(t, operator, own+"/events"), onlyID(t, operator, own+"/periods")
	importUsers(t, caller, "EVENT_CATEGORY", fmt.Sprint(event), "Category\nJunior\nVeterans\n")
	require.NoError(t, operator.Post(t.Context(), own+"/membership-types", map[string]string{"name": "Senior"}, nil))
	importUsers(t, caller, "MEMBERSHIP", fmt.Sprint(period), "First name;Last name;Email;Membership type\nAda;Ace;ada@x.org;Senior\n")

	require.NoError(t, operator.Post(t.Context(), own+"/deactivate", nil, nil))
	_, err = caller.Upload(t.Context(), rawclient.CreateRequest{ImportType: "USER", Filename: "u.csv", SizeBytes: 10}, strings.NewReader("email,name\n"))
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "ORG_INACTIVE", refused.Code)
	require.Equal(t, 2, stacktest.Query[int](t, r.Stack, `SELECT count(*) FROM event_categories WHERE organisation_id = 3`))
}

// runCommand runs a command of the program next to the stack, and returns its output.
func (r *testStack) runCommand(t *testing.T, args ...string) string {
	t.Helper()
	root := stacktest.Root(t)
	command := exec.CommandContext(t.Context(), filepath.Join(root, "bin", "loadbay-local"), args...)
	command.Env = append(os.Environ(), "DATA_DIR="+r.Dir)
	out, err := command.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		require.NoError(t, err, "%s", failed.Stderr)
	}
	require.NoError(t, err)
	return string(out)
}

// onlyID returns the id of the only entry of a list.
func onlyID(t *testing.T, operator *rawclient.Client, path string) int64 {
	t.Helper()
	var found []struct{ ID int64 }
	require.NoError(t, operator.Get(t.Context(), path, &found))
	require.Len(t, found, 1)
	return found[0].ID
}

// importUsers imports a file in which every row is created.
func importUsers(t *testing.T, caller *rawclient.Client, kind, contextID, file string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stacktest.Timeout)
	defer cancel()
	fields := map[string]string{"importType": kind, "autoStart": "true"}
	if contextID != "" {
		fields["contextId"] = contextID
	}
	var j rawclient.Job
	require.NoError(t, caller.PostForm(ctx, http.MethodPost, "/api/imports", "file.csv", []byte(file), fields, &j))
	ended, err := caller.Wait(ctx, j.Identifier, stacktest.PollInterval, nil, (*rawclient.Job).Ended)
	require.NoError(t, err)
	require.Equal(t, "COMPLETED", ended.Status, "%s: %+v", kind, ended.Failure)
	require.EqualValues(t, strings.Count(file, "\n")-1, ended.SuccessCount, kind)
	require.Zero(t, ended.ErrorCount, kind)
}
