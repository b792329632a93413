package main

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func validSettings() settings {
	return settings{account: "123456789012", region: "eu-central-1", context: []string{"-c", "jwtIssuer=https://id.example.com/"}}
}

func foundPath(string) (string, error) { return "/bin/true", nil }

// What can be known to be wrong is known before the first call of AWS.
func TestSettingsAreValidatedBeforeAWSCalls(t *testing.T) {
	t.Parallel()
	require.NoError(t, validSettings().validate(foundPath))
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
			s := validSettings()
			c.spoil(&s)
			require.ErrorContains(t, s.validate(foundPath), c.says)
		})
	}
	err := validSettings().validate(func(string) (string, error) { return "", exec.ErrNotFound })
	for _, program := range []string{"go", "node", "npx"} {
		require.ErrorContains(t, err, program+" is not on the PATH")
	}
}

// fakeAccount is an account, and what was run.
type fakeAccount struct {
	id       string
	exists   bool
	err      error
	failsOn  string // the verb that fails
	commands []string
}

func (w *fakeAccount) accountID(context.Context) (string, error) { return w.id, w.err }
func (w *fakeAccount) stageExists(context.Context) (bool, error) { return w.exists, w.err }

func (w *fakeAccount) run(ctx context.Context, c command) error {
	line := strings.Join(append(c.env, c.args...), " ")
	w.commands = append(w.commands, line)
	if ctx.Err() != nil || w.failsOn != "" && strings.Contains(line, w.failsOn) {
		return errors.New("refused")
	}
	return nil
}

const (
	deployCommand  = "npx --yes aws-cdk@2.1148.1 deploy --all --require-approval never -c stage=dev -c jwtIssuer=https://id.example.com/"
	suiteCommand   = "ANYWHERE_DEPLOYED=dev ANYWHERE_ACCOUNT=123456789012 go test -count=1 -v -timeout 60m -run TestDeployed ./infra/tests/anywhere"
	emptyCommand   = "STAGE=dev go run ./infra/emptybuckets"
	destroyCommand = "npx --yes aws-cdk@2.1148.1 destroy --all --force -c stage=dev -c jwtIssuer=https://id.example.com/"
)

func TestDeployedStageIsAlwaysDestroyed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fails string
		ran   []string
		says  string
	}{
		"all goes well":   {"", []string{deployCommand, suiteCommand, emptyCommand, destroyCommand}, ""},
		"the deployment":  {" deploy ", []string{deployCommand, emptyCommand, destroyCommand}, "deploy: refused"},
		"the suite":       {"TestDeployed", []string{deployCommand, suiteCommand, emptyCommand, destroyCommand}, "suite: refused"},
		"the emptying":    {"infra/emptybuckets", []string{deployCommand, suiteCommand, emptyCommand, destroyCommand}, "empty the buckets: refused"},
		"the destruction": {" destroy ", []string{deployCommand, suiteCommand, emptyCommand, destroyCommand}, "what is left costs money"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &fakeAccount{id: "123456789012", failsOn: c.fails}
			err := check(t.Context(), validSettings(), w, w.run)
			require.Equal(t, c.ran, w.commands)
			if c.says == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.says)
			}
		})
	}
}

func TestInterruptedCheckDestroysStage(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	w := &fakeAccount{id: "123456789012"}
	err := check(ctx, validSettings(), w, func(ctx context.Context, c command) error {
		if strings.Contains(strings.Join(c.args, " "), " deploy ") {
			interrupt()
		}
		return w.run(ctx, c)
	})
	require.ErrorContains(t, err, "deploy: refused")
	require.NotContains(t, err.Error(), "destroy")
	require.Equal(t, []string{deployCommand, emptyCommand, destroyCommand}, w.commands)
}

func TestForeignStageIsNotTouched(t *testing.T) {
	t.Parallel()
	for says, w := range map[string]*fakeAccount{
		"not 123456789012":  {id: "999999999999"},
		"stands in account": {id: "123456789012", exists: true},
		"whose credentials": {err: errors.New("expired")},
	} {
		require.ErrorContains(t, check(t.Context(), validSettings(), w, w.run), says)
		require.Empty(t, w.commands)
	}
}
