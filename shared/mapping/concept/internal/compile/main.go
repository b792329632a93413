// Compile writes the embedded form of the table of words and the documentation of the concepts:
// go run ./internal/compile words.tsv words.txt concepts.md
//
// Tested by shared/mapping/concept: the files are those that it writes.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/mapping/concept/conceptlist"
)

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(source, compiled, document string) error {
	table, err := os.ReadFile(source)
	if err != nil {
		return fmt.Errorf("read the table: %w", err)
	}
	meanings, examples := make(map[string][]string), make(map[string][]string)
	for line := range strings.Lines(string(table)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if len(fields) != 5 {
			return fmt.Errorf("%q does not have five fields: concept, role, language, word, source", line)
		}
		meaning := fields[0]
		if fields[1] != "" {
			meaning = fields[1] + ":" + fields[0]
		}
		if words := examples[meaning]; fields[2] == "en" && len(words) < maxExamples {
			examples[meaning] = append(words, fields[3])
		}
		for _, key := range mapping.HeaderKeys(fields[3]) {
			if !slices.Contains(meanings[key], meaning) {
				meanings[key] = append(meanings[key], meaning)
			}
		}
	}
	var out strings.Builder
	for _, key := range slices.Sorted(maps.Keys(meanings)) {
		fmt.Fprintf(&out, "%s\t%s\n", key, strings.Join(meanings[key], "\t"))
	}
	if err := os.WriteFile(compiled, []byte(out.String()), 0o600); err != nil {
		return fmt.Errorf("write the words: %w", err)
	}
	if err := os.WriteFile(document, []byte(documentOf(examples)), 0o600); err != nil {
		return fmt.Errorf("write the documentation: %w", err)
	}
	return nil
}

// maxExamples is the number of words that the documentation shows of each concept.
const maxExamples = 3

// documentOf returns the documentation of the concepts.
func documentOf(examples map[string][]string) string {
	var out strings.Builder
	out.WriteString("# Concepts\n\n")
	out.WriteString("What a field of a [declared type](own-tables.md#concepts) can mean. Headers that name a concept, in\n")
	out.WriteString("any of [the languages](mapping-sources.md), match its field. With a role, such as\n")
	out.WriteString("`receiver:address.city`, it is that of another person or thing than the row is about.\n\nRoles:\n\n")
	for _, role := range conceptlist.Roles {
		fmt.Fprintf(&out, "- `%s`\n", role)
	}
	out.WriteString("\n")
	out.WriteString("| concept | English headers | values |\n|---|---|---|\n")
	for _, c := range conceptlist.All() {
		fmt.Fprintf(&out, "| `%s` | %s | %s |\n", c.Name, strings.Join(examples[c.Name], ", "), c.Values)
	}
	return out.String()
}
