package main

import (
	"errors"
	"fmt"

	"regexp"
	"slices"
	"strings"
)

// stage is the one that is deployed and destroyed: no other may go with its data.
const stage = "dev"

// cdkCLI is the version of the CDK that the Makefile deploys with.
const cdkCLI = "aws-cdk@2.1148.1"

// settings say where to try a deployment.
type settings struct {
	account string // of twelve digits: the credentials have to be of this one
	region  string
	context []string // for the CDK: "-c", "key=value", …
}

var (
	accountPattern = regexp.MustCompile(`^\d{12}$`)
	regionPattern  = regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-\d$`)
)

// validate says all that is wrong, before anything of AWS is called.
func (s settings) validate(lookPath func(string) (string, error)) error {
	var errs []error
	if !accountPattern.MatchString(s.account) {
		errs = append(errs, fmt.Errorf("ACCOUNT is %q: name the account, of twelve digits, in which the stage %s may be made and destroyed", s.account, stage))
	}
	if !regionPattern.MatchString(s.region) {
		errs = append(errs, fmt.Errorf("AWS_REGION is %q, no region", s.region))
	}
	errs = append(errs, s.checkContext()...)
	for _, program := range []string{"go", "node", "npx"} {
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
			return []error{fmt.Errorf("CDK_ARGS: %q is no -c key=value", strings.Join(s.context[i:], " "))}
		}
		key, value, _ := strings.Cut(s.context[i+1], "=")
		if key == "stage" && value != stage {
			errs = append(errs, fmt.Errorf("CDK_ARGS: stage %s is not to be destroyed", value))
		}
		issuer = issuer || slices.Contains([]string{"jwtIssuer", "auth"}, key)
	}
	if !issuer {
		errs = append(errs, errors.New("CDK_ARGS: -c jwtIssuer=https://… is missing: API Gateway asks the issuer before it takes a stage"))
	}
	return errs
}
