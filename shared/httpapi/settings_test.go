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
