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

// exampleSetup is the state that the example of an operation requires.
type exampleSetup struct {
	path    map[string]string // values of the path's parameters
	ids     []int64           // ids that replace the example ids 1, 2, 3 …
	members map[string]string // members of examples to replace
	headers map[string]string
	claims  map[string]string // nil: the default claims
}

// exampleSetups prepare the operations that need any state, by operationId.
var exampleSetups = map[string]func(*testing.T, *bundle) exampleSetup{
	"answerColumns": func(t *testing.T, b *bundle) exampleSetup {
		t.Helper()
		id, columns := b.createColumnMappingImport(t)
		return exampleSetup{path: uuid(id), ids: numbersInOrder(columns, "Vorname?", "Surname", "Kind of member", "Shoe size")}
	},
	"answerCells": func(t *testing.T, b *bundle) exampleSetup {
		t.Helper()
		id, values := b.createCellMappingImport(t)
		return exampleSetup{path: uuid(id), ids: numbersInOrder(values, "adult", "kids", "babies", "Elbonia")}
	},
	"setMapping": func(t *testing.T, b *bundle) exampleSetup {
		t.Helper()
		id, _ := b.createColumnMappingImport(t)
		return exampleSetup{path: uuid(id)}
	},
	"previewMapping": func(t *testing.T, b *bundle) exampleSetup {
		t.Helper()
		id, _ := b.createColumnMappingImport(t)
		b.storeAnalysis(t, id)
		b.storeFile(t, id, fourColumnHeader+"ada,LANG,Sen.,38\n")
		return exampleSetup{path: uuid(id)}
	},
	"updateSource": func(t *testing.T, b *bundle) exampleSetup {
		t.Helper()
		return exampleSetup{path: uuid(b.createAskingImport(t, "USER", "users.csv", "Members,,\n,,\nWho,,\nMail address,Name,Joined\na@x.org,Anna,03/04/2020\nTotal,1,\n"))}
	},
	"correctRows": failedImport,
	"retryImport": func(t *testing.T, b *bundle) exampleSetup {
		t.Helper()
		s := failedImport(t, b)
		decode[fields](b.patch(t, s.path["importId"], "", fields{"rows": []fields{{"row": 17, "cells": fields{"TOTAL_WEIGHT": "12.5"}}}}), http.StatusOK)
		return s
	},
	"applyPlan": func(t *testing.T, b *bundle) exampleSetup {
		t.Helper()
		id, digest := b.createPlan(t, fields{"plan": true})
		return exampleSetup{path: uuid(id), members: map[string]string{"digest": digest}, claims: approver}
	},
	"undoImport": func(t *testing.T, b *bundle) exampleSetup {
		t.Helper()
		return exampleSetup{path: uuid(b.createChangedUser(t))}
	},
	"rotateApiKey": func(t *testing.T, b *bundle) exampleSetup {
		t.Helper()
		return exampleSetup{path: map[string]string{"keyId": b.createKey(t, "other", "imports:read")["id"].(string)}}
	},
	"confirmOrganisationDeletion": func(t *testing.T, b *bundle) exampleSetup {
		t.Helper()
		b.Exec(t, `UPDATE organisations SET name = 'Harbour Athletics' WHERE id = 1`)
		decode[fields](b.do(t, postJSON(deletionPath, "")), http.StatusCreated)
		return exampleSetup{}
	},
	"createProfile": func(t *testing.T, b *bundle) exampleSetup {
		t.Helper()
		id := b.createEndedImport(t, "USER", "users.csv", users)
		return exampleSetup{members: map[string]string{"fromImport": id}}
	},
	"updateProfile": func(t *testing.T, b *bundle) exampleSetup {
		t.Helper()
		b.allowRecipients(t)
		return exampleSetup{path: map[string]string{"profileId": b.createProfile(t, shopProfile(nil))}, headers: map[string]string{"If-Match": `"1"`}}
	},
	"createType": func(t *testing.T, b *bundle) exampleSetup {
		t.Helper()
		b.addProducts(t)
		return exampleSetup{}
	},
	"adoptTable": func(t *testing.T, b *bundle) exampleSetup {
		t.Helper()
		b.addProducts(t)
		return exampleSetup{}
	},
	"checkType": func(t *testing.T, b *bundle) exampleSetup {
		t.Helper()
		b.addProducts(t)
		return exampleSetup{path: map[string]string{"type": "PRODUCT"}}
	},
	"applyType": func(t *testing.T, b *bundle) exampleSetup {
		t.Helper()
		b.addProducts(t)
		return exampleSetup{path: map[string]string{"type": "PRODUCT"}, headers: map[string]string{"If-None-Match": "*"}}
	},
	"grantTable": func(t *testing.T, b *bundle) exampleSetup {
		t.Helper()
		b.addProducts(t)
		return exampleSetup{claims: map[string]string{"sub": "ops", "organisation_id": "", "scope": "admin"}}
	},
	"renameOrganisation": createOrganisationEntry("", "", ""), "setQuotas": createOrganisationEntry("", "", ""), "confirmMailDomains": createOrganisationEntry("", "", ""), "allowWholeTables": createOrganisationEntry("", "", ""),
	"createPeriod": createOrganisationEntry("", "", ""), "updatePeriod": createOrganisationEntry("periodId", "/periods", `{"name":"2027","startsOn":"2027-01-01","endsOn":"2027-12-31"}`),
	"createMembershipType": createOrganisationEntry("", "", ""), "updateMembershipType": createOrganisationEntry("membershipTypeId", "/membership-types", `{"name":"Other"}`),
	"createEvent": createOrganisationEntry("", "", ""), "updateEvent": createOrganisationEntry("eventId", "/events", `{"name":"Regatta"}`),
	"createEventCategory": createCategory(""), "updateEventCategory": createCategory(`{"name":"Old hands"}`),
}

