package stack_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"

	"github.com/loadbay/loadbay/infra/cdk/stack"
)

// root is the path of the repository.
const root = "../../../"

// sam local finds the template named in samconfig.toml, each function in it by the name of its
// sample event, and the functions in the comment's examples.
func TestSAMTemplateHasFunctions(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "dev")
	config, err := os.ReadFile(root + "samconfig.toml")
	require.NoError(t, err)
	require.Contains(t, string(config), `template_file = "cdk.out/`+stack.StackName("dev", stack.ServicePart)+`.template.json"`)
	for _, f := range w.blueprint.Functions {
		_, r := w.function(t, f.Name)
		require.True(t, strings.HasSuffix(w.text(r.Metadata["aws:cdk:path"]), "/"+f.Name+"/Resource"), "SAM lists the function as %s", f.Name)
		require.FileExists(t, root+"events/"+f.Name+".json")
	}
	for _, shown := range regexp.MustCompile(`sam local invoke (\w+) -e (\S+)`).FindAllStringSubmatch(string(config), -1) {
		w.function(t, shown[1])
		require.FileExists(t, root+shown[2])
	}
}

// sam sets a variable only if events/sam.env.json contains it; a reference in a template would
// otherwise resolve to the name of a resource.
func TestSAMEnvHasEachAddress(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "prod") // has the context sam
	content, err := os.ReadFile(root + "events/sam.env.json")
	require.NoError(t, err)
	var env struct{ Parameters map[string]string }
	require.NoError(t, json.Unmarshal(content, &env))
	needed := map[string]bool{"AWS_ENDPOINT_URL": true, "DATABASE_URL": true}
	for _, f := range w.blueprint.Functions {
		for _, e := range f.Env {
			if e.Ref != "" && e.Ref != blueprint.Setting && e.RefName != "streamer" { // only this variant has it
				needed[e.Name] = true
			}
		}
	}
	require.Equal(t, slices.Sorted(maps.Keys(needed)), slices.Sorted(maps.Keys(env.Parameters)))
}
