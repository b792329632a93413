package grants

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/iam"
	"github.com/loadbay/loadbay/infra/local/seed"
	"github.com/loadbay/loadbay/infra/local/stack"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
	"github.com/loadbay/loadbay/shared/testing/pglaunch"
)

// removalCount is how many permissions each run removes.
const removalCount = 3

func TestMain(m *testing.M) {
	if played, err := stack.RunIfChild(os.Args); played {
		if err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

// TestRemovedGrantIsRefused removes random permissions that an import and an export
// have used, one at a time, and checks that their use is denied.
func TestRemovedGrantIsRefused(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	if text, given := os.LookupEnv("GRANTS_SEED"); given {
		_, err := fmt.Sscan(text, &seed)
		require.NoError(t, err)
	}
	t.Logf("GRANTS_SEED=%d", seed)

	whole := newStack(t, blueprint.New())
	require.NoError(t, whole.startStack(t))
	require.NoError(t, whole.importAndExport(t.Context()))
	used := slices.DeleteFunc(whole.recordedUses(t), func(u iam.Use) bool {
		if u.Role == "await" && u.Action == "states:SendTaskSuccess" { // used only if the last chunk completes before its wait
			return true
		}
		return u.Role == iam.Workflow || u.Role == "wake" || u.Role == "reconcile" || u.Role == "purge" // scheduled functions may use it later
	})
	for _, u := range used {
		require.True(t, u.Allowed, "%s", u)
	}
	slices.SortFunc(used, func(a, b iam.Use) int { return strings.Compare(a.String(), b.String()) })
	require.Greater(t, len(used), 2*removalCount)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(used), func(i, j int) { used[i], used[j] = used[j], used[i] })
	for _, u := range used[:removalCount] {
		t.Run(string(u.Action)+" of "+u.Role, func(t *testing.T) {
			t.Parallel()
			s := newStack(t, withoutGrant(t, u))
			if err := s.startStack(t); err != nil { // mapping a queue to a function fails if the function may not read the queue
				require.ErrorContains(t, err, u.Role)
				if u.Role == "migrate" { // only its log contains the reason of its failure
					require.True(t, s.wasRefused(t, u), "%v", err)
					return
				}
				require.Regexp(t, "may not consume|is not authorized to perform", err)
				return
			}
			s.requireRefused(t, u)
		})
	}
}

// An export fails after its retries if its function may not write its file.
func TestExportWithoutWriteGrantFails(t *testing.T) {
	t.Parallel()
	place, b := blueprint.LocalDeployment(), blueprint.New()
	s := newStack(t, withoutGrant(t, iam.Use{
		Role: "export", Action: "s3:PutObject", Allowed: true, Resource: place.BucketARN(b.Bucket.Name) + "/" + blueprint.ExportsPrefix + "*",
	}))
	require.NoError(t, s.startStack(t))
	err := s.importAndExport(t.Context())
	require.ErrorContains(t, err, "failed")
	require.ErrorContains(t, err, "The export failed several times")
}

// withoutGrant returns the blueprint without one permission.
func withoutGrant(t *testing.T, u iam.Use) *blueprint.Blueprint {
	t.Helper()
	b, place := blueprint.New(), blueprint.LocalDeployment()
	before := len(grantedUses(b))
	for i, f := range b.Functions {
		if f.Name != u.Role {
			continue
		}
		for j := range f.Grants {
			alone := blueprint.Function{Grants: f.Grants[j : j+1]}
			if b.RolePolicy(alone, place).Statement[0].Resource[0] == u.Resource {
				b.Functions[i].Grants[j].Actions = slices.DeleteFunc(slices.Clone(f.Grants[j].Actions), func(a blueprint.Action) bool { return a == u.Action })
			}
		}
		b.Functions[i].Grants = slices.DeleteFunc(b.Functions[i].Grants, func(g blueprint.Grant) bool { return len(g.Actions) == 0 })
	}
	require.Less(t, len(grantedUses(b)), before, "%s was not removed", u)
	return b
}

// grantedStack is a stack with a given blueprint.
type grantedStack struct {
	*rawclient.Client
	config stack.Config
}

func newStack(t *testing.T, b *blueprint.Blueprint) *grantedStack {
	t.Helper()
	child, err := stack.ChildCommand()
	require.NoError(t, err)
	root := stacktest.Root(t)
	return &grantedStack{config: stack.Config{
		DataDir: t.TempDir(), BinDir: filepath.Join(root, "bin", "functions"), S3Command: child, Seed: seed.Run,
		Postgres: pglaunch.ThrowawaySettings(), Blueprint: b,
	}}
}

// startStack starts the stack until the test ends.
func (r *grantedStack) startStack(t *testing.T) error {
	t.Helper()
	s, err := stack.Start(t.Context(), r.config)
	if err != nil {
		return err
	}
	t.Cleanup(func() { require.NoError(t, s.Stop(context.Background())) })
	r.Client = rawclient.New(s.APIURL, "")
	return nil
}

// importAndExport imports a file of users and exports them.
func (r *grantedStack) importAndExport(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stacktest.Timeout)
	defer cancel()
	if err := r.Get(ctx, "/health", nil); err != nil {
		return err
	}
	const file = "email,name\nada@example.org,Ada\ngrace@example.org,Grace\n"
	j, err := r.Upload(ctx, rawclient.CreateRequest{ImportType: "USER", Filename: "users.csv", AutoStart: true, SizeBytes: int64(len(file))}, strings.NewReader(file))
	if err != nil {
		return err
	}
	j, err = r.Wait(ctx, j.Identifier, stacktest.PollInterval, nil, (*rawclient.Job).Ended)
	if err != nil {
		return err
	}
	if j.Status != "COMPLETED" || j.SuccessCount != 2 {
		return fmt.Errorf("the import is %s: %+v", j.Status, j.Failure)
	}
	_, _, err = r.Export(ctx, rawclient.ExportRequest{Resource: "users", Format: "csv"}, stacktest.PollInterval)
	return err
}

// recordedUses returns the uses of all roles so far.
func (r *grantedStack) recordedUses(t *testing.T) []iam.Use {
	t.Helper()
	record, err := os.Open(filepath.Join(r.config.DataDir, stack.UsesFile))
	require.NoError(t, err)
	defer record.Close()
	uses, err := iam.ReadUses(record)
	require.NoError(t, err)
	return uses
}

// requireRefused imports and exports until a role is denied the removed use.
func (r *grantedStack) requireRefused(t *testing.T, u iam.Use) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.importAndExport(ctx) }()
	defer func() {
		stop()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Logf("result: %v", err)
		}
	}()
	stacktest.Await(t, u.String()+" is missed", func() bool { return r.wasRefused(t, u) })
}

// wasRefused reports whether a role was denied the removed use.
func (r *grantedStack) wasRefused(t *testing.T, u iam.Use) bool {
	t.Helper()
	return slices.ContainsFunc(r.recordedUses(t), func(seen iam.Use) bool {
		return !seen.Allowed && seen.Role == u.Role && seen.Action == u.Action
	})
}
