package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// unresolvedValue is a value about which an import asks.
type unresolvedValue struct {
	ID          int64
	SourceValue string
	Status      string
	Suggestions []struct{ DisplayName string }
}

// The import's file has no checksum. One of its unresolved values is mapped to a similar
// type; the other is created as a new type.
func TestCreateEntityFromValue(t *testing.T) {
	t.Parallel()
	s := start(t)
	period := int64(1)
	const file = "First name,Last name,Email,Membership type\n" +
		"Ann,Ash,ann@example.org,Mastres\nBob,Beech,bob@example.org,Honorary\nCy,Cedar,cy@example.org,honorary\n"
	j, err := s.Upload(t.Context(), rawclient.CreateRequest{ImportType: "MEMBERSHIP", ContextID: &period, Filename: "roster.csv", SizeBytes: int64(len(file))}, strings.NewReader(file))
	require.NoError(t, err)
	j, err = s.Wait(t.Context(), j.Identifier, 20*time.Millisecond, nil, func(j *rawclient.Job) bool { return j.WaitingFor == "CELL_MAPPINGS" || j.Ended() })
	require.NoError(t, err)
	require.Equal(t, "CELL_MAPPINGS", j.WaitingFor, j.Status)

	path := "/api/imports/" + j.Identifier + "/cell-mappings"
	var values []unresolvedValue
	require.NoError(t, s.Get(t.Context(), path, &values))
	require.Len(t, values, 3)
	var answers []map[string]any
	for _, v := range values {
		require.Equal(t, "UNRESOLVED", v.Status)
		answer := map[string]any{"id": v.ID, "create": true}
		if v.SourceValue == "Mastres" {
			require.Equal(t, "Masters", v.Suggestions[0].DisplayName)
			answer = map[string]any{"id": v.ID, "targetEntityId": 3} // Masters, from the seed
		}
		answers = append(answers, answer)
	}
	body, err := json.Marshal(answers)
	require.NoError(t, err)
	require.NoError(t, s.Do(t.Context(), http.MethodPut, path, "application/json", strings.NewReader(string(body)), nil))
	require.NoError(t, s.Do(t.Context(), http.MethodPost, path+"/confirm", "", nil, nil))
	j, err = s.Wait(t.Context(), j.Identifier, 20*time.Millisecond, nil, (*rawclient.Job).Ended)
	require.NoError(t, err)
	require.Equal(t, "COMPLETED", j.Status, j.Failure)
	require.Equal(t, int64(3), j.SuccessCount)
	require.Equal(t, "42ba89e39f30ec38c294df293f79706bf8ff9719ff5add2a80d2c6cf255f9a6c", j.SHA256)

	require.Equal(t, []string{"Masters", "Honorary", "Honorary"}, stacktest.Query[[]string](t, s.Stack, `
		SELECT array_agg(t.name ORDER BY m.source_row) FROM memberships AS m JOIN membership_types AS t ON (t.organisation_id, t.id) = (m.organisation_id, m.type_id)`))
}
