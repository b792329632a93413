package httpapi_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// in adds the language of the caller to a request.
func in(language string, r request) request {
	r.headers = map[string]string{"Accept-Language": language}
	return r
}

// Titles are in the caller's language, and English without the header. Caches keep the languages
// apart.
func TestTypesAreTranslated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	title := func(answered apiResponse) (titles []string) {
		var types []struct {
			Name, Title string
			Fields      []struct {
				Name, Title string
				Aliases     []string
			}
		}
		require.NoError(t, json.Unmarshal(answered.Body.Bytes(), &types))
		for _, one := range types {
			if one.Name != "MEMBERSHIP" {
				continue
			}
			for _, f := range one.Fields {
				if f.Name == "FIRST_NAME" {
					if f.Title != "First name" {
						require.Contains(t, f.Aliases, "First name", "headers in English still match")
					}
					return []string{one.Title, f.Title}
				}
			}
		}
		return nil
	}
	english := b.do(t, get("/api/import-types"))
	require.Equal(t, []string{"Memberships", "First name"}, title(english))
	require.Equal(t, "en", english.Header().Get("Content-Language"))

	german := b.do(t, in("de-CH, en;q=0.5", get("/api/import-types")))
	require.Equal(t, []string{"Mitgliedschaften", "Vorname"}, title(german))
	require.Equal(t, "de", german.Header().Get("Content-Language"))
	require.Equal(t, "Accept-Language", german.Header().Get("Vary"))

	tag := german.Header().Get("ETag")
	require.Contains(t, tag, "-de")
	require.NotEqual(t, english.Header().Get("ETag"), tag)
	again := in("de", get("/api/import-types"))
	again.headers["If-None-Match"] = tag
	answered := b.do(t, again)
	require.Equal(t, http.StatusNotModified, answered.Code)
	require.Equal(t, "Accept-Language", answered.Header().Get("Vary"))
	other := in("fr", get("/api/import-types"))
	other.headers["If-None-Match"] = tag
	require.Equal(t, []string{"Adhésions", "Prénom"}, title(b.do(t, other)))
}

// Messages of rows are translated; codes and values are not.
func TestRowErrorsAreTranslated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.importRoster(t, nil), http.StatusAccepted)["identifier"].(string)
	b.finishJob(t, id, "CE", errorRow(3, rowwrite.Errored, "CELL_EMAIL", "EMAIL", "nobody", "Email: This is not an e-mail address, such as ada@example.org."))
	for language, want := range map[string]string{"en": "Email: This is not an e-mail address, such as ada@example.org.", "nl": "E-mailadres: Dit is geen e-mailadres, zoals ada@example.org."} {
		answered := b.do(t, in(language, get("/api/imports/"+id+"/results?outcome=ERROR")))
		require.Equal(t, http.StatusOK, answered.Code)
		require.Contains(t, answered.Body.String(), want)
		require.Contains(t, answered.Body.String(), `"code":"CELL_EMAIL"`)
	}
}
