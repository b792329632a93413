package upgrade

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/seed"
	"github.com/loadbay/loadbay/infra/local/stack"
	"github.com/loadbay/loadbay/infra/statemachine"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
	"github.com/loadbay/loadbay/shared/testing/pglaunch"
)

func TestMain(m *testing.M) {
	if played, err := stack.RunIfChild(os.Args); played {
		if err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

// deployment is a stack that is redeployed with another definition.
type deployment struct {
	*rawclient.Client
	*stack.Stack
	config stack.Config
}

// newDeployment returns a deployment, not yet running, in a new folder.
func newDeployment(t *testing.T, root string) *deployment {
	t.Helper()
	d := &deployment{config: stack.Config{
		DataDir: t.TempDir(), BinDir: filepath.Join(root, "bin", "functions"), S3Command: childCommand(t), Seed: seed.Run, Postgres: pglaunch.ThrowawaySettings(),
	}}
	t.Cleanup(func() { d.stop(t) })
	return d
}

func childCommand(t *testing.T) []string {
	t.Helper()
	command, err := stack.ChildCommand()
	require.NoError(t, err)
	return command
}

// deploy runs the stack with a definition; "" is the current one.
func (d *deployment) deploy(t *testing.T, definition string) {
	t.Helper()
	d.stop(t)
	d.config.Definition = definition
	s, err := stack.Start(t.Context(), d.config)
	require.NoError(t, err)
	d.Stack, d.Client = s, rawclient.New(s.APIURL, "")
}

func (d *deployment) stop(t *testing.T) {
	t.Helper()
	if d.Stack != nil {
		require.NoError(t, d.Stop(context.Background()))
		d.Stack = nil
	}
}

func startImport(t *testing.T, c *rawclient.Client, create rawclient.CreateRequest, file string) string {
	t.Helper()
	create.SizeBytes = int64(len(file))
	j, err := c.Upload(t.Context(), create, strings.NewReader(file))
	require.NoError(t, err)
	return j.Identifier
}

func awaitStatus(t *testing.T, c *rawclient.Client, id, status string) {
	t.Helper()
	j := stacktest.AwaitJob(t, c, id, func(j *rawclient.Job) bool { return j.Status == status || j.Ended() })
	require.Equal(t, status, j.Status, "%+v", j.Failure)
}

// answerQuestions makes the same decision about all open questions of a kind, and confirms.
func answerQuestions(t *testing.T, c *rawclient.Client, id, kind string, with map[string]any) {
	t.Helper()
	path := "/api/imports/" + id + "/" + kind
	var asked []struct {
		ID     int64
		Status string
	}
	require.NoError(t, c.Get(t.Context(), path, &asked))
	answers := []map[string]any{}
	for _, question := range asked {
		if question.Status == "UNRESOLVED" {
			answer := map[string]any{"id": question.ID}
			maps.Copy(answer, with)
			answers = append(answers, answer)
		}
	}
	require.NotEmpty(t, answers)
	body, err := json.Marshal(answers)
	require.NoError(t, err)
	require.NoError(t, c.Do(t.Context(), http.MethodPut, path, "application/json", bytes.NewReader(body), nil))
	require.NoError(t, c.Post(t.Context(), path+"/confirm", nil, nil))
}

// executionDefinition returns the definition of an execution.
func (d *deployment) executionDefinition(t *testing.T, id string) string {
	t.Helper()
	arn := blueprint.LocalDeployment().ExecutionARN(blueprint.New().StateMachine.Name, id)
	out, err := sfn.NewFromConfig(stacktest.AWSConfig(d.AWSURL)).DescribeStateMachineForExecution(t.Context(), &sfn.DescribeStateMachineForExecutionInput{ExecutionArn: &arn})
	require.NoError(t, err)
	return *out.Definition
}

// stateNames returns the state names of a definition.
func stateNames(t *testing.T, definition string) []string {
	t.Helper()
	var machine struct{ States map[string]any }
	require.NoError(t, json.Unmarshal([]byte(definition), &machine))
	return slices.Sorted(maps.Keys(machine.States))
}

const (
	columnsCSV = "email,name,colour\nada@example.org,Ada,red\ngrace@example.org,Grace,blue\n"
	membersCSV = "First name,Last name,Email,Membership type\nAda,L,ada.l@example.org,Senior\nGrace,H,grace.h@example.org,Grandee\n"
)

// Imports that wait under the definition of an earlier release complete with the current
// functions: their questions can be answered, and their rows are written once.
func TestOldExecutionsCompleteAfterUpgrade(t *testing.T) {
	t.Parallel()
	root := stacktest.Root(t)
	files, err := filepath.Glob("testdata/*.asl.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".asl.json"), func(t *testing.T) {
			t.Parallel()
			old, err := os.ReadFile(file)
			require.NoError(t, err)
			d := newDeployment(t, root)

			d.deploy(t, string(old))
			period := int64(1)
			asksColumns := startImport(t, d.Client, rawclient.CreateRequest{ImportType: "USER", Filename: "users.csv"}, columnsCSV)
			asksValues := startImport(t, d.Client, rawclient.CreateRequest{ImportType: "MEMBERSHIP", ContextID: &period, Filename: "roster.csv"}, membersCSV)
			awaitStatus(t, d.Client, asksColumns, "COLUMN_MAPPING")
			awaitStatus(t, d.Client, asksValues, "CELL_MAPPING")

			d.deploy(t, "")
			for id, answer := range map[string]func(){
				asksColumns: func() { answerQuestions(t, d.Client, asksColumns, "column-mappings", map[string]any{"ignore": true}) },
				asksValues:  func() { answerQuestions(t, d.Client, asksValues, "cell-mappings", map[string]any{"targetEntityId": 1}) },
			} {
				require.Equal(t, stateNames(t, string(old)), stateNames(t, d.executionDefinition(t, id)))
				answer()
				awaitStatus(t, d.Client, id, "COMPLETED")
				summary, err := d.Summary(t.Context(), id)
				require.NoError(t, err)
				require.Equal(t, rawclient.Summary{Created: 2}, summary)
			}
			fresh := startImport(t, d.Client, rawclient.CreateRequest{ImportType: "USER", Filename: "new.csv", AutoStart: true}, "email,name\nnew@example.org,New\n")
			awaitStatus(t, d.Client, fresh, "COMPLETED")
			require.Equal(t, stateNames(t, statemachine.Import), stateNames(t, d.executionDefinition(t, fresh)))
		})
	}
}

func TestReleaseDefinitionsExist(t *testing.T) {
	t.Parallel()
	changelog, err := os.ReadFile("../../../CHANGELOG.md")
	require.NoError(t, err)
	for _, line := range strings.Split(string(changelog), "\n") {
		version, found := strings.CutPrefix(line, "## [")
		if version, _, _ = strings.Cut(version, "]"); found && version != "Unreleased" {
			require.FileExists(t, fmt.Sprintf("testdata/%s.asl.json", version))
		}
	}
}
