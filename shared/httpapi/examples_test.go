package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"
)

// stage is what there has to be before an operation's example can be sent.
type stage struct {
	path map[string]string // what stands for the path's parameters
	ids  []int64           // what the examples' ids 1, 2, 3 … stand for
}

// stages prepare those operations that need anything, by operationId.
var stages = map[string]func(*testing.T, *bundle) stage{
	"answerColumns": func(t *testing.T, b *bundle) stage {
		t.Helper()
		id, columns := b.asking(t)
		return stage{map[string]string{"uuid": id}, in(columns, "Vorname?", "Surname", "Kind of member", "Shoe size")}
	},
	"answerCells": func(t *testing.T, b *bundle) stage {
		t.Helper()
		id, values := b.askingValues(t)
		return stage{map[string]string{"uuid": id}, in(values, "adult", "kids", "babies", "Elbonia")}
	},
	"renameOrganisation": organisation("", ""), "setQuotas": organisation("", ""),
	"createPeriod": organisation("", ""), "updatePeriod": organisation("/periods", `{"name":"2027","startsOn":"2027-01-01","endsOn":"2027-12-31"}`),
	"createMembershipType": organisation("", ""), "updateMembershipType": organisation("/membership-types", `{"name":"Other"}`),
	"createEvent": organisation("", ""), "updateEvent": organisation("/events", `{"name":"Regatta"}`),
	"createEventCategory": category(""), "updateEventCategory": category(`{"name":"Old hands"}`),
}

// in are the numbers of names, in the names' order.
func in(numbers map[string]int64, names ...string) (ids []int64) {
	for _, name := range names {
		ids = append(ids, numbers[name])
	}
	return ids
}

// organisation is organisation 1, with an entry if there is a document of one.
func organisation(entries, document string) func(*testing.T, *bundle) stage {
	return func(t *testing.T, b *bundle) stage {
		t.Helper()
		s := stage{path: map[string]string{"organisationId": "1"}}
		if document != "" {
			s.path["entryId"] = b.entry(t, organisations+"/1"+entries, document)
		}
		return s
	}
}

// category is an event of organisation 1, with a category if there is a document of one.
func category(document string) func(*testing.T, *bundle) stage {
	return func(t *testing.T, b *bundle) stage {
		t.Helper()
		event := b.entry(t, organisations+"/1/events", `{"name":"Regatta"}`)
		s := organisation("/events/"+event+"/categories", document)(t, b)
		s.path["eventId"] = event
		return s
	}
}

// entry makes an entry and returns its id.
func (b *bundle) entry(t *testing.T, path, document string) string {
	t.Helper()
	return fmt.Sprintf("%.0f", decode[fields](b.do(t, operate("POST", path, document)), http.StatusCreated)["id"])
}

// TestEveryExampleIsTaken sends what openapi.yaml gives as an example of each operation
// that takes JSON: the response is one that the document says, and no refusal.
func TestEveryExampleIsTaken(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("openapi.yaml")
	require.NoError(t, err)
	doc, err := openapi3.NewLoader().LoadFromData(text)
	require.NoError(t, err)
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			for name, example := range examples(t, operation) {
				t.Run(operation.OperationID+"/"+name, func(t *testing.T) {
					t.Parallel()
					b := setup(t)
					var s stage
					if prepare := stages[operation.OperationID]; prepare != nil {
						s = prepare(t, b)
					}
					a := b.do(t, s.request(t, method, path, example))
					require.Less(t, a.Code, http.StatusMultipleChoices, "%s", a.Body)
				})
			}
		}
	}
}

// examples are those of an operation's JSON body: if it takes one, it has some.
func examples(t *testing.T, o *openapi3.Operation) map[string]any {
	t.Helper()
	if o.RequestBody == nil || o.RequestBody.Value.Content["application/json"] == nil {
		return nil
	}
	media := o.RequestBody.Value.Content["application/json"]
	found := map[string]any{}
	for name, e := range media.Examples {
		found[name] = e.Value.Value
	}
	if media.Example != nil {
		found["example"] = media.Example
	}
	require.NotEmpty(t, found, "%s has no example", o.OperationID)
	return found
}

// request sends an example there.
func (s stage) request(t *testing.T, method, path string, example any) request {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(s.path)) {
		path = strings.ReplaceAll(path, "{"+name+"}", s.path[name])
	}
	require.NotContains(t, path, "{", "what stands for the path's parameters is to be said in stages")
	text, err := json.Marshal(s.with(example))
	require.NoError(t, err)
	if strings.HasPrefix(path, organisations) {
		return operate(method, path, string(text))
	}
	return request{method: method, path: path, body: string(text), contentType: "application/json"}
}

// with puts the real ids for an example's.
func (s stage) with(example any) any {
	list, ok := example.([]any)
	if !ok || s.ids == nil {
		return example
	}
	for _, entry := range list {
		if members, ok := entry.(map[string]any); ok && members["id"] != nil {
			members["id"] = s.ids[int(members["id"].(float64))-1]
		}
	}
	return list
}
