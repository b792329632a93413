package sfn

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
)

const (
	arnPrefix     = "arn:aws:states:us-east-1:000000000000:"
	rolePrefix    = "arn:aws:iam::000000000000:role/"
	maxNameLength = 80
)

// MachineARN returns the ARN of the state machine with that name.
func MachineARN(name string) string { return arnPrefix + "stateMachine:" + name }

func executionARN(machine, name string) string {
	return arnPrefix + "execution:" + machine + ":" + name
}

// parseARN returns the part after the kind of resource. The ARN of another account or region is
// well-formed but refers to nothing.
func parseARN(arn, kind string) (string, error) {
	parts := strings.SplitN(arn, ":", 7)
	if len(parts) < 3 || parts[0] != "arn" || parts[2] != "states" {
		return "", awsjson.Errorf("InvalidArn", "Invalid Arn: 'Invalid ARN prefix: %s'", arn)
	}
	if len(parts) < 7 || parts[5] != kind {
		return "", awsjson.Errorf("InvalidArn", "Invalid Arn: 'Resource type not valid in this context: %s'", arn)
	}
	if !strings.HasPrefix(arn, arnPrefix) {
		return "", nil
	}
	return parts[6], nil
}

// parseExecutionARN returns the key of an execution.
func parseExecutionARN(arn string) (string, error) { return parseARN(arn, "execution") }

// findMachine returns the state machine with that ARN.
func (s *Service) findMachine(arn string) (machine, error) {
	name, err := parseARN(arn, "stateMachine")
	if err != nil {
		return machine{}, err
	}
	m, ok := s.machines[name]
	if !ok {
		return machine{}, awsjson.Errorf("StateMachineDoesNotExist", "State Machine Does Not Exist: '%s'", arn)
	}
	return m, nil
}

func executionNotFound(arn string) error {
	return awsjson.Errorf("ExecutionDoesNotExist", "Execution Does Not Exist: '%s'", arn)
}

// checkName applies the rules for names of executions and machines.
// Source: https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html
func checkName(name string) error {
	bad := func(r rune) bool {
		return r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("<>{}[]?*\"#%\\^|~`$&,;:/", r)
	}
	if name == "" || strings.ContainsFunc(name, bad) {
		return awsjson.Errorf("InvalidName", "Invalid Name: '%s'", name)
	}
	if utf8.RuneCountInString(name) > maxNameLength {
		return validationError(name, "name", "Member must have length less than or equal to 80")
	}
	return nil
}

func itoa(n int) string { return strconv.Itoa(n) }
