package main

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func good() settings {
	return settings{account: "123456789012", region: "eu-central-1", context: []string{"-c", "jwtIssuer=https://id.example.com/"}}
}

func found(string) (string, error) { return "/bin/true", nil }

// What can be known to be wrong is known before the first call of AWS.
func TestSettingsAreCheckedBeforeAnythingIsCalled(t *testing.T) {
	t.Parallel()
	require.NoError(t, good().validate(found))
	for name, c := range map[string]struct {
		spoil func(*settings)
		says  string
	}{
		"no account":        {func(s *settings) { s.account = "" }, "name the account"},
		"a name":            {func(s *settings) { s.account = "production" }, "name the account"},
		"no region":         {func(s *settings) { s.region = "" }, "AWS_REGION"},
		"a zone":            {func(s *settings) { s.region = "eu-central-1a" }, "AWS_REGION"},
		"no issuer":         {func(s *settings) { s.context = nil }, "jwtIssuer"},
		"another stage":     {func(s *settings) { s.context = append(s.context, "-c", "stage=prod") }, "stage prod is not to be destroyed"},
		"an option":         {func(s *settings) { s.context = append(s.context, "--profile", "x=y") }, "is no -c key=value"},
		"half of a context": {func(s *settings) { s.context = append(s.context, "-c") }, "is no -c key=value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := good()
			c.spoil(&s)
			require.ErrorContains(t, s.validate(found), c.says)
		})
	}
	err := good().validate(func(string) (string, error) { return "", exec.ErrNotFound })
	for _, program := range []string{"go", "node", "npx"} {
		require.ErrorContains(t, err, program+" is not on the PATH")
	}
}

// world is an account, and what was run.
type world struct {
	is    string
	there bool
	fault error
	fails string // the verb that fails
	ran   []string
}

func (w *world) account(context.Context) (string, error) { return w.is, w.fault }
func (w *world) stands(context.Context) (bool, error)    { return w.there, w.fault }

func (w *world) run(ctx context.Context, c command) error {
	line := strings.Join(append(c.env, c.args...), " ")
	w.ran = append(w.ran, line)
	if ctx.Err() != nil || w.fails != "" && strings.Contains(line, w.fails) {
		return errors.New("refused")
	}
	return nil
}

const (
	deploys  = "npx --yes aws-cdk@2.1148.1 deploy --all --require-approval never -c stage=dev -c jwtIssuer=https://id.example.com/"
	tries    = "ANYWHERE_DEPLOYED=dev ANYWHERE_ACCOUNT=123456789012 go test -count=1 -v -timeout 60m -run TestDeployed ./infra/tests/anywhere"
	empties  = "STAGE=dev go run ./infra/emptybuckets"
	destroys = "npx --yes aws-cdk@2.1148.1 destroy --all --force -c stage=dev -c jwtIssuer=https://id.example.com/"
)

func TestWhatIsDeployedIsDestroyedWhateverHappens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fails string
		ran   []string
		says  string
	}{
		"all goes well":   {"", []string{deploys, tries, empties, destroys}, ""},
		"the deployment":  {" deploy ", []string{deploys, empties, destroys}, "deploy: refused"},
		"the suite":       {"TestDeployed", []string{deploys, tries, empties, destroys}, "suite: refused"},
		"the emptying":    {"infra/emptybuckets", []string{deploys, tries, empties, destroys}, "empty the buckets: refused"},
		"the destruction": {" destroy ", []string{deploys, tries, empties, destroys}, "what is left costs money"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &world{is: "123456789012", fails: c.fails}
			err := check(t.Context(), good(), w, w.run)
			require.Equal(t, c.ran, w.ran)
			if c.says == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.says)
			}
		})
	}
}

func TestAnInterruptionDestroysToo(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	w := &world{is: "123456789012"}
	err := check(ctx, good(), w, func(ctx context.Context, c command) error {
		if strings.Contains(strings.Join(c.args, " "), " deploy ") {
			interrupt()
		}
		return w.run(ctx, c)
	})
	require.ErrorContains(t, err, "deploy: refused")
	require.NotContains(t, err.Error(), "destroy")
	require.Equal(t, []string{deploys, empties, destroys}, w.ran)
}

func TestNothingIsTouchedThatIsNotOurs(t *testing.T) {
	t.Parallel()
	for says, w := range map[string]*world{
		"not 123456789012":  {is: "999999999999"},
		"stands in account": {is: "123456789012", there: true},
		"whose credentials": {fault: errors.New("expired")},
	} {
		require.ErrorContains(t, check(t.Context(), good(), w, w.run), says)
		require.Empty(t, w.ran)
	}
}
