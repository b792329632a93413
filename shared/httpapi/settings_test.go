package httpapi_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

// setSettings changes the settings of organisation 1.
func (b *bundle) setSettings(t *testing.T, patch string) fields {
	t.Helper()
	return decode[fields](b.do(t, request{method: "PATCH", path: "/api/settings", body: patch, contentType: "application/json"}), http.StatusOK)
}

// allowRecipients lets example.org receive mail.
func (b *bundle) allowRecipients(t *testing.T) {
	t.Helper()
	b.setSettings(t, `{"mailDomains":["example.org"]}`)
	decode[fields](b.do(t, operate("PUT", organisations+"/1/mail-domains", `{"mailDomains":["example.org"]}`)), http.StatusOK)
}

// Any domain can be named in the settings, but mail is sent to those only that the operator has
// confirmed.
func TestMailDomainsNeedConfirmation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createProfile(t, shopProfile(nil))
	notify := func(version, address string) apiResponse {
		return b.callProfiles(t, "PATCH", "/"+id, version, fields{"notify": []string{address}})
	}
	own := organisations + "/1"
	changed := b.setSettings(t, `{"mailDomains":["example.org","gmail.com"]}`)
	require.Equal(t, []any{[]any{"example.org", "gmail.com"}, []any{"example.org", "gmail.com"}}, []any{changed["mailDomains"], changed["unconfirmedMailDomains"]})
	p := notify(`"1"`, "ada@gmail.com").requireProblem(422, problem.EntityInvalid)
	require.Contains(t, p["errors"].([]any)[0].(fields)["message"], "gmail.com is not confirmed")
	b.announceUsers(t, nil, fields{"notify": []string{"ada@example.org"}}).requireProblem(400, problem.ParameterInvalid)

	before := decode[fields](b.do(t, operate("GET", own, "")), http.StatusOK)
	require.Equal(t, []any{[]any{}, []any{"example.org", "gmail.com"}}, []any{before["mailDomains"], before["unconfirmedMailDomains"]})
	after := decode[fields](b.do(t, operate("PUT", own+"/mail-domains", `{"mailDomains":["example.org","example.com"]}`)), http.StatusOK)
	require.Equal(t, []any{[]any{"example.com", "example.org"}, []any{"gmail.com"}}, []any{after["mailDomains"], after["unconfirmedMailDomains"]})
	require.Equal(t, []any{"gmail.com"}, decode[fields](b.do(t, get("/api/settings")), http.StatusOK)["unconfirmedMailDomains"])
	require.Equal(t, http.StatusOK, notify(`"1"`, "ada@example.org").Code)
	notify(`"2"`, "ada@gmail.com").requireProblem(422, problem.EntityInvalid)
	notify(`"2"`, "ada@example.com").requireProblem(422, problem.EntityInvalid)

	b.do(t, operate("PUT", own+"/mail-domains", `{"mailDomains":["co.uk"]}`)).requireProblem(422, problem.EntityInvalid)
	b.do(t, operate("PUT", organisations+"/99/mail-domains", `{"mailDomains":[]}`)).requireProblem(404, problem.NotFound)
	b.do(t, request{method: "PUT", path: own + "/mail-domains", body: `{"mailDomains":["gmail.com"]}`, contentType: "application/json"}).requireProblem(403, problem.ScopeRequired)
	require.Equal(t, []any{"gmail.com"}, decode[fields](b.do(t, get("/api/settings")), http.StatusOK)["unconfirmedMailDomains"])
}

func TestPatchSettings(t *testing.T) {
	t.Parallel()
	b := setup(t)
	fresh := decode[fields](b.do(t, get("/api/settings")), http.StatusOK)
	require.Nil(t, fresh["review"])
	require.Nil(t, fresh["updatedAt"])
	require.InEpsilon(t, 100, fresh["quotas"].(fields)["openImports"].(fields)["limit"], 0)

	b.setSettings(t, `{"review":"always","mode":"upsert","timeZone":"Europe/Paris","encoding":"cp1250","undoDays":0}`)
	changed := b.setSettings(t, `{"mode":null,"dateOrder":"mdy"}`)
	require.Equal(t, "always", changed["review"])
	require.Nil(t, changed["mode"], "null removes the setting")
	require.Equal(t, "mdy", changed["dateOrder"])
	require.Equal(t, "Europe/Paris", changed["timeZone"])
	require.Zero(t, changed["undoDays"], "zero days differ from the default")
	require.Equal(t, "tester", changed["updatedBy"])
	require.Equal(t, changed, decode[fields](b.do(t, get("/api/settings")), http.StatusOK))
	other := decode[fields](b.do(t, request{method: "GET", path: "/api/settings", claims: map[string]string{"organisation_id": "2"}}), http.StatusOK)
	require.Nil(t, other["review"], "other organisations' settings are unchanged")
}

