package shared_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

// TestSentencesAreTranslated finds every sentence of the source that people can see, and requires a
// block for it in the catalogues of shared/output/translation. That package checks that each block
// has all languages, with the same values and a length that fits.
func TestSentencesAreTranslated(t *testing.T) {
	t.Parallel()
	translated := catalogueTexts(t)
	found := readSentences(t)
	require.Greater(t, len(found), 600, "more than 600 sentences are found")
	for _, s := range found {
		if !translated[s.text] && !translated[strings.TrimPrefix(s.text, fieldTitle)] && !isUntranslated(&s) {
			t.Errorf("%s: %q has no block in shared/output/translation", s.position, s.text)
		}
	}
}

// TestUntranslatedSentencesExist keeps the list of exceptions short.
func TestUntranslatedSentencesExist(t *testing.T) {
	t.Parallel()
	translated, used := catalogueTexts(t), make(map[string]bool)
	for _, s := range readSentences(t) {
		if !translated[s.text] {
			used[s.position.Filename], used[s.text] = true, true
		}
	}
	for exception, reason := range untranslated {
		require.True(t, used[exception], "%s is an exception, because %s", exception, reason)
	}
}

// fieldTitle begins the message of a row error; the title is translated with its field.
const fieldTitle = "%s: "

// untranslated are the files and sentences that are only shown in English, with the reason.
var untranslated = map[string]string{
	"organisation/registry/command.go": "only operators see the output of this command",
	"step/notify/email_content.go":     "e-mails are in English",
	"step/reconcile/reconcile.go":      "only operators see the reason why an execution was stopped",
	"%s: column %q: %s":                "this is a warning: a test of shared/output/translation has its sentences",
	"The file cannot be read with these options; the previous options were used: %s %s.": "the sentence that people see does not contain the code",
}

func isUntranslated(s *message) bool {
	return untranslated[s.position.Filename] != "" || untranslated[s.text] != ""
}

// catalogueTexts returns the English texts of the catalogues.
func catalogueTexts(t *testing.T) map[string]bool {
	t.Helper()
	texts := make(map[string]bool)
	names, err := filepath.Glob("output/translation/*.txt")
	require.NoError(t, err)
	for _, name := range names {
		catalogue, err := os.ReadFile(name)
		require.NoError(t, err)
		for line := range strings.Lines(string(catalogue)) {
			if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, " ") {
				texts[withoutPrecision(line)] = true
			}
		}
	}
	return texts
}

var (
	precision = regexp.MustCompile(`%\.\d+q`)
	// values: a list of values as problem.OneOf writes it.
	values = regexp.MustCompile(`^One of (?:-?[\w]+, )+-?[\w]+\.$`)
	// sentence: a message begins with a capital letter, a number or a value, has several words, and
	// ends with a period, a question mark or a value.
	sentence = regexp.MustCompile(`^(?:[A-Z0-9]|%(?:\[\d\])?(?:\.\d+)?[sdq]).*[a-z]{2}.* .*(?:[.?]|[.?:] %s)$|^[A-Z][a-z]+ [a-z]+[^:]*[.?]$`)
	// notShown: SQL, and requests in the text that a digest covers.
	notShown = regexp.MustCompile(`^(?:SELECT|INSERT|UPDATE|DELETE|WITH|DECLARE|ALTER|CREATE|SET|LOCK|GRANT|POST) |\$(?:\d|%d)`)
)

// withoutPrecision replaces the verbs of shortened values by those of whole values.
func withoutPrecision(text string) string { return precision.ReplaceAllString(text, "%q") }

// readSentences returns the sentences in the literals of all packages, with %s for the values that
// are concatenated, and the warnings as the sentences that people see.
func readSentences(t *testing.T) (found []message) {
	t.Helper()
	codes := readCodes(t)
	for _, path := range sources(t, ".") {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		require.NoError(t, err)
		whole := make(map[ast.Node]bool) // parts of expressions that were read
		ast.Inspect(file, func(n ast.Node) bool {
			e, isExpr := n.(ast.Expr)
			if !isExpr {
				_, isImport := n.(*ast.ImportSpec)
				return !isImport
			}
			text, ok := "", false
			switch n := n.(type) {
			case *ast.BasicLit, *ast.BinaryExpr:
				text, ok = sentenceText(e, whole)
			case *ast.CallExpr:
				if f, is := n.Fun.(*ast.SelectorExpr); is && f.Sel.Name == "Errorf" { // only in logs
					markOperands(n.Args[0], whole)
				}
				text, ok = warningText(n, codes, whole)
			}
			text = withoutPrecision(values.ReplaceAllString(text, "One of %s."))
			if ok && sentence.MatchString(text) && !notShown.MatchString(text) {
				found = append(found, message{set.Position(n.Pos()), strings.TrimSpace(text), nil})
			}
			return true
		})
	}
	return found
}

// sentenceText returns the text of a literal or of a concatenation that no other one contains.
func sentenceText(e ast.Expr, whole map[ast.Node]bool) (text string, ok bool) {
	if whole[e] {
		return "", false
	}
	markOperands(e, whole)
	return messageText(e)
}

func markOperands(e ast.Expr, whole map[ast.Node]bool) {
	whole[e] = true
	if b, is := e.(*ast.BinaryExpr); is && b.Op == token.ADD {
		markOperands(b.X, whole)
		markOperands(b.Y, whole)
	}
}

// warningText returns the sentence of a warning that is created with its code.
func warningText(call *ast.CallExpr, codes map[string]string, whole map[ast.Node]bool) (text string, ok bool) {
	if f, is := call.Fun.(*ast.SelectorExpr); !is || f.Sel.Name != "Sprintf" || len(call.Args) < 2 {
		return "", false
	}
	code, is := call.Args[1].(*ast.SelectorExpr)
	format, isText := messageText(call.Args[0])
	details, isWarning := strings.CutPrefix(format, "%s: ")
	if !is || !isIdentifier(code.X, "problem") || !isText || !isWarning || details == "%s" {
		return "", false
	}
	markOperands(call.Args[0], whole)
	return problem.WarningSentences([]string{codes[code.Sel.Name] + ": " + details})[0], true
}

// readCodes returns the codes of problems by the names of their constants.
func readCodes(t *testing.T) map[string]string {
	t.Helper()
	codes := make(map[string]string)
	file, err := parser.ParseFile(token.NewFileSet(), "problem/codes.go", nil, 0)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, is := n.(*ast.ValueSpec); is {
			for i, value := range spec.Values {
				if literal, is := value.(*ast.BasicLit); is {
					codes[spec.Names[i].Name], _ = strconv.Unquote(literal.Value)
				}
			}
		}
		return true
	})
	require.Greater(t, len(codes), 100)
	return codes
}
