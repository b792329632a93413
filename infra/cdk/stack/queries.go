package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/jsii-runtime-go"
)

// query is a question to the functions' logs, saved in CloudWatch Logs Insights.
// Log lines are JSON objects; jobId and requestId run through every hop.
type query struct{ name, text string }

func queries() []query {
	return []query{
		{"one job, everything", `fields @timestamp, level, msg, function, requestId
| filter jobId = "00000000-0000-7000-8000-000000000001"
| sort @timestamp asc
| limit 1000`},
		{"one request, everything", `fields @timestamp, level, msg, function, jobId
| filter requestId = "the X-Request-ID of the response"
| sort @timestamp asc
| limit 1000`},
		{"errors", `fields @timestamp, function, msg, error, jobId, requestId
| filter level = "ERROR"
| sort @timestamp desc
| limit 200`},
		{"failed jobs by reason", `filter msg = "job status changed" and to = "FAILED"
| stats count(*) as jobs by importType, code
| sort jobs desc`},
		{"jobs whose rows do not add up", `fields @timestamp, jobId, importType, fileLines, success, blank, header, error
| filter ispresent(` + "`import.invariant.violations`" + `)
| sort @timestamp desc`},
		{"slowest chunks", `fields @timestamp, jobId, chunk, ` + "`import.chunk.duration`" + ` as ms
| filter ispresent(` + "`import.chunk.duration`" + `)
| sort ms desc
| limit 50`},
		{"memory and cold starts", `filter @type = "REPORT"
| stats count(*) as calls, count(@initDuration) as cold, pct(@duration, 99) as p99ms, max(@maxMemoryUsed)/1048576 as usedMiB, max(@memorySize)/1048576 as sizeMiB by @log`},
	}
}

func (svc *service) addQueries() {
	var groups []any
	for _, f := range svc.blueprint.Functions {
		groups = append(groups, svc.logs[f.Name].LogGroupName())
	}
	for _, q := range queries() {
		awslogs.NewCfnQueryDefinition(svc.Stack, jsii.String("Query-"+q.name), &awslogs.CfnQueryDefinitionProps{
			Name:          jsii.String("loadbay-" + svc.settings.Stage.Name + "/" + q.name),
			QueryString:   jsii.String(q.text),
			LogGroupNames: &groups,
		})
	}
}