func TestInvalidSettings(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for patch, code := range map[string]problem.Code{
		`{"review":"sometimes"}`: problem.OptionInvalid, `{"mode":"replace"}`: problem.OptionInvalid, `{"dateOrder":"myd"}`: problem.OptionInvalid,
		`{"decimalMark":";"}`: problem.OptionInvalid, `{"encoding":"klingon"}`: problem.OptionInvalid, `{"timeZone":"Local"}`: problem.OptionInvalid,
		`{"timeZone":"../etc/passwd"}`: problem.OptionInvalid, `{"undoDays":91}`: problem.OptionInvalid, `{"undoDays":-1}`: problem.OptionInvalid, `{"undoDays":1.5}`: problem.BadJSON, `{"reviews":"always"}`: problem.BadJSON, `{"review":1}`: problem.BadJSON, `[]`: problem.BadJSON,
	} {
		a := b.do(t, request{method: "PATCH", path: "/api/settings", body: patch, contentType: "application/json"})
		a.requireProblem(400, code)
	}
	reader := request{method: "PATCH", path: "/api/settings", body: `{}`, contentType: "application/json", claims: map[string]string{"scope": "imports:write"}}
	b.do(t, reader).requireProblem(403, problem.ScopeRequired)
	stranger := request{method: "PATCH", path: "/api/settings", body: `{}`, contentType: "application/json", claims: map[string]string{"organisation_id": "99"}}
	b.do(t, stranger).requireProblem(403, problem.OrgRequired)
}

// The options of a request have priority over the settings, and the settings over the type.
func TestSettingsAreDefaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.setSettings(t, `{"mode":"upsert","dateOrder":"mdy","decimalMark":",","timeZone":"Europe/Paris"}`)
	made := func(changes fields) fields {
		t.Helper()
		return decode[fields](b.announceUsers(t, nil, changes), http.StatusCreated)
	}
	for name, c := range map[string]struct {
		settings      fields
		mode, options string
	}{
		"nothing":                             {fields{}, "upsert", `{"assume":{"dateOrder":"mdy","decimalMark":",","timeZone":"Europe/Paris"}}`},
		"a mode":                              {fields{"mode": "insert"}, "insert", `{"assume":{"dateOrder":"mdy","decimalMark":",","timeZone":"Europe/Paris"}}`},
		"date order in the request":           {fields{"options": fields{"dateOrder": "dmy"}}, "upsert", `{"dateOrder":"dmy","assume":{"decimalMark":",","timeZone":"Europe/Paris"}}`},
		"assumed decimal mark in the request": {fields{"options": fields{"assume": fields{"decimalMark": "."}}}, "upsert", `{"assume":{"dateOrder":"mdy","decimalMark":".","timeZone":"Europe/Paris"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			j := made(c.settings)
			require.Equal(t, c.mode, j["mode"])
			options, err := json.Marshal(j["options"])
			require.NoError(t, err)
			require.JSONEq(t, c.options, string(options))
		})
	}
	b.announceUsers(t, nil, fields{"options": fields{"assume": fields{"timeZone": "Mars/Olympus"}}}).requireProblem(400, problem.OptionInvalid)
}

// A repeated request is recognised even if the settings have changed.
func TestSettingsDoNotAffectIdempotency(t *testing.T) {
	t.Parallel()
	b := setup(t)
	key := map[string]string{"Idempotency-Key": "k-1"}
	first := decode[fields](b.announceUsers(t, key, nil), http.StatusCreated)
	b.setSettings(t, `{"mode":"upsert"}`)
	again := decode[fields](b.announceUsers(t, key, nil), http.StatusOK)
	require.Equal(t, first["identifier"], again["identifier"])
	require.Equal(t, "insert", again["mode"])
}
