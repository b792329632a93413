package httpapi_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

// Recipients are separate from versions: a version contains no addresses, and restoring one
// restores no addresses.
func TestProfileRecipients(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.allowRecipients(t)
	made := decode[fields](b.callProfiles(t, "POST", "", "", shopProfile(fields{"notify": []string{"ada@example.org"}})), http.StatusCreated)
	id := made["id"].(string)
	require.Equal(t, []any{"ada@example.org"}, made["notify"])
	change := func(version string, doc fields) fields {
		t.Helper()
		return decode[fields](b.callProfiles(t, "PATCH", "/"+id, version, doc), http.StatusOK)
	}
	require.Equal(t, []any{"ada@example.org"}, change(`"1"`, fields{"auto": true})["notify"], "omitted recipients are kept")
	changed := change(`"2"`, fields{"notify": []string{"ben@example.org", "cleo@example.org"}})
	require.Equal(t, []any{[]any{"ben@example.org", "cleo@example.org"}, 3.0}, []any{changed["notify"], changed["version"]}, "a change to the current version is accepted")
	b.callProfiles(t, "PATCH", "/"+id, `"2"`, fields{"notify": []string{}}).requireProblem(412, problem.VersionChanged)

	restored := decode[fields](b.callProfiles(t, "POST", "/"+id+"/versions/1/restore", "", nil), http.StatusOK)
	require.Equal(t, changed["notify"], restored["notify"])
	require.Equal(t, restored, decode[fields](b.callProfiles(t, "GET", "/"+id, "", nil), http.StatusOK))
	for _, path := range []string{"", "/" + id + "/versions", "/" + id + "/versions/3"} {
		require.NotContains(t, b.callProfiles(t, "GET", path, "", nil).Body.String(), "example.org", path)
	}
	require.Equal(t, []any{}, change(`"4"`, fields{"notify": []string{}})["notify"])
	require.Equal(t, []any{}, decode[fields](b.callProfiles(t, "POST", "", "", shopProfile(fields{"name": "Quiet"})), http.StatusCreated)["notify"])
}

func TestProfileRecipientsMustBeAllowed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createProfile(t, shopProfile(nil))
	refused := func(addresses []string) {
		t.Helper()
		for _, a := range []apiResponse{
			b.callProfiles(t, "POST", "", "", shopProfile(fields{"name": "Other", "notify": addresses})),
			b.callProfiles(t, "PATCH", "/"+id, `"1"`, fields{"notify": addresses}),
		} {
			p := a.requireProblem(422, problem.EntityInvalid)
			require.Equal(t, "notify", p["errors"].([]any)[0].(fields)["field"])
		}
	}
	refused([]string{"ada@example.org"}) // there are no settings
	b.allowRecipients(t)
	for _, addresses := range [][]string{
		{"ada"}, {"Ada <ada@example.org>"}, {"ada@example.org\r\nBcc: b@example.org"}, {"ada@example.com"}, {"ben@example.org", "ada@not-example.org"}, {""},
		slices.Repeat([]string{"a@example.org"}, 11),
	} {
		refused(addresses)
	}
	kept := b.callProfiles(t, "PATCH", "/"+id, `"1"`, fields{"notify": []string{"ada@example.org"}})
	require.Equal(t, http.StatusOK, kept.Code)

	// A removed domain does not block other changes of the profile, nor its imports.
	b.setSettings(t, `{"mailDomains":null}`)
	require.Equal(t, http.StatusOK, b.callProfiles(t, "PATCH", "/"+id, `"2"`, fields{"auto": true}).Code)
	require.Equal(t, http.StatusCreated, b.announceUsers(t, nil, fields{"profile": "Shop"}).Code)
}
