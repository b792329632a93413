package earlier

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// lastRelease is the release that the proxy imitates.
const lastRelease = "0.1.0"

// earlierServer is a proxy that answers as a release did: it knows only the paths, parameters and
// members of the description of that release.
type earlierServer struct {
	document *openapi3.T
	proxy    *httputil.ReverseProxy
}

// serveEarlier starts the proxy in front of a stack, and returns its address.
func serveEarlier(t *testing.T, stack *stacktest.Stack) string {
	t.Helper()
	document, err := openapi3.NewLoader().LoadFromFile(filepath.Join(stacktest.Root(t), "shared", "httpapi", "testdata", lastRelease+".yaml"))
	require.NoError(t, err)
	target := &url.URL{Scheme: "http", Host: stack.API}
	e := &earlierServer{document: document, proxy: &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Del("Accept-Encoding")
		},
		ModifyResponse: hideNewMembers,
	}}
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	return server.URL
}

// operationKey is the key of the operation in a request's context.
type operationKey struct{}

// ServeHTTP implements http.Handler.
func (e *earlierServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	item := e.find(r.URL.Path)
	if item == nil || item.GetOperation(r.Method) == nil {
		writeProblem(w, http.StatusNotFound, "NOT_FOUND", r.Method+" "+r.URL.Path+" does not exist.")
		return
	}
	operation := item.GetOperation(r.Method)
	if member := unknownMember(r, operation); member != "" {
		writeProblem(w, http.StatusBadRequest, "BAD_JSON", "The request body is not valid: unknown member "+member+".")
		return
	}
	hideNewParameters(r, item, operation)
	e.proxy.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), operationKey{}, operation)))
}

// find returns the path of the description that matches an address. A segment in braces is any
// segment; a path without them comes first.
func (e *earlierServer) find(address string) *openapi3.PathItem {
	if item := e.document.Paths.Value(address); item != nil {
		return item
	}
	segments := strings.Split(address, "/")
	for path, item := range e.document.Paths.Map() {
		want := strings.Split(path, "/")
		matches := len(want) == len(segments)
		for i := 0; matches && i < len(want); i++ {
			matches = want[i] == segments[i] || strings.HasPrefix(want[i], "{")
		}
		if matches {
			return item
		}
	}
	return nil
}

func writeProblem(w http.ResponseWriter, status int, code, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"title": code, "status": status, "detail": detail, "code": code, "errors": []any{}, "requestId": "earlier"})
}

// unknownMember returns a member of the JSON body that the release refused; "" if there is none.
func unknownMember(r *http.Request, operation *openapi3.Operation) string {
	if operation.RequestBody == nil || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		return ""
	}
	text, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(text))
	media := operation.RequestBody.Value.GetMediaType("application/json")
	var body any
	if err != nil || media == nil || json.Unmarshal(text, &body) != nil {
		return ""
	}
	for _, one := range listOf(body) {
		members, closed := membersOf(media.Schema)
		if array := media.Schema.Value.Items; array != nil {
			members, closed = membersOf(array)
		}
		object, _ := one.(map[string]any)
		for name := range object {
			if closed && members[name] == nil {
				return name
			}
		}
	}
	return ""
}

// listOf returns the entries of an array, or else the value itself.
func listOf(value any) []any {
	if list, ok := value.([]any); ok {
		return list
	}
	return []any{value}
}

// hideNewParameters removes the query parameters and headers that the release ignored.
func hideNewParameters(r *http.Request, item *openapi3.PathItem, operation *openapi3.Operation) {
	query, headers := map[string]bool{}, map[string]bool{}
	for _, p := range append(append(openapi3.Parameters{}, item.Parameters...), operation.Parameters...) {
		switch p.Value.In {
		case "query":
			query[p.Value.Name] = true
		case "header":
			headers[http.CanonicalHeaderKey(p.Value.Name)] = true
		}
	}
	values := r.URL.Query()
	for name := range values {
		if !query[name] {
			values.Del(name)
		}
	}
	r.URL.RawQuery = values.Encode()
	if !headers["Prefer"] {
		r.Header.Del("Prefer")
	}
}

// hideNewMembers removes the members of a JSON response that the release did not have.
func hideNewMembers(resp *http.Response) error {
	for _, name := range []string{"RateLimit", "RateLimit-Policy"} {
		resp.Header.Del(name)
	}
	operation, _ := resp.Request.Context().Value(operationKey{}).(*openapi3.Operation)
	schema := responseSchema(operation, resp.StatusCode)
	kind := resp.Header.Get("Content-Type")
	if schema == nil || !strings.HasPrefix(kind, "application/json") && !strings.HasPrefix(kind, "application/problem+json") {
		return nil
	}
	var value any
	if err := json.NewDecoder(resp.Body).Decode(&value); err != nil {
		return fmt.Errorf("decode the response: %w", err)
	}
	text, err := json.Marshal(known(value, schema))
	if err != nil {
		return err
	}
	resp.Header.Set("Content-Length", strconv.Itoa(len(text)))
	resp.ContentLength, resp.Body = int64(len(text)), io.NopCloser(bytes.NewReader(text))
	return nil
}

func responseSchema(operation *openapi3.Operation, status int) *openapi3.SchemaRef {
	described := operation.Responses.Status(status)
	if described == nil {
		described = operation.Responses.Default()
	}
	if described == nil {
		return nil
	}
	for _, kind := range []string{"application/json", "application/problem+json"} {
		if media := described.Value.Content[kind]; media != nil {
			return media.Schema
		}
	}
	return nil
}

// known returns a value without the members that its schema does not have.
func known(value any, schema *openapi3.SchemaRef) any {
	if schema == nil {
		return value
	}
	switch value := value.(type) {
	case []any:
		for i := range value {
			value[i] = known(value[i], schema.Value.Items)
		}
		return value
	case map[string]any:
		members, closed := membersOf(schema)
		for name := range value {
			if members[name] == nil && closed {
				delete(value, name)
			} else {
				value[name] = known(value[name], members[name])
			}
		}
		return value
	}
	return value
}

// membersOf returns the members of an object, and whether it has no others.
func membersOf(schema *openapi3.SchemaRef) (members map[string]*openapi3.SchemaRef, closed bool) {
	members = map[string]*openapi3.SchemaRef{}
	has := schema.Value.AdditionalProperties.Has
	closed = has != nil && !*has
	for name, member := range schema.Value.Properties {
		members[name] = member
	}
	for _, part := range append(append(append(openapi3.SchemaRefs{}, schema.Value.AllOf...), schema.Value.OneOf...), schema.Value.AnyOf...) {
		of, partClosed := membersOf(part)
		closed = closed || partClosed
		for name, member := range of {
			members[name] = member
		}
	}
	return members, closed
}

// run runs a program in a folder, and returns its output.
func run(t *testing.T, command interface{ CombinedOutput() ([]byte, error) }) string {
	t.Helper()
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
	return string(output)
}

func writeFile(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}
