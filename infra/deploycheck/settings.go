package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// stage is the stage that is deployed and destroyed: only its data is disposable.
const stage = "dev"

// cdkCLI is the version of the CDK that the Makefile deploys with.
const cdkCLI = "aws-cdk@2.1148.1"

// settings configure the test deployment.
type settings struct {
	account string // twelve digits: the credentials must belong to it
	region  string
	context []string // for the CDK: "-c", "key=value", …
	// assembly is the folder with the templates and lists of files that the CDK writes.
	assembly string
}

var (
	accountPattern = regexp.MustCompile(`^\d{12}$`)
	regionPattern  = regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-\d$`)
)

// validate reports every error before the first call to AWS.
func (s settings) validate(lookPath func(string) (string, error)) error {
	var errs []error
	if !accountPattern.MatchString(s.account) {
		errs = append(errs, fmt.Errorf("ACCOUNT is %q: set the 12-digit account in which the stage %s can be created and destroyed", s.account, stage))
	}
	if !regionPattern.MatchString(s.region) {
		errs = append(errs, fmt.Errorf("AWS_REGION is %q, not a region", s.region))
	}
	errs = append(errs, s.checkContext()...)
	for _, program := range []string{"go", "node", "npx", "aws"} {
		if _, err := lookPath(program); err != nil {
			errs = append(errs, fmt.Errorf("%s is not on the PATH: %w", program, err))
		}
	}
	return errors.Join(errs...)
}

func (s settings) checkContext() []error {
	var errs []error
	issuer := false
	for i := 0; i < len(s.context); i += 2 {
		if s.context[i] != "-c" || i+1 == len(s.context) || !strings.Contains(s.context[i+1], "=") {
			return []error{fmt.Errorf("CDK_ARGS: %q is not -c key=value", strings.Join(s.context[i:], " "))}
		}
		key, value, _ := strings.Cut(s.context[i+1], "=")
		if key == "stage" && value != stage {
			errs = append(errs, fmt.Errorf("CDK_ARGS: stage %s must not be destroyed", value))
		}
		issuer = issuer || slices.Contains([]string{"jwtIssuer", "auth"}, key)
	}
	if !strings.Contains(s.alarmEmail(), "@") {
		errs = append(errs, errors.New("CDK_ARGS: -c alarmEmail=you@example.com is missing: alarms and a budget of $20 warn this address"))
	}
	if !issuer {
		errs = append(errs, errors.New("CDK_ARGS: -c jwtIssuer=https://… is missing: API Gateway contacts the issuer when a stage is created"))
	}
	return errs
}

// alarmEmail is the address for alarms in the context, or "".
func (s settings) alarmEmail() string { return s.contextValue("alarmEmail") }

// stageName is the name of the stage with its cell.
func (s settings) stageName() string { return blueprint.StageName(stage, s.contextValue("cell")) }

// contextValue returns the value of a key in the context, or "".
func (s settings) contextValue(key string) string {
	for _, item := range s.context {
		if value, found := strings.CutPrefix(item, key+"="); found {
			return value
		}
	}
	return ""
}