func uuid(id string) map[string]string { return map[string]string{"importId": id} }

// failedImport is an import of orders with an error in row 17.
func failedImport(t *testing.T, b *bundle) exampleSetup {
	t.Helper()
	header, rows, _ := strings.Cut(fiveOrders, "\n")
	right := strings.Split(rows, "\n")[1]
	file := header + "\n"
	for i := 2; i < 17; i++ {
		file += strings.Replace(right, "PO-2", fmt.Sprint("PO-", i), 1) + "\n"
	}
	return exampleSetup{path: uuid(b.createEndedImport(t, "ORDER", "orders.csv", file+strings.Replace(right, "7.250", "heavy", 1)+"\n"))}
}

// numbersInOrder returns the numbers in the order of names.
func numbersInOrder(numbers map[string]int64, names ...string) (ids []int64) {
	for _, name := range names {
		ids = append(ids, numbers[name])
	}
	return ids
}

// createOrganisationEntry sets up organisation 1, and unless document is "", an entry, with its id
// as the path parameter.
func createOrganisationEntry(parameter, entries, document string) func(*testing.T, *bundle) exampleSetup {
	return func(t *testing.T, b *bundle) exampleSetup {
		t.Helper()
		s := exampleSetup{path: map[string]string{"organisationId": "1"}}
		if document != "" {
			s.path[parameter] = b.entry(t, organisations+"/1"+entries, document)
		}
		return s
	}
}

// createCategory sets up an event of organisation 1, with a category unless document is "".
func createCategory(document string) func(*testing.T, *bundle) exampleSetup {
	return func(t *testing.T, b *bundle) exampleSetup {
		t.Helper()
		event := b.entry(t, organisations+"/1/events", `{"name":"Regatta"}`)
		s := createOrganisationEntry("categoryId", "/events/"+event+"/categories", document)(t, b)
		s.path["eventId"] = event
		return s
	}
}

// entry creates an entry and returns its id.
func (b *bundle) entry(t *testing.T, path, document string) string {
	t.Helper()
	return fmt.Sprintf("%.0f", decode[fields](b.do(t, operate("POST", path, document)), http.StatusCreated)["id"])
}

// Every JSON example of a request in openapi.yaml is accepted with a documented response.
func TestOpenAPIExamplesAreAccepted(t *testing.T) {
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
					var s exampleSetup
					if prepare := exampleSetups[operation.OperationID]; prepare != nil {
						s = prepare(t, b)
					}
					a := b.do(t, s.request(t, method, path, example))
					require.Less(t, a.Code, http.StatusMultipleChoices, "%s", a.Body)
				})
			}
		}
	}
}

// examples returns the examples of an operation's JSON body, which must have at least one.
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

// request returns a request with the example.
func (s exampleSetup) request(t *testing.T, method, path string, example any) request {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(s.path)) {
		path = strings.ReplaceAll(path, "{"+name+"}", s.path[name])
	}
	require.NotContains(t, path, "{", "the setup must define all path parameters")
	text, err := json.Marshal(s.substitute(example))
	require.NoError(t, err)
	if strings.HasPrefix(path, organisations) {
		return operate(method, path, string(text))
	}
	return request{method: method, path: path, body: string(text), contentType: "application/json", headers: s.headers, claims: s.claims}
}

// substitute replaces the names in an example by actual values.
func (s exampleSetup) substitute(example any) any {
	switch example := example.(type) {
	case []any:
		for _, entry := range example {
			if members, ok := entry.(fields); ok && members["id"] != nil {
				members["id"] = s.ids[int(members["id"].(float64))-1]
			}
		}
	case fields:
		for name, value := range s.members {
			if example[name] != nil {
				example[name] = value
			}
		}
	}
	return example
}
