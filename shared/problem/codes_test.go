package problem_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

// statuses are the response statuses that the API documents. Codes of files, rows and cells
// are not listed and have status 422.
var statuses = map[problem.Code]int{
	"INTERNAL":                500,
	"BAD_REQUEST":             400,
	"BAD_JSON":                400,
	"PARAMETER_INVALID":       400,
	"UNAUTHORIZED":            401,
	"ORG_REQUIRED":            403,
	"ORG_INACTIVE":            403,
	"ORG_DELETED":             403,
	"SCOPE_REQUIRED":          403,
	"NOT_FOUND":               404,
	"METHOD_NOT_ALLOWED":      405,
	"MAPPING_INCOMPLETE":      406,
	"STILL_RUNNING":           409,
	"STATE_CONFLICT":          409,
	"UPLOAD_MISSING":          409,
	"FILE_REPEATED":           409,
	"ENTITY_EXISTS":           409,
	"ENTITY_INVALID":          422,
	"SOURCE_CHANGED":          410,
	"GONE":                    410,
	"SOURCE_GONE":             410,
	"FILE_TOO_LARGE":          413,
	"BODY_TOO_LARGE":          413,
	"RESPONSE_TOO_LARGE":      500,
	"EXPORT_TOO_LARGE":        413,
	"MEDIA_TYPE_INVALID":      415,
	"FILENAME_INVALID":        400,
	"FILE_EMPTY":              400,
	"IMPORT_TYPE_UNKNOWN":     400,
	"CONTEXT_INVALID":         422,
	"MODE_INVALID":            400,
	"OPTION_INVALID":          400,
	"MAPPING_INVALID":         422,
	"DATE_ORDER_REQUIRED":     422,
	"DECIMAL_MARK_REQUIRED":   422,
	"IDEMPOTENCY_MISMATCH":    422,
	"IDEMPOTENCY_IN_FLIGHT":   409,
	"IDEMPOTENCY_KEY_INVALID": 400,
	"TOO_MANY_REQUESTS":       429,
	"UNAVAILABLE":             503,
	"PROFILE_UNKNOWN":         422,
	"VERSION_CHANGED":         412,
	"VERSION_REQUIRED":        428,
	"URL_FORBIDDEN":           422,
	"URL_SCHEME":              422,
	"FETCH_TIMEOUT":           422,
	"FETCH_FAILED":            422,
	"EXECUTION_TOO_OLD":       409,
	"EXPORT_FAILED":           422,
	"UNDO_DONE":               409,
	"UNDO_RUNNING":            409,
	"UNDO_EXPIRED":            409,
	"UNDO_NOTHING":            409,
	"APPROVAL_BY_OTHER":       403,
	"PLAN_CHANGED":            409,
	"PREVIEW_REQUIRED":        409,
	"PREVIEW_TOO_LARGE":       409,
	"QUOTA_OPEN_IMPORTS":      429,
	"QUOTA_ANNOUNCED_BYTES":   429,
	"QUOTA_OPEN_EXPORTS":      429,
	"QUOTA_STREAMS":           429,
	"QUOTA_REQUESTS":          429,
	"DECLARATION_INVALID":     422,
	"DECLARATION_TOO_LARGE":   413,
	"TOO_MANY_FIELDS":         422,
	"TOO_MANY_TYPES":          422,
	"TOO_MANY_KEYS":           422,
	"TYPE_RETIRED":            409,
	"TYPE_NOT_INSTALLED":      404,
	"TABLE_NOT_ADOPTABLE":     422,
	"TABLE_CHANGED":           409,
	"TABLE_NOT_ALLOWED":       403,
}

// codeGroup is one block of constants with its comment.
type codeGroup struct {
	comment string
	codes   []problem.Code
	names   []string // of the constants
}

// declaredCodes returns all codes declared in the source.
func declaredCodes(t *testing.T) []codeGroup {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, parser.ParseComments)
	require.NoError(t, err)
	var groups []codeGroup
	for _, d := range file.Decls {
		block, ok := d.(*ast.GenDecl)
		if !ok || block.Tok != token.CONST {
			continue
		}
		g := codeGroup{comment: block.Doc.Text()}
		for _, s := range block.Specs {
			text, err := strconv.Unquote(s.(*ast.ValueSpec).Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			g.codes = append(g.codes, problem.Code(text))
			g.names = append(g.names, s.(*ast.ValueSpec).Names[0].Name)
		}
		groups = append(groups, g)
	}
	return groups
}

func TestCodeStatus(t *testing.T) {
	t.Parallel()
	groups := declaredCodes(t)
	require.Contains(t, groups[0].comment, "Errors of a request")
	for _, code := range groups[0].codes {
		require.Contains(t, statuses, code, "every code of a request has an explicit status")
	}
	known := map[problem.Code]bool{}
	for _, g := range groups {
		for _, code := range g.codes {
			known[code] = true
			want, meant := statuses[code]
			if !meant {
				want = 422
			}
			require.Equal(t, want, code.Status(), "%s", code)
		}
	}
	for code := range statuses {
		require.Contains(t, known, code, "the code no longer exists")
	}
}

// Programs match codes, and the fail step distinguishes codes from names of technical errors
// by their upper case.
func TestCodesAreUniqueAndUpperCase(t *testing.T) {
	t.Parallel()
	shape := regexp.MustCompile(`^[A-Z]+(_[A-Z]+)*$`)
	seen := map[problem.Code]bool{}
	for _, g := range declaredCodes(t) {
		for _, code := range g.codes {
			require.Regexp(t, shape, string(code))
			require.False(t, seen[code], "code %s is duplicated", code)
			seen[code] = true
		}
	}
	require.Greater(t, len(seen), 50)
}

// A reader who finds a code in a log finds its constant by the name, and the reverse.
func TestConstantsAreNamedAfterCodes(t *testing.T) {
	t.Parallel()
	for _, g := range declaredCodes(t) {
		for i, code := range g.codes {
			require.Equal(t, constantName(code), g.names[i], "constant of code %s", code)
		}
	}
}

// initialisms are the words of codes that Go names write in upper case.
var initialisms = []string{"ID", "JSON", "URL", "XLS", "XLSX", "CSV", "NUL", "UUID", "XML"}

// constantName returns the name of a code in Go form: MAPPING_INCOMPLETE is MappingIncomplete.
func constantName(code problem.Code) string {
	var name strings.Builder
	for word := range strings.SplitSeq(string(code), "_") {
		if !slices.Contains(initialisms, word) {
			word = word[:1] + strings.ToLower(word[1:])
		}
		name.WriteString(word)
	}
	return name.String()
}
