package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// importUnknownColumn starts an import of chunkRows users that asks about a column.
func (r *harness) importUnknownColumn(t *testing.T) string {
	t.Helper()
	header, users, _ := strings.Cut(r.usersFile(chunkRows), "\n")
	file := header + fmt.Sprintf(",colour %d\n", r.files.Load()) + strings.ReplaceAll(users, "\n", ",red\n")
	return r.uploadFile(t, rawclient.CreateRequest{ImportType: "USER", Filename: "users.csv"}, file)
}

// importUnknownValue starts an import of a roster of three people that asks about one value.
func (r *harness) importUnknownValue(t *testing.T) string {
	t.Helper()
	period, n := int64(1), r.files.Add(1)
	file := "First name,Last name,Email,Membership type\n"
	for i, kind := range []string{"Senior", "Grandee", "Grandee"} {
		file += fmt.Sprintf("P,Q,roster%d.%d@example.org,%s %d\n", n, i, kind, n)
	}
	file = strings.Replace(file, fmt.Sprintf("Senior %d", n), "Senior", 1)
	return r.uploadFile(t, rawclient.CreateRequest{ImportType: "MEMBERSHIP", ContextID: &period, Filename: "roster.csv"}, file)
}

// answerColumns ignores the unmatched columns.
func (r *harness) answerColumns(t *testing.T, id string) {
	t.Helper()
	r.answerQuestions(t, id, "column-mappings", map[string]any{"ignore": true})
}

// seniorType is the id of the seed's membership type Senior.
const seniorType = 1

// answerValues maps all unresolved values to Senior.
func (r *harness) answerValues(t *testing.T, id string) {
	t.Helper()
	r.answerQuestions(t, id, "cell-mappings", map[string]any{"targetEntityId": seniorType})
}

func (r *harness) answerQuestions(t *testing.T, id, kind string, with map[string]any) {
	t.Helper()
	require.NoError(t, r.tryAnswer(t, id, kind, with))
}

// tryAnswer decides all open questions of a kind in the same way and confirms.
func (r *harness) tryAnswer(t *testing.T, id, kind string, with map[string]any) error {
	t.Helper()
	path := "/api/imports/" + id + "/" + kind
	var asked []struct {
		ID     int64
		Status string
	}
	if err := r.Get(t.Context(), path, &asked); err != nil {
		return err
	}
	var answers []map[string]any
	for _, question := range asked {
		if question.Status != "UNRESOLVED" {
			continue
		}
		answer := map[string]any{"id": question.ID}
		maps.Copy(answer, with)
		answers = append(answers, answer)
	}
	require.NotEmpty(t, answers)
	body, err := json.Marshal(answers)
	require.NoError(t, err)
	if err := r.Do(t.Context(), http.MethodPut, path, "application/json", bytes.NewReader(body), nil); err != nil {
		return err
	}
	return r.Do(t.Context(), http.MethodPost, path+"/confirm", "", nil, nil)
}
