package conformance

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager/types"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	local "github.com/loadbay/loadbay/infra/local/awsendpoint/secretsmanager"
	"github.com/loadbay/loadbay/shared/aws/secrets"
	"github.com/loadbay/loadbay/shared/job"
)

// secretKeys is a secret with its first key, with a client.
type secretKeys struct {
	*secretsmanager.Client
	config aws.Config
	name   string
}

func setupSecret(t *testing.T) *secretKeys {
	t.Helper()
	v := &secretKeys{name: uniqueName("keys")}
	if url, ok := configuredEndpoint(); ok {
		v.config = clientConfig(url)
		text, err := blueprint.NewSecretValue()
		require.NoError(t, err)
		_, err = secretsmanager.NewFromConfig(v.config).CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{Name: &v.name, SecretString: &text})
		require.NoError(t, err)
	} else {
		s, err := local.New(openDatabase(t), blueprint.Secret{Name: v.name})
		require.NoError(t, err)
		v.config = clientConfig(startEndpoint(t, awsendpoint.Config{Services: []awsjson.Service{s}}))
	}
	v.Client = secretsmanager.NewFromConfig(v.config)
	return v
}

func (v *secretKeys) get(t *testing.T, id *string) *secretsmanager.GetSecretValueOutput {
	t.Helper()
	out, err := v.GetSecretValue(t.Context(), &secretsmanager.GetSecretValueInput{SecretId: id})
	require.NoError(t, err)
	return out
}

// replace changes keys by id; "" removes a key.
func (v *secretKeys) replace(t *testing.T, change map[string]string) {
	t.Helper()
	keys := map[string]string{}
	require.NoError(t, json.Unmarshal([]byte(*v.get(t, &v.name).SecretString), &keys))
	maps.Copy(keys, change)
	maps.DeleteFunc(keys, func(_, key string) bool { return key == "" })
	text, err := json.Marshal(keys)
	require.NoError(t, err)
	_, err = v.PutSecretValue(t.Context(), &secretsmanager.PutSecretValueInput{SecretId: &v.name, SecretString: aws.String(string(text))})
	require.NoError(t, err)
}

func TestSecretsReadAndReplace(t *testing.T) {
	t.Parallel()
	v := setupSecret(t)
	first := v.get(t, &v.name)
	require.Equal(t, v.name, *first.Name)
	require.Equal(t, []string{"AWSCURRENT"}, first.VersionStages)
	require.False(t, first.CreatedDate.IsZero())
	require.Regexp(t, `^arn:aws:secretsmanager:us-east-1:\d{12}:secret:`+v.name+`-\w{6}$`, *first.ARN)
	require.Equal(t, *first.SecretString, *v.get(t, first.ARN).SecretString, "the secret can be read by its ARN")

	out, err := v.PutSecretValue(t.Context(), &secretsmanager.PutSecretValueInput{SecretId: &v.name, SecretString: aws.String("another")})
	require.NoError(t, err)
	second := v.get(t, &v.name)
	require.Equal(t, "another", *second.SecretString)
	require.Equal(t, *out.VersionId, *second.VersionId)
	require.NotEqual(t, *first.VersionId, *second.VersionId)

	var missing *types.ResourceNotFoundException
	_, err = v.GetSecretValue(t.Context(), &secretsmanager.GetSecretValueInput{SecretId: aws.String(uniqueName("none"))})
	require.ErrorAs(t, err, &missing)
	_, err = v.PutSecretValue(t.Context(), &secretsmanager.PutSecretValueInput{SecretId: aws.String(uniqueName("none")), SecretString: aws.String("x")})
	require.ErrorAs(t, err, &missing)
}

func TestSecretsSurviveRestart(t *testing.T) {
	t.Parallel()
	skipUnlessLocal(t)
	db, secret := openDatabase(t), blueprint.Secret{Name: "keys"}
	text := func() string {
		s, err := local.New(db, secret)
		require.NoError(t, err)
		out, err := s.Call(t.Context(), "GetSecretValue", []byte(`{"SecretId":"keys"}`))
		require.NoError(t, err)
		document, err := json.Marshal(out)
		require.NoError(t, err)
		return string(document)
	}
	require.Equal(t, text(), text())
}

// A key is rotated while secrets sealed with older keys still exist.
func TestWebhookSecretKeyRotation(t *testing.T) {
	t.Parallel()
	v := setupSecret(t)
	open := func() *secrets.WebhookSealer {
		return secrets.NewWebhookSealer(v.config, secrets.Settings{Keys: v.name})
	}
	w := open()
	sealed, err := w.Seal(t.Context(), 1, "whsec_abc")
	require.NoError(t, err)
	require.NotContains(t, sealed, "abc")
	require.True(t, strings.HasPrefix(string(sealed), "sealed:1:"))
	opens := func(w *secrets.WebhookSealer, sealed job.SealedSecret) {
		t.Helper()
		secret, err := w.Open(t.Context(), 1, sealed)
		require.NoError(t, err)
		require.Equal(t, "whsec_abc", secret)
	}
	opens(w, sealed)
	_, err = w.Open(t.Context(), 2, sealed)
	require.ErrorContains(t, err, "organisation 2")
	require.NotContains(t, err.Error(), "abc")

	_, changed, err := w.Reseal(t.Context(), 1, sealed)
	require.NoError(t, err)
	require.False(t, changed)
	stored, changed, err := w.Reseal(t.Context(), 1, "whsec_abc") // in the format of the first release
	require.NoError(t, err)
	require.True(t, changed)
	opens(w, stored)
	opens(w, "whsec_abc")

	v.replace(t, map[string]string{"current": "2", "2": strings.Repeat("b2", 32)})
	renewed, changed, err := open().Reseal(t.Context(), 1, sealed)
	require.NoError(t, err)
	require.True(t, changed)
	require.True(t, strings.HasPrefix(string(renewed), "sealed:2:"))
	opens(w, renewed) // although it has cached the keys before this one existed
	v.replace(t, map[string]string{"1": ""})
	opens(open(), renewed)
	_, err = open().Open(t.Context(), 1, sealed)
	require.ErrorContains(t, err, "an unknown key")
}
