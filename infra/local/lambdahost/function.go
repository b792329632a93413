package lambdahost

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// Function describes one function and its limits.
type Function struct {
	Name    string
	Memory  int // MiB; sets the Go runtime's memory limit; exceeding it is reported, not prevented
	Timeout time.Duration
	// Concurrency is the maximum number of instances at a time.
	Concurrency int
	// Elastic means that the concurrency limit is a limit of this machine and not of the
	// service: when all instances are busy, invocations wait and are not rejected.
	Elastic bool
	// Env is set in addition to the variables that Lambda sets.
	Env map[string]string
}

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

func (f Function) validate() error {
	if !namePattern.MatchString(f.Name) {
		return fmt.Errorf("function name %q", f.Name)
	}
	if f.Memory < 128 || f.Timeout <= 0 || f.Concurrency < 1 {
		return fmt.Errorf("function %s: memory %d MiB, timeout %s and concurrency %d must be at least 128, above 0 and 1",
			f.Name, f.Memory, f.Timeout, f.Concurrency)
	}
	return nil
}

// environment returns the complete environment of an instance; as on AWS, it contains
// nothing of its host's environment.
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
func (f Function) environment(runtimeAPI, bootstrap, temp, instance string) []string {
	full := Name(f.Name)
	values := map[string]string{
		"AWS_LAMBDA_RUNTIME_API":          runtimeAPI,
		"AWS_LAMBDA_FUNCTION_NAME":        full,
		"AWS_LAMBDA_FUNCTION_VERSION":     "$LATEST",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": strconv.Itoa(f.Memory),
		"AWS_LAMBDA_INITIALIZATION_TYPE":  "on-demand",
		"AWS_LAMBDA_LOG_GROUP_NAME":       "/aws/lambda/" + full,
		"AWS_LAMBDA_LOG_STREAM_NAME":      "local/[$LATEST]" + instance,
		"AWS_EXECUTION_ENV":               "AWS_Lambda_provided.al2023",
		"AWS_REGION":                      Region,
		"AWS_DEFAULT_REGION":              Region,
		"LAMBDA_TASK_ROOT":                filepath.Dir(bootstrap),
		"_HANDLER":                        "bootstrap",
		"LANG":                            "en_US.UTF-8",
		"PATH":                            "/usr/local/bin:/usr/bin:/bin",
		"TZ":                              ":UTC",
		"TMPDIR":                          temp,
	}
	for name, value := range f.Env {
		values[name] = value
	}
	env := make([]string, 0, len(values))
	for name, value := range values {
		env = append(env, name+"="+value)
	}
	return env
}
