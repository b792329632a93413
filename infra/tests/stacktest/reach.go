package stacktest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
	"github.com/loadbay/loadbay/infra/local/stack"
)

// Blueprint is what a stack is made of, by the names that things have there.
func Blueprint() *blueprint.Blueprint { return blueprint.New().At(blueprint.LocalPlace()) }

// QueueURL is the address of a queue of the blueprint.
func (s *Stack) QueueURL(queue string) string {
	place := blueprint.LocalPlace()
	return "http://" + s.AWS + "/" + place.Account + "/" + place.Name(queue)
}

// DatabaseURL is the administrator's URL of the database.
func (s *Stack) DatabaseURL(t *testing.T) string {
	t.Helper()
	url, err := os.ReadFile(filepath.Join(s.Dir, stack.URLFile))
	require.NoError(t, err)
	return strings.TrimSpace(string(url))
}

// AWSConfig reaches the AWS endpoint as somebody beside the functions does.
func (s *Stack) AWSConfig() aws.Config { return AWSConfig("http://" + s.AWS) }

// AWSConfig reaches an endpoint that knows the local credentials, or takes any.
func AWSConfig(url string) aws.Config {
	return aws.Config{
		Region: s3.Region, BaseEndpoint: &url,
		Credentials: credentials.NewStaticCredentialsProvider(s3.AccessKey, s3.SecretKey, ""),
	}
}
