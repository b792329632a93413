// Package shared_test holds the rule of who may import whom. It keeps each
// package at one reason to exist: steps know no AWS, types know no jobs, and only
// wire knows everybody.
package shared_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/loadbay/loadbay/"

// rules say what a package may import of this module: the longest matching
// prefix of its path counts. "" stands for nothing.
var rules = map[string][]string{
	"shared/problem":          {},
	"shared/config":           {},
	"infra/local/childproc":   {},
	"shared/job":              {},
	"shared/telemetry":        {"shared/job"},
	"shared/mapping":          {"shared/problem"},
	"shared/sheet":            {"shared/problem", "shared/sheet"},
	"shared/entity":           {"shared/problem", "shared/entity"},
	"shared/output/export":    {"shared/problem", "shared/entity"},
	"shared/mapping/recall":   {"shared/job", "shared/mapping"},
	"shared/rows":             {"shared/problem", "shared/job", "shared/sheet", "shared/entity"},
	"infra/local/pglaunch":    {"infra/local/childproc", "infra/local/pglaunch"},
	"shared/postgres":         {"shared/job", "shared/problem"},
	"shared/aws/objectstore":  {"shared/problem"},
	"shared/aws/queue":        {"shared/job"},
	"shared/aws/workflow":     {"shared/job"},
	"shared/aws/coordination": {"shared/job", "shared/problem"},
	"shared/aws/eventbus":     {"shared/job"},
	"shared/outbox":           {"shared/job"},
	"shared/outbound":         {"shared/problem"},
	"shared/outbound/webhook": {"shared/problem", "shared/outbound"},
	"shared/callback":         {"shared/job", "shared/aws/workflow"},
	"shared/aws/signedurl":    {},
	"shared/aws/lambdahttp":   {},
	"shared/step": {
		"shared/job", "shared/entity", "shared/sheet", "shared/mapping", "shared/problem",
		"shared/telemetry", "shared/callback", "shared/aws/workflow", "shared/submit", "shared/output/export", "shared/rows", "shared/mapping/recall", "shared/outbound/fetch", "shared/outbound/webhook",
	},
	"shared/testing/checker": {"shared/job", "shared/entity"},
	// What must come of an import is told without what the product reads it with.
	"shared/testing/simulation/invent": {"shared/job", "shared/testing/checker"},
	"shared/postgres/schema":           {"migrations"},
	"shared/step/migrate":              {"shared/postgres/schema"},
	"migrations":                       {},
	"events":                           {},
	"functions":                        {"shared/wire"},
	"infra/blueprint":                  {},
	"infra/statemachine":               {},
	"infra/cdk":                        {"infra/blueprint", "infra/statemachine", "infra/cdk"},
}

// siblings are folders whose packages do not import each other.
var siblings = []string{"shared/step", "shared/entity", "functions"}

// above are packages that know the types and steps beside them.
var above = map[string]bool{"shared/entity/catalog": true, "shared/entity/entitytest": true}

func TestImportRule(t *testing.T) {
	t.Parallel()
	output, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...").Output()
	require.NoError(t, err)
	checked := 0
	for line := range strings.Lines(string(output)) {
		words := strings.Fields(line)
		from := strings.TrimPrefix(words[0], module)
		for _, imported := range words[1:] {
			to, ours := strings.CutPrefix(imported, module)
			if !ours {
				continue
			}
			checked++
			if strings.HasPrefix(to, "functions/") {
				t.Errorf("%s imports %s: nobody imports a function", from, to)
			}
			if allowed, ruled := ruleFor(from); ruled && !anyOf(to, allowed) {
				t.Errorf("%s imports %s; it may import %q", from, to, allowed)
			}
			for _, folder := range siblings {
				if within(from, folder) && within(to, folder) && from != folder && to != folder && !above[from] {
					t.Errorf("%s imports its sibling %s", from, to)
				}
			}
		}
	}
	require.Greater(t, checked, 100, "the rule was held against the packages")
}

// ruleFor returns the rule of the longest prefix of the package's path.
func ruleFor(from string) (allowed []string, ruled bool) {
	best := ""
	for prefix, of := range rules {
		if within(from, prefix) && len(prefix) > len(best) {
			best, allowed, ruled = prefix, of, true
		}
	}
	return allowed, ruled
}

func anyOf(to string, allowed []string) bool {
	for _, prefix := range allowed {
		if within(to, prefix) {
			return true
		}
	}
	return false
}

func within(path, prefix string) bool { return path == prefix || strings.HasPrefix(path, prefix+"/") }
