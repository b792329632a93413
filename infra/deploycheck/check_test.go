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

// Invalid settings are reported before the first call to AWS.
func TestSettingsAreValidatedBeforeAWSCalls(t *testing.T) {
	t.Parallel()
	require.NoError(t, validSettings().validate(foundPath))
	for name, c := range map[string]struct {
		spoil func(*settings)
		says  string
	}{
		"no account":           {func(s *settings) { s.account = "" }, "set the 12-digit account"},
		"a name":               {func(s *settings) { s.account = "production" }, "set the 12-digit account"},
		"no region":            {func(s *settings) { s.region = "" }, "AWS_REGION"},
		"a zone":               {func(s *settings) { s.region = "eu-central-1a" }, "AWS_REGION"},
		"no issuer":            {func(s *settings) { s.context = nil }, "jwtIssuer"},
		"stage in the context": {func(s *settings) { s.context = append(s.context, "-c", "stage=prod") }, "stage prod must not be destroyed"},
		"other cdk option":     {func(s *settings) { s.context = append(s.context, "--profile", "x=y") }, "is not -c key=value"},
		"-c without a value":   {func(s *settings) { s.context = append(s.context, "-c") }, "is not -c key=value"},
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

// fakeAccount is an account, and records the commands that were run.
type fakeAccount struct {
	id       string
	exists   bool
	err      error
	failsOn  string // verb of the failing command
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
		"no failure":                 {"", []string{deployCommand, suiteCommand, emptyCommand, destroyCommand}, ""},
		"deployment fails":           {" deploy ", []string{deployCommand, emptyCommand, destroyCommand}, "deploy: refused"},
		"suite fails":                {"TestDeployed", []string{deployCommand, suiteCommand, emptyCommand, destroyCommand}, "suite: refused"},
		"emptying the buckets fails": {"infra/emptybuckets", []string{deployCommand, suiteCommand, emptyCommand, destroyCommand}, "empty the buckets: refused"},
		"destroying the stage fails": {" destroy ", []string{deployCommand, suiteCommand, emptyCommand, destroyCommand}, "remaining resources cost money"},
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
		"not 123456789012":          {id: "999999999999"},
		"already exists in account": {id: "123456789012", exists: true},
		"get caller identity":       {err: errors.New("expired")},
	} {
		require.ErrorContains(t, check(t.Context(), validSettings(), w, w.run), says)
		require.Empty(t, w.commands)
	}
}
