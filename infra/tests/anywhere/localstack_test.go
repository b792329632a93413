package anywhere

import (
	"context"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/stretchr/testify/require"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/network"
	"github.com/testcontainers/testcontainers-go/wait"
)

const (
	// localStackToken is the variable that LocalStack's image requires since 2026; the Hobby
	// plan, for non-commercial use, includes a token free of charge.
	localStackToken = "LOCALSTACK_AUTH_TOKEN"
	localStackImage = "localstack/localstack:4.14.0"
	postgresImage   = "postgres:16-alpine"
	postgresHost    = "postgres" // host name in the containers' network
	startTimeout    = 5 * time.Minute
)

// missingPrerequisite returns what LocalStack needs and this machine lacks.
func missingPrerequisite() []string {
	var list []string
	if exec.Command("docker", "info").Run() != nil {
		list = append(list, "Docker (`docker info` fails)")
	}
	if os.Getenv(localStackToken) == "" {
		list = append(list, "a token in "+localStackToken)
	}
	return list
}

// TestLocalStack runs everything in LocalStack, functions and events included,
// and Postgres in a container next to it. Linux only: the presigned URLs of the API
// contain a container's address, which other hosts cannot reach.
func TestLocalStack(t *testing.T) {
	t.Parallel()
	skipIfConfigured(t)
	if needs := missingPrerequisite(); len(needs) > 0 {
		t.Skipf("prerequisites of LocalStack are missing: %s", strings.Join(needs, "; "))
	}
	together, err := network.New(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, together.Remove(context.Background())) })
	inside, outside := startPostgres(t, together.Name)
	deploy(t, startLocalStack(t, together.Name), inside, outside).runSuite(t)
}

func startLocalStack(t *testing.T, networkName string) (endpoint string) {
	t.Helper()
	c, err := testcontainers.Run(t.Context(), localStackImage,
		network.WithNetworkName([]string{"localstack"}, networkName),
		testcontainers.WithExposedPorts("4566/tcp"),
		testcontainers.WithEnv(map[string]string{
			localStackToken: os.Getenv(localStackToken), "LAMBDA_DOCKER_NETWORK": networkName, "LAMBDA_RUNTIME_ENVIRONMENT_TIMEOUT": "120",
		}),
		testcontainers.WithHostConfigModifier(func(h *container.HostConfig) {
			h.Binds = append(h.Binds, "/var/run/docker.sock:/var/run/docker.sock") // LocalStack runs functions in containers
		}),
		testcontainers.WithWaitStrategyAndDeadline(startTimeout, wait.ForHTTP("/_localstack/health").WithPort("4566/tcp")),
	)
	testcontainers.CleanupContainer(t, c)
	require.NoError(t, err)
	return "http://" + hostAddress(t, c, "4566/tcp")
}

// startPostgres returns the administrator's URLs for the containers' network
// and for this machine.
func startPostgres(t *testing.T, networkName string) (inside, outside string) {
	t.Helper()
	c, err := testcontainers.Run(t.Context(), postgresImage,
		network.WithNetworkName([]string{postgresHost}, networkName),
		testcontainers.WithExposedPorts("5432/tcp"),
		testcontainers.WithEnv(map[string]string{"POSTGRES_PASSWORD": rolePassword}),
		testcontainers.WithWaitStrategyAndDeadline(startTimeout, wait.ForLog("database system is ready to accept connections").WithOccurrence(2)),
	)
	testcontainers.CleanupContainer(t, c)
	require.NoError(t, err)
	address := func(host string) string {
		u := url.URL{Scheme: "postgres", User: url.UserPassword("postgres", rolePassword), Host: host, Path: "/postgres", RawQuery: "sslmode=disable"}
		return u.String()
	}
	return address(net.JoinHostPort(postgresHost, "5432")), address(hostAddress(t, c, "5432/tcp"))
}

// hostAddress returns the address of a container's port on this machine.
func hostAddress(t *testing.T, c testcontainers.Container, port string) string {
	t.Helper()
	host, err := c.Host(t.Context())
	require.NoError(t, err)
	number, err := c.MappedPort(t.Context(), port)
	require.NoError(t, err)
	return net.JoinHostPort(host, number.Port())
}
