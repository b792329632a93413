package workflow

import (
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/job"
)

// Console has the addresses of AWS's console for a state machine and what belongs to it.
type Console struct{ host, region, machine, stage string }

// NewConsole returns that of a state machine, by its ARN, whose name ends in its stage. ok is
// false for an ARN of a partition whose console is not known.
func NewConsole(stateMachineARN string) (c *Console, ok bool) {
	parts := strings.Split(stateMachineARN, ":")
	if len(parts) != 7 {
		return nil, false
	}
	host := map[string]string{"aws": "console.aws.amazon.com", "aws-us-gov": "console.amazonaws-us-gov.com", "aws-cn": "console.amazonaws.cn"}[parts[1]]
	stage := parts[6][strings.LastIndex(parts[6], "-")+1:]
	return &Console{host: host, region: parts[3], machine: stateMachineARN, stage: stage}, host != ""
}

// Execution is where the execution of a job is seen.
func (c *Console) Execution(id job.ID) string {
	arn := strings.Replace(c.machine, ":stateMachine:", ":execution:", 1) + ":" + string(id)
	return c.link("states", "/v2/executions/details/"+arn)
}

// Executions is where all of them are seen.
func (c *Console) Executions() string { return c.link("states", "/statemachines/view/"+c.machine) }

// Dashboard is where the stage's figures are seen.
func (c *Console) Dashboard() string {
	return c.link("cloudwatch", "dashboards/dashboard/loadbay-"+c.stage)
}

func (c *Console) link(service, place string) string {
	return fmt.Sprintf("https://%s.%s/%s/home?region=%s#%s", c.region, c.host, service, c.region, place)
}
