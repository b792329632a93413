package grants

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/iam"
)

// usesVariable names the record of the uses by the suites' functions.
const usesVariable = "IAM_USES"

// TestGrantsAreUsed compares the blueprint with the uses recorded by the end-to-end suite
// and the faults: `make grants` runs them first.
func TestGrantsAreUsed(t *testing.T) {
	t.Parallel()
	path, recorded := os.LookupEnv(usesVariable)
	if !recorded {
		t.Skipf("%s is not set: run `make grants` to record uses", usesVariable)
	}
	record, err := os.Open(path)
	require.NoError(t, err)
	defer record.Close()
	uses, err := iam.ReadUses(record)
	require.NoError(t, err)
	used := map[iam.Use]bool{}
	for _, u := range uses {
		used[u] = true
	}
	reasons := explainedUses()
	for _, g := range grantedUses(blueprint.New()) {
		if !used[g] && reasons[g] == "" {
			t.Errorf("the grant %s is unused: remove it or list a reason", g)
		}
	}
}

// grantedUses returns every use that the functions' roles permit.
func grantedUses(b *blueprint.Blueprint) []iam.Use {
	var all []iam.Use
	for _, f := range b.Functions {
		for _, s := range b.RolePolicy(f, blueprint.LocalDeployment()).Statement {
			for _, action := range s.Action {
				all = append(all, iam.Use{Role: f.Name, Action: action, Allowed: true, Resource: s.Resource[0]})
			}
		}
	}
	return all
}

// Every reason refers to a granted permission, so that reasons of removed permissions are
// deleted too.
func TestReasonsMatchGrants(t *testing.T) {
	t.Parallel()
	for use := range explainedUses() {
		require.Contains(t, grantedUses(blueprint.New()), use)
	}
}
