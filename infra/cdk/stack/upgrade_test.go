package stack_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/cdk/stack"
)

var release = flag.String("release", "", "store the templates of prod as those of this release, in testdata")

// impactTool reports the effects of an update; `make upgrade-tools` installs its dependencies.
const impactTool = root + "infra/cdk/upgrade"

// resourceLoss is a resource that an update replaces, removes or orphans.
type resourceLoss struct {
	ID, Type, Impact string
	Because          []string // changed properties
}

// dataTypes are the resource types with data that cannot be recreated: rows, files, keys,
// accounts, and work in progress.
var dataTypes = []string{
	"AWS::RDS::DBInstance", "AWS::RDS::DBCluster", "AWS::S3::Bucket", "AWS::DynamoDB::Table", "AWS::KMS::Key", "AWS::SecretsManager::Secret",
	"AWS::Cognito::UserPool", "AWS::SQS::Queue", "AWS::StepFunctions::StateMachine",
}

// acceptedLosses are losses in an update from a release that the changelog mentions.
var acceptedLosses = map[string]map[string]string{
	"0.1.0": {
		"DatabaseB269D8BB": "the database has an id of its kind since, so that another can stand beside it; a snapshot stays, and infra/dbcopy brings the rows",
		"Bucket83908E77":   "the bucket's name has its region since; the old one stays, with what it holds",
	},
}

// An update from the last release to the current templates replaces no resource with data. It
// lists all other replacements (-v).
func TestUpdateReplacesNoDataResource(t *testing.T) {
	w := synthesize(t, "prod-instance")
	if *release != "" {
		storeRelease(t, w, *release)
	}
	releases, err := os.ReadDir("testdata")
	require.NoError(t, err)
	last := releases[len(releases)-1].Name()
	var lost []string
	for _, part := range []string{stack.DataPart, stack.ServicePart} {
		for _, l := range findLosses(t, storedPath(last, part), w.template(part)) {
			t.Logf("since %s, %s: %s %s %s %v", last, part, l.Impact, l.Type, l.ID, l.Because)
			if slices.Contains(dataTypes, l.Type) {
				lost = append(lost, l.ID)
			}
		}
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(acceptedLosses[last])), lost)
}

// Changes that would lose data are detected: another name, another key, and a removed resource.
func TestReplacementIsDetected(t *testing.T) {
	w := synthesize(t, "prod-instance")
	content, err := os.ReadFile(w.template(stack.DataPart))
	require.NoError(t, err)
	table, _ := w.single(t, "AWS::DynamoDB::Table", "", "")
	secret, _ := w.single(t, "AWS::SecretsManager::Secret", "", "")
	database, _ := w.single(t, "AWS::RDS::DBInstance", "", "")
	for id, spoil := range map[string]func(resources map[string]any){
		table: func(r map[string]any) {
			r[table].(map[string]any)["Properties"].(map[string]any)["TableName"] = "other"
		},
		secret: func(r map[string]any) { delete(r, secret) },
		database: func(r map[string]any) {
			r[database].(map[string]any)["Properties"].(map[string]any)["KmsKeyId"] = "other"
		},
	} {
		var changed map[string]any
		require.NoError(t, json.Unmarshal(content, &changed))
		spoil(changed["Resources"].(map[string]any))
		text, err := json.Marshal(changed)
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), "changed.json")
		require.NoError(t, os.WriteFile(file, text, 0o600))
		found := findLosses(t, w.template(stack.DataPart), file)
		require.True(t, slices.ContainsFunc(found, func(l resourceLoss) bool { return l.ID == id && slices.Contains(dataTypes, l.Type) }), "%s: %v", id, found)
	}
	require.Empty(t, findLosses(t, w.template(stack.DataPart), w.template(stack.DataPart)))
}

func storedPath(release, part string) string { return filepath.Join("testdata", release, part+".json") }

// readRelease returns the templates of a release, which are those of prod.
func readRelease(t *testing.T, release string) *stageTemplates {
	t.Helper()
	w := &stageTemplates{stage: "prod", release: release}
	require.NoError(t, w.read())
	return w
}

func findLosses(t *testing.T, before, after string) []resourceLoss {
	t.Helper()
	return findAllLosses(t, before, after)[0]
}

// findAllLosses looks up CloudFormation's documented update behaviour of each changed property, in
// each pair of templates: before, after, before, after, …
func findAllLosses(t *testing.T, files ...string) [][]resourceLoss {
	t.Helper()
	if _, err := os.Stat(filepath.Join(impactTool, "node_modules")); err != nil {
		t.Skip("the tool that lists replaced resources is not installed: run make upgrade-tools")
	}
	out, err := exec.CommandContext(t.Context(), "node", append([]string{filepath.Join(impactTool, "impact.js")}, files...)...).Output()
	require.NoError(t, err)
	var found [][]resourceLoss
	require.NoError(t, json.Unmarshal(out, &found))
	return found
}

// storeRelease saves the resources of a release, one per line, without metadata for tools.
func storeRelease(t *testing.T, w *stageTemplates, release string) {
	t.Helper()
	for _, part := range []string{stack.DataPart, stack.ServicePart} {
		content, err := os.ReadFile(w.template(part))
		require.NoError(t, err)
		var whole struct{ Resources map[string]map[string]any }
		require.NoError(t, json.Unmarshal(content, &whole))
		var text bytes.Buffer
		text.WriteString("{\"Resources\": {")
		separator := "\n"
		for _, id := range slices.Sorted(maps.Keys(whole.Resources)) {
			delete(whole.Resources[id], "Metadata")
			line, err := json.Marshal(whole.Resources[id])
			require.NoError(t, err)
			text.WriteString(separator + `"` + id + `": ` + string(line))
			separator = ",\n"
		}
		text.WriteString("\n}}\n")
		require.NoError(t, os.MkdirAll(filepath.Join("testdata", release), 0o755))
		require.NoError(t, os.WriteFile(storedPath(release, part), text.Bytes(), 0o644))
	}
}
