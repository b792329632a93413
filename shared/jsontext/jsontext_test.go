package jsontext_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/jsontext"
)

type embedded struct {
	Page int `json:"page"`
}

type body struct {
	embedded
	ImportType string            `json:"importType"`
	Options    json.RawMessage   `json:"options"`
	Values     map[string]string `json:"values"`
	Fields     []*struct {
		From string `json:"from"`
	} `json:"fields"`
	Free any `json:"free"`
}

func TestAmbiguousMembersAreFound(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		`{"importType":"USER","importType":"ORDER"}`: `it has the member "importType" twice`,
		`{"importtype":"USER"}`:                      `write the member "importtype" as "importType"`,
		`{"PAGE":1}`:                                 `write the member "PAGE" as "page"`,
		`{"fields":[{"from":"a"},{"From":"b"}]}`:     `write the member "From" as "from"`,
		`{"options":{"a":1,"a":2}}`:                  `it has the member "a" twice`,
		`{"free":[{"b":{"a":1,"a":2}}]}`:             `it has the member "a" twice`,
		`{"values":{"a":"1","a":"2"}}`:               `it has the member "a" twice`,
	} {
		err := jsontext.CheckMembers([]byte(document), &body{})
		var found *jsontext.MemberError
		require.ErrorAs(t, err, &found, document)
		require.Equal(t, want, found.Describe())
	}
}

func TestOtherDocumentsAreAccepted(t *testing.T) {
	t.Parallel()
	for _, document := range []string{
		`{"importType":"USER","page":1,"values":{"Oui":"1","OUI":"1"},"fields":[null,{"from":"a"},{"from":"b"}],"options":{"a":1,"A":2},"free":1}`,
		`{"unknown":1}`, `null`, `[]`, `"x"`, ``, `{"a":`, `{"importType":}`, `[[`, `{"a":1}}`, strings.Repeat("[", 100_000),
	} {
		require.NoError(t, jsontext.CheckMembers([]byte(document), &body{}), document[:min(len(document), 50)])
	}
}
