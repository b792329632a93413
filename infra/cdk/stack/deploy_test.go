package stack_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// runMakeTarget runs a target with a fake CDK that only prints its arguments.
func runMakeTarget(t *testing.T, arguments ...string) (output string, err error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "make", append([]string{"-s", "--no-print-directory", "CDK=echo cdk", "-o", "build-lambda"}, arguments...)...)
	command.Dir = filepath.Join("..", "..", "..")
	out, err := command.CombinedOutput()
	return string(out), err
}

// A deployment without a token issuer is refused before anything is built.
func TestDeployWithoutIssuerIsRefused(t *testing.T) {
	t.Parallel()
	for _, arguments := range [][]string{{"deploy"}, {"deploy", "CDK_ARGS=-c stage=dev"}, {"deploy", "CDK_ARGS=-c jwtIssuer=http://id.example.com"}} {
		out, err := runMakeTarget(t, arguments...)
		require.Error(t, err, arguments)
		require.Contains(t, out, "deploy: who issues the tokens?")
		require.NotContains(t, out, "cdk deploy")
	}
	out, err := runMakeTarget(t, "deploy", "CDK_ARGS=-c jwtIssuer=https://id.example.com/ -c alarmEmail=ada@example.com")
	require.NoError(t, err, out)
	require.Equal(t, "cdk deploy --all --require-approval broadening -c jwtIssuer=https://id.example.com/ -c alarmEmail=ada@example.com", strings.TrimSpace(out))
	out, err = runMakeTarget(t, "deploy", "CDK_ARGS=-c auth=cognito -c alarmEmail=none")
	require.NoError(t, err, out)
	require.Contains(t, out, "cdk deploy", "the stage creates its own issuer")
	out, err = runMakeTarget(t, "deploy", "APPROVAL=never", "CDK_ARGS=-c auth=cognito -c alarmEmail=none")
	require.NoError(t, err, out)
	require.Contains(t, out, "--require-approval never", "CI cannot answer approval prompts")
}

func TestDeployWithoutAlarmAddressIsRefused(t *testing.T) {
	t.Parallel()
	for _, more := range []string{"", " -c alarmEmail="} {
		out, err := runMakeTarget(t, "deploy", "CDK_ARGS=-c auth=cognito"+more)
		require.Error(t, err)
		require.Contains(t, out, "deploy: who receives alarms?")
		require.NotContains(t, out, "cdk deploy")
	}
}

func TestBootstrapUsesNamedAccount(t *testing.T) {
	t.Parallel()
	for _, arguments := range [][]string{{"bootstrap"}, {"bootstrap", "ACCOUNT=1", "REGION=eu-central-1"}, {"bootstrap", "ACCOUNT=123456789012", "REGION=europe"}} {
		out, err := runMakeTarget(t, arguments...)
		require.Error(t, err, arguments)
		require.NotContains(t, out, "cdk bootstrap")
	}
	out, err := runMakeTarget(t, "bootstrap", "ACCOUNT=123456789012", "REGION=eu-central-1")
	require.NoError(t, err, out)
	require.Contains(t, out, "cdk bootstrap aws://123456789012/eu-central-1")
}

// The CDK CLI refuses to deploy an assembly with an error; synthesis alone does not fail.
func TestAssemblyReportsMissingIssuer(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		text, err := os.ReadFile(filepath.Join(w.folder, "manifest.json"))
		require.NoError(t, err)
		var manifest struct {
			Artifacts map[string]struct {
				Metadata map[string][]struct {
					Type string
					Data any
				}
				AdditionalMetadataFile string
			}
		}
		require.NoError(t, json.Unmarshal(text, &manifest))
		var errors []any
		for _, artifact := range manifest.Artifacts {
			if artifact.AdditionalMetadataFile != "" {
				more, err := os.ReadFile(filepath.Join(w.folder, artifact.AdditionalMetadataFile))
				require.NoError(t, err)
				require.NoError(t, json.Unmarshal(more, &artifact.Metadata))
			}
			for _, entries := range artifact.Metadata {
				for _, entry := range entries {
					if entry.Type == "aws:cdk:error" {
						errors = append(errors, entry.Data)
					}
				}
			}
		}
		if w.settings.Issuer == issuer || w.settings.UserPool {
			require.Empty(t, errors)
			return
		}
		require.Len(t, errors, 1)
		require.Contains(t, errors[0], "jwtIssuer is not set")
	})
}
