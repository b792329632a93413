package httpapi_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

// unstorableTexts are texts in JSON notation, and as plain text in addresses and forms.
var unstorableTexts = map[string]struct{ json, plain string }{
	"NUL":          {`a\u0000`, "a\x00"},
	"half a pair":  {`a\ud800`, "a\xed\xa0\x80"},
	"no UTF-8":     {"a\xff", "a\xff"},
	"the other":    {`\udc00a`, "\xed\xb0\x80a"},
	"a NUL itself": {"a\x00", "\x00"},
}

// Unstorable text is rejected in every part of a request.
func TestUnstorableTextIsRejected(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, _ := b.createCellMappingImport(t)
	for name, text := range unstorableTexts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document := func(method, path, body string) apiResponse {
				return b.do(t, request{method: method, path: path, body: body, contentType: "application/json"})
			}
			p := document("POST", "/api/imports", `{"importType":"USER","filename":"u.csv","sizeBytes":1,"options":{"sheetName":"`+text.json+`"}}`).requireProblem(400, problem.BadJSON)
			if name != "a NUL itself" { // not valid JSON
				require.Equal(t, "options.sheetName", p["errors"].([]any)[0].(fields)["field"])
			}
			document("POST", "/api/imports", `{"importType":"USER","filename":"u.csv","sizeBytes":1,"options":{"encoding":"`+text.json+`"}}`).requireProblem(400, problem.BadJSON)
			document("POST", "/v1/exports", `{"resource_type":"users","filters":{"name":"`+text.json+`"}}`).requireProblem(400, problem.BadJSON)
			document("PUT", "/api/imports/"+id+"/cell-mappings", `[{"targetField":"MEMBERSHIP_TYPE_ID","value":"`+text.json+`","entityId":1}]`).requireProblem(400, problem.BadJSON)
			query := url.QueryEscape(text.plain)
			for _, path := range []string{
				"/api/orders/bulk-uploads?uploader=" + query,
				"/api/imports?importType=" + query,
				"/v1/exports?resource=users&filters=" + url.QueryEscape(`{"name":"`+text.json+`"}`),
				"/api/imports/" + id + "/cell-mappings/candidates?targetField=MEMBERSHIP_TYPE_ID&value=" + query,
			} {
				b.do(t, request{method: "GET", path: path}).requireProblem(400, problem.ParameterInvalid)
			}
			b.do(t, request{method: "POST", path: "/api/imports/" + id + "/upload/complete?uploadId=" + query}).requireProblem(400, problem.ParameterInvalid)
			b.do(t, get("/api/orders/bulk-uploads/"+url.PathEscape(text.plain))).requireProblem(404, problem.NotFound)
			b.uploadOrders(t, text.plain, orders, nil).requireProblem(400, problem.BadRequest)
			for _, parts := range [][]part{
				{{"importType", "", "USER"}, {"options", "", `{"sheetName":"` + text.json + `"}`}, {"file", "u.csv", users}},
				{{"importType", "", "USER"}, {"mode", "", text.plain}, {"file", "u.csv", users}},
			} {
				body, kind := form(t, parts...)
				a := b.do(t, request{method: "POST", path: "/api/imports", body: body, contentType: kind})
				require.Equal(t, 400, a.Code, a.Body)
			}
		})
	}
	t.Cleanup(func() { require.Empty(t, b.objects.stored) })
}
