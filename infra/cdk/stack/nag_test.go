package stack_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The AWS Solutions rules pass. Every suppression is listed with its rule and its resources, and
// has a reason.
func TestAWSSolutionsRules(t *testing.T) {
	runAll(t, func(t *testing.T, w *stageTemplates) {
		accepted := map[string]string{ // rule: part of the path of all suppressed resources
			"AwsSolutions-IAM5":  "role",
			"AwsSolutions-APIG4": "Public-",
			"AwsSolutions-SQS3":  "Queue-loadbay-events-dlq",
			"AwsSolutions-SMG4":  "WebhookKeys",
			"AwsSolutions-RDS11": "-data/", // the database's own: instance or cluster
		}
		accepted["AwsSolutions-CFR1"], accepted["AwsSolutions-CFR2"] = "Distribution", "Distribution"
		if !w.settings.Tracing {
			accepted["AwsSolutions-SF2"] = "/Import/"
		}
		if w.settings.BackupCopies != "" {
			accepted["AwsSolutions-IAM4"] = "/BackupRole/"
		}
		if w.settings.UserPool {
			accepted["AwsSolutions-COG3"], accepted["AwsSolutions-COG8"] = "People", "People"
		}
		if !w.settings.Stage.RetainData { // dev data is not retained
			accepted["AwsSolutions-RDS3"], accepted["AwsSolutions-RDS10"] = accepted["AwsSolutions-RDS11"], accepted["AwsSolutions-RDS11"]
		}
		if w.settings.ConsoleDomain == "" {
			accepted["AwsSolutions-CFR4"] = "Distribution"
		}
		reports, err := filepath.Glob(filepath.Join(w.folder, "AwsSolutions-*-NagReport.csv"))
		require.NoError(t, err)
		require.Len(t, reports, 2, "one report for each stack")
		for _, report := range reports {
			for _, line := range readCSV(t, report)[1:] {
				rule, on, result, reason := line[0], line[1], line[2], line[3]
				require.Containsf(t, []string{"Compliant", "Suppressed"}, result, "%s on %s: %s", rule, on, line[5])
				if result == "Suppressed" && !strings.Contains(on, "/DropPolicy/") {
					require.Containsf(t, accepted, rule, "on %s: %s", on, reason)
					part := accepted[rule]
					if rule == "AwsSolutions-APIG4" && strings.Contains(on, "/Key-") { // the API checks the key
						part = "/Key-"
					}
					require.Contains(t, on, part, rule)
					require.Greater(t, len(strings.Fields(reason)), 8, "%s on %s: the reason %q is too short", rule, on, reason)
				}
			}
		}
	})
}

func readCSV(t *testing.T, name string) [][]string {
	t.Helper()
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	return lines
}
