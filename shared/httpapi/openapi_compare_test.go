package httpapi_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// apiComparison finds breaking changes for clients of an older description in a newer one: requests
// that are now rejected, and response members that no longer exist.
type apiComparison struct {
	breaks []string
	seen   map[[2]*openapi3.Schema]bool // schemas can be recursive
}

// compareAPIs lists the breaking changes from one description to the next. The names of path
// parameters are no part of requests.
func compareAPIs(older, newer *openapi3.T) []string {
	c := &apiComparison{seen: map[[2]*openapi3.Schema]bool{}}
	for _, path := range slices.Sorted(maps.Keys(older.Paths.Map())) {
		operations, current := older.Paths.Value(path).Operations(), newer.Paths.Find(path)
		for _, method := range slices.Sorted(maps.Keys(operations)) {
			operation, at := operations[method], method+" "+path
			var now *openapi3.Operation
			if current != nil {
				now = current.GetOperation(method)
			}
			if now == nil {
				c.addBreak(at, "is gone")
				continue
			}
			c.operation(at, operation, now)
		}
	}
	slices.Sort(c.breaks)
	return c.breaks
}

func (c *apiComparison) addBreak(at, format string, args ...any) {
	c.breaks = append(c.breaks, at+" "+fmt.Sprintf(format, args...))
}

func (c *apiComparison) operation(at string, older, newer *openapi3.Operation) {
	for _, p := range newer.Parameters {
		if older.Parameters.GetByInAndName(p.Value.In, p.Value.Name) == nil && p.Value.Required {
			c.addBreak(at, "wants the new parameter %s", p.Value.Name)
		}
	}
	for _, p := range older.Parameters {
		if p.Value.In == openapi3.ParameterInPath {
			continue
		}
		now := newer.Parameters.GetByInAndName(p.Value.In, p.Value.Name)
		if now == nil {
			c.addBreak(at, "refuses the parameter %s", p.Value.Name)
			continue
		}
		c.accepts(at+" ?"+p.Value.Name, p.Value.Schema, now.Schema)
	}
	if older.RequestBody != nil {
		c.contents(at+" takes", older.RequestBody.Value.Content, newer.RequestBody.Value.Content, c.accepts)
	}
	for status, response := range older.Responses.Map() {
		if !strings.HasPrefix(status, "2") && !strings.HasPrefix(status, "3") {
			continue
		}
		now := newer.Responses.Value(status)
		if now == nil {
			c.addBreak(at, "never answers %s", status)
			continue
		}
		c.contents(at+" answers", response.Value.Content, now.Value.Content, c.returns)
	}
}

func (c *apiComparison) contents(at string, older, newer openapi3.Content, check func(at string, older, newer *openapi3.SchemaRef)) {
	for kind, content := range older {
		if newer.Get(kind) == nil {
			c.addBreak(at, "no %s", kind)
			continue
		}
		check(at, content.Schema, newer.Get(kind).Schema)
	}
}

// isCompared reports whether there is nothing to compare, or the pair was compared already.
func (c *apiComparison) isCompared(older, newer *openapi3.SchemaRef) bool {
	if older == nil || newer == nil || older.Value == nil || newer.Value == nil {
		return true
	}
	pair := [2]*openapi3.Schema{older.Value, newer.Value}
	known := c.seen[pair]
	c.seen[pair] = true
	return known
}

// schemaName returns the subject of a breaking change: the schema, if it has a name in both
// descriptions.
func schemaName(at string, older, newer *openapi3.SchemaRef) string {
	if older.Ref != "" && older.Ref == newer.Ref {
		return older.Ref[strings.LastIndex(older.Ref, "/")+1:]
	}
	return at
}

// accepts compares requests: the newer description must accept everything that the older one
// accepted.
func (c *apiComparison) accepts(at string, older, newer *openapi3.SchemaRef) {
	if c.isCompared(older, newer) {
		return
	}
	at, o, n := schemaName(at, older, newer), older.Value, newer.Value
	for _, kind := range o.Type.Slice() {
		if n.Type != nil && !n.Type.Includes(kind) && (kind != "integer" || !n.Type.Includes("number")) {
			c.addBreak(at, "is no %s any more", kind)
		}
	}
	for _, value := range n.Enum {
		if len(o.Enum) == 0 {
			c.addBreak(at, "may only be %v", value)
		}
	}
	for _, value := range o.Enum {
		if len(n.Enum) > 0 && !slices.Contains(n.Enum, value) {
			c.addBreak(at, "may not be %v", value)
		}
	}
	for _, name := range n.Required {
		if !slices.Contains(o.Required, name) {
			c.addBreak(at, "needs %s", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Properties)) {
		if now := n.Properties[name]; now != nil {
			c.accepts(at+"."+name, o.Properties[name], now)
		} else if n.AdditionalProperties.Has != nil && !*n.AdditionalProperties.Has {
			c.addBreak(at, "has no %s", name)
		}
	}
	if n.MaxLength != nil && (o.MaxLength == nil || *o.MaxLength > *n.MaxLength) {
		c.addBreak(at, "may only have %d characters", *n.MaxLength)
	}
	if n.MaxItems != nil && (o.MaxItems == nil || *o.MaxItems > *n.MaxItems) {
		c.addBreak(at, "may only have %d entries", *n.MaxItems)
	}
	c.parts(at, o, n, c.accepts)
}

// returns compares responses: the newer description must guarantee everything that the older one
// guaranteed. New members and new values of an enumeration are not breaking.
func (c *apiComparison) returns(at string, older, newer *openapi3.SchemaRef) {
	if c.isCompared(older, newer) {
		return
	}
	at, o, n := schemaName(at, older, newer), older.Value, newer.Value
	for _, kind := range n.Type.Slice() {
		if o.Type != nil && !o.Type.Includes(kind) && (kind != "integer" || !o.Type.Includes("number")) {
			c.addBreak(at, "may be %s", kind)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Properties)) {
		now := n.Properties[name]
		switch {
		case now == nil:
			c.addBreak(at, "has no %s", name)
		case slices.Contains(o.Required, name) && !slices.Contains(n.Required, name):
			c.addBreak(at, "may lack %s", name)
		default:
			c.returns(at+"."+name, o.Properties[name], now)
		}
	}
	c.parts(at, o, n, c.returns)
}

// parts compares the entries of lists, and the components of composed schemas, in order.
func (c *apiComparison) parts(at string, o, n *openapi3.Schema, check func(at string, older, newer *openapi3.SchemaRef)) {
	check(at+"[]", o.Items, n.Items)
	for _, pair := range [][2]openapi3.SchemaRefs{{o.AllOf, n.AllOf}, {o.OneOf, n.OneOf}, {o.AnyOf, n.AnyOf}} {
		for i := range min(len(pair[0]), len(pair[1])) {
			check(at, pair[0][i], pair[1][i])
		}
		if len(pair[0]) > len(pair[1]) {
			c.addBreak(at, "has %d forms, not %d", len(pair[1]), len(pair[0]))
		}
	}
}
