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
	return settings{account: "123456789012", region: "eu-central-1", context: []string{"-c", "jwtIssuer=https://id.example.com/", "-c", "alarmEmail=ops@example.com"}}
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
		"no issuer":            {func(s *settings) { s.context = s.context[2:] }, "jwtIssuer"},
		"no address":           {func(s *settings) { s.context = s.context[:2] }, "alarmEmail"},
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
	for _, program := range []string{"go", "node", "npx", "aws"} {
		require.ErrorContains(t, err, program+" is not on the PATH")
	}
}

// fakeAccount is an account, and records the commands that were run.
type fakeAccount struct {
	id       string
	exists   bool
	err      error
	failsOn  string            // verb of the failing command
	outputs  map[string]string // of commands, by a part of them
	commands []string
}

func (w *fakeAccount) accountID(context.Context) (string, error)         { return w.id, w.err }
func (w *fakeAccount) stageExists(context.Context, string) (bool, error) { return w.exists, w.err }

func (w *fakeAccount) run(ctx context.Context, c command) (string, error) {
	line := strings.Join(append(c.env, c.args...), " ")
	w.commands = append(w.commands, line)
	if ctx.Err() != nil || w.failsOn != "" && strings.Contains(line, w.failsOn) {
		return "", errors.New("refused")
	}
	for part, output := range w.outputs {
		if strings.Contains(line, part) {
			return output, nil
		}
	}
	return "", nil
}

const (
	deployCommand  = "npx --yes aws-cdk@2.1148.1 deploy --all --require-approval never -c stage=dev -c jwtIssuer=https://id.example.com/ -c alarmEmail=ops@example.com"
	suiteCommand   = "ANYWHERE_DEPLOYED=dev ANYWHERE_ACCOUNT=123456789012 go test -count=1 -v -parallel 2 -timeout 60m -run TestDeployed ./infra/tests/anywhere"
	emptyCommand   = "STAGE=dev go run ./infra/emptybuckets"
	findBudget     = "aws budgets describe-budget --account-id 123456789012 --budget-name loadbay-deploy-check"
	deleteBudget   = "aws budgets delete-budget --account-id 123456789012 --budget-name loadbay-deploy-check"
	preflight      = "AWS_REGION=eu-central-1 CDK_ARGS=-c stage=dev -c jwtIssuer=https://id.example.com/ -c alarmEmail=ops@example.com go run ./infra/cdk/preflight"
	listTagged     = "aws resourcegroupstaggingapi get-resources --region eu-central-1 --tag-filters Key=service,Values=loadbay Key=stage,Values=dev --query ResourceTagMappingList[].ResourceARN --output text"
	listLogs       = "aws logs describe-log-groups --region eu-central-1 --query logGroups[].logGroupName --output text"
	destroyCommand = "npx --yes aws-cdk@2.1148.1 destroy --all --force -c stage=dev -c jwtIssuer=https://id.example.com/ -c alarmEmail=ops@example.com"
)

func TestDeployedStageIsAlwaysDestroyed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fails string
		ran   []string
		says  string
	}{
		"no failure":                 {"", []string{preflight, listTagged, listLogs, findBudget, deployCommand, suiteCommand, emptyCommand, destroyCommand, listTagged, listLogs, deleteBudget}, ""},
		"deployment fails":           {" deploy ", []string{preflight, listTagged, listLogs, findBudget, deployCommand, emptyCommand, destroyCommand, listTagged, listLogs, deleteBudget}, "deploy: refused"},
		"suite fails":                {"TestDeployed", []string{preflight, listTagged, listLogs, findBudget, deployCommand, suiteCommand, emptyCommand, destroyCommand, listTagged, listLogs, deleteBudget}, "suite: refused"},
		"emptying the buckets fails": {"infra/emptybuckets", []string{preflight, listTagged, listLogs, findBudget, deployCommand, suiteCommand, emptyCommand, destroyCommand, emptyCommand, destroyCommand, emptyCommand, destroyCommand, listTagged, listLogs}, "empty the buckets: refused"},
		"destroying the stage fails": {" destroy ", []string{preflight, listTagged, listLogs, findBudget, deployCommand, suiteCommand, emptyCommand, destroyCommand, emptyCommand, destroyCommand, emptyCommand, destroyCommand, listTagged, listLogs}, "remaining resources cost money"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &fakeAccount{id: "123456789012", failsOn: c.fails}
			err := check(t.Context(), validSettings(), w, agree, w.run)
			require.Equal(t, c.ran, w.commands)
			if c.says == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.says)
			}
		})
	}
}

func agree(string) bool { return true }

// Nothing is created before a person has agreed to the price, and not without the budget.
func TestNothingIsDeployedWithoutConsentAndBudget(t *testing.T) {
	t.Parallel()
	w := &fakeAccount{id: "123456789012"}
	err := check(t.Context(), validSettings(), w, func(question string) bool {
		require.Contains(t, question, "account 123456789012 in eu-central-1")
		require.Contains(t, question, "less than $1")
		return false
	}, w.run)
	require.ErrorIs(t, err, errDeclined)
	require.Equal(t, []string{preflight}, w.commands)
	w.commands = nil

	w.failsOn = "aws budgets"
	require.ErrorContains(t, check(t.Context(), validSettings(), w, agree, w.run), "create the budget: refused")
	require.Len(t, w.commands, 5)
	require.Contains(t, w.commands[4], `"Amount":"20"`)
	require.Contains(t, w.commands[4], `"Address":"ops@example.com"`)

	w.failsOn = "infra/cdk/preflight"
	require.ErrorContains(t, check(t.Context(), validSettings(), w, func(string) bool { t.Error("asked"); return true }, w.run), "preflight: refused")

	w.failsOn = "resourcegroupstaggingapi"
	require.ErrorContains(t, check(t.Context(), validSettings(), w, agree, w.run), "list what has the stage's tags: refused")

	for text, want := range map[string]bool{"y\n": true, "Yes\n": true, "\n": false, "no\n": false, "": false} {
		require.Equal(t, want, answer(strings.NewReader(text), "?"), text)
	}
}

func TestInterruptedCheckDestroysStage(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	w := &fakeAccount{id: "123456789012"}
	err := check(ctx, validSettings(), w, agree, func(ctx context.Context, c command) (string, error) {
		if strings.Contains(strings.Join(c.args, " "), " deploy ") {
			interrupt()
		}
		return w.run(ctx, c)
	})
	require.ErrorContains(t, err, "deploy: refused")
	require.NotContains(t, err.Error(), "destroy")
	require.Equal(t, []string{preflight, listTagged, listLogs, findBudget, deployCommand, emptyCommand, destroyCommand, listTagged, listLogs, deleteBudget}, w.commands)
}

func TestForeignStageIsNotTouched(t *testing.T) {
	t.Parallel()
	for says, w := range map[string]*fakeAccount{
		"not 123456789012":          {id: "999999999999"},
		"already exists in account": {id: "123456789012", exists: true},
		"get caller identity":       {err: errors.New("expired")},
	} {
		require.ErrorContains(t, check(t.Context(), validSettings(), w, agree, w.run), says)
		require.Empty(t, w.commands)
	}
}
