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

// Blueprint is what a stack is made of, by the names that things have there.
func Blueprint() *blueprint.Blueprint {
	return blueprint.New().ForDeployment(blueprint.LocalDeployment())
}

// QueueURL is the address of a queue of the blueprint.
func (s *Stack) QueueURL(queue string) string {
	place := blueprint.LocalDeployment()
	return "http://" + s.AWS + "/" + place.Account + "/" + place.Name(queue)
}

// readAddresses reads where the stack is, once it tells so.
func (s *Stack) readAddresses() bool {
	for file, address := range map[string]*string{stack.APIFile: &s.API, stack.AWSFile: &s.AWS} {
		told, err := os.ReadFile(filepath.Join(s.Dir, file))
		if err != nil {
			return false
		}
		*address = strings.TrimPrefix(strings.TrimSpace(string(told)), "http://")
	}
	s.Client = rawclient.New("http://"+s.API, "")
	return true
}

// Operator calls the API as whoever operates the installation.
func (s *Stack) Operator(t *testing.T) *rawclient.Client {
	t.Helper()
	token, err := rawclient.LocalOperatorToken(t.Context(), "http://"+s.API)
	require.NoError(t, err)
	return rawclient.New("http://"+s.API, token)
}

// removeAddresses removes the addresses that a killed stack has left, which would be taken for
// the next one's.
func (s *Stack) removeAddresses(t *testing.T) {
	t.Helper()
	for _, file := range []string{stack.APIFile, stack.AWSFile} {
		if err := os.Remove(filepath.Join(s.Dir, file)); err != nil {
			require.ErrorIs(t, err, os.ErrNotExist)
		}
	}
}

// isHealthy asks the API, which asks the database.
func (s *Stack) isHealthy() bool {
	response, err := (&http.Client{Timeout: Timeout}).Get("http://" + s.API + "/health")
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// DatabaseURL is the administrator's URL of the database.
func (s *Stack) DatabaseURL(t *testing.T) string {
	t.Helper()
	url, err := os.ReadFile(filepath.Join(s.Dir, stack.URLFile))
	require.NoError(t, err)
	return strings.TrimSpace(string(url))
}

// AWSConfig reaches the AWS endpoint as clients other than the functions do.
func (s *Stack) AWSConfig() aws.Config { return AWSConfig("http://" + s.AWS) }

// AWSConfig reaches an endpoint that accepts the local credentials.
func AWSConfig(url string) aws.Config {
	return aws.Config{
		Region: s3.Region, BaseEndpoint: &url, HTTPClient: sdkhttp.New(nil),
		Credentials: credentials.NewStaticCredentialsProvider(s3.AccessKey, s3.SecretKey, ""),
	}
}
