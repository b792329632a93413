package sfn_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn"
	"github.com/loadbay/loadbay/infra/statemachine"
)

const importInput = `{"jobId":"9d8f1f0e-2f0a-4c39-8d0a-0f4b5a7c1e11","organisationId":7}`

func importMachine() []sfn.Machine {
	substitutions := map[string]string{}
	for _, f := range blueprint.New().Functions {
		substitutions[f.Name] = f.Name
	}
	return []sfn.Machine{{Name: "loadbay-import", Definition: statemachine.Import, Substitutions: substitutions}}
}

func next(step string) outcome { return outcome{result: `{"next":"` + step + `"}`} }

func TestImportStraight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorldOf(t, importMachine(), map[string][]outcome{
			"analyze": {next("RESOLVE")}, "resolve": {next("SPLIT")}, "split": {{result: `{}`}}, "await": {{result: `null`}}, "complete": {{result: `{}`}},
		})
		arn := w.startOf("loadbay-import", "one", importInput)
		require.Equal(t, []string{"Analyze", "WhichWay", "ResolveCells", "AnythingToAsk", "Split", "AwaitRows"}, w.path(arn))
		w.must("SendTaskSuccess", map[string]any{"taskToken": w.functions.lastToken(t, "await"), "output": `{"next":"COMPLETE"}`})
		require.Equal(t, "SUCCEEDED", w.ended(arn)["status"])
		t.Log(w.types(arn))
	})
}
