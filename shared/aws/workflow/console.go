package workflow

import (
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/job"
)

// Console builds links to the AWS console for a state machine and its resources.
type Console struct{ host, region, machine, stage string }

// NewConsole returns the console links for a state machine. The name in the ARN must end in
// the stage. ok is false if the console address of the partition is unknown.
func NewConsole(stateMachineARN string) (c *Console, ok bool) {
	parts := strings.Split(stateMachineARN, ":")
	if len(parts) != 7 {
		return nil, false
	}
	host := map[string]string{"aws": "console.aws.amazon.com", "aws-us-gov": "console.amazonaws-us-gov.com", "aws-cn": "console.amazonaws.cn"}[parts[1]]
	stage := parts[6][strings.LastIndex(parts[6], "-")+1:]
	return &Console{host: host, region: parts[3], machine: stateMachineARN, stage: stage}, host != ""
}

// Execution returns the link to the execution of a job.
func (c *Console) Execution(id job.ID) string {
	arn := strings.Replace(c.machine, ":stateMachine:", ":execution:", 1) + ":" + string(id)
	return c.link("states", "/v2/executions/details/"+arn)
}

// Executions returns the link to the list of executions.
func (c *Console) Executions() string { return c.link("states", "/statemachines/view/"+c.machine) }

// Dashboard returns the link to the dashboard of the stage.
func (c *Console) Dashboard() string {
	return c.link("cloudwatch", "dashboards/dashboard/loadbay-"+c.stage)
}

func (c *Console) link(service, place string) string {
	return fmt.Sprintf("https://%s.%s/%s/home?region=%s#%s", c.region, c.host, service, c.region, place)
}
