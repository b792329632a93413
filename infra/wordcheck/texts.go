package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

type kind int

const (
	goComment kind = iota
	document
	screen // texts of the console and the command line
)

// text is a comment, a line of a document or a text of the user interface.
type text struct {
	kind kind
	path string // relative to the checkout
	line int
	text string
}

// english contains the console's English texts, a JSON object.
const english = "console/src/i18n/en.json"

// collect returns all texts of the files that git tracks.
func collect(root string) ([]text, error) {
	out, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	var all []text
	for path := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		read := readerOf(path)
		if read == nil {
			continue
		}
		content, err := os.ReadFile(filepath.Join(root, path))
		if os.IsNotExist(err) {
			continue // deleted, but not yet committed
		}
		if err != nil {
			return nil, err
		}
		texts, err := read(path, content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, texts...)
	}
	return all, nil
}

// readerOf returns the function that reads the texts of a file; nil for a file without
// texts. Released changelog entries and migrations are excluded.
func readerOf(path string) func(string, []byte) ([]text, error) {
	switch {
	case strings.HasPrefix(path, "infra/wordcheck/"), strings.Contains(path, "/testdata/"):
		return nil
	case strings.HasSuffix(path, ".go"):
		return goTexts
	case path == english:
		return screenTexts
	case strings.HasSuffix(path, ".md"), path == "shared/httpapi/openapi.yaml", path == "Makefile":
		return documentTexts
	}
	return nil
}

func goTexts(path string, content []byte) ([]text, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	if ast.IsGenerated(file) {
		return nil, nil
	}
	var all []text
	for _, group := range file.Comments {
		all = append(all, text{goComment, path, set.Position(group.Pos()).Line, group.Text()})
	}
	if strings.HasPrefix(path, "cmd/") && !strings.HasSuffix(path, "_test.go") {
		ast.Inspect(file, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if value, err := strconv.Unquote(literal.Value); err == nil {
					all = append(all, text{screen, path, set.Position(literal.Pos()).Line, value})
				}
			}
			return true
		})
	}
	return all, nil
}

func documentTexts(path string, content []byte) ([]text, error) {
	var all []text
	number := 0
	for line := range strings.Lines(string(content)) {
		number++
		all = append(all, text{document, path, number, line})
	}
	return all, nil
}

func screenTexts(path string, content []byte) ([]text, error) {
	var texts map[string]string
	if err := json.Unmarshal(content, &texts); err != nil {
		return nil, err
	}
	var all []text
	for key, value := range texts {
		all = append(all, text{screen, path + " " + key, 0, value})
	}
	slices.SortFunc(all, func(a, b text) int { return strings.Compare(a.path, b.path) })
	return all, nil
}
