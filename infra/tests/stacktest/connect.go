package stacktest

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadbay/loadbay/shared/aws/sdkhttp"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
	"github.com/loadbay/loadbay/infra/local/stack"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// Blueprint returns the blueprint of a stack, with its local names.
func Blueprint() *blueprint.Blueprint {
	return blueprint.New().ForDeployment(blueprint.LocalDeployment())
}

// QueueURL returns the URL of a queue of the blueprint.
func (s *Stack) QueueURL(queue string) string {
	place := blueprint.LocalDeployment()
	return "http://" + s.AWS + "/" + place.Account + "/" + place.Name(queue)
}

// readAddresses reads the stack's addresses and reports whether they are published.
func (s *Stack) readAddresses() bool {
	for file, address := range map[string]*string{stack.APIFile: &s.API, stack.AWSFile: &s.AWS} {
		content, err := os.ReadFile(filepath.Join(s.Dir, file))
		if err != nil {
			return false
		}
		*address = strings.TrimPrefix(strings.TrimSpace(string(content)), "http://")
	}
	s.Client = rawclient.New("http://"+s.API, "")
	return true
}

// Operator returns a client with an operator's token.
func (s *Stack) Operator(t *testing.T) *rawclient.Client {
	t.Helper()
	token, err := rawclient.LocalOperatorToken(t.Context(), "http://"+s.API)
	require.NoError(t, err)
	return rawclient.New("http://"+s.API, token)
}

// removeAddresses removes the address files of a killed stack, which would otherwise be
// mistaken for those of the next one.
func (s *Stack) removeAddresses(t *testing.T) {
	t.Helper()
	for _, file := range []string{stack.APIFile, stack.AWSFile} {
		if err := os.Remove(filepath.Join(s.Dir, file)); err != nil {
			require.ErrorIs(t, err, os.ErrNotExist)
		}
	}
}

// isHealthy calls the API's health check, which includes the database.
func (s *Stack) isHealthy() bool {
	response, err := (&http.Client{Timeout: Timeout}).Get("http://" + s.API + "/health")
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// DatabaseURL returns the administrator's URL of the database.
func (s *Stack) DatabaseURL(t *testing.T) string {
	t.Helper()
	url, err := os.ReadFile(filepath.Join(s.Dir, stack.URLFile))
	require.NoError(t, err)
	return strings.TrimSpace(string(url))
}

// AWSConfig configures clients of the AWS endpoint other than the functions.
func (s *Stack) AWSConfig() aws.Config { return AWSConfig("http://" + s.AWS) }

// AWSConfig configures clients of an endpoint that accepts the local credentials.
func AWSConfig(url string) aws.Config {
	return aws.Config{
		Region: s3.Region, BaseEndpoint: &url, HTTPClient: sdkhttp.New(nil),
		Credentials: credentials.NewStaticCredentialsProvider(s3.AccessKey, s3.SecretKey, ""),
	}
}
